// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/output/humannumbers.h"
#include "core/output/table.h"

#include <cstdint>
#include <optional>
#include <string>

namespace ql::cli {

// Cells of tables on a terminal; the numbers themselves are in humannumbers.h.

TableCell numberCell(double value);
TableCell numberCell(std::uint64_t value);
TableCell numberCell(std::optional<double> value);
TableCell numberCell(std::optional<std::uint64_t> value);
TableCell textCell(std::string text);

} // namespace ql::cli
