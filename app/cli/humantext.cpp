// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/humantext.h"

#include <algorithm>
#include <cmath>

namespace ql::cli {

std::string counted(std::uint64_t n, const std::string &noun) { return grouped(n) + " " + noun + (n == 1 ? "" : "s"); }

int digitsToTell(double most, double step)
{
    constexpr int Least = 4, Most = 17;
    if (!(step > 0) || !(most > 0))
        return Least;
    const double digits = std::ceil(std::log10(most) - std::log10(step)) + 1;
    return static_cast<int>(std::clamp<double>(digits, Least, Most));
}

TableCell numberCell(double value) { return TableCell::number(significant(value)); }
TableCell numberCell(std::uint64_t value) { return TableCell::number(grouped(value)); }
TableCell numberCell(std::optional<double> value) { return TableCell::number(significant(value)); }

TableCell numberCell(std::optional<std::uint64_t> value)
{
    return TableCell::number(value ? grouped(*value) : "-");
}

TableCell textCell(std::string text) { return {std::move(text), false}; }

} // namespace ql::cli
