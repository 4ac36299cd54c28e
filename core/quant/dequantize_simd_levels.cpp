// SPDX-License-Identifier: GPL-3.0-or-later
// Types whose codes pick one of 4 or 16 levels: Q4_0, Q4_1, Q4_K, IQ4_NL, IQ4_XS, MXFP4, NVFP4,
// Q2_K and TQ2_0.
#include "core/quant/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/quant/dequantize_simd_levels.cpp"
#include <hwy/foreach_target.h>

#include "core/model/blocks.h"
#include "core/quant/codebooks.h"
#include "core/quant/scales.h"
#include "core/quant/simd_loops-inl.h"

#ifndef QL_SIMD_LEVELS_ONCE
#define QL_SIMD_LEVELS_ONCE
namespace ql {

constexpr Levels LevelsUnsigned4 =
    levelsOf<16>({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15});
constexpr Levels LevelsSigned4 =
    levelsOf<16>({-8, -7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7});
constexpr Levels LevelsIQ4 = levelsOf<16>(ValuesIQ4NL);
constexpr Levels LevelsFP4 = levelsOf<16>(ValuesFP4);
constexpr Levels LevelsUnsigned2 = levelsOf<4>({0, 1, 2, 3});
/// scaleUE4M3Half of every byte.
constexpr std::array<float, 256> ScalesUE4M3 = [] {
    std::array<float, 256> scales{};
    for (std::uint32_t x = 0; x < 256; ++x)
        scales[x] = scaleUE4M3Half(static_cast<std::uint8_t>(x));
    return scales;
}();

constexpr Levels LevelsTernary = levelsOf<4>({-1, 0, 1, 2});

} // namespace ql
#endif

