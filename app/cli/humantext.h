// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/output/humannumbers.h"
#include "core/output/table.h"

#include <cstdint>
#include <optional>
#include <string>

namespace ql::cli {

// Cells of tables on a terminal; the numbers themselves are in humannumbers.h.

/// "1 tensor", "1,234 tensors"
std::string counted(std::uint64_t n, const std::string &noun);
/// So many digits that values a step apart look different where the largest is `most`; at least four.
int digitsToTell(double most, double step);

TableCell numberCell(double value);
TableCell numberCell(std::uint64_t value);
TableCell numberCell(std::optional<double> value);
TableCell numberCell(std::optional<std::uint64_t> value);
TableCell textCell(std::string text);

} // namespace ql::cli
