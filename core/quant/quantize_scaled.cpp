// SPDX-License-Identifier: GPL-3.0-or-later
// Q3_K, Q6_K, IQ4_XS, IQ4_NL.
#include "core/quant/quantize_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/quant/quantize_scaled.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "core/model/blocks.h"
#include "core/quant/quantize_kernels.h"
#include "core/quant/quantize_scaled-inl.h"
#include "core/quant/quantize_table-inl.h"

#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace ql::HWY_NAMESPACE {

struct ConfigQ3K {
    static constexpr std::size_t Size = 16, Subs = 16;
    static constexpr int MinScale = -32, MaxScale = 31, LastMultiple = 24, Polish = 2, Rounds = 1;
    static constexpr bool Mirrored = true, Again = false;
    static constexpr float Trials[] = {-4.4f, -4, -3.6f, -3.2f, -2.8f, 3.4f, 3.0f, 2.6f};
    static constexpr float ScaleSteps[] = {-1, 1};
    static HWY_INLINE Vec value(Vec v) { return clampTo(nearest(v), -4, 3); }
};

struct ConfigQ6K {
    static constexpr std::size_t Size = 16, Subs = 16;
    static constexpr int MinScale = -128, MaxScale = 127, LastMultiple = 120, Polish = 1, Rounds = 1;
    static constexpr bool Mirrored = true, Again = true;
    static constexpr float Trials[] = {-33, -32.5f, -32.25f, -32, -31.75f, -31.5f, -31.25f, -31, -30.5f, -30, -29.5f, -29,
                                       31.5f, 31.25f, 31, 30.75f, 30.5f, 30, 29.5f, 29, 28.5f, 28};
    static constexpr float ScaleSteps[] = {-1, 1};
    static HWY_INLINE Vec value(Vec v) { return clampTo(nearest(v), -32, 31); }
};

struct ConfigIQ4XS {
    static constexpr std::size_t Size = 32, Subs = 8;
    static constexpr int MinScale = -32, MaxScale = 31, LastMultiple = 24, Polish = 2, Rounds = 1;
    static constexpr bool Mirrored = true, Again = false;
    static constexpr float Trials[] = {-140, -133, -127, -121, -115, -109, -103, -97, 125, 119, 113, 107, 101, 95};
    static constexpr float ScaleSteps[] = {-1, 1};
    static HWY_INLINE Vec value(Vec v) { return nearestStep(v); }
};

struct ConfigIQ4NL : ConfigIQ4XS {
    static constexpr std::size_t Subs = 1;
    static constexpr int MinScale = 1, MaxScale = 1, LastMultiple = 1;
    static constexpr bool Mirrored = false, Again = false;
    static constexpr float ScaleSteps[] = {0};
};

using CodeTable = std::array<std::uint8_t, 256>;

/// From a table value plus 128 to its code.
constexpr CodeTable codesOfIQ4NL()
{
    CodeTable table{};
    for (std::size_t i = 0; i < 16; ++i)
        table[static_cast<std::size_t>(ValuesIQ4NL[i] + 128)] = static_cast<std::uint8_t>(i);
    return table;
}
constexpr CodeTable CodeOfIQ4NL = codesOfIQ4NL();

void packTableCodes(const float *values, std::uint8_t *qs)
{
    const auto code = [&](std::size_t i) -> unsigned {
        return CodeOfIQ4NL[static_cast<std::size_t>(values[i] + 128.0f)];
    };
    for (std::size_t j = 0; j < 16; ++j)
        qs[j] = static_cast<std::uint8_t>(code(j) | code(j + 16) << 4);
}

void storeBlock(const ScaledSearch<ConfigIQ4NL> &, const ScaledSearch<ConfigIQ4NL>::Values &values,
                std::size_t super, BlockIQ4NL &block)
{
    packTableCodes(values + super * 32, block.qs);
}

void storeBlock(const ScaledSearch<ConfigIQ4XS> &search, const ScaledSearch<ConfigIQ4XS>::Values &values,
                std::size_t super, BlockIQ4XS &block)
{
    unsigned high = 0;
    unsigned low[8];
    for (unsigned i = 0; i < 8; ++i) {
        const auto scale = static_cast<unsigned>(search.scaleCode(super * 8 + i) + 32);
        high |= scale >> 4 << 2 * i;
        low[i] = scale & 15;
        packTableCodes(values + (super * 8 + i) * 32, block.qs + 16 * i);
    }
    block.scalesH = static_cast<std::uint16_t>(high);
    for (std::size_t i = 0; i < 4; ++i)
        block.scalesL[i] = static_cast<std::uint8_t>(low[2 * i] | low[2 * i + 1] << 4);
}

