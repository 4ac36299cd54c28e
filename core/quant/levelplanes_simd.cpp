// SPDX-License-Identifier: GPL-3.0-or-later
// Blocks taken apart into bit planes, a block a lane: the bits of words are exchanged among words, as in
// the transposition of a small matrix of bits.
#include "core/quant/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/quant/levelplanes_simd.cpp"
#include <hwy/foreach_target.h>

#include "core/model/blocks.h"
#include "core/quant/codebooks.h"
#include "core/quant/levelplanes.h"
#include "core/quant/simd_wide-inl.h"

#ifndef QL_LEVEL_PLANES_ONCE
#define QL_LEVEL_PLANES_ONCE
namespace ql {

/// For each entry of IQ1's grid which of its eight values are 1, a bit each, and above them which are 0.
inline const std::array<std::uint32_t, 2048> PlanesOfIQ1 = [] {
    std::array<std::uint32_t, 2048> planes{};
    for (std::size_t entry = 0; entry < planes.size(); ++entry) {
        for (std::size_t i = 0; i < 8; ++i) {
            const int value = gridValue(GridIQ1S[entry], i);
            planes[entry] |= static_cast<std::uint32_t>(value == 1) << i | static_cast<std::uint32_t>(value == 0) << (8 + i);
        }
    }
    return planes;
}();

} // namespace ql
#endif