#if QL_SIMD_TARGET
HWY_BEFORE_NAMESPACE();
namespace ql::HWY_NAMESPACE {
namespace {

/// Low nibbles of 16 bytes to out[0..15], high ones to out[16..31].
template <class Formula>
HWY_INLINE void decodeNibbles32(const std::uint8_t *qs, const Levels &levels, const Formula &formula,
                                float *HWY_RESTRICT out)
{
    const Packed16 packed = loadPacked16(qs);
    storeLevels<4, 0>(packed, levels, formula, out);
    storeLevels<4, 4>(packed, levels, formula, out + 16);
}

HWY_INLINE void decodeQ4_0(const std::uint8_t *block, Times formula, float *HWY_RESTRICT out)
{
    decodeNibbles32(block + offsetof(BlockQ4_0, qs), LevelsSigned4, formula, out);
}

HWY_INLINE void decodeQ4_1(const std::uint8_t *block, TimesPlus formula, float *HWY_RESTRICT out)
{
    decodeNibbles32(block + offsetof(BlockQ4_1, qs), LevelsUnsigned4, formula, out);
}

HWY_INLINE void decodeIQ4NL(const std::uint8_t *block, Times formula, float *HWY_RESTRICT out)
{
    decodeNibbles32(block + offsetof(BlockIQ4NL, qs), LevelsIQ4, formula, out);
}

HWY_INLINE void decodeMXFP4(const std::uint8_t *block, float *HWY_RESTRICT out)
{
    const Times formula{broadcast(scaleE8M0Half(block[0]))};
    decodeNibbles32(block + offsetof(BlockMXFP4, qs), LevelsFP4, formula, out);
}

/// Two sub-blocks of 16 weights: their 8 bytes each hold weights 0-7 low and 8-15 high.
HWY_INLINE void decodeNVFP4Pair(const std::uint8_t *d, const std::uint8_t *qs, float *HWY_RESTRICT out)
{
    const hn::Repartition<std::uint64_t, U8x16> words;
    const auto bytes = hn::LoadU(U8x16(), qs);
    const auto low = hn::BitCast(words, bytes);
    const auto high = hn::BitCast(words, hn::ShiftRight<4>(bytes));
    const auto first = hn::BitCast(U8x16(), hn::InterleaveLower(words, low, high));
    const auto second = hn::BitCast(U8x16(), hn::InterleaveUpper(words, low, high));
    storeLevels<4, 0>(packed16(first), LevelsFP4, Times{broadcast(ScalesUE4M3[d[0]])}, out);
    storeLevels<4, 0>(packed16(second), LevelsFP4, Times{broadcast(ScalesUE4M3[d[1]])}, out + 16);
}

HWY_INLINE void decodeNVFP4(const std::uint8_t *block, float *HWY_RESTRICT out)
{
    const std::uint8_t *qs = block + offsetof(BlockNVFP4, qs);
    decodeNVFP4Pair(block, qs, out);
    decodeNVFP4Pair(block + 2, qs + 16, out + 32);
}

HWY_INLINE void decodeQ4K(const std::uint8_t *block, float *HWY_RESTRICT out)
{
    alignas(64) float scaleMins[16];
    loadScaleMinsK4(block, block + offsetof(BlockQ4K, scales), scaleMins);
    for (std::size_t pair = 0; pair < 4; ++pair) {
        const float *s = scaleMins + 4 * pair;
        const TimesMinus low{broadcast(s[0]), broadcast(s[1])};
        const TimesMinus high{broadcast(s[2]), broadcast(s[3])};
        const std::uint8_t *qs = block + offsetof(BlockQ4K, qs) + 32 * pair;
        const Packed16 first = loadPacked16(qs);
        const Packed16 second = loadPacked16(qs + 16);
        storeLevels<4, 0>(first, LevelsUnsigned4, low, out + 64 * pair);
        storeLevels<4, 0>(second, LevelsUnsigned4, low, out + 64 * pair + 16);
        storeLevels<4, 4>(first, LevelsUnsigned4, high, out + 64 * pair + 32);
        storeLevels<4, 4>(second, LevelsUnsigned4, high, out + 64 * pair + 48);
    }
}

HWY_INLINE void decodeIQ4XS(const std::uint8_t *block, float *HWY_RESTRICT out)
{
    const auto scalesH = loadAs<std::uint16_t>(block + offsetof(BlockIQ4XS, scalesH));
    const std::uint8_t *scalesL = block + offsetof(BlockIQ4XS, scalesL);
    const Vector d = broadcastHalf(block);
    for (int s = 0; s < 8; ++s) {
        const float scale = static_cast<float>(scaleIQ4XS(scalesH, scalesL, s));
        const Times formula{hn::Mul(d, broadcast(scale))};
        decodeNibbles32(block + offsetof(BlockIQ4XS, qs) + 16 * s, LevelsIQ4, formula, out + 32 * s);
    }
}

/// Sixteen bytes hold codes of weights l, l+32, l+64 and l+96 of a half.
template <class FormulaAt>
HWY_INLINE void decodeTwoBits64(const std::uint8_t *qs, const Levels &levels, const FormulaAt &formulaAt,
                                std::size_t first, float *HWY_RESTRICT out)
{
    const Packed16 packed = loadPacked16(qs);
    storeLevels<2, 0>(packed, levels, formulaAt(first), out);
    storeLevels<2, 2>(packed, levels, formulaAt(first + 2), out + 32);
    storeLevels<2, 4>(packed, levels, formulaAt(first + 4), out + 64);
    storeLevels<2, 6>(packed, levels, formulaAt(first + 6), out + 96);
}

struct ScaleMinFor16 {
    const float *scales;
    const float *mins;
    HWY_INLINE TimesMinus operator()(std::size_t i) const
    {
        return {broadcast(scales[i]), broadcast(mins[i])};
    }
};

HWY_INLINE void decodeQ2K(const std::uint8_t *block, float *HWY_RESTRICT out)
{
    alignas(64) float scales[16];
    alignas(64) float mins[16];
    const auto packed = loadPacked16(block);
    const Times d{broadcastHalf(block + offsetof(BlockQ2K, d))};
    const Times dmin{broadcastHalf(block + offsetof(BlockQ2K, dmin))};
    storeLevels<4, 0>(packed, LevelsUnsigned4, d, scales);
    storeLevels<4, 4>(packed, LevelsUnsigned4, dmin, mins);
    keepInMemory(scales);
    keepInMemory(mins);
    const ScaleMinFor16 formulaAt{scales, mins};
    for (std::size_t i = 0; i < 4; ++i) { // half i / 2, sixteen bytes of it
        const std::size_t half = i / 2;
        decodeTwoBits64(block + offsetof(BlockQ2K, qs) + 16 * i, LevelsUnsigned2, formulaAt,
                        8 * half + i % 2, out + 128 * half + 16 * (i % 2));
    }
}

HWY_INLINE void decodeTQ2_0(const std::uint8_t *block, float *HWY_RESTRICT out)
{
    const Always<Times> formulaAt{{broadcastHalf(block + offsetof(BlockTQ2_0, d))}};
    for (std::size_t i = 0; i < 4; ++i)
        decodeTwoBits64(block + 16 * i, LevelsTernary, formulaAt, 0, out + 128 * (i / 2) + 16 * (i % 2));
}

constexpr SimdKernel Kernels[] = {
    {GgmlType::Q4_0, decodeHalfBlocks<decodeQ4_0, BlockQ4_0, 32>},
    {GgmlType::Q4_1, decodeHalfBlocks<decodeQ4_1, BlockQ4_1, 32, true>},
    {GgmlType::Q2_K, decodeBlocks<decodeQ2K, BlockQ2K, 256>},
    {GgmlType::Q4_K, decodeBlocks<decodeQ4K, BlockQ4K, 256>},
    {GgmlType::IQ4_NL, decodeHalfBlocks<decodeIQ4NL, BlockIQ4NL, 32>},
    {GgmlType::IQ4_XS, decodeBlocks<decodeIQ4XS, BlockIQ4XS, 256>},
    {GgmlType::TQ2_0, decodeBlocks<decodeTQ2_0, BlockTQ2_0, 256>},
    {GgmlType::MXFP4, decodeBlocks<decodeMXFP4, BlockMXFP4, 32>},
    {GgmlType::NVFP4, decodeBlocks<decodeNVFP4, BlockNVFP4, 64>},
};

} // namespace
} // namespace ql::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif // QL_SIMD_TARGET

#if HWY_ONCE
namespace ql {

std::span<const SimdKernels> simdLevelKernels()
{
    static constexpr SimdKernels Rows[] = {QL_SIMD_ROWS};
    return Rows;
}

} // namespace ql
#endif
