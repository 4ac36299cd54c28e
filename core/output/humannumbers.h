// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/ne.h"

#include <cstdint>
#include <optional>
#include <string>

namespace ql {

// Numbers for people, on a terminal or in a report: no locale, since both get pasted into issues.

/// "1,234,567"
std::string grouped(std::uint64_t value);
/// Four (or so many) significant digits, trailing zeros dropped: "0.01626", "1.2e-07".
std::string significant(double value, int digits = 4);
/// "-" where there is nothing.
std::string significant(std::optional<double> value, int digits = 4);
/// With a decimal prefix: "2.31 G".
std::string scaled(double value);
/// "113 MiB"; exact below 1 KiB.
std::string byteText(std::uint64_t bytes);
/// "[4096, 14336]", ne[0] first.
std::string shapeText(const Ne &ne);

} // namespace ql
