// SPDX-License-Identifier: GPL-3.0-or-later
// Small blocks whose codes are worked out as bytes: Q5_0, Q5_1, Q8_0, Q8_1, Q1_0, Q2_0 and TQ1_0.
#include "core/quant/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/quant/dequantize_simd_small.cpp"
#include <hwy/foreach_target.h>

#include "core/model/blocks.h"
#include "core/quant/simd_wide-inl.h"

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

HWY_INLINE void decodeQ5_0(const std::uint8_t *block, float *HWY_RESTRICT out)
{
    const std::uint8_t *qh = block + offsetof(BlockQ5_0, qh);
    const std::uint8_t *qs = block + offsetof(BlockQ5_0, qs);
    const Always<Times> formula{{broadcastHalf(block)}};
    storeCodes(codesQ5_0<0>(qh, qs), formula, 0, out);
    if constexpr (CodeLanes == 16)
        storeCodes(codesQ5_0<32 / CodeLanes - 1>(qh, qs), formula, 0, out + 16);
}

HWY_INLINE void decodeQ5_1(const std::uint8_t *block, float *HWY_RESTRICT out)
{
    const std::uint8_t *qh = block + offsetof(BlockQ5_1, qh);
    const std::uint8_t *qs = block + offsetof(BlockQ5_1, qs);
    const Always<TimesPlus> formula{
        {broadcastHalf(block), broadcastHalf(block + offsetof(BlockQ5_1, m))}};
    storeCodes(codesQ5_1<0>(qh, qs), formula, 0, out);
    if constexpr (CodeLanes == 16)
        storeCodes(codesQ5_1<32 / CodeLanes - 1>(qh, qs), formula, 0, out + 16);
}

HWY_INLINE void decodeEightBits32(const std::uint8_t *qs, Times formula, float *HWY_RESTRICT out)
{
    const auto *codes = reinterpret_cast<const std::int8_t *>(qs);
    store(formula(floatsFrom(codes)), out);
    store(formula(floatsFrom(codes + 16)), out + 16);
}

HWY_INLINE void decodeQ8_0(const std::uint8_t *block, float *HWY_RESTRICT out)
{
    decodeEightBits32(block + offsetof(BlockQ8_0, qs), Times{broadcastHalf(block)}, out);
}

HWY_INLINE void decodeQ8_1(const std::uint8_t *block, float *HWY_RESTRICT out)
{
    decodeEightBits32(block + offsetof(BlockQ8_1, qs), Times{broadcastHalf(block)}, out);
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
    alignas(64) static constexpr float Ternary[16] = {-1, 0, 1, 2, -1, 0, 1, 2, -1, 0, 1, 2, -1, 0, 1, 2};
    const Vector table = hn::Mul(hn::Load(F32(), Ternary), d);
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

/// ((b * 3) >> 8) - 1 of each byte: 3b reaches 256 from 86 up and 512 from 171 up.
template <class D>
HWY_INLINE hn::Vec<D> ternaryCodes(D bytes, hn::Vec<D> b)
{
    const auto one = hn::Set(bytes, std::uint8_t{1});
    const auto first = hn::Min(hn::SaturatedSub(b, hn::Set(bytes, std::uint8_t{85})), one);
    const auto second = hn::Min(hn::SaturatedSub(b, hn::Set(bytes, std::uint8_t{170})), one);
    return hn::Sub(hn::Add(first, second), one);
}

template <class V>
HWY_INLINE V timesThree(V bytes)
{
    return hn::Add(hn::Add(bytes, bytes), bytes);
}

/// The digits of qs[0..31]: weights 0 … 159.
HWY_INLINE void decodeTernary32(const std::uint8_t *qs, Times formula, float *HWY_RESTRICT out)
{
    for (std::size_t part = 0; part < 32; part += CodeLanes) {
        auto bytes = loadCodes(qs + part);
        for (std::size_t digit = 0; digit < 5; ++digit, bytes = timesThree(bytes))
            storeCodes(ternaryCodes(U8(), bytes), Always<Times>{formula}, 0, out + 32 * digit + part);
    }
}

HWY_INLINE void decodeTernary16(Bytes16 bytes, std::size_t digits, Times formula, float *HWY_RESTRICT out)
{
    for (std::size_t digit = 0; digit < digits; ++digit, bytes = timesThree(bytes))
        store(formula(floatsFrom(ternaryCodes(U8x16(), bytes))), out + 16 * digit);
}

HWY_INLINE void decodeTQ1_0(const std::uint8_t *block, float *HWY_RESTRICT out)
{
    const Times formula{broadcastHalf(block + offsetof(BlockTQ1_0, d))};
    decodeTernary32(block, formula, out);
    decodeTernary16(hn::LoadU(U8x16(), block + 32), 5, formula, out + 160);

    // The last four bytes times 1, 3, 9 and 27 are the last 16 weights.
    alignas(16) std::uint8_t last[16];
    for (int i = 0; i < 16; ++i) {
        constexpr int Powers[4] = {1, 3, 9, 27};
        last[i] = static_cast<std::uint8_t>(block[offsetof(BlockTQ1_0, qh) + i % 4] * Powers[i / 4]);
    }
    decodeTernary16(hn::Load(U8x16(), last), 1, formula, out + 240);
}

constexpr SimdKernel Kernels[] = {
    {GgmlType::Q5_0, decodeBlocks<decodeQ5_0, BlockQ5_0, 32>},
    {GgmlType::Q5_1, decodeBlocks<decodeQ5_1, BlockQ5_1, 32>},
    {GgmlType::Q8_0, decodeBlocks<decodeQ8_0, BlockQ8_0, 32>},
    {GgmlType::Q8_1, decodeBlocks<decodeQ8_1, BlockQ8_1, 32>},
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
