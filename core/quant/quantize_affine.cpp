// SPDX-License-Identifier: GPL-3.0-or-later
// Q2_K, Q4_K, Q5_K.
#include "core/quant/quantize_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/quant/quantize_affine.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "core/model/blocks.h"
#include "core/quant/quantize_affine-inl.h"
#include "core/quant/quantize_kernels.h"

#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace ql::HWY_NAMESPACE {

struct ConfigQ2K {
    static constexpr std::size_t Size = 16, Subs = 16;
    static constexpr int MaxCode = 3, MaxScale = 15, LastMultiple = 8, Polish = 2, Rounds = 2;
    static constexpr float Trials[][2] = {{0, 0},      {.25f, .25f}, {.4f, .4f}, {0, .4f},  {.4f, 0},
                                          {.6f, .2f},  {.2f, .6f},   {.6f, .6f}, {-.3f, .3f}, {.3f, -.3f},
                                          {.8f, .4f}, {.4f, .8f}};
    static constexpr float ScaleSteps[] = {0, -1, 1};
    static constexpr float MinSteps[] = {0, -1, 1};
};

struct ConfigQ4K {
    static constexpr std::size_t Size = 32, Subs = 8;
    static constexpr int MaxCode = 15, MaxScale = 63, LastMultiple = 52, Polish = 2, Rounds = 2;
    static constexpr float Trials[][2] = {
        {0, -.5f}, {0, 0},     {0, .25f},  {0, .5f},    {0, .75f},    {0, 1},    {0, 1.25f}, {0, 1.5f},
        {.5f, 0},  {.5f, .5f}, {.5f, 1},   {1, 0},      {1, .5f},     {1, 1},    {1.5f, 0},  {1.5f, .75f},
        {-.5f, 0}, {-.5f, .5f}, {.25f, .25f}, {.75f, .75f}, {-.5f, -.5f}, {.75f, 1.5f}};
    static constexpr float ScaleSteps[] = {0, -1, 1};
    static constexpr float MinSteps[] = {0, -1, 1};
};

struct ConfigQ5K : ConfigQ4K {
    static constexpr int MaxCode = 31;
};

void storeBlock(const AffineSearch<ConfigQ2K> &search, const AffineSearch<ConfigQ2K>::Codes &codes,
                std::size_t, BlockQ2K &block)
{
    for (std::size_t i = 0; i < 16; ++i)
        block.scales[i] = static_cast<std::uint8_t>(search.scaleCode(i) | search.minCode(i) << 4);
    for (std::size_t l = 0; l < 64; ++l) {
        const std::size_t first = l / 32 * 128 + l % 32;
        block.qs[l] = static_cast<std::uint8_t>(codes[first] | codes[first + 32] << 2
                                                | codes[first + 64] << 4 | codes[first + 96] << 6);
    }
}

/// The 6-bit scales and mins of eight sub-blocks in 12 bytes.
template <class Search, class Block>
void storeScales(const Search &search, std::size_t lane, Block &block)
{
    for (std::size_t i = 0; i < 4; ++i) {
        const unsigned scale = search.scaleCode(lane + i), highScale = search.scaleCode(lane + i + 4);
        const unsigned min = search.minCode(lane + i), highMin = search.minCode(lane + i + 4);
        block.scales[i] = static_cast<std::uint8_t>(scale | highScale >> 4 << 6);
        block.scales[i + 4] = static_cast<std::uint8_t>(min | highMin >> 4 << 6);
        block.scales[i + 8] = static_cast<std::uint8_t>((highScale & 15) | (highMin & 15) << 4);
    }
}

template <class Block>
void storeNibbles(const std::uint8_t *q, Block &block)
{
    for (std::size_t l = 0; l < 128; ++l) {
        const std::size_t first = l / 32 * 64 + l % 32;
        block.qs[l] = static_cast<std::uint8_t>((q[first] & 15) | (q[first + 32] & 15) << 4);
    }
}

void storeBlock(const AffineSearch<ConfigQ4K> &search, const AffineSearch<ConfigQ4K>::Codes &codes,
                std::size_t super, BlockQ4K &block)
{
    storeScales(search, super * 8, block);
    storeNibbles(codes + super * 256, block);
}

void storeBlock(const AffineSearch<ConfigQ5K> &search, const AffineSearch<ConfigQ5K>::Codes &codes,
                std::size_t super, BlockQ5K &block)
{
    storeScales(search, super * 8, block);
    storeNibbles(codes + super * 256, block);
    for (std::size_t l = 0; l < 32; ++l) {
        unsigned bits = 0;
        for (unsigned s = 0; s < 8; ++s)
            bits |= static_cast<unsigned>(codes[super * 256 + s * 32 + l] >> 4) << s;
        block.qh[l] = static_cast<std::uint8_t>(bits);
    }
}

template <class Config, class Block>
void encodeAffine(const float *weights, std::byte *blocks, std::size_t nBlocks)
{
    using Search = AffineSearch<Config>;
    for (std::size_t first = 0; first < nBlocks; first += Search::Supers) {
        const std::size_t n = std::min(Search::Supers, nBlocks - first);
        Search search;
        search.run(weights + first * 256, n);
        typename Search::Codes codes;
        search.codes(codes);
        for (std::size_t s = 0; s < n; ++s) {
            Block block;
            block.d = search.scaleOf(s).half;
            block.dmin = search.minOf(s).half;
            storeBlock(search, codes, s, block);
            std::memcpy(blocks + (first + s) * sizeof(Block), &block, sizeof(Block));
        }
    }
}

void encodeQ2K(const float *x, std::byte *blocks, std::size_t n) { encodeAffine<ConfigQ2K, BlockQ2K>(x, blocks, n); }
void encodeQ4K(const float *x, std::byte *blocks, std::size_t n) { encodeAffine<ConfigQ4K, BlockQ4K>(x, blocks, n); }
void encodeQ5K(const float *x, std::byte *blocks, std::size_t n) { encodeAffine<ConfigQ5K, BlockQ5K>(x, blocks, n); }

} // namespace ql::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ql {

HWY_EXPORT(encodeQ2K);
HWY_EXPORT(encodeQ4K);
HWY_EXPORT(encodeQ5K);

namespace encode {

void q2K(const float *weights, Blocks blocks, std::size_t nBlocks)
{
    HWY_DYNAMIC_DISPATCH(encodeQ2K)(weights, blocks, nBlocks);
}

void q4K(const float *weights, Blocks blocks, std::size_t nBlocks)
{
    HWY_DYNAMIC_DISPATCH(encodeQ4K)(weights, blocks, nBlocks);
}

void q5K(const float *weights, Blocks blocks, std::size_t nBlocks)
{
    HWY_DYNAMIC_DISPATCH(encodeQ5K)(weights, blocks, nBlocks);
}

} // namespace encode
} // namespace ql
#endif
