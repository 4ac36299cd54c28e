// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The blocks as they lie in a file, little-endian. A picture of the bytes stands above each struct,
// first field first; w is a weight, q its code, lo and hi the nibbles of a byte. Nothing here is
// ever cast onto the map (offsets can be odd): decoders copy or read bytes. Sizes come from sizeof.
// Layouts as in ggml-common.h of ggml, August 2026.

#include <cstdint>

namespace ql {

using Half = std::uint16_t; ///< the bits of an IEEE binary16

// Q4_0: 32 weights in 18 bytes, 4.5 bits per weight
// | d f16 | 16 bytes: 32 x 4-bit q; byte j: lo = weight j, hi = weight j+16 |
// w = (q - 8) * d
struct BlockQ4_0 {
    Half d;
    std::uint8_t qs[16];
};
static_assert(sizeof(BlockQ4_0) == 18);

// Q4_1: 32 weights in 20 bytes, 5 bits per weight
// | d f16 | m f16 | 16 bytes: 32 x 4-bit q as Q4_0 |
// w = q * d + m
struct BlockQ4_1 {
    Half d;
    Half m;
    std::uint8_t qs[16];
};
static_assert(sizeof(BlockQ4_1) == 20);

// Q5_0: 32 weights in 22 bytes, 5.5 bits per weight
// | d f16 | qh: bit w is the fifth bit of weight w | 16 bytes: low 4 bits as Q4_0 |
// w = (q - 16) * d
struct BlockQ5_0 {
    Half d;
    std::uint8_t qh[4];
    std::uint8_t qs[16];
};
static_assert(sizeof(BlockQ5_0) == 22);

// Q5_1: 32 weights in 24 bytes, 6 bits per weight
// | d f16 | m f16 | qh: 32 x fifth bit | 16 bytes: low 4 bits as Q4_0 |
// w = q * d + m
struct BlockQ5_1 {
    Half d;
    Half m;
    std::uint8_t qh[4];
    std::uint8_t qs[16];
};
static_assert(sizeof(BlockQ5_1) == 24);

// Q8_0: 32 weights in 34 bytes, 8.5 bits per weight
// | d f16 | 32 x i8 q |
// w = q * d
struct BlockQ8_0 {
    Half d;
    std::int8_t qs[32];
};
static_assert(sizeof(BlockQ8_0) == 34);

// Q8_1: 32 weights in 36 bytes, 9 bits per weight
// | d f16 | s f16: d * sum of q, not needed to decode | 32 x i8 q |
// w = q * d
struct BlockQ8_1 {
    Half d;
    Half s;
    std::int8_t qs[32];
};
static_assert(sizeof(BlockQ8_1) == 36);

// Q2_K super-block: 256 weights in 84 bytes, 2.625 bits per weight
// | 16 bytes: sub-block s of 16 weights: lo = scale, hi = min | 64 bytes: 256 x 2-bit q | d f16 | dmin f16 |
// two halves of 128 weights and 32 bytes: in half h, weight 32j+l is bits 2j of qs[32h+l]
// w = (d * scale) * q - (dmin * min)
struct BlockQ2K {
    std::uint8_t scales[16];
    std::uint8_t qs[64];
    Half d;
    Half dmin;
};
static_assert(sizeof(BlockQ2K) == 84);

// Q3_K super-block: 256 weights in 110 bytes, 3.4375 bits per weight
// | hmask: bit 4h+j of byte l is the high bit of weight 128h+32j+l | 64 bytes: low 2 bits as Q2_K |
// | 12 bytes: 16 x 6-bit scales: 0-7 lo and 8-15 hi of bytes 0-7; top two bits: bits 2(s/4) of byte 8+s%4 | d f16 |
// w = (d * (scale - 32)) * (low2 - (high ? 0 : 4))
struct BlockQ3K {
    std::uint8_t hmask[32];
    std::uint8_t qs[64];
    std::uint8_t scales[12];
    Half d;
};
static_assert(sizeof(BlockQ3K) == 110);

// Q4_K super-block: 256 weights in 144 bytes, 4.5 bits per weight
// | d f16 | dmin f16 | 12 bytes: 8 x (6-bit scale, 6-bit min) | 128 bytes: 256 x 4-bit q |
// 64 weights per 32 bytes: low nibbles are the first 32, high nibbles the next 32
// w = (d * scale) * q - (dmin * min)
struct BlockQ4K {
    Half d;
    Half dmin;
    std::uint8_t scales[12];
    std::uint8_t qs[128];
};
static_assert(sizeof(BlockQ4K) == 144);

// Q5_K super-block: 256 weights in 176 bytes, 5.5 bits per weight
// | d f16 | dmin f16 | 12 bytes: as Q4_K | qh: bit s of byte l is the fifth bit of weight l of sub-block s | 128 bytes: as Q4_K |
// w = (d * scale) * q - (dmin * min)
struct BlockQ5K {
    Half d;
    Half dmin;
    std::uint8_t scales[12];
    std::uint8_t qh[32];
    std::uint8_t qs[128];
};
static_assert(sizeof(BlockQ5K) == 176);

// Q6_K super-block: 256 weights in 210 bytes, 6.5625 bits per weight
// | 128 bytes: low 4 bits | 64 bytes: high 2 bits | 16 x i8 scales | d f16 |
// two halves of 128: in half h, for l 0-31, weights l, l+32, l+64, l+96 take lo(ql[64h+l]),
// lo(ql[64h+l+32]), hi(ql[64h+l]), hi(ql[64h+l+32]) and bit pairs 0, 2, 4, 6 of qh[32h+l] on top
// w = (d * scale) * (q - 32), a scale for 16 weights
struct BlockQ6K {
    std::uint8_t ql[128];
    std::uint8_t qh[64];
    std::int8_t scales[16];
    Half d;
};
static_assert(sizeof(BlockQ6K) == 210);

// Q8_K super-block: 256 weights in 292 bytes, 9.125 bits per weight
// | d f32 | 256 x i8 q | 16 x i16: sums of 16 q, not needed to decode |
// w = d * q
struct BlockQ8K {
    float d;
    std::int8_t qs[256];
    std::int16_t bsums[16];
};
static_assert(sizeof(BlockQ8K) == 292);

// IQ2_XXS super-block: 256 weights in 66 bytes, 2.0625 bits per weight
// | d f16 | 8 x (u32 a, u32 b), one pair for 32 weights |
// byte g of a: index into iq2xxs of group g of 8; b: 4 x 7 sign bits, top 4 bits the scale
// w = ((d * (0.5 + scale)) * 0.25) * grid * sign
struct BlockIQ2XXS {
    Half d;
    std::uint16_t qs[32];
};
static_assert(sizeof(BlockIQ2XXS) == 66);

// IQ2_XS super-block: 256 weights in 74 bytes, 2.3125 bits per weight
// | d f16 | 32 x u16: low 9 bits index into iq2xs, high 7 signs | 8 bytes: 16 x 4-bit scale |
// w = ((d * (0.5 + scale)) * 0.25) * grid * sign
struct BlockIQ2XS {
    Half d;
    std::uint16_t qs[32];
    std::uint8_t scales[8];
};
static_assert(sizeof(BlockIQ2XS) == 74);

// IQ2_S super-block: 256 weights in 82 bytes, 2.5625 bits per weight
// | d f16 | 32 x low 8 bits of index | 32 x sign byte | 8 bytes: 4 x 2 high bits of index | 16 x 4-bit scale |
// w = ((d * (0.5 + scale)) * 0.25) * grid * sign, grid from iq2s
struct BlockIQ2S {
    Half d;
    std::uint8_t qs[32];
    std::uint8_t signs[32];
    std::uint8_t qh[8];
    std::uint8_t scales[8];
};
static_assert(sizeof(BlockIQ2S) == 82);

// IQ3_XXS super-block: 256 weights in 98 bytes, 3.0625 bits per weight
// | d f16 | 64 x index into iq3xxs, one for 4 weights | 8 x u32: 4 x 7 sign bits, top 4 bits the scale |
// w = ((d * (0.5 + scale)) * 0.5) * grid * sign
struct BlockIQ3XXS {
    Half d;
    std::uint8_t qs[64];
    std::uint8_t words[32];
};
static_assert(sizeof(BlockIQ3XXS) == 98);

// IQ3_S super-block: 256 weights in 110 bytes, 3.4375 bits per weight
// | d f16 | 64 x low 8 bits of index | 8 bytes: 64 x ninth bit | 32 sign bytes | 4 bytes: 8 x 4-bit scale |
// w = (d * (1 + 2 * scale)) * grid * sign, grid from iq3s
struct BlockIQ3S {
    Half d;
    std::uint8_t qs[64];
    std::uint8_t qh[8];
    std::uint8_t signs[32];
    std::uint8_t scales[4];
};
static_assert(sizeof(BlockIQ3S) == 110);

// IQ1_S super-block: 256 weights in 50 bytes, 1.5625 bits per weight
// | d f16 | 32 x low 8 bits of index | 8 x u16 for 32 weights: 4 x 3 high bits, 3-bit scale, sign of delta |
// w = (d * (2 * scale + 1)) * (grid + delta), delta = +-0.125, grid from iq1s
struct BlockIQ1S {
    Half d;
    std::uint8_t qs[32];
    std::uint16_t qh[8];
};
static_assert(sizeof(BlockIQ1S) == 50);

// IQ1_M super-block: 256 weights in 56 bytes, 1.75 bits per weight
// | 32 x low 8 bits of index | 16 bytes: per 8 weights 3 high bits and the sign of delta |
// | 4 x u16: 4 x 3-bit scale; the top nibbles together are d f16, lowest first |
// w = (d * (2 * scale + 1)) * (grid + delta)
struct BlockIQ1M {
    std::uint8_t qs[32];
    std::uint8_t qh[16];
    std::uint8_t scales[8];
};
static_assert(sizeof(BlockIQ1M) == 56);

// IQ4_NL: 32 weights in 18 bytes, 4.5 bits per weight
// | d f16 | 16 bytes: 32 x 4-bit q as Q4_0, into a table of 16 uneven steps |
// w = d * table[q]
struct BlockIQ4NL {
    Half d;
    std::uint8_t qs[16];
};
static_assert(sizeof(BlockIQ4NL) == 18);

// IQ4_XS super-block: 256 weights in 136 bytes, 4.25 bits per weight
// | d f16 | u16: 8 x 2 high bits of scale | 4 bytes: 8 x low nibble of scale | 128 bytes: per 32 weights as Q4_0 |
// w = (d * (scale - 32)) * table[q], table of IQ4_NL
struct BlockIQ4XS {
    Half d;
    std::uint16_t scalesH;
    std::uint8_t scalesL[4];
    std::uint8_t qs[128];
};
static_assert(sizeof(BlockIQ4XS) == 136);

// TQ1_0 super-block: 256 weights in 54 bytes, 1.6875 bits per weight
// | 48 bytes: 5 ternary digits each | 4 bytes: 4 digits each | d f16 |
// digit n of byte b: (((b * 3^n) mod 256) * 3) >> 8; digit-major over bytes 0-31, then 32-47, then the last 4
// w = (digit - 1) * d
struct BlockTQ1_0 {
    std::uint8_t qs[48];
    std::uint8_t qh[4];
    Half d;
};
static_assert(sizeof(BlockTQ1_0) == 54);

// TQ2_0 super-block: 256 weights in 66 bytes, 2.0625 bits per weight
// | 64 bytes: weight 128h+32l+m is bits 2l of byte 32h+m | d f16 |
// w = (q - 1) * d
struct BlockTQ2_0 {
    std::uint8_t qs[64];
    Half d;
};
static_assert(sizeof(BlockTQ2_0) == 66);

// MXFP4: 32 weights in 17 bytes, 4.25 bits per weight
// | e u8 | 16 bytes: 32 x E2M1 as Q4_0 |
// w = E[q] * 2^(e - 128), E doubled: 0 1 2 3 4 6 8 12 and their negatives (entry 8 is +0)
struct BlockMXFP4 {
    std::uint8_t e;
    std::uint8_t qs[16];
};
static_assert(sizeof(BlockMXFP4) == 17);

// NVFP4: 64 weights in 36 bytes, 4.5 bits per weight
// | 4 x ue4m3 d, one for 16 weights | 32 bytes: sub-block i: bytes 8i..8i+7, lo = weights 0-7, hi = 8-15 |
// w = E[q] * d/2
struct BlockNVFP4 {
    std::uint8_t d[4];
    std::uint8_t qs[32];
};
static_assert(sizeof(BlockNVFP4) == 36);

// Q1_0: 128 weights in 18 bytes, 1.125 bits per weight
// | d f16 | 16 bytes: bit w%8 of byte w/8 |
// w = bit ? d : -d
struct BlockQ1_0 {
    Half d;
    std::uint8_t qs[16];
};
static_assert(sizeof(BlockQ1_0) == 18);

// Q2_0: 64 weights in 18 bytes, 2.25 bits per weight
// | d f16 | 16 bytes: weight w is bits 2(w%4) of byte w/4 |
// w = (q - 1) * d
struct BlockQ2_0 {
    Half d;
    std::uint8_t qs[16];
};
static_assert(sizeof(BlockQ2_0) == 18);

} // namespace ql
