// SPDX-License-Identifier: GPL-3.0-or-later
// Q4_0, Q4_1, Q5_0, Q5_1, Q8_0: blocks of 32 whose bytes are fixed by convention. The scale comes
// from the largest magnitude (or the range), the codes from one multiplication with its inverse.
#include "core/quant/quantize_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/quant/quantize_legacy.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "core/model/blocks.h"
#include "core/quant/half.h"
#include "core/quant/quantize_kernels.h"
#include "core/quant/quantize_rounding-inl.h"

#include <algorithm>
#include <bit>
#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace ql::HWY_NAMESPACE {

constexpr std::size_t Size = 32;
static_assert(std::endian::native == std::endian::little);

HWY_INLINE bool contains(const float *x, float value)
{
    const FloatTag tag;
    auto found = hn::Eq(hn::LoadU(tag, x), hn::Set(tag, value));
    for (std::size_t i = hn::Lanes(tag); i < Size; i += hn::Lanes(tag))
        found = hn::Or(found, hn::Eq(hn::LoadU(tag, x + i), hn::Set(tag, value)));
    return !hn::AllFalse(tag, found);
}

/// The weight of the largest magnitude, the first of several.
HWY_INLINE float extreme(const float *x)
{
    const float magnitude = largestMagnitude(x, Size);
    const bool above = contains(x, magnitude);
    const bool below = contains(x, -magnitude);
    if (above != below)
        return above ? magnitude : -magnitude;
    return *std::find_if(x, x + Size - 1, [&](float v) { return std::fabs(v) == magnitude; });
}

struct Range {
    float min;
    float max;
};

HWY_INLINE Range rangeOf(const float *x)
{
    const FloatTag tag;
    FloatVec min = hn::LoadU(tag, x);
    FloatVec max = min;
    for (std::size_t i = hn::Lanes(tag); i < Size; i += hn::Lanes(tag)) {
        const FloatVec v = hn::LoadU(tag, x + i);
        min = hn::Min(min, v);
        max = hn::Max(max, v);
    }
    return {hn::GetLane(hn::MinOfLanes(tag, min)), hn::GetLane(hn::MaxOfLanes(tag, max))};
}

/// Codes (x - zero) * inverse + bias, cut off, not below 0 and not above `highest`.
HWY_INLINE void truncatedCodes(const float *x, float zero, float inverse, float bias, int highest,
                               std::uint8_t *codes)
{
    const FloatTag tag;
    const IntTag intTag;
    for (std::size_t i = 0; i < Size; i += hn::Lanes(tag)) {
        const FloatVec offset = hn::Sub(hn::LoadU(tag, x + i), hn::Set(tag, zero));
        const FloatVec scaled = hn::Mul(offset, hn::Set(tag, inverse));
        const FloatVec shifted = hn::Add(scaled, hn::Set(tag, bias));
        storeCodes(clampCodes(hn::ConvertTo(intTag, shifted), highest), codes + i);
    }
}

HWY_INLINE void packNibbles(const std::uint8_t *codes, std::uint8_t *qs)
{
    for (std::size_t j = 0; j < Size / 2; ++j)
        qs[j] = static_cast<std::uint8_t>((codes[j] & 15) | (codes[j + Size / 2] << 4));
}

/// The fifth bits of 32 codes, eight at a time: the product moves bit 8i to bit 56 + i.
HWY_INLINE void packFifthBits(const std::uint8_t *codes, std::uint8_t *qh)
{
    for (std::size_t group = 0; group < 4; ++group) {
        std::uint64_t eight = 0;
        std::memcpy(&eight, codes + 8 * group, 8);
        const std::uint64_t bits = (eight >> 4) & 0x0101010101010101u;
        qh[group] = static_cast<std::uint8_t>((bits * 0x0102040810204080u) >> 56);
    }
}

template <class Block, int Levels>
void encodeCentred(const float *x, std::byte *blocks, std::size_t nBlocks)
{
    constexpr float Half = Levels / 2;
    for (std::size_t b = 0; b < nBlocks; ++b, x += Size) {
        Block block;
        alignas(64) std::uint8_t codes[Size];
        const float d = extreme(x) / -Half;
        block.d = floatToHalf(d);
        truncatedCodes(x, 0.0f, inverseOrZero(d), Half + 0.5f, Levels - 1, codes);
        packNibbles(codes, block.qs);
        if constexpr (Levels == 32)
            packFifthBits(codes, block.qh);
        std::memcpy(blocks + b * sizeof(Block), &block, sizeof(Block));
    }
}

