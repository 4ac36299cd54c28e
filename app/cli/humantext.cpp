// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/humantext.h"

namespace ql::cli {

TableCell numberCell(double value) { return TableCell::number(significant(value)); }
TableCell numberCell(std::uint64_t value) { return TableCell::number(grouped(value)); }
TableCell numberCell(std::optional<double> value) { return TableCell::number(significant(value)); }

TableCell numberCell(std::optional<std::uint64_t> value)
{
    return TableCell::number(value ? grouped(*value) : "-");
}

TableCell textCell(std::string text) { return {std::move(text), false}; }

} // namespace ql::cli
