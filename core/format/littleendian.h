// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <type_traits>
#include <vector>

namespace ql {

/// Appends a number's bytes, lowest first.
template <class T>
void appendLittle(std::vector<std::byte> &out, T value)
{
    static_assert(std::is_arithmetic_v<T>);
    std::byte raw[sizeof(T)];
    std::memcpy(raw, &value, sizeof(T));
    if constexpr (std::endian::native == std::endian::big)
        std::reverse(raw, raw + sizeof(T));
    out.insert(out.end(), raw, raw + sizeof(T));
}

} // namespace ql
