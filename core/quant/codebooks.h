// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace ql {

// The grids of the IQ types. An entry is its values as signed bytes, value 0 in the lowest byte:
// eight of them for IQ1 and IQ2, four for IQ3.
extern const std::array<std::uint64_t, 256> GridIQ2XXS;
extern const std::array<std::uint64_t, 512> GridIQ2XS;
extern const std::array<std::uint64_t, 1024> GridIQ2S;
extern const std::array<std::uint64_t, 2048> GridIQ1S; ///< -1, 0, 1; IQ1_M uses it too
extern const std::array<std::uint32_t, 256> GridIQ3XXS;
extern const std::array<std::uint32_t, 512> GridIQ3S;

/// Value i of a grid entry.
template <class Entry>
constexpr int gridValue(Entry entry, std::size_t i)
{
    return static_cast<std::int8_t>(entry >> (8 * i));
}

/// IQ4_NL and IQ4_XS: what a 4-bit code stands for.
inline constexpr std::array<std::int8_t, 16> ValuesIQ4NL = {
    -127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};

/// MXFP4 and NVFP4: twice the E2M1 value of a 4-bit code. Code 8 is +0, not -0.
inline constexpr std::array<std::int8_t, 16> ValuesFP4 = {
    0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};

/// The eight sign bits that seven stored ones stand for: bit 7 makes the number of ones even.
constexpr std::uint8_t evenSigns(std::uint32_t sevenBits)
{
    const std::uint32_t low = sevenBits & 127u;
    const auto odd = static_cast<std::uint32_t>(std::popcount(low)) & 1u;
    return static_cast<std::uint8_t>(low | (odd << 7));
}

} // namespace ql
