// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace ql {

/// What the 16 values of a 4-bit code stand for, in the two forms that kernels look up.
struct Levels {
    alignas(64) float asFloat[16] = {};
    alignas(16) std::uint8_t asByte[16] = {}; ///< signed bytes
};

/// `values` repeated until there are 16.
template <std::size_t N>
constexpr Levels levelsOf(const std::array<std::int8_t, N> &values)
{
    Levels levels;
    for (std::size_t i = 0; i < 16; ++i) {
        levels.asFloat[i] = static_cast<float>(values[i % N]);
        levels.asByte[i] = static_cast<std::uint8_t>(values[i % N]);
    }
    return levels;
}

} // namespace ql
