// SPDX-License-Identifier: GPL-3.0-or-later
// Super-blocks taken apart into bit planes.
#include "core/quant/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/quant/levelplanes_simd_super.cpp"
#include <hwy/foreach_target.h>

#include "core/quant/codebooks.h"
#include "core/quant/levelplanes-inl.h"


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

constexpr detail::LevelSplitter Splitters[] = {
    {GgmlType::Q2_K, splitBlocks<SplitQ2K, 16>},   {GgmlType::Q3_K, splitBlocks<SplitQ3K, 16>},
    {GgmlType::Q4_K, splitBlocks<SplitQ4K, 8>},    {GgmlType::IQ4_XS, splitBlocks<SplitIQ4XS, 8>},
    {GgmlType::IQ1_S, splitBlocks<SplitIQ1S, 8>},  {GgmlType::IQ1_M, splitBlocks<SplitIQ1M, 16>},
    {GgmlType::TQ1_0, splitBlocks<SplitTQ1_0, 8>}, {GgmlType::TQ2_0, splitBlocks<SplitTQ2_0, 8>},
};

} // namespace

std::span<const detail::LevelSplitter> superBlockSplitters() { return Splitters; }

} // namespace ql::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif // QL_SIMD_TARGET
