// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/output/displaytext.h"

#include "core/model/utf8.h"

#include <algorithm>
#include <utility>

namespace ql {

namespace {

using Range = std::pair<char32_t, char32_t>;

template <std::size_t N>
bool inAny(const Range (&ranges)[N], char32_t c)
{
    return std::ranges::any_of(ranges, [c](Range r) { return c >= r.first && c <= r.second; });
}

constexpr Range ControlRanges[] = {{0, 0x1f},        {0x7f, 0x9f},     {0x61c, 0x61c},
                                   {0x200e, 0x200f}, {0x2028, 0x202e}, {0x2066, 0x2069}};
constexpr Range WideRanges[] = {{0x1100, 0x115f},   {0x2e80, 0xa4cf},   {0xac00, 0xd7a3},
                                {0xf900, 0xfaff},   {0xfe30, 0xfe6f},   {0xff00, 0xff60},
                                {0xffe0, 0xffe6},   {0x1f300, 0x1f64f}, {0x1f900, 0x1f9ff},
                                {0x20000, 0x3fffd}};

} // namespace

std::size_t displayWidth(std::string_view text)
{
    std::size_t width = 0;
    for (; !text.empty(); ) {
        const Utf8Char c = decodeUtf8(text);
        width += inAny(WideRanges, c.value) ? 2 : 1;
        text.remove_prefix(std::max<std::size_t>(c.length, 1));
    }
    return width;
}

bool isControlCharacter(char32_t c) { return inAny(ControlRanges, c); }

} // namespace ql
