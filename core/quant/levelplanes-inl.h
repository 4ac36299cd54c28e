// SPDX-License-Identifier: GPL-3.0-or-later
// Blocks side by side, a block a lane: what all splitters are written in. Compiled once for every target, hence
// the guard that is flipped by hwy/foreach_target.h.
#if defined(QL_LEVEL_PLANES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef QL_LEVEL_PLANES_INL
#undef QL_LEVEL_PLANES_INL
#else
#define QL_LEVEL_PLANES_INL
#endif

#include "core/model/blocks.h"
#include "core/quant/levelplanes.h"
#include "core/quant/simd_wide-inl.h"

#if QL_SIMD_TARGET
HWY_BEFORE_NAMESPACE();
namespace ql::HWY_NAMESPACE {

/// Those of levelplanes_simd_super.cpp.
std::span<const detail::LevelSplitter> superBlockSplitters();

/// Bits of `yes` where the mask has ones, of `no` elsewhere.
HWY_INLINE Word select(std::uint32_t mask, Word yes, Word no)
{
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
    return Word{_mm512_ternarylogic_epi32(sameWord(mask).raw, yes.raw, no.raw, 0xca)};
#else
    return hn::Or(hn::And(sameWord(mask), yes), hn::AndNot(sameWord(mask), no));
#endif
}

/// Some blocks side by side.
class BlockLanes
{
public:
    /// The first of n blocks; lanes beyond them have the last block's words.
    HWY_INLINE BlockLanes(const std::byte *blocks, std::size_t n, std::size_t blockBytes, std::size_t firstLane)
        : m_blocks(reinterpret_cast<const std::uint8_t *>(blocks))
    {
        const Word lanes = hn::Iota(U32(), static_cast<std::uint32_t>(firstLane));
        const Word last = sameWord(static_cast<std::uint32_t>(HWY_MIN(n, LevelPlanes::Lanes) - 1));
        const Word blockOf = hn::Min(lanes, last);
        const Word offsets = hn::Mul(blockOf, sameWord(static_cast<std::uint32_t>(blockBytes)));
        hn::Store(hn::BitCast(I32(), offsets), I32(), m_offsets);
        m_used = hn::VecFromMask(U32(), hn::Eq(lanes, blockOf));
    }

    /// The word at a byte of each block; the block's end is not behind it.
    HWY_INLINE Word word(std::size_t at) const
    {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
        return hn::GatherOffset(U32(), reinterpret_cast<const std::uint32_t *>(m_blocks + at), hn::Load(I32(), m_offsets));
#else
        alignas(16) std::uint32_t words[Lanes];
        for (std::size_t lane = 0; lane < Lanes; ++lane)
            words[lane] = loadAs<std::uint32_t>(m_blocks + m_offsets[lane] + at);
        return hn::Load(U32(), words);
#endif
    }
    /// Four words in a row of each block: lanes i, i + 4, i + 8 … are loaded as 16 bytes each, and words and
    /// lanes exchanged; a tenth of the time of gathering words.
    HWY_INLINE void fourWords(std::size_t at, Word (&words)[4]) const
    {
        const hn::Repartition<std::uint64_t, U32> pairs;
        const auto pair = [=](Word x) HWY_ATTR { return hn::BitCast(pairs, x); };
        const auto word = [](auto x) HWY_ATTR { return hn::BitCast(U32(), x); };
        const Word a = everyFourth(at, 0);
        const Word b = everyFourth(at, 1);
        const Word c = everyFourth(at, 2);
        const Word d = everyFourth(at, 3);
        const auto lowAB = pair(hn::InterleaveLower(U32(), a, b));
        const auto highAB = pair(hn::InterleaveUpper(U32(), a, b));
        const auto lowCD = pair(hn::InterleaveLower(U32(), c, d));
        const auto highCD = pair(hn::InterleaveUpper(U32(), c, d));
        words[0] = word(hn::InterleaveLower(pairs, lowAB, lowCD));
        words[1] = word(hn::InterleaveUpper(pairs, lowAB, lowCD));
        words[2] = word(hn::InterleaveLower(pairs, highAB, highCD));
        words[3] = word(hn::InterleaveUpper(pairs, highAB, highCD));
    }
    HWY_INLINE Word used(std::uint32_t bits) const { return hn::And(m_used, sameWord(bits)); }

private:
    /// Sixteen bytes of each fourth block from `first` on.
    HWY_INLINE Word everyFourth(std::size_t at, std::size_t first) const
    {
        const hn::Simd<std::uint32_t, 4, 0> d4;
        const auto load = [&](std::size_t i) HWY_ATTR {
            alignas(16) std::uint32_t words[4];
            std::memcpy(words, m_blocks + m_offsets[first + 4 * i] + at, sizeof words);
            return hn::Load(d4, words);
        };
#if HWY_MAX_BYTES == 64
        const hn::Simd<std::uint32_t, 8, 0> d8;
        return hn::Combine(U32(), hn::Combine(d8, load(3), load(2)), hn::Combine(d8, load(1), load(0)));
#elif HWY_MAX_BYTES == 32
        return hn::Combine(U32(), load(1), load(0));
#else
        return load(0);
#endif
    }

    const std::uint8_t *m_blocks;
    alignas(64) std::int32_t m_offsets[Lanes];
    Word m_used;
};

/// Where the runs of one vector of blocks go.
class RunWriter
{
public:
    HWY_INLINE RunWriter(LevelPlanes &planes, const BlockLanes &blocks, std::size_t first)
        : m_planes(planes), m_blocks(blocks), m_first(first)
    {
    }

