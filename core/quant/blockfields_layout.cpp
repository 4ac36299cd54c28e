// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/blocks.h"
#include "core/quant/blockfields.h"

#include <algorithm>
#include <cstddef>

namespace ql {

namespace {

// A part is a member of the block struct: its place and size come from the compiler.
#define QL_PART(Block, member, what) \
    LayoutPart{#member, what, offsetof(Block, member), sizeof(Block::member)}

constexpr LayoutPart F32Parts[] = {{"value", "IEEE binary32", 0, 4}};
constexpr LayoutPart F16Parts[] = {{"value", "IEEE binary16", 0, 2}};
constexpr LayoutPart BF16Parts[] = {{"value", "the top half of a binary32", 0, 2}};
constexpr LayoutPart F64Parts[] = {{"value", "IEEE binary64", 0, 8}};
constexpr LayoutPart I8Parts[] = {{"value", "signed integer", 0, 1}};
constexpr LayoutPart I16Parts[] = {{"value", "signed integer", 0, 2}};
constexpr LayoutPart I32Parts[] = {{"value", "signed integer", 0, 4}};
constexpr LayoutPart I64Parts[] = {{"value", "signed integer", 0, 8}};

constexpr std::string_view SplitNibbles =
    "32 x 4-bit q: byte j: low = weight j, high = weight j+16";

constexpr LayoutPart Q4_0Parts[] = {
    QL_PART(BlockQ4_0, d, "f16 scale"),
    QL_PART(BlockQ4_0, qs, SplitNibbles),
};
constexpr LayoutPart Q4_1Parts[] = {
    QL_PART(BlockQ4_1, d, "f16 scale"),
    QL_PART(BlockQ4_1, m, "f16 min"),
    QL_PART(BlockQ4_1, qs, SplitNibbles),
};
constexpr LayoutPart Q5_0Parts[] = {
    QL_PART(BlockQ5_0, d, "f16 scale"),
    QL_PART(BlockQ5_0, qh, "bit w is the fifth bit of weight w"),
    QL_PART(BlockQ5_0, qs, SplitNibbles),
};
constexpr LayoutPart Q5_1Parts[] = {
    QL_PART(BlockQ5_1, d, "f16 scale"),
    QL_PART(BlockQ5_1, m, "f16 min"),
    QL_PART(BlockQ5_1, qh, "bit w is the fifth bit of weight w"),
    QL_PART(BlockQ5_1, qs, SplitNibbles),
};
constexpr LayoutPart Q8_0Parts[] = {
    QL_PART(BlockQ8_0, d, "f16 scale"),
    QL_PART(BlockQ8_0, qs, "32 x i8 q"),
};
constexpr LayoutPart Q8_1Parts[] = {
    QL_PART(BlockQ8_1, d, "f16 scale"),
    QL_PART(BlockQ8_1, s, "f16: d * sum of q, not needed to decode"),
    QL_PART(BlockQ8_1, qs, "32 x i8 q"),
};
constexpr LayoutPart Q2_KParts[] = {
    QL_PART(BlockQ2K, scales, "16 x (4-bit scale, 4-bit min), one for 16 weights"),
    QL_PART(BlockQ2K, qs, "256 x 2-bit q: weight 128h+32j+l is bits 2j of byte 32h+l"),
    QL_PART(BlockQ2K, d, "f16 scale of the scales"),
    QL_PART(BlockQ2K, dmin, "f16 scale of the mins"),
};
constexpr LayoutPart Q3_KParts[] = {
    QL_PART(BlockQ3K, hmask, "256 x high bit: weight 128h+32j+l is bit 4h+j of byte l"),
    QL_PART(BlockQ3K, qs, "256 x low 2 bits: weight 128h+32j+l is bits 2j of byte 32h+l"),
    QL_PART(BlockQ3K, scales, "16 x 6-bit scale: 8 bytes of low nibbles, 4 of top pairs"),
    QL_PART(BlockQ3K, d, "f16 scale of the scales"),
};
constexpr std::string_view SixBitPairs = "8 x (6-bit scale, 6-bit min), one for 32 weights";
constexpr std::string_view PairedNibbles =
    "256 x 4-bit: 32 bytes hold 64 weights, low nibbles first";
constexpr LayoutPart Q4_KParts[] = {
    QL_PART(BlockQ4K, d, "f16 scale of the scales"),
    QL_PART(BlockQ4K, dmin, "f16 scale of the mins"),
    QL_PART(BlockQ4K, scales, SixBitPairs),
    QL_PART(BlockQ4K, qs, PairedNibbles),
};
constexpr LayoutPart Q5_KParts[] = {
    QL_PART(BlockQ5K, d, "f16 scale of the scales"),
    QL_PART(BlockQ5K, dmin, "f16 scale of the mins"),
    QL_PART(BlockQ5K, scales, SixBitPairs),
    QL_PART(BlockQ5K, qh, "256 x fifth bit: weight 32s+l is bit s of byte l"),
    QL_PART(BlockQ5K, qs, PairedNibbles),
};
constexpr LayoutPart Q6_KParts[] = {
    QL_PART(BlockQ6K, ql, "256 x low 4 bits: 64 bytes hold 128 weights"),
    QL_PART(BlockQ6K, qh, "256 x high 2 bits: 32 bytes hold 128 weights"),
    QL_PART(BlockQ6K, scales, "16 x i8 scale, one for 16 weights"),
    QL_PART(BlockQ6K, d, "f16 scale of the scales"),
};
constexpr LayoutPart Q8_KParts[] = {
    QL_PART(BlockQ8K, d, "f32 scale"),
    QL_PART(BlockQ8K, qs, "256 x i8 q"),
    QL_PART(BlockQ8K, bsums, "16 x i16: sums of 16 q, not needed to decode"),
};
constexpr LayoutPart IQ2_XXSParts[] = {
    QL_PART(BlockIQ2XXS, d, "f16 scale"),
    QL_PART(BlockIQ2XXS, qs,
            "8 x (4 x 8-bit grid index, 4 x 7 signs, 4-bit scale), one for 32 weights"),
};
constexpr LayoutPart IQ2_XSParts[] = {
    QL_PART(BlockIQ2XS, d, "f16 scale"),
    QL_PART(BlockIQ2XS, qs, "32 x (9-bit grid index, 7 signs), one for 8 weights"),
    QL_PART(BlockIQ2XS, scales, "16 x 4-bit scale, one for 16 weights"),
};
constexpr LayoutPart IQ2_SParts[] = {
    QL_PART(BlockIQ2S, d, "f16 scale"),
    QL_PART(BlockIQ2S, qs, "32 x low 8 bits of grid index, one for 8 weights"),
    QL_PART(BlockIQ2S, signs, "32 x 8 signs"),
    QL_PART(BlockIQ2S, qh, "32 x high 2 bits of grid index"),
    QL_PART(BlockIQ2S, scales, "16 x 4-bit scale, one for 16 weights"),
};
constexpr LayoutPart IQ3_XXSParts[] = {
    QL_PART(BlockIQ3XXS, d, "f16 scale"),
    QL_PART(BlockIQ3XXS, qs, "64 x grid index, one for 4 weights"),
    QL_PART(BlockIQ3XXS, words, "8 x (4 x 7 signs, 4-bit scale), one for 32 weights"),
};
constexpr LayoutPart IQ3_SParts[] = {
    QL_PART(BlockIQ3S, d, "f16 scale"),
    QL_PART(BlockIQ3S, qs, "64 x low 8 bits of grid index, one for 4 weights"),
    QL_PART(BlockIQ3S, qh, "64 x ninth bit of grid index"),
    QL_PART(BlockIQ3S, signs, "32 x 8 signs"),
    QL_PART(BlockIQ3S, scales, "8 x 4-bit scale, one for 32 weights"),
};
constexpr LayoutPart IQ1_SParts[] = {
    QL_PART(BlockIQ1S, d, "f16 scale"),
    QL_PART(BlockIQ1S, qs, "32 x low 8 bits of grid index, one for 8 weights"),
    QL_PART(BlockIQ1S, qh,
            "8 x (4 x high 3 bits of index, 3-bit scale, sign of delta), one for 32 weights"),
};
constexpr LayoutPart IQ1_MParts[] = {
    QL_PART(BlockIQ1M, qs, "32 x low 8 bits of grid index, one for 8 weights"),
    QL_PART(BlockIQ1M, qh, "32 x (high 3 bits of index, sign of delta)"),
    QL_PART(BlockIQ1M, scales, "4 x (4 x 3-bit scale, a nibble of d f16, lowest first)"),
};
constexpr LayoutPart IQ4_NLParts[] = {
    QL_PART(BlockIQ4NL, d, "f16 scale"),
    QL_PART(BlockIQ4NL, qs, SplitNibbles),
};
constexpr LayoutPart IQ4_XSParts[] = {
    QL_PART(BlockIQ4XS, d, "f16 scale of the scales"),
    QL_PART(BlockIQ4XS, scalesH, "8 x high 2 bits of scale"),
    QL_PART(BlockIQ4XS, scalesL, "8 x low 4 bits of scale, one for 32 weights"),
    QL_PART(BlockIQ4XS, qs, "256 x 4-bit q: 16 bytes hold 32 weights, low nibbles first"),
};
constexpr LayoutPart TQ1_0Parts[] = {
    QL_PART(BlockTQ1_0, qs, "48 x 5 ternary digits, digit-major over bytes 0-31, then 32-47"),
    QL_PART(BlockTQ1_0, qh, "4 x 4 ternary digits, digit-major"),
    QL_PART(BlockTQ1_0, d, "f16 scale"),
};
constexpr LayoutPart TQ2_0Parts[] = {
    QL_PART(BlockTQ2_0, qs, "256 x 2-bit q: weight 128h+32l+m is bits 2l of byte 32h+m"),
    QL_PART(BlockTQ2_0, d, "f16 scale"),
};
constexpr LayoutPart MXFP4Parts[] = {
    QL_PART(BlockMXFP4, e, "u8 exponent of the scale"),
    QL_PART(BlockMXFP4, qs, SplitNibbles),
};
constexpr LayoutPart NVFP4Parts[] = {
    QL_PART(BlockNVFP4, d, "4 x ue4m3 scale, one for 16 weights"),
    QL_PART(BlockNVFP4, qs, "64 x 4-bit q: 8 bytes hold 16 weights, low nibbles first"),
};
constexpr LayoutPart Q1_0Parts[] = {
    QL_PART(BlockQ1_0, d, "f16 scale"),
    QL_PART(BlockQ1_0, qs, "128 x 1-bit q: weight w is bit w%8 of byte w/8"),
};
constexpr LayoutPart Q2_0Parts[] = {
    QL_PART(BlockQ2_0, d, "f16 scale"),
    QL_PART(BlockQ2_0, qs, "64 x 2-bit q: weight w is bits 2(w%4) of byte w/4"),
};

#undef QL_PART

struct Layout {
    GgmlType type;
    std::span<const LayoutPart> parts;
};

constexpr Layout Layouts[] = {
    {GgmlType::F32, F32Parts},         {GgmlType::F16, F16Parts},
    {GgmlType::BF16, BF16Parts},       {GgmlType::F64, F64Parts},
    {GgmlType::I8, I8Parts},           {GgmlType::I16, I16Parts},
    {GgmlType::I32, I32Parts},         {GgmlType::I64, I64Parts},
    {GgmlType::Q4_0, Q4_0Parts},       {GgmlType::Q4_1, Q4_1Parts},
    {GgmlType::Q5_0, Q5_0Parts},       {GgmlType::Q5_1, Q5_1Parts},
    {GgmlType::Q8_0, Q8_0Parts},       {GgmlType::Q8_1, Q8_1Parts},
    {GgmlType::Q2_K, Q2_KParts},       {GgmlType::Q3_K, Q3_KParts},
    {GgmlType::Q4_K, Q4_KParts},       {GgmlType::Q5_K, Q5_KParts},
    {GgmlType::Q6_K, Q6_KParts},       {GgmlType::Q8_K, Q8_KParts},
    {GgmlType::IQ2_XXS, IQ2_XXSParts}, {GgmlType::IQ2_XS, IQ2_XSParts},
    {GgmlType::IQ2_S, IQ2_SParts},     {GgmlType::IQ3_XXS, IQ3_XXSParts},
    {GgmlType::IQ3_S, IQ3_SParts},     {GgmlType::IQ1_S, IQ1_SParts},
    {GgmlType::IQ1_M, IQ1_MParts},     {GgmlType::IQ4_NL, IQ4_NLParts},
    {GgmlType::IQ4_XS, IQ4_XSParts},   {GgmlType::TQ1_0, TQ1_0Parts},
    {GgmlType::TQ2_0, TQ2_0Parts},     {GgmlType::MXFP4, MXFP4Parts},
    {GgmlType::NVFP4, NVFP4Parts},     {GgmlType::Q1_0, Q1_0Parts},
    {GgmlType::Q2_0, Q2_0Parts},
};

} // namespace

std::span<const LayoutPart> blockLayout(GgmlType type)
{
    const auto row = std::ranges::find(Layouts, type, &Layout::type);
    return row != std::end(Layouts) ? row->parts : std::span<const LayoutPart>();
}

} // namespace ql
