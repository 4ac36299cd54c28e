// SPDX-License-Identifier: GPL-3.0-or-later
// Small blocks taken apart into bit planes: the bits of words are exchanged among words, as in the
// transposition of a small matrix of bits.
#include "core/quant/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/quant/levelplanes_simd.cpp"
#include <hwy/foreach_target.h>

#include "core/quant/levelplanes-inl.h"

#if QL_SIMD_TARGET
HWY_BEFORE_NAMESPACE();
namespace ql::HWY_NAMESPACE {
namespace {

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

/// Swaps bits i and i + shift of a word, for the bits i of the mask.
template <int shift>
HWY_INLINE Word swapBits(Word word, std::uint32_t mask)
{
    const Word changed = hn::And(hn::Xor(word, hn::ShiftRight<shift>(word)), sameWord(mask));
    return hn::Xor(word, hn::Xor(changed, hn::ShiftLeft<shift>(changed)));
}

/// Q5_0 and Q5_1: bit 16h + 4k + i, a weight's fifth, goes where splitNibbles puts its others, to 8i + 4h + k.
HWY_INLINE Word fifthBits(Word qh)
{
    // Each step swaps two of the five bits of a place, highest first h k1 k0 i1 i0.
    Word bits = swapBits<14>(qh, 0x0000ccccu); // i1 k1 k0 h i0
    bits = swapBits<7>(bits, 0x00aa00aau);     // i1 i0 k0 h k1
    bits = swapBits<2>(bits, 0x0c0c0c0cu);     // i1 i0 h k0 k1
    return swapBits<1>(bits, 0x22222222u);     // i1 i0 h k1 k0
}

struct SplitQ5_0 {
    using Block = BlockQ5_0;
    HWY_INLINE static void split(const BlockLanes &blocks, const RunWriter &out)
    {
        out.scale(0, fromHalf(blocks.word(0)));
        splitNibbles(blocks, offsetof(Block, qs), 0, out);
        out.plane(0, 4, fifthBits(blocks.word(offsetof(Block, qh))));
    }
};

struct SplitQ5_1 {
    using Block = BlockQ5_1;
    HWY_INLINE static void split(const BlockLanes &blocks, const RunWriter &out)
    {
        const Word halves = blocks.word(0);
        out.scale(0, fromHalf(halves));
        out.min(0, fromHalf(hn::ShiftRight<16>(halves)));
        splitNibbles(blocks, offsetof(Block, qs), 0, out);
        out.plane(0, 4, fifthBits(blocks.word(offsetof(Block, qh))));
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

constexpr detail::LevelSplitter Splitters[] = {
    {GgmlType::Q4_0, splitBlocks<SplitQ4_0, 1>},   {GgmlType::Q4_1, splitBlocks<SplitQ4_1, 1>},
    {GgmlType::Q5_0, splitBlocks<SplitQ5_0, 1>},   {GgmlType::Q5_1, splitBlocks<SplitQ5_1, 1>},
    {GgmlType::IQ4_NL, splitBlocks<SplitQ4_0, 1>},
    {GgmlType::MXFP4, splitBlocks<SplitMXFP4, 1>}, {GgmlType::NVFP4, splitBlocks<SplitNVFP4, 4>},
    {GgmlType::Q1_0, splitBlocks<SplitQ1_0, 4>},   {GgmlType::Q2_0, splitBlocks<SplitQ2_0, 2>},
};

} // namespace

std::span<const detail::LevelSplitter> smallBlockSplitters() { return Splitters; }

} // namespace ql::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif // QL_SIMD_TARGET

#if HWY_ONCE
#include "core/quant/simd_supported-inl.h"

namespace ql::detail {

std::span<const LevelSplitters> simdLevelSplitters()
{
    static const auto found = supportedOf<LevelSplitters>({
#if defined(__aarch64__)
        {HWY_NEON, {"neon", N_NEON::smallBlockSplitters()}},
        {HWY_NEON, {"neon", N_NEON::superBlockSplitters()}},
#else
        {HWY_AVX3, {"avx3", N_AVX3::smallBlockSplitters()}},
        {HWY_AVX3, {"avx3", N_AVX3::superBlockSplitters()}},
        {HWY_AVX2, {"avx2", N_AVX2::smallBlockSplitters()}},
        {HWY_AVX2, {"avx2", N_AVX2::superBlockSplitters()}},
        {HWY_SSE4, {"sse4", N_SSE4::smallBlockSplitters()}},
        {HWY_SSE4, {"sse4", N_SSE4::superBlockSplitters()}},
#endif
    });
    return found;
}

} // namespace ql::detail
#endif