void storeBlock(const ScaledSearch<ConfigQ3K> &search, const ScaledSearch<ConfigQ3K>::Values &values,
                std::size_t, BlockQ3K &block)
{
    std::uint8_t q[256];
    for (std::size_t i = 0; i < 256; ++i)
        q[i] = static_cast<std::uint8_t>(values[i] + 4.0f);
    for (std::size_t l = 0; l < 64; ++l) {
        const std::uint8_t *from = q + l / 32 * 128 + l % 32;
        block.qs[l] = static_cast<std::uint8_t>((from[0] & 3) | (from[32] & 3) << 2 | (from[64] & 3) << 4
                                                | (from[96] & 3) << 6);
    }
    for (std::size_t l = 0; l < 32; ++l) {
        unsigned bits = 0;
        for (unsigned k = 0; k < 8; ++k)
            bits |= static_cast<unsigned>(q[32 * k + l] >> 2) << k;
        block.hmask[l] = static_cast<std::uint8_t>(bits);
    }
    unsigned scale[16];
    for (std::size_t i = 0; i < 16; ++i)
        scale[i] = static_cast<unsigned>(search.scaleCode(i) + 32);
    for (std::size_t i = 0; i < 8; ++i)
        block.scales[i] = static_cast<std::uint8_t>((scale[i] & 15) | (scale[i + 8] & 15) << 4);
    for (std::size_t i = 0; i < 4; ++i)
        block.scales[i + 8] = static_cast<std::uint8_t>(scale[i] >> 4 | scale[i + 4] >> 4 << 2
                                                        | scale[i + 8] >> 4 << 4 | scale[i + 12] >> 4 << 6);
}

void storeBlock(const ScaledSearch<ConfigQ6K> &search, const ScaledSearch<ConfigQ6K>::Values &values,
                std::size_t, BlockQ6K &block)
{
    std::uint8_t q[256];
    for (std::size_t i = 0; i < 256; ++i)
        q[i] = static_cast<std::uint8_t>(values[i] + 32.0f);
    for (std::size_t half = 0; half < 2; ++half) {
        for (std::size_t l = 0; l < 64; ++l) {
            const std::uint8_t *from = q + 128 * half + l;
            block.ql[64 * half + l] = static_cast<std::uint8_t>((from[0] & 15) | (from[64] & 15) << 4);
        }
        for (std::size_t l = 0; l < 32; ++l) {
            const std::uint8_t *from = q + 128 * half + l;
            block.qh[32 * half + l] = static_cast<std::uint8_t>(
                from[0] >> 4 | from[32] >> 4 << 2 | from[64] >> 4 << 4 | from[96] >> 4 << 6);
        }
    }
    for (std::size_t i = 0; i < 16; ++i)
        block.scales[i] = static_cast<std::int8_t>(search.scaleCode(i));
}

template <class Config, class Block>
void encodeScaled(const float *weights, std::byte *blocks, std::size_t nBlocks)
{
    using Search = ScaledSearch<Config>;
    constexpr std::size_t BlockSize = Config::Size * Config::Subs;
    for (std::size_t first = 0; first < nBlocks; first += Search::Supers) {
        const std::size_t n = std::min(Search::Supers, nBlocks - first);
        Search search;
        search.run(weights + first * BlockSize, n);
        alignas(64) typename Search::Values values;
        search.values(values);
        for (std::size_t s = 0; s < n; ++s) {
            Block block;
            block.d = search.scaleOf(s).half;
            storeBlock(search, values, s, block);
            std::memcpy(blocks + (first + s) * sizeof(Block), &block, sizeof(Block));
        }
    }
}

void encodeQ3K(const float *x, std::byte *blocks, std::size_t n) { encodeScaled<ConfigQ3K, BlockQ3K>(x, blocks, n); }
void encodeQ6K(const float *x, std::byte *blocks, std::size_t n) { encodeScaled<ConfigQ6K, BlockQ6K>(x, blocks, n); }
void encodeIQ4NL(const float *x, std::byte *blocks, std::size_t n) { encodeScaled<ConfigIQ4NL, BlockIQ4NL>(x, blocks, n); }
void encodeIQ4XS(const float *x, std::byte *blocks, std::size_t n) { encodeScaled<ConfigIQ4XS, BlockIQ4XS>(x, blocks, n); }

} // namespace ql::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ql {

HWY_EXPORT(encodeQ3K);
HWY_EXPORT(encodeQ6K);
HWY_EXPORT(encodeIQ4NL);
HWY_EXPORT(encodeIQ4XS);

namespace encode {

void q3K(const float *weights, Blocks blocks, std::size_t nBlocks)
{
    HWY_DYNAMIC_DISPATCH(encodeQ3K)(weights, blocks, nBlocks);
}

void q6K(const float *weights, Blocks blocks, std::size_t nBlocks)
{
    HWY_DYNAMIC_DISPATCH(encodeQ6K)(weights, blocks, nBlocks);
}

void iq4NL(const float *weights, Blocks blocks, std::size_t nBlocks)
{
    HWY_DYNAMIC_DISPATCH(encodeIQ4NL)(weights, blocks, nBlocks);
}

void iq4XS(const float *weights, Blocks blocks, std::size_t nBlocks)
{
    HWY_DYNAMIC_DISPATCH(encodeIQ4XS)(weights, blocks, nBlocks);
}

} // namespace encode
} // namespace ql
#endif