template <class Block, int Levels>
void encodeRange(const float *x, std::byte *blocks, std::size_t nBlocks)
{
    for (std::size_t b = 0; b < nBlocks; ++b, x += Size) {
        Block block;
        alignas(64) std::uint8_t codes[Size];
        const Range range = rangeOf(x);
        const float d = (range.max - range.min) / (Levels - 1);
        block.d = floatToHalf(d);
        block.m = floatToHalf(range.min);
        truncatedCodes(x, range.min, inverseOrZero(d), 0.5f, Levels - 1, codes);
        packNibbles(codes, block.qs);
        if constexpr (Levels == 32)
            packFifthBits(codes, block.qh);
        std::memcpy(blocks + b * sizeof(Block), &block, sizeof(Block));
    }
}

void encodeQ4_0(const float *x, std::byte *blocks, std::size_t n) { encodeCentred<BlockQ4_0, 16>(x, blocks, n); }
void encodeQ5_0(const float *x, std::byte *blocks, std::size_t n) { encodeCentred<BlockQ5_0, 32>(x, blocks, n); }
void encodeQ4_1(const float *x, std::byte *blocks, std::size_t n) { encodeRange<BlockQ4_1, 16>(x, blocks, n); }
void encodeQ5_1(const float *x, std::byte *blocks, std::size_t n) { encodeRange<BlockQ5_1, 32>(x, blocks, n); }

void encodeQ8_0(const float *HWY_RESTRICT x, std::byte *HWY_RESTRICT blocks, std::size_t nBlocks)
{
    const FloatTag tag;
    const hn::Rebind<std::int8_t, FloatTag> signedTag;
    static_assert(offsetof(BlockQ8_0, d) == 0);
    for (std::size_t b = 0; b < nBlocks; ++b, x += Size, blocks += sizeof(BlockQ8_0)) {
        const float d = largestMagnitude(x, Size) / 127;
        const FloatVec inverse = hn::Set(tag, inverseOrZero(d));
        // Straight into place: by way of a block of our own it takes half as long again.
        auto *codes = reinterpret_cast<std::int8_t *>(blocks + offsetof(BlockQ8_0, qs));
        for (std::size_t i = 0; i < Size; i += hn::Lanes(tag)) {
            const IntVec q = roundHalfAway(hn::Mul(hn::LoadU(tag, x + i), inverse));
            hn::StoreU(hn::DemoteTo(signedTag, q), signedTag, codes + i);
        }
        const Half half = floatToHalf(d);
        std::memcpy(blocks, &half, sizeof half);
    }
}

} // namespace ql::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ql {

HWY_EXPORT(encodeQ4_0);
HWY_EXPORT(encodeQ4_1);
HWY_EXPORT(encodeQ5_0);
HWY_EXPORT(encodeQ5_1);
HWY_EXPORT(encodeQ8_0);

namespace encode {

void q4_0(const float *weights, Blocks blocks, std::size_t nBlocks)
{
    HWY_DYNAMIC_DISPATCH(encodeQ4_0)(weights, blocks, nBlocks);
}

void q4_1(const float *weights, Blocks blocks, std::size_t nBlocks)
{
    HWY_DYNAMIC_DISPATCH(encodeQ4_1)(weights, blocks, nBlocks);
}

void q5_0(const float *weights, Blocks blocks, std::size_t nBlocks)
{
    HWY_DYNAMIC_DISPATCH(encodeQ5_0)(weights, blocks, nBlocks);
}

void q5_1(const float *weights, Blocks blocks, std::size_t nBlocks)
{
    HWY_DYNAMIC_DISPATCH(encodeQ5_1)(weights, blocks, nBlocks);
}

void q8_0(const float *weights, Blocks blocks, std::size_t nBlocks)
{
    HWY_DYNAMIC_DISPATCH(encodeQ8_0)(weights, blocks, nBlocks);
}

} // namespace encode
} // namespace ql
#endif