#if QL_SIMD_TARGET
HWY_BEFORE_NAMESPACE();
namespace ql::HWY_NAMESPACE {
namespace {

using Word = hn::Vec<U32>;

HWY_INLINE Word sameWord(std::uint32_t value) { return hn::Set(U32(), value); }

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
        for (std::size_t lane = 0; lane < Lanes; ++lane) {
            const std::size_t block = HWY_MIN(firstLane + lane, n - 1);
            m_offsets[lane] = static_cast<std::int32_t>(block * blockBytes);
        }
        m_used = hn::VecFromMask(U32(), hn::Lt(hn::Iota(U32(), static_cast<std::uint32_t>(firstLane)),
                                               sameWord(static_cast<std::uint32_t>(n))));
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
    HWY_INLINE Word used(std::uint32_t bits) const { return hn::And(m_used, sameWord(bits)); }

private:
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

/// Halves in the low 16 bits of each lane; other bits are ignored. NaNs remain NaNs, with other bits than
/// the decoders'.
HWY_INLINE Vector fromHalf(Word halves)
{
    const Word magnitude = hn::And(halves, sameWord(0x7fffu));
    const Vector scaled = hn::Mul(hn::BitCast(F32(), hn::ShiftLeft<13>(magnitude)), broadcast(0x1p112f));
    const auto endless = hn::Gt(hn::BitCast(I32(), magnitude), hn::Set(I32(), 0x7bff));
    const Word exponent = hn::IfThenElseZero(hn::RebindMask(U32(), endless), sameWord(0x7f800000u));
    const Word sign = hn::ShiftLeft<16>(hn::And(halves, sameWord(0x8000u)));
    return hn::BitCast(F32(), hn::Or(hn::BitCast(U32(), scaled), hn::Or(exponent, sign)));
}

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
    FourWords four{{blocks.word(at), blocks.word(at + 4), blocks.word(at + 8), blocks.word(at + 12)}};
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

// ---- types

struct SplitQ4_0 {
    using Block = BlockQ4_0;
    HWY_INLINE static void split(const BlockLanes &blocks, const RunWriter &out)
    {
        out.scale(0, fromHalf(blocks.word(0)));
        splitNibbles(blocks, offsetof(Block, qs), 0, out);
    }
};

struct SplitQ4_1 {
    using Block = BlockQ4_1;
    HWY_INLINE static void split(const BlockLanes &blocks, const RunWriter &out)
    {
        const Word halves = blocks.word(0);
        out.scale(0, fromHalf(halves));
        out.min(0, fromHalf(hn::ShiftRight<16>(halves)));
        splitNibbles(blocks, offsetof(Block, qs), 0, out);
    }
};

struct SplitQ5_0 {
    using Block = BlockQ5_0;
    HWY_INLINE static void split(const BlockLanes &blocks, const RunWriter &out)
    {
        out.scale(0, fromHalf(blocks.word(0)));
        splitNibbles(blocks, offsetof(Block, qs), 0, out);
        out.plane(0, 4, fifthBits(blocks.word(offsetof(Block, qh))));
    }

private:
    /// Swaps bits i and i + shift of a word, for the bits i of the mask.
    template <int shift>
    HWY_INLINE static Word swapBits(Word word, std::uint32_t mask)
    {
        const Word changed = hn::And(hn::Xor(word, hn::ShiftRight<shift>(word)), sameWord(mask));
        return hn::Xor(word, hn::Xor(changed, hn::ShiftLeft<shift>(changed)));
    }
    /// Bit 16h + 4k + i goes where splitNibbles puts that weight's others, to 8i + 4h + k.
    HWY_INLINE static Word fifthBits(Word qh)
    {
        // Each step swaps two of the five bits of a place, highest first h k1 k0 i1 i0.
        Word bits = swapBits<14>(qh, 0x0000ccccu); // i1 k1 k0 h i0
        bits = swapBits<7>(bits, 0x00aa00aau);     // i1 i0 k0 h k1
        bits = swapBits<2>(bits, 0x0c0c0c0cu);     // i1 i0 h k0 k1
        return swapBits<1>(bits, 0x22222222u);     // i1 i0 h k1 k0
    }
};

struct SplitMXFP4 {
    using Block = BlockMXFP4;
    HWY_INLINE static void split(const BlockLanes &blocks, const RunWriter &out)
    {
        // As scaleE8M0Half.
        const Word e = byteOf<0>(blocks.word(0));
        const Word normal = hn::ShiftLeft<23>(hn::Sub(e, sameWord(1)));
        const Word tiny = hn::ShiftLeft<21>(hn::Add(e, sameWord(1)));
        out.scale(0, hn::BitCast(F32(), hn::IfThenElse(hn::Lt(e, sameWord(2)), tiny, normal)));
        splitNibbles(blocks, offsetof(Block, qs), 0, out);
    }
};

struct SplitQ4K {
    using Block = BlockQ4K;
    HWY_INLINE static void split(const BlockLanes &blocks, const RunWriter &out)
    {
        splitScales(blocks, out);
        for (std::size_t pair = 0; pair < 4; ++pair) {
            Word planes[8];
            eightWords(blocks, offsetof(Block, qs) + 32 * pair, planes);
            for (std::size_t b = 0; b < 4; ++b) {
                out.plane(2 * pair, b, planes[b]);
                out.plane(2 * pair + 1, b, planes[b + 4]);
            }
            out.used(2 * pair);
            out.used(2 * pair + 1);
        }
    }

private:
    HWY_INLINE static void splitScales(const BlockLanes &blocks, const RunWriter &out)
    {
        const Word halves = blocks.word(0);
        const Vector d = fromHalf(halves);
        const Vector dmin = hn::Neg(fromHalf(hn::ShiftRight<16>(halves)));
        const Word scales = blocks.word(4);
        const Word mins = blocks.word(8);
        const Word low = blocks.word(12);
        // Six bits in each byte.
        constexpr std::uint32_t Six = 0x3f3f3f3fu;
        constexpr std::uint32_t Low = 0x0f0f0f0fu;
        constexpr std::uint32_t High = 0x30303030u;
        const Word packed[4] = {
            hn::And(scales, sameWord(Six)),
            hn::Or(hn::And(low, sameWord(Low)), hn::And(hn::ShiftRight<2>(scales), sameWord(High))),
            hn::And(mins, sameWord(Six)),
            hn::Or(hn::And(hn::ShiftRight<4>(low), sameWord(Low)), hn::And(hn::ShiftRight<2>(mins), sameWord(High))),
        };
        for (std::size_t half = 0; half < 2; ++half) {
            const auto put = [&](std::size_t i, Word scale, Word min) HWY_ATTR {
                out.scale(4 * half + i, hn::Mul(d, fromInteger(scale)));
                out.min(4 * half + i, hn::Mul(dmin, fromInteger(min)));
            };
            put(0, byteOf<0>(packed[half]), byteOf<0>(packed[half + 2]));
            put(1, byteOf<1>(packed[half]), byteOf<1>(packed[half + 2]));
            put(2, byteOf<2>(packed[half]), byteOf<2>(packed[half + 2]));
            put(3, byteOf<3>(packed[half]), byteOf<3>(packed[half + 2]));
        }
    }
};

struct SplitIQ4XS {
    using Block = BlockIQ4XS;
    HWY_INLINE static void split(const BlockLanes &blocks, const RunWriter &out)
    {
        const Word halfAndHigh = blocks.word(0);
        const Word low = blocks.word(offsetof(Block, scalesL));
        const Vector d = fromHalf(halfAndHigh);
        for (int run = 0; run < 8; ++run) {
            const Word four = hn::And(hn::ShiftRightSame(low, 4 * run), sameWord(15));
            const Word two = hn::And(hn::ShiftRightSame(halfAndHigh, 16 + 2 * run), sameWord(3));
            const Word scale = hn::Sub(hn::Or(four, hn::ShiftLeft<4>(two)), sameWord(32));
            out.scale(static_cast<std::size_t>(run), hn::Mul(d, fromInteger(scale)));
        }
        for (std::size_t run = 0; run < 8; ++run)
            splitNibbles(blocks, offsetof(Block, qs) + 16 * run, run, out);
    }
};

/// Q2_K and Q3_K: a quarter of qs, 16 bytes, holds two bits of four runs. After the transposition bits 2j
/// and 2j + 1 of the bytes fill the low (j < 2) or the high nibbles of two words.
constexpr std::uint32_t NibblesOf[2] = {0x0f0f0f0fu, 0xf0f0f0f0u};

struct SplitQ2K {
    using Block = BlockQ2K;
    HWY_INLINE static void split(const BlockLanes &blocks, const RunWriter &out)
    {
        const Word halves = blocks.word(offsetof(Block, d));
        const Vector d = fromHalf(halves);
        const Vector dmin = hn::Neg(fromHalf(hn::ShiftRight<16>(halves)));
        for (int run = 0; run < 16; ++run) {
            const Word packed = hn::ShiftRightSame(blocks.word(static_cast<std::size_t>(run / 4 * 4)), run % 4 * 8);
            out.scale(static_cast<std::size_t>(run), hn::Mul(d, fromInteger(hn::And(packed, sameWord(15)))));
            out.min(static_cast<std::size_t>(run), hn::Mul(dmin, fromInteger(bitsFrom<4>(packed, 15))));
        }
        for (std::size_t quarter = 0; quarter < 4; ++quarter) {
            const FourWords four = fourWords(blocks, offsetof(Block, qs) + 16 * quarter);
            for (std::size_t j = 0; j < 4; ++j) {
                const std::size_t run = quarter / 2 * 8 + 2 * j + quarter % 2;
                out.plane(run, 0, four.word[j % 2 * 2]);
                out.plane(run, 1, four.word[j % 2 * 2 + 1]);
                out.used(run, NibblesOf[j / 2]);
            }
        }
    }
};

struct SplitQ3K {
    using Block = BlockQ3K;
    HWY_INLINE static void split(const BlockLanes &blocks, const RunWriter &out)
    {
        splitScales(blocks, out);
        // The third bits of run 8h + 2j + part are bits 4h + j of 16 bytes of hmask.
        const FourWords high[2] = {fourWords(blocks, 0), fourWords(blocks, 16)};
        for (std::size_t quarter = 0; quarter < 4; ++quarter) {
            const std::size_t half = quarter / 2;
            const FourWords four = fourWords(blocks, offsetof(Block, qs) + 16 * quarter);
            for (std::size_t j = 0; j < 4; ++j) {
                const std::size_t run = half * 8 + 2 * j + quarter % 2;
                out.plane(run, 0, four.word[j % 2 * 2]);
                out.plane(run, 1, four.word[j % 2 * 2 + 1]);
                out.plane(run, 2, moveNibbles(high[quarter % 2].word[j], half, j / 2));
                out.used(run, NibblesOf[j / 2]);
            }
        }
    }

private:
    /// Low nibbles are 0, high ones 1.
    HWY_INLINE static Word moveNibbles(Word word, std::size_t from, std::size_t to)
    {
        if (from == to)
            return word;
        return from > to ? hn::ShiftRight<4>(word) : hn::ShiftLeft<4>(word);
    }
    HWY_INLINE static void splitScales(const BlockLanes &blocks, const RunWriter &out)
    {
        const Vector d = fromHalf(hn::ShiftRight<16>(blocks.word(offsetof(Block, d) - 2)));
        const Word low[2] = {blocks.word(offsetof(Block, scales)), blocks.word(offsetof(Block, scales) + 4)};
        const Word high = blocks.word(offsetof(Block, scales) + 8);
        for (int run = 0; run < 16; ++run) {
            const Word four = hn::And(hn::ShiftRightSame(low[run / 4 % 2], run % 4 * 8 + run / 8 * 4), sameWord(15));
            const Word two = hn::And(hn::ShiftRightSame(high, run % 4 * 8 + run / 4 * 2), sameWord(3));
            const Word scale = hn::Sub(hn::Or(four, hn::ShiftLeft<4>(two)), sameWord(32));
            out.scale(static_cast<std::size_t>(run), hn::Mul(d, fromInteger(scale)));
        }
    }
};

/// IQ1_S and IQ1_M: the bits of a run, group by group of eight weights.
struct GridRun {
    Word ones = sameWord(0);
    Word zeros = ones;

