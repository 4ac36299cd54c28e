// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/output/tensorexport.h"

#include <memory>
#include <string>

namespace ql {

/// Turns runs of a source's blocks into CSV text, each run on its own, whatever thread asks.
class CsvFormatter
{
public:
    virtual ~CsvFormatter() = default;
    /// Appends blocks [first, first + n) of the view. Not thread-safe: one formatter a thread.
    virtual void append(std::string &text, std::uint64_t first, std::size_t n) = 0;
};

std::unique_ptr<CsvFormatter> makeCsvFormatter(const ExportSource &source, CsvLayout layout);

/// The header line of the long layout.
std::string_view csvHeader(const ExportSource &source, CsvLayout layout);

} // namespace ql
