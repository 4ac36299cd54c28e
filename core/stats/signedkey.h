// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <bit>
#include <cstdint>

namespace ql {

// A float turned into an integer that sorts by magnitude and, of equal magnitudes, puts the positive
// one last: the largest key is the largest |x| with its sign, in any order of looking.

inline std::uint32_t signedKey(float x)
{
    const auto bits = std::bit_cast<std::uint32_t>(x);
    return bits << 1 | (bits >> 31 ^ 1u);
}

/// The float of a key; a zero comes out positive.
inline float valueOfKey(std::uint32_t key)
{
    const std::uint32_t magnitude = key >> 1;
    const bool negative = (key & 1u) == 0 && magnitude != 0;
    return std::bit_cast<float>(magnitude | (negative ? 0x80000000u : 0u));
}

} // namespace ql
