// SPDX-License-Identifier: GPL-3.0-or-later
// Small blocks whose codes are worked out as bytes: Q5_0, Q5_1, Q8_0, Q8_1, Q1_0, Q2_0 and TQ1_0.
#include "core/quant/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/quant/dequantize_simd_small.cpp"
#include <hwy/foreach_target.h>

#include "core/model/blocks.h"
#include "core/quant/simd_loops-inl.h"

#ifndef QL_SIMD_SMALL_ONCE
#define QL_SIMD_SMALL_ONCE
namespace ql {

constexpr Levels LevelsTernary = levelsOf<4>({-1, 0, 1, 2});

} // namespace ql
#endif

#if QL_SIMD_TARGET
HWY_BEFORE_NAMESPACE();
namespace ql::HWY_NAMESPACE {
namespace {

/// The nibbles of 16 bytes, low ones first: CodeLanes of the 32 from part * CodeLanes up.
template <std::size_t part>
HWY_INLINE Codes nibbles32(const std::uint8_t *qs)
{
    const auto packed = hn::LoadU(U8x16(), qs);
#if HWY_MAX_BYTES >= 32
    const hn::Repartition<std::uint16_t, U8x16> words;
    const auto shifted = hn::BitCast(U8x16(), hn::ShiftRight<4>(hn::BitCast(words, packed)));
    return hn::And(hn::Combine(U8(), shifted, packed), sameCodes(15));
#else
    return part == 0 ? hn::And(packed, sameCodes(15)) : hn::ShiftRight<4>(packed);
#endif
}

/// q - 16 as signed bytes: a fifth bit that is not set makes the low four negative.
template <std::size_t part>
HWY_INLINE Codes codesQ5_0(const std::uint8_t *qh, const std::uint8_t *qs)
{
    const auto fifth = hn::LoadMaskBits(U8(), qh + part * CodeLanes / 8);
    return hn::Or(nibbles32<part>(qs), hn::IfThenZeroElse(fifth, sameCodes(0xf0)));
}

template <std::size_t part>
HWY_INLINE Codes codesQ5_1(const std::uint8_t *qh, const std::uint8_t *qs)
{
    const auto fifth = hn::LoadMaskBits(U8(), qh + part * CodeLanes / 8);
    return hn::Or(nibbles32<part>(qs), hn::IfThenElseZero(fifth, sameCodes(16)));
}

HWY_INLINE void decodeQ5_0(const std::uint8_t *block, Times formula, float *HWY_RESTRICT out)
{
    const std::uint8_t *qh = block + offsetof(BlockQ5_0, qh);
    const std::uint8_t *qs = block + offsetof(BlockQ5_0, qs);
    const Always<Times> formulaAt{formula};
    storeCodes(codesQ5_0<0>(qh, qs), formulaAt, 0, out);
    if constexpr (CodeLanes == 16)
        storeCodes(codesQ5_0<32 / CodeLanes - 1>(qh, qs), formulaAt, 0, out + 16);
}

HWY_INLINE void decodeQ5_1(const std::uint8_t *block, TimesPlus formula, float *HWY_RESTRICT out)
{
    const std::uint8_t *qh = block + offsetof(BlockQ5_1, qh);
    const std::uint8_t *qs = block + offsetof(BlockQ5_1, qs);
    const Always<TimesPlus> formulaAt{formula};
    storeCodes(codesQ5_1<0>(qh, qs), formulaAt, 0, out);
    if constexpr (CodeLanes == 16)
        storeCodes(codesQ5_1<32 / CodeLanes - 1>(qh, qs), formulaAt, 0, out + 16);
}

template <std::size_t qs>
HWY_INLINE void decodeEightBits32(const std::uint8_t *block, Times formula, float *HWY_RESTRICT out)
{
    const auto *codes = reinterpret_cast<const std::int8_t *>(block + qs);
    store(formula(floatsFrom(codes)), out);
    store(formula(floatsFrom(codes + 16)), out + 16);
}

/// Sixteen bits, each d or -d.
HWY_INLINE void decodeBits16(const std::uint8_t *bits, Vector d, float *HWY_RESTRICT out)
{
#if QL_LOOKUP16
    hn::StoreU(hn::IfThenElse(hn::LoadMaskBits(F32(), bits), d, hn::Neg(d)), F32(), out);
#else
    const auto set = hn::LoadMaskBits(U8x16(), bits);
    const auto plus = hn::Set(U8x16(), std::uint8_t{1});
    const auto minus = hn::Set(U8x16(), std::uint8_t{0xff});
    store(Times{d}(floatsFrom(hn::IfThenElse(set, plus, minus))), out);
#endif
}

HWY_INLINE void decodeQ1_0(const std::uint8_t *block, float *HWY_RESTRICT out)
{
    const Vector d = broadcastHalf(block);
    for (std::size_t i = 0; i < 8; ++i)
        decodeBits16(block + offsetof(BlockQ1_0, qs) + 2 * i, d, out + 16 * i);
}

/// Four bytes of four 2-bit codes each, in order: (q - 1) * d.
HWY_INLINE void decodePairs16(const std::uint8_t *qs, Vector d, float *HWY_RESTRICT out)
{
#if QL_LOOKUP16
    alignas(64) static constexpr std::uint32_t Shifts[16] = {0,  2,  4,  6,  8,  10, 12, 14,
                                                             16, 18, 20, 22, 24, 26, 28, 30};
    const Vector table = hn::Mul(hn::Load(F32(), LevelsTernary.asFloat), d);
    const auto codes = hn::Shr(hn::Set(U32(), loadAs<std::uint32_t>(qs)), hn::Load(U32(), Shifts));
    hn::StoreU(hn::TableLookupLanes(table, hn::Indices512<float>{codes.raw}), F32(), out);
#else
    alignas(16) static constexpr std::uint8_t FourTimes[16] = {0, 0, 0, 0, 1, 1, 1, 1,
                                                               2, 2, 2, 2, 3, 3, 3, 3};
    const hn::Simd<std::uint32_t, 4, 0> words;
    const auto bytes = hn::BitCast(U8x16(), hn::Set(words, loadAs<std::uint32_t>(qs)));
    const auto spread = hn::BitCast(words, hn::TableLookupBytes(bytes, hn::Load(U8x16(), FourTimes)));
    const auto low = hn::Or(hn::And(spread, hn::Set(words, 3u)),
                            hn::And(hn::ShiftRight<2>(spread), hn::Set(words, 3u << 8)));
    const auto high = hn::Or(hn::And(hn::ShiftRight<4>(spread), hn::Set(words, 3u << 16)),
                             hn::And(hn::ShiftRight<6>(spread), hn::Set(words, 3u << 24)));
    const auto codes = hn::BitCast(U8x16(), hn::Or(low, high));
    store(Times{d}(floatsFrom(hn::Sub(codes, hn::Set(U8x16(), std::uint8_t{1})))), out);
#endif
}

HWY_INLINE void decodeQ2_0(const std::uint8_t *block, float *HWY_RESTRICT out)
{
    const Vector d = broadcastHalf(block);
    for (std::size_t i = 0; i < 4; ++i)
        decodePairs16(block + offsetof(BlockQ2_0, qs) + 4 * i, d, out + 16 * i);
}

#if QL_LOOKUP16
/// Sixteen bytes' digit n by the formula: 256 times b * 3^n in 16 bits is the remainder by 256 in the
/// upper byte, and three times that, less the lower 16 bits, the digit.
struct TernaryDigits {
    hn::Vec<I32> bytes;
    Vector table;

