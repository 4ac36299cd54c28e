// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/output/humannumbers.h"

#include <array>
#include <charconv>

namespace ql {

std::string grouped(std::uint64_t value)
{
    std::string text = std::to_string(value);
    for (std::size_t at = text.size(); at > 3; at -= 3)
        text.insert(at - 3, ",");
    return text;
}

std::string significant(double value, int digits)
{
    std::array<char, 64> buffer{};
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                   std::chars_format::general, digits).ptr;
    return {buffer.data(), end};
}

std::string significant(std::optional<double> value, int digits)
{
    return value ? significant(*value, digits) : "-";
}

std::string scaled(double value)
{
    constexpr std::array<const char *, 5> Prefixes{"", "k", "M", "G", "T"};
    std::size_t prefix = 0;
    for (; value >= 999.5 && prefix + 1 < Prefixes.size(); ++prefix)
        value /= 1000;
    return significant(value, 3) + " " + Prefixes[prefix];
}

std::string byteText(std::uint64_t bytes)
{
    constexpr std::array<const char *, 7> Units{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double value = static_cast<double>(bytes);
    std::size_t unit = 0;
    for (; value >= 999.5 && unit + 1 < Units.size(); ++unit)
        value /= 1024;
    return significant(value, 3) + " " + Units[unit];
}

std::string shapeText(const Ne &ne)
{
    std::string text = "[";
    for (const auto dim : ne.dims())
        text += (text.size() > 1 ? ", " : "") + std::to_string(dim);
    return text + "]";
}

} // namespace ql