    HWY_INLINE void plane(std::size_t run, std::size_t bit, Word bits) const
    {
        hn::Store(bits, U32(), m_planes.planes[bit] + at(run));
    }
    HWY_INLINE void used(std::size_t run, std::uint32_t bits = ~0u) const
    {
        hn::Store(m_blocks.used(bits), U32(), m_planes.used + at(run));
    }
    HWY_INLINE void scale(std::size_t run, Vector scale) const { hn::Store(scale, F32(), m_planes.scale + at(run)); }
    HWY_INLINE void min(std::size_t run, Vector min) const { hn::Store(min, F32(), m_planes.min + at(run)); }

private:
    HWY_INLINE std::size_t at(std::size_t run) const { return m_first + run * LevelPlanes::Lanes; }

    LevelPlanes &m_planes;
    const BlockLanes &m_blocks;
    std::size_t m_first;
};

// ---- scales

HWY_INLINE Vector fromInteger(Word value) { return hn::ConvertTo(F32(), hn::BitCast(I32(), value)); }

template <int shift>
HWY_INLINE Word bitsFrom(Word word, std::uint32_t mask)
{
    return hn::And(hn::ShiftRight<shift>(word), sameWord(mask));
}

/// Byte i, from 0.
template <int i>
HWY_INLINE Word byteOf(Word word)
{
    return bitsFrom<8 * i>(word, 255);
}

// ---- bits

/// Four words become four: bit 4j + k of word b is bit 4j + b of word k, for the words' eight nibbles j.
struct FourWords {
    Word word[4];

    HWY_INLINE void transpose()
    {
        constexpr std::uint32_t Even = 0x55555555u;
        constexpr std::uint32_t EvenPairs = 0x33333333u;
        const Word a = select(Even, word[0], hn::ShiftLeft<1>(word[1]));
        const Word b = select(Even, hn::ShiftRight<1>(word[0]), word[1]);
        const Word c = select(Even, word[2], hn::ShiftLeft<1>(word[3]));
        const Word d = select(Even, hn::ShiftRight<1>(word[2]), word[3]);
        word[0] = select(EvenPairs, a, hn::ShiftLeft<2>(c));
        word[1] = select(EvenPairs, b, hn::ShiftLeft<2>(d));
        word[2] = select(EvenPairs, hn::ShiftRight<2>(a), c);
        word[3] = select(EvenPairs, hn::ShiftRight<2>(b), d);
    }
};

/// Four words from a byte of the blocks on, transposed.
HWY_INLINE FourWords fourWords(const BlockLanes &blocks, std::size_t at)
{
    FourWords four;
    blocks.fourWords(at, four.word);
    four.transpose();
    return four;
}

/// Eight words from a byte of the blocks on become eight: bit 8i + k of word b is bit b of byte i of word k.
HWY_INLINE void eightWords(const BlockLanes &blocks, std::size_t at, Word (&planes)[8])
{
    constexpr std::uint32_t LowNibbles = 0x0f0f0f0fu;
    const FourWords first = fourWords(blocks, at);
    const FourWords second = fourWords(blocks, at + 16);
    for (std::size_t b = 0; b < 4; ++b) {
        planes[b] = select(LowNibbles, first.word[b], hn::ShiftLeft<4>(second.word[b]));
        planes[b + 4] = select(LowNibbles, hn::ShiftRight<4>(first.word[b]), second.word[b]);
    }
}

/// A run whose codes are the nibbles of 16 bytes.
HWY_INLINE void splitNibbles(const BlockLanes &blocks, std::size_t at, std::size_t run, const RunWriter &out)
{
    const FourWords four = fourWords(blocks, at);
    for (std::size_t b = 0; b < 4; ++b)
        out.plane(run, b, four.word[b]);
    out.used(run);
}

/// Runs of 32 codes of two bits each in eight bytes.
HWY_INLINE void splitPairs(const BlockLanes &blocks, std::size_t at, std::size_t run, const RunWriter &out)
{
    constexpr std::uint32_t Even = 0x55555555u;
    const Word first = blocks.word(at);
    const Word second = blocks.word(at + 4);
    out.plane(run, 0, select(Even, first, hn::ShiftLeft<1>(second)));
    out.plane(run, 1, select(Even, hn::ShiftRight<1>(first), second));
    out.used(run);
}

/// All ones where bit `bit` is set.
HWY_INLINE Word spread(Word word, int bit)
{
    return hn::BitCast(U32(), hn::ShiftRight<31>(hn::BitCast(I32(), hn::ShiftLeftSame(word, 31 - bit))));
}

/// Where all runs have the block's scale.
template <std::size_t runs>
HWY_INLINE void putScale(Vector scale, const RunWriter &out)
{
    for (std::size_t run = 0; run < runs; ++run)
        out.scale(run, scale);
}

// ---- the loop over blocks

template <class Split, std::uint32_t runs>
HWY_ATTR void splitBlocks(const std::byte *blocks, std::size_t n, LevelPlanes &planes)
{
    constexpr std::size_t Bytes = sizeof(typename Split::Block);
    planes.blocks = n;
    for (std::size_t first = 0; first < n; first += LevelPlanes::Lanes) {
        for (std::size_t lane = 0; lane < LevelPlanes::Lanes; lane += Lanes) {
            const BlockLanes some(blocks + first * Bytes, n - first, Bytes, lane);
            Split::split(some, RunWriter(planes, some, first * runs + lane));
        }
    }
}

} // namespace ql::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif // QL_SIMD_TARGET

#endif // per-target guard
