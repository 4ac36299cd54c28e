// SPDX-License-Identifier: GPL-3.0-or-later
// The loops over blocks, and what they read of many blocks at once. Compiled once for every target, hence the guard
// that is flipped by hwy/foreach_target.h.
#if defined(QL_SIMD_LOOPS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef QL_SIMD_LOOPS_INL
#undef QL_SIMD_LOOPS_INL
#else
#define QL_SIMD_LOOPS_INL
#endif

#include "core/quant/simd_wide-inl.h"

#if QL_SIMD_TARGET
HWY_BEFORE_NAMESPACE();
namespace ql::HWY_NAMESPACE {

/// decodeOne for each block of the span.
template <auto decodeOne, class Block, std::size_t Weights>
HWY_ATTR void decodeBlocks(const std::byte *blocks, float *out, std::size_t nBlocks)
{
    const auto *bytes = reinterpret_cast<const std::uint8_t *>(blocks);
    for (std::size_t i = 0; i < nBlocks; ++i)
        decodeOne(bytes + i * sizeof(Block), out + i * Weights);
}

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
HWY_INLINE __m256i spreadWord(const std::uint8_t *bytes) { return _mm256_set1_epi32(loadAs<std::int32_t>(bytes)); }

/// The words that begin eight blocks. A load spreads each over a vector and blends pick, which leaves the shuffles
/// to those who need them: inserting words one by one takes as long as all the rest of a block.
template <class Block>
HWY_INLINE __m256i firstWordsOf8(const std::uint8_t *blocks)
{
    constexpr std::size_t Bytes = sizeof(Block);
    const __m256i a = _mm256_blend_epi32(spreadWord(blocks), spreadWord(blocks + Bytes), 0x02);
    const __m256i b = _mm256_blend_epi32(spreadWord(blocks + 2 * Bytes), spreadWord(blocks + 3 * Bytes), 0x08);
    const __m256i c = _mm256_blend_epi32(spreadWord(blocks + 4 * Bytes), spreadWord(blocks + 5 * Bytes), 0x20);
    const __m256i d = _mm256_blend_epi32(spreadWord(blocks + 6 * Bytes), spreadWord(blocks + 7 * Bytes), 0x80);
    return _mm256_blend_epi32(_mm256_blend_epi32(a, b, 0x0c), _mm256_blend_epi32(c, d, 0xc0), 0xf0);
}

template <class Block>
HWY_INLINE void firstWordsOf16(const std::uint8_t *blocks, std::uint32_t (&words)[16])
{
    const hn::Simd<std::uint32_t, 8, 0> eight;
    using Eight = hn::Vec<decltype(eight)>;
    const Eight first{firstWordsOf8<Block>(blocks)};
    const Eight second{firstWordsOf8<Block>(blocks + 8 * sizeof(Block))};
#if HWY_MAX_BYTES == 64
    hn::Store(hn::Combine(U32(), second, first), U32(), words);
#else
    hn::Store(first, eight, words);
    hn::Store(second, eight, words + 8);
#endif
}
#else
template <class Block>
HWY_INLINE void firstWordsOf16(const std::uint8_t *blocks, std::uint32_t (&words)[16])
{
    for (std::size_t i = 0; i < 16; ++i)
        words[i] = loadAs<std::uint32_t>(blocks + i * sizeof(Block));
}
#endif

/// The halves that begin each of up to 16 blocks, converted at once, and the halves that follow them where there
/// is a min. There is room for 16 floats.
template <class Block, bool hasMin>
HWY_INLINE void convertBlockHalves(const std::uint8_t *blocks, std::size_t n, float *d, float *m)
{
    alignas(64) std::uint32_t words[16];
    if (n == 16) {
        firstWordsOf16<Block>(blocks, words);
    } else {
        for (std::size_t i = 0; i < 16; ++i)
            words[i] = i < n ? loadAs<std::uint32_t>(blocks + i * sizeof(Block)) : 0;
    }
    for (std::size_t i = 0; i < 16; i += Lanes) {
        const Word word = hn::Load(U32(), words + i);
        hn::StoreU(fromLowHalf(word), F32(), d + i);
        if constexpr (hasMin)
            hn::StoreU(fromLowHalf(hn::ShiftRight<16>(word)), F32(), m + i);
    }
}

/// As decodeBlocks for small blocks that begin with a half d, or with two, d and m: a conversion for
/// 16 blocks instead of one a block. decodeOne(block, Times or TimesPlus, out).
template <auto decodeOne, class Block, std::size_t Weights, bool hasMin = false>
HWY_ATTR void decodeHalfBlocks(const std::byte *blocks, float *out, std::size_t nBlocks)
{
    const auto *bytes = reinterpret_cast<const std::uint8_t *>(blocks);
    for (std::size_t i = 0; i < nBlocks; i += 16) {
        const std::size_t n = HWY_MIN(nBlocks - i, std::size_t{16});
        alignas(64) float d[16];
        alignas(64) float m[16];
        convertBlockHalves<Block, hasMin>(bytes + i * sizeof(Block), n, d, m);
        keepInMemory(d);
        if constexpr (hasMin)
            keepInMemory(m);
        for (std::size_t k = 0; k < n; ++k) {
            const std::uint8_t *block = bytes + (i + k) * sizeof(Block);
            float *HWY_RESTRICT to = out + (i + k) * Weights;
            if constexpr (hasMin)
                decodeOne(block, TimesPlus{broadcast(d[k]), broadcast(m[k])}, to);
            else
                decodeOne(block, Times{broadcast(d[k])}, to);
        }
    }
}

} // namespace ql::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif // QL_SIMD_TARGET

#endif // per-target guard