    HWY_INLINE TernaryDigits(Bytes16 packed, Vector d)
        : bytes(hn::PromoteTo(I32(), packed)),
          table(hn::Mul(hn::Load(F32(), LevelsTernary.asFloat), d))
    {
    }
    HWY_INLINE void store(std::uint32_t power, float *HWY_RESTRICT out) const
    {
        const hn::Repartition<std::uint16_t, I32> words;
        const auto factor = hn::BitCast(words, hn::Set(U32(), power << 8));
        const auto remainder = hn::Mul(hn::BitCast(words, bytes), factor);
        const auto digit = hn::MulHigh(remainder, hn::BitCast(words, hn::Set(U32(), 3u)));
        hn::StoreU(hn::TableLookupLanes(table, hn::Indices512<float>{digit.raw}), F32(), out);
    }
};
#else
/// The same by bytes: three times b reaches 256 from 86 up and 512 from 171 up.
struct TernaryDigits {
    Bytes16 bytes;
    Vector d;

    HWY_INLINE void store(std::uint32_t power, float *HWY_RESTRICT out) const
    {
        Bytes16 b = bytes;
        for (; power > 1; power /= 3)
            b = hn::Add(hn::Add(b, b), b);
        const auto one = hn::Set(U8x16(), std::uint8_t{1});
        const auto first = hn::Min(hn::SaturatedSub(b, hn::Set(U8x16(), std::uint8_t{85})), one);
        const auto second = hn::Min(hn::SaturatedSub(b, hn::Set(U8x16(), std::uint8_t{170})), one);
        ql::HWY_NAMESPACE::store(Times{d}(floatsFrom(hn::Sub(hn::Add(first, second), one))), out);
    }
};
#endif

/// Digits 0 to 4 of 16 bytes, `stride` weights apart.
HWY_INLINE void decodeTernary80(const std::uint8_t *bytes, Vector d, std::size_t stride,
                                float *HWY_RESTRICT out)
{
    const TernaryDigits digits{hn::LoadU(U8x16(), bytes), d};
    digits.store(1, out);
    digits.store(3, out + stride);
    digits.store(9, out + 2 * stride);
    digits.store(27, out + 3 * stride);
    digits.store(81, out + 4 * stride);
}

HWY_INLINE void decodeTQ1_0(const std::uint8_t *block, float *HWY_RESTRICT out)
{
    const Vector d = broadcastHalf(block + offsetof(BlockTQ1_0, d));
    decodeTernary80(block, d, 32, out);
    decodeTernary80(block + 16, d, 32, out + 16);
    decodeTernary80(block + 32, d, 16, out + 160);

    // The last four bytes times 1, 3, 9 and 27 are the last 16 weights.
    const std::uint64_t four = loadAs<std::uint32_t>(block + offsetof(BlockTQ1_0, qh));
    const std::uint64_t even = four & 0x00ff00ffu;
    const std::uint64_t odd = (four >> 8) & 0x00ff00ffu;
    const auto times = [&](std::uint64_t power) {
        return ((even * power) & 0x00ff00ffu) | (((odd * power) & 0x00ff00ffu) << 8);
    };
    const std::uint64_t words[2] = {times(1) | times(3) << 32, times(9) | times(27) << 32};
    const auto last = hn::LoadU(U8x16(), reinterpret_cast<const std::uint8_t *>(words));
    TernaryDigits{last, d}.store(1, out + 240);
}

constexpr SimdKernel Kernels[] = {
    {GgmlType::Q5_0, decodeHalfBlocks<decodeQ5_0, BlockQ5_0, 32>},
    {GgmlType::Q5_1, decodeHalfBlocks<decodeQ5_1, BlockQ5_1, 32, true>},
    {GgmlType::Q8_0, decodeHalfBlocks<decodeEightBits32<offsetof(BlockQ8_0, qs)>, BlockQ8_0, 32>},
    {GgmlType::Q8_1, decodeHalfBlocks<decodeEightBits32<offsetof(BlockQ8_1, qs)>, BlockQ8_1, 32>},
    {GgmlType::TQ1_0, decodeBlocks<decodeTQ1_0, BlockTQ1_0, 256>},
    {GgmlType::Q1_0, decodeBlocks<decodeQ1_0, BlockQ1_0, 128>},
    {GgmlType::Q2_0, decodeBlocks<decodeQ2_0, BlockQ2_0, 64>},
};

} // namespace
} // namespace ql::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif // QL_SIMD_TARGET

#if HWY_ONCE
namespace ql {

std::span<const SimdKernels> simdSmallKernels()
{
    static constexpr SimdKernels Rows[] = {QL_SIMD_ROWS};
    return Rows;
}

} // namespace ql
#endif
