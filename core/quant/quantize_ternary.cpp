// SPDX-License-Identifier: GPL-3.0-or-later
// TQ1_0, TQ2_0, Q2_0, Q1_0: a scale for the block and next to nothing a weight; bytes fixed by convention.
#include "core/quant/quantize_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/quant/quantize_ternary.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "core/model/blocks.h"
#include "core/quant/half.h"
#include "core/quant/quantize_kernels.h"
#include "core/quant/quantize_rounding-inl.h"

#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace ql::HWY_NAMESPACE {

/// Codes x/d, rounded, plus 1, in 0 to `highest`; returns d, the largest magnitude.
template <std::size_t Size>
HWY_INLINE float codesAroundOne(const float *x, int highest, std::uint8_t *codes)
{
    const FloatTag tag;
    const IntTag intTag;
    const float d = largestMagnitude(x, Size);
    const FloatVec inverse = hn::Set(tag, inverseOrZero(d));
    for (std::size_t i = 0; i < Size; i += hn::Lanes(tag)) {
        const IntVec q = roundHalfAway(hn::Mul(hn::LoadU(tag, x + i), inverse));
        storeCodes(clampCodes(hn::Add(q, hn::Set(intTag, 1)), highest), codes + i);
    }
    return d;
}

/// `Bytes` bytes of `Digits` base-3 digits, digit n of byte m being codes[m + n * Bytes]. Stored
/// as a fraction of 3^5 in 256ths, rounded up, so that multiplying reads the digits back.
template <std::size_t Bytes, std::size_t Digits>
HWY_INLINE void packTrits(const std::uint8_t *codes, std::uint8_t *out)
{
    for (std::size_t m = 0; m < Bytes; ++m) {
        std::uint32_t value = 0;
        for (std::size_t n = 0; n < 5; ++n)
            value = 3 * value + (n < Digits ? codes[m + n * Bytes] : 0u);
        out[m] = static_cast<std::uint8_t>((value * 256 + 242) / 243);
    }
}

void encodeTQ1_0(const float *x, std::byte *blocks, std::size_t nBlocks)
{
    for (std::size_t b = 0; b < nBlocks; ++b, x += 256) {
        BlockTQ1_0 block;
        alignas(64) std::uint8_t codes[256];
        block.d = floatToHalf(codesAroundOne<256>(x, 2, codes));
        packTrits<32, 5>(codes, block.qs);
        packTrits<16, 5>(codes + 160, block.qs + 32);
        packTrits<4, 4>(codes + 240, block.qh);
        std::memcpy(blocks + b * sizeof block, &block, sizeof block);
    }
}

void encodeTQ2_0(const float *x, std::byte *blocks, std::size_t nBlocks)
{
    for (std::size_t b = 0; b < nBlocks; ++b, x += 256) {
        BlockTQ2_0 block;
        alignas(64) std::uint8_t codes[256];
        block.d = floatToHalf(codesAroundOne<256>(x, 2, codes));
        for (std::size_t half = 0; half < 2; ++half) {
            const std::uint8_t *q = codes + 128 * half;
            for (std::size_t m = 0; m < 32; ++m)
                block.qs[32 * half + m] = static_cast<std::uint8_t>(
                    q[m] | q[m + 32] << 2 | q[m + 64] << 4 | q[m + 96] << 6);
        }
        std::memcpy(blocks + b * sizeof block, &block, sizeof block);
    }
}

void encodeQ2_0(const float *x, std::byte *blocks, std::size_t nBlocks)
{
    for (std::size_t b = 0; b < nBlocks; ++b, x += 64) {
        BlockQ2_0 block;
        alignas(64) std::uint8_t codes[64];
        block.d = floatToHalf(codesAroundOne<64>(x, 3, codes));
        for (std::size_t j = 0; j < 16; ++j) {
            const std::uint8_t *q = codes + 4 * j;
            block.qs[j] = static_cast<std::uint8_t>(q[0] | q[1] << 2 | q[2] << 4 | q[3] << 6);
        }
        std::memcpy(blocks + b * sizeof block, &block, sizeof block);
    }
}

void encodeQ1_0(const float *x, std::byte *blocks, std::size_t nBlocks)
{
    for (std::size_t b = 0; b < nBlocks; ++b, x += 128) {
        BlockQ1_0 block;
        float sum = 0; // in the order of the weights: the scale's bytes depend on it
        for (std::size_t i = 0; i < 128; ++i)
            sum += std::fabs(x[i]);
        block.d = floatToHalf(sum / 128);
        for (std::size_t j = 0; j < 16; ++j) {
            unsigned bits = 0;
            for (unsigned k = 0; k < 8; ++k)
                bits |= static_cast<unsigned>(x[8 * j + k] >= 0.0f) << k;
            block.qs[j] = static_cast<std::uint8_t>(bits);
        }
        std::memcpy(blocks + b * sizeof block, &block, sizeof block);
    }
}

} // namespace ql::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ql {

HWY_EXPORT(encodeTQ1_0);
HWY_EXPORT(encodeTQ2_0);
HWY_EXPORT(encodeQ2_0);
HWY_EXPORT(encodeQ1_0);

namespace encode {

void tq1_0(const float *weights, Blocks blocks, std::size_t nBlocks)
{
    HWY_DYNAMIC_DISPATCH(encodeTQ1_0)(weights, blocks, nBlocks);
}

void tq2_0(const float *weights, Blocks blocks, std::size_t nBlocks)
{
    HWY_DYNAMIC_DISPATCH(encodeTQ2_0)(weights, blocks, nBlocks);
}

void q2_0(const float *weights, Blocks blocks, std::size_t nBlocks)
{
    HWY_DYNAMIC_DISPATCH(encodeQ2_0)(weights, blocks, nBlocks);
}

void q1_0(const float *weights, Blocks blocks, std::size_t nBlocks)
{
    HWY_DYNAMIC_DISPATCH(encodeQ1_0)(weights, blocks, nBlocks);
}

} // namespace encode
} // namespace ql
#endif
