// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The stored scales that need more than a half's conversion to read, shared by the decoders, the
// encoders and the block inspector.

#include "core/quant/half.h"

#include <bit>
#include <cstdint>

namespace ql {

/// MXFP4: 2^(e-128), by which the doubled table is multiplied. e = 0 and 1 give subnormals; e = 255
/// is a number like any other.
constexpr float scaleE8M0Half(std::uint8_t e)
{
    const std::uint32_t bits = e < 2 ? 0x00200000u << e : (e - 1u) << 23;
    return std::bit_cast<float>(bits);
}

/// NVFP4: half of an unsigned e4m3 number. The top bit is ignored, except that 0xff is not the
/// zero that 0x7f is.
constexpr float scaleUE4M3Half(std::uint8_t x)
{
    if (x == 0 || x == 0x7f)
        return 0.0f;
    const int exponent = (x >> 3) & 15;
    const int mantissa = x & 7;
    if (exponent == 0)
        return static_cast<float>(mantissa) * 0x1p-10f;
    const auto power = std::bit_cast<float>(static_cast<std::uint32_t>(exponent - 8 + 127) << 23);
    return (1.0f + static_cast<float>(mantissa) / 8.0f) * power;
}

/// Scale and min of a sub-block.
struct ScaleMin {
    int scale = 0;
    int min = 0;
};

/// Q4_K and Q5_K: the 6-bit pair of sub-block s (0-7) in 12 bytes.
inline ScaleMin scaleMinK4(const std::uint8_t *scales, int s)
{
    if (s < 4)
        return {scales[s] & 63, scales[s + 4] & 63};
    return {(scales[s + 4] & 15) | (scales[s - 4] >> 6) << 4, (scales[s + 4] >> 4) | (scales[s] >> 6) << 4};
}

/// Q3_K: the 6-bit scale of sub-block s (0-15) in 12 bytes, minus 32 as the formula uses it.
inline int scaleQ3K(const std::uint8_t *scales, int s)
{
    const int low = s < 8 ? scales[s] & 15 : scales[s - 8] >> 4;
    const int high = (scales[8 + s % 4] >> (2 * (s / 4))) & 3;
    return (low | high << 4) - 32;
}

/// IQ4_XS: the 6-bit scale of sub-block s (0-7), minus 32.
inline int scaleIQ4XS(std::uint16_t scalesH, const std::uint8_t *scalesL, int s)
{
    const int low = (scalesL[s / 2] >> (4 * (s % 2))) & 15;
    const int high = (scalesH >> (2 * s)) & 3;
    return (low | high << 4) - 32;
}

/// IQ1_M: the half spread over the top nibbles of the four 16-bit scale words (8 bytes).
inline std::uint16_t halfOfIQ1M(const std::uint8_t *scales)
{
    return static_cast<std::uint16_t>((scales[1] >> 4) | (scales[3] >> 4) << 4 | (scales[5] >> 4) << 8
                                      | (scales[7] >> 4) << 12);
}

/// IQ1_M: the odd factor of 16 weights, half-group s (0-15): 2 * 3-bit scale + 1.
inline int factorIQ1M(const std::uint8_t *scales, int s)
{
    const int word = scales[s / 4 * 2] | scales[s / 4 * 2 + 1] << 8;
    return 2 * ((word >> (3 * (s % 4))) & 7) + 1;
}

} // namespace ql
