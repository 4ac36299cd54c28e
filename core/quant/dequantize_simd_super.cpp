// SPDX-License-Identifier: GPL-3.0-or-later
// Super-blocks whose codes are worked out as bytes: Q3_K, Q5_K, Q6_K and Q8_K.
#include "core/quant/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/quant/dequantize_simd_super.cpp"
#include <hwy/foreach_target.h>

#include "core/model/blocks.h"
#include "core/quant/simd_loops-inl.h"

#if QL_SIMD_TARGET
HWY_BEFORE_NAMESPACE();
namespace ql::HWY_NAMESPACE {
namespace {

/// Bit `from` of each byte at place `to`, all others cleared.
template <int from, int to>
HWY_INLINE Codes moveBit(Codes bytes)
{
    if constexpr (from > to)
        return shiftRightAnd<from - to>(bytes, 1 << to);
    else
        return shiftLeftAnd<to - from>(bytes, 1 << to);
}

// ---- Q3_K

/// d times the sixteen 6-bit scales, less 32.
HWY_INLINE void loadScalesQ3K(const std::uint8_t *packed, Vector d, float (&scales)[16])
{
    constexpr std::uint64_t Nibbles = 0x0f0f0f0f0f0f0f0fu;
    constexpr std::uint64_t Pairs = 0x0303030303030303u;
    const auto low = loadAs<std::uint64_t>(packed);
    const std::uint64_t high = loadAs<std::uint32_t>(packed + 8);
    const std::uint64_t first = high | (high >> 2) << 32; // what is shifted in is cut off below
    const std::uint64_t second = (high >> 4) | (high >> 6) << 32;
    const std::uint64_t words[2] = {(low & Nibbles) | (first & Pairs) << 4,
                                    ((low >> 4) & Nibbles) | (second & Pairs) << 4};
    const auto codes = hn::LoadU(U8x16(), reinterpret_cast<const std::uint8_t *>(words));
    const auto lessBias = hn::Sub(codes, hn::Set(U8x16(), std::uint8_t{32}));
    store(Times{d}(floatsFrom(lessBias)), scales);
    keepInMemory(scales);
}

/// CodeLanes weights of quarter j of half h: low2 | high << 2, less 4.
template <int h, int j>
HWY_INLINE Codes codesQ3K(Codes qs, Codes hmask)
{
    const Codes low = shiftRightAnd<2 * j>(qs, 3);
    return hn::Sub(hn::Or(low, moveBit<4 * h + j, 2>(hmask)), sameCodes(4));
}

template <int h>
HWY_INLINE void decodeHalfQ3K(const std::uint8_t *block, ScaleFor16 scaleAt, float *HWY_RESTRICT out)
{
    for (std::size_t l = 0; l < 32; l += CodeLanes) {
        const Codes hmask = loadCodes(block + l);
        const Codes qs = loadCodes(block + offsetof(BlockQ3K, qs) + 32 * h + l);
        const std::size_t first = 8 * h + l / 16;
        storeCodes(codesQ3K<h, 0>(qs, hmask), scaleAt, first, out + l);
        storeCodes(codesQ3K<h, 1>(qs, hmask), scaleAt, first + 2, out + 32 + l);
        storeCodes(codesQ3K<h, 2>(qs, hmask), scaleAt, first + 4, out + 64 + l);
        storeCodes(codesQ3K<h, 3>(qs, hmask), scaleAt, first + 6, out + 96 + l);
    }
}

HWY_INLINE void decodeQ3K(const std::uint8_t *block, float *HWY_RESTRICT out)
{
    alignas(64) float scales[16];
    const Vector d = broadcastHalf(block + offsetof(BlockQ3K, d));
    loadScalesQ3K(block + offsetof(BlockQ3K, scales), d, scales);
    decodeHalfQ3K<0>(block, {scales}, out);
    decodeHalfQ3K<1>(block, {scales}, out + 128);
}

// ---- Q5_K

/// Sub-blocks 2p and 2p+1: the nibbles of 32 bytes and bits 2p and 2p+1 of qh.
template <int p>
HWY_INLINE void decodePairQ5K(const std::uint8_t *block, const float *scaleMins, float *HWY_RESTRICT out)
{
    const float *s = scaleMins + 4 * p;
    const Always<TimesMinus> first{{broadcast(s[0]), broadcast(s[1])}};
    const Always<TimesMinus> second{{broadcast(s[2]), broadcast(s[3])}};
    for (std::size_t l = 0; l < 32; l += CodeLanes) {
        const Codes qh = loadCodes(block + offsetof(BlockQ5K, qh) + l);
        const Codes qs = loadCodes(block + offsetof(BlockQ5K, qs) + 32 * p + l);
        const Codes low = hn::Or(hn::And(qs, sameCodes(15)), moveBit<2 * p, 4>(qh));
        const Codes high = hn::Or(shiftRightAnd<4>(qs, 15), moveBit<2 * p + 1, 4>(qh));
        storeCodes(low, first, 0, out + 64 * p + l);
        storeCodes(high, second, 0, out + 64 * p + 32 + l);
    }
}

HWY_INLINE void decodeQ5K(const std::uint8_t *block, float *HWY_RESTRICT out)
{
    alignas(64) float scaleMins[16];
    loadScaleMinsK4(block, block + offsetof(BlockQ5K, scales), scaleMins);
    decodePairQ5K<0>(block, scaleMins, out);
    decodePairQ5K<1>(block, scaleMins, out);
    decodePairQ5K<2>(block, scaleMins, out);
    decodePairQ5K<3>(block, scaleMins, out);
}

// ---- Q6_K

/// CodeLanes weights: four low bits and two high ones already in place, less 32.
HWY_INLINE Codes codesQ6K(Codes low, Codes high) { return hn::Sub(hn::Or(low, high), sameCodes(32)); }

HWY_INLINE void decodeHalfQ6K(const std::uint8_t *ql, const std::uint8_t *qh, ScaleFor16 scaleAt,
                              std::size_t firstScale, float *HWY_RESTRICT out)
{
    for (std::size_t l = 0; l < 32; l += CodeLanes) {
        const Codes low0 = loadCodes(ql + l);
        const Codes low1 = loadCodes(ql + 32 + l);
        const Codes high = loadCodes(qh + l);
        const std::size_t first = firstScale + l / 16;
        const Codes nibble = sameCodes(15);
        storeCodes(codesQ6K(hn::And(low0, nibble), shiftLeftAnd<4>(high, 0x30)), scaleAt, first, out + l);
        storeCodes(codesQ6K(hn::And(low1, nibble), shiftLeftAnd<2>(high, 0x30)), scaleAt, first + 2,
                   out + 32 + l);
        storeCodes(codesQ6K(shiftRightAnd<4>(low0, 15), hn::And(high, sameCodes(0x30))), scaleAt,
                   first + 4, out + 64 + l);
        storeCodes(codesQ6K(shiftRightAnd<4>(low1, 15), shiftRightAnd<2>(high, 0x30)), scaleAt,
                   first + 6, out + 96 + l);
    }
}

HWY_INLINE void decodeQ6K(const std::uint8_t *block, float *HWY_RESTRICT out)
{
    alignas(64) float scales[16];
    const Times d{broadcastHalf(block + offsetof(BlockQ6K, d))};
    const std::uint8_t *packed = block + offsetof(BlockQ6K, scales);
    store(d(floatsFrom(reinterpret_cast<const std::int8_t *>(packed))), scales);
    keepInMemory(scales);
    const std::uint8_t *qh = block + offsetof(BlockQ6K, qh);
    decodeHalfQ6K(block, qh, {scales}, 0, out);
    decodeHalfQ6K(block + 64, qh + 32, {scales}, 8, out + 128);
}

// ---- Q8_K

HWY_INLINE void decodeQ8K(const std::uint8_t *block, float *HWY_RESTRICT out)
{
    const Times d{broadcast(loadAs<float>(block))};
    const auto *codes = reinterpret_cast<const std::int8_t *>(block + offsetof(BlockQ8K, qs));
    for (std::size_t w = 0; w < 256; w += 16)
        store(d(floatsFrom(codes + w)), out + w);
}

constexpr SimdKernel Kernels[] = {
    {GgmlType::Q3_K, decodeBlocks<decodeQ3K, BlockQ3K, 256>},
    {GgmlType::Q5_K, decodeBlocks<decodeQ5K, BlockQ5K, 256>},
    {GgmlType::Q6_K, decodeBlocks<decodeQ6K, BlockQ6K, 256>},
    {GgmlType::Q8_K, decodeBlocks<decodeQ8K, BlockQ8K, 256>},
};

} // namespace
} // namespace ql::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif // QL_SIMD_TARGET

#if HWY_ONCE
namespace ql {

std::span<const SimdKernels> simdSuperKernels()
{
    static constexpr SimdKernels Rows[] = {QL_SIMD_ROWS};
    return Rows;
}

} // namespace ql
#endif