    HWY_INLINE GridRun() {}
    /// Entries of the grid, for the group-th eight weights.
    HWY_INLINE void add(Word entries, int group)
    {
        const Word planes = lookUp(entries);
        ones = hn::Or(ones, hn::ShiftLeftSame(hn::And(planes, sameWord(255)), 8 * group));
        zeros = hn::Or(zeros, hn::ShiftLeftSame(hn::ShiftRight<8>(planes), 8 * group));
    }

private:
    HWY_INLINE static Word lookUp(Word entries)
    {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
        return hn::GatherIndex(U32(), PlanesOfIQ1.data(), hn::BitCast(I32(), entries));
#else
        alignas(16) std::uint32_t found[Lanes];
        hn::Store(entries, U32(), found);
        for (std::uint32_t &entry : found)
            entry = PlanesOfIQ1[entry];
        return hn::Load(U32(), found);
#endif
    }
};

/// All ones where bit `bit` is set.
HWY_INLINE Word spread(Word word, int bit)
{
    return hn::BitCast(U32(), hn::ShiftRight<31>(hn::BitCast(I32(), hn::ShiftLeftSame(word, 31 - bit))));
}

/// d times an odd factor of three bits, for levels in eighths.
HWY_INLINE Vector oddScale(Vector d, Word threeBits)
{
    const Word factor = hn::Add(hn::Add(threeBits, threeBits), sameWord(1));
    return hn::Mul(hn::Mul(d, fromInteger(factor)), broadcast(0.125f));
}

struct SplitIQ1S {
    using Block = BlockIQ1S;
    HWY_INLINE static void split(const BlockLanes &blocks, const RunWriter &out)
    {
        const Vector d = fromHalf(blocks.word(0));
        for (std::size_t run = 0; run < 8; ++run) {
            const Word low = blocks.word(offsetof(Block, qs) + 4 * run);
            const Word qh = hn::ShiftRight<16>(blocks.word(offsetof(Block, qh) + 2 * run - 2));
            GridRun bits;
            for (int group = 0; group < 4; ++group) {
                const Word byte = hn::And(hn::ShiftRightSame(low, 8 * group), sameWord(255));
                const Word high = hn::And(hn::ShiftRightSame(qh, 3 * group), sameWord(7));
                bits.add(hn::Or(byte, hn::ShiftLeft<8>(high)), group);
            }
            out.scale(run, oddScale(d, bitsFrom<12>(qh, 7)));
            out.plane(run, 0, bits.ones);
            out.plane(run, 1, bits.zeros);
            out.plane(run, 2, spread(qh, 15));
            out.used(run);
        }
    }
};

struct SplitIQ1M {
    using Block = BlockIQ1M;
    HWY_INLINE static void split(const BlockLanes &blocks, const RunWriter &out)
    {
        const Word scales[2] = {blocks.word(offsetof(Block, scales)), blocks.word(offsetof(Block, scales) + 4)};
        const Vector d = fromHalf(topNibbles(scales));
        for (int run = 0; run < 16; ++run) {
            const auto at = static_cast<std::size_t>(run);
            // A word of qs has the bytes of two runs, one of qh those of four.
            const Word low = hn::ShiftRightSame(blocks.word(offsetof(Block, qs) + at / 2 * 4), run % 2 * 16);
            const Word qh = hn::ShiftRightSame(blocks.word(offsetof(Block, qh) + at / 4 * 4), run % 4 * 8);
            GridRun bits;
            bits.add(hn::Or(byteOf<0>(low), hn::ShiftLeft<8>(hn::And(qh, sameWord(7)))), 0);
            bits.add(hn::Or(byteOf<1>(low), hn::ShiftLeft<8>(bitsFrom<4>(qh, 7))), 1);
            const Word negative = select(255, spread(qh, 3), spread(qh, 7));
            const Word packed = hn::ShiftRightSame(scales[run / 8], run / 4 % 2 * 16 + 3 * (run % 4));
            out.scale(at, oddScale(d, hn::And(packed, sameWord(7))));
            out.plane(at, 0, bits.ones);
            out.plane(at, 1, bits.zeros);
            out.plane(at, 2, negative);
            out.used(at, 0xffff);
        }
    }

private:
    /// As halfOfIQ1M.
    HWY_INLINE static Word topNibbles(const Word (&scales)[2])
    {
        const auto pair = [](Word word) HWY_ATTR { return hn::Or(bitsFrom<12>(word, 0x0f), hn::And(hn::ShiftRight<24>(word), sameWord(0xf0))); };
        return hn::Or(pair(scales[0]), hn::ShiftLeft<8>(pair(scales[1])));
    }
};

/// Where all runs have the block's scale.
template <std::size_t runs>
HWY_INLINE void putScale(Vector scale, const RunWriter &out)
{
    for (std::size_t run = 0; run < runs; ++run)
        out.scale(run, scale);
}

struct SplitTQ1_0 {
    using Block = BlockTQ1_0;
    HWY_INLINE static void split(const BlockLanes &blocks, const RunWriter &out)
    {
        putScale<8>(fromHalf(hn::ShiftRight<16>(blocks.word(offsetof(Block, d) - 2))), out);
        Digits digits;
        for (std::size_t run = 0; run < 8; ++run) {
            Word ones = sameWord(0);
            Word twos = ones;
            for (std::size_t i = 0; i < 8; ++i) {
                if ((8 * run + i) % 5 == 0)
                    digits.bytes = blocks.word((8 * run + i) / 5 * 4);
                digits.take(static_cast<int>(i), ones, twos);
            }
            out.plane(run, 0, ones);
            out.plane(run, 1, twos);
            out.used(run);
        }
    }

private:
    /// The digits of four bytes, which are fractions of 256 in base 3: the first is 1 from 86 up and 2
    /// from 171 up.
    struct Digits {
        Word bytes;

        HWY_INLINE void take(int bit, Word &ones, Word &twos)
        {
            const hn::Repartition<std::uint8_t, U32> d;
            const auto b = hn::BitCast(d, bytes);
            const auto one = hn::Set(d, std::uint8_t{1});
            const Word some = hn::BitCast(U32(), hn::Min(hn::SaturatedSub(b, hn::Set(d, std::uint8_t{85})), one));
            const Word two = hn::BitCast(U32(), hn::Min(hn::SaturatedSub(b, hn::Set(d, std::uint8_t{170})), one));
            ones = hn::Or(ones, hn::ShiftLeftSame(hn::AndNot(two, some), bit));
            twos = hn::Or(twos, hn::ShiftLeftSame(two, bit));
            bytes = hn::BitCast(U32(), hn::Add(hn::Add(b, b), b));
        }
    };
};

struct SplitTQ2_0 {
    using Block = BlockTQ2_0;
    HWY_INLINE static void split(const BlockLanes &blocks, const RunWriter &out)
    {
        putScale<8>(fromHalf(hn::ShiftRight<16>(blocks.word(offsetof(Block, d) - 2))), out);
        for (std::size_t run = 0; run < 8; ++run)
            splitPairs(blocks, offsetof(Block, qs) + 8 * run, run, out);
    }
};

struct SplitNVFP4 {
    using Block = BlockNVFP4;
    HWY_INLINE static void split(const BlockLanes &blocks, const RunWriter &out)
    {
        const Word scales = blocks.word(0);
        for (std::size_t run = 0; run < 4; ++run) {
            out.scale(run, scaleOf(hn::And(hn::ShiftRightSame(scales, static_cast<int>(8 * run)), sameWord(255))));
            const std::size_t qs = offsetof(Block, qs) + 8 * run;
            FourWords four{{blocks.word(qs), blocks.word(qs + 4), sameWord(0), sameWord(0)}};
            four.transpose();
            for (std::size_t b = 0; b < 4; ++b)
                out.plane(run, b, four.word[b]);
            out.used(run, 0x33333333u);
        }
    }

private:
    /// As scaleUE4M3Half.
    HWY_INLINE static Vector scaleOf(Word x)
    {
        const Word bits = hn::ShiftLeft<20>(hn::And(x, sameWord(127)));
        const Vector scale = hn::Mul(hn::BitCast(F32(), bits), broadcast(0x1p119f));
        return hn::IfThenZeroElse(hn::RebindMask(F32(), hn::Eq(x, sameWord(127))), scale);
    }
};

struct SplitQ1_0 {
    using Block = BlockQ1_0;
    HWY_INLINE static void split(const BlockLanes &blocks, const RunWriter &out)
    {
        putScale<4>(fromHalf(blocks.word(0)), out);
        for (std::size_t run = 0; run < 4; ++run) {
            out.plane(run, 0, blocks.word(offsetof(Block, qs) + 4 * run));
            out.used(run);
        }
    }
};

struct SplitQ2_0 {
    using Block = BlockQ2_0;
    HWY_INLINE static void split(const BlockLanes &blocks, const RunWriter &out)
    {
        putScale<2>(fromHalf(blocks.word(0)), out);
        for (std::size_t run = 0; run < 2; ++run)
            splitPairs(blocks, offsetof(Block, qs) + 8 * run, run, out);
    }
};

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

constexpr detail::LevelSplitter Splitters[] = {
    {GgmlType::Q4_0, splitBlocks<SplitQ4_0, 1>},    {GgmlType::Q4_1, splitBlocks<SplitQ4_1, 1>},
    {GgmlType::Q5_0, splitBlocks<SplitQ5_0, 1>},
    {GgmlType::Q2_K, splitBlocks<SplitQ2K, 16>},    {GgmlType::Q3_K, splitBlocks<SplitQ3K, 16>},
    {GgmlType::Q4_K, splitBlocks<SplitQ4K, 8>},
    {GgmlType::IQ4_NL, splitBlocks<SplitQ4_0, 1>},  {GgmlType::IQ4_XS, splitBlocks<SplitIQ4XS, 8>},
    {GgmlType::IQ1_S, splitBlocks<SplitIQ1S, 8>},   {GgmlType::IQ1_M, splitBlocks<SplitIQ1M, 16>},
    {GgmlType::TQ1_0, splitBlocks<SplitTQ1_0, 8>},  {GgmlType::TQ2_0, splitBlocks<SplitTQ2_0, 8>},
    {GgmlType::MXFP4, splitBlocks<SplitMXFP4, 1>},  {GgmlType::NVFP4, splitBlocks<SplitNVFP4, 4>},
    {GgmlType::Q1_0, splitBlocks<SplitQ1_0, 4>},    {GgmlType::Q2_0, splitBlocks<SplitQ2_0, 2>},
};

} // namespace

std::span<const detail::LevelSplitter> levelSplittersOfTarget() { return Splitters; }

} // namespace ql::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif // QL_SIMD_TARGET

#if HWY_ONCE
#include <hwy/targets.h>

#include <vector>

namespace ql::detail {

std::span<const LevelSplitters> simdLevelSplitters()
{
    static const std::vector<LevelSplitters> found = [] {
        struct Row {
            std::int64_t target;
            LevelSplitters splitters;
        };
        const Row rows[] = {
#if defined(__aarch64__)
            {HWY_NEON, {"neon", N_NEON::levelSplittersOfTarget()}},
#else
            {HWY_AVX3, {"avx3", N_AVX3::levelSplittersOfTarget()}},
            {HWY_AVX2, {"avx2", N_AVX2::levelSplittersOfTarget()}},
            {HWY_SSE4, {"sse4", N_SSE4::levelSplittersOfTarget()}},
#endif
        };
        std::vector<LevelSplitters> result;
        for (const Row &row : rows) {
            if (row.target & hwy::SupportedTargets())
                result.push_back(row.splitters);
        }
        return result;
    }();
    return found;
}

} // namespace ql::detail
#endif
