// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/quant/levelplanes.h"

#include "core/model/blocks.h"
#include "core/quant/codebooks.h"
#include "core/quant/half.h"
#include "core/quant/kernels.h"
#include "core/quant/scales.h"

#include <algorithm>
#include <cstring>

namespace ql {

namespace {

template <std::size_t N>
constexpr std::array<float, 32> levelsOf(const std::array<std::int8_t, N> &values)
{
    std::array<float, 32> levels{};
    for (std::size_t i = 0; i < N; ++i)
        levels[i] = static_cast<float>(values[i]);
    return levels;
}

/// first, first + 1, first + 2 …
constexpr std::array<float, 32> levelsFrom(int first)
{
    std::array<float, 32> levels{};
    for (int i = 0; i < 32; ++i)
        levels[static_cast<std::size_t>(i)] = static_cast<float>(first + i);
    return levels;
}

/// Eight times grid + delta: bit 0 of a code is set for 1 and bit 1 for 0 in the grid, bit 2 for a negative
/// delta; two codes stand for nothing.
constexpr std::array<std::int8_t, 8> LevelsIQ1 = {-7, 9, 1, 0, -9, 7, -1, 0};

constexpr LevelType Types[] = {
    {GgmlType::Q4_0, 4, 1, 32, false, 0, levelsFrom(-8)},
    {GgmlType::Q4_1, 4, 1, 32, true, 8, levelsFrom(0)},
    {GgmlType::Q5_0, 5, 1, 32, false, 0, levelsFrom(-16)},
    {GgmlType::Q5_1, 5, 1, 32, true, 16, levelsFrom(0)},
    {GgmlType::Q2_K, 2, 16, 16, true, 2, levelsFrom(0)},
    {GgmlType::Q3_K, 3, 16, 16, false, 0, levelsFrom(-4)},
    {GgmlType::Q4_K, 4, 8, 32, true, 8, levelsFrom(0)},
    {GgmlType::IQ4_NL, 4, 1, 32, false, 0, levelsOf(ValuesIQ4NL)},
    {GgmlType::IQ4_XS, 4, 8, 32, false, 0, levelsOf(ValuesIQ4NL)},
    {GgmlType::IQ1_S, 3, 8, 32, false, 0, levelsOf(LevelsIQ1)},
    {GgmlType::IQ1_M, 3, 16, 16, false, 0, levelsOf(LevelsIQ1)},
    {GgmlType::TQ1_0, 2, 8, 32, false, 0, levelsFrom(-1)},
    {GgmlType::TQ2_0, 2, 8, 32, false, 0, levelsFrom(-1)},
    {GgmlType::MXFP4, 4, 1, 32, false, 0, levelsOf(ValuesFP4)},
    {GgmlType::NVFP4, 4, 4, 16, false, 0, levelsOf(ValuesFP4)},
    {GgmlType::Q1_0, 1, 4, 32, false, 0, levelsOf<2>({-1, 1})},
    {GgmlType::Q2_0, 2, 2, 32, false, 0, levelsFrom(-1)},
};

// ---- the reference: every code by itself

/// One run, as the loop below asks for it.
struct Run {
    float scale = 0;
    float min = 0;
    std::array<std::uint8_t, 32> codes{}; ///< as many as a run has weights
};

template <class CodeAt>
void setCodes(Run &run, std::size_t n, const CodeAt &codeAt)
{
    for (std::size_t i = 0; i < n; ++i)
        run.codes[i] = static_cast<std::uint8_t>(codeAt(i));
}

unsigned nibble(const std::uint8_t *qs, std::size_t i) { return i < 16 ? qs[i] & 15u : qs[i - 16] >> 4u; }
unsigned twoBits(const std::uint8_t *qs, std::size_t i) { return (qs[i / 4] >> (2 * (i % 4))) & 3u; }
unsigned bitOf(const std::uint8_t *bits, std::size_t i) { return (bits[i / 8] >> (i % 8)) & 1u; }

void readRun(const BlockQ4_0 &block, std::size_t, Run &run)
{
    run.scale = halfToFloat(block.d);
    setCodes(run, 32, [&](std::size_t i) { return nibble(block.qs, i); });
}

void readRun(const BlockQ4_1 &block, std::size_t, Run &run)
{
    run.scale = halfToFloat(block.d);
    run.min = halfToFloat(block.m);
    setCodes(run, 32, [&](std::size_t i) { return nibble(block.qs, i); });
}

template <class Block>
unsigned fiveBits(const Block &block, std::size_t i)
{
    const unsigned fifth = (block.qh[i / 8] >> (i % 8)) & 1u;
    return nibble(block.qs, i) | fifth << 4;
}

void readRun(const BlockQ5_0 &block, std::size_t, Run &run)
{
    run.scale = halfToFloat(block.d);
    setCodes(run, 32, [&](std::size_t i) { return fiveBits(block, i); });
}

void readRun(const BlockQ5_1 &block, std::size_t, Run &run)
{
    run.scale = halfToFloat(block.d);
    run.min = halfToFloat(block.m);
    setCodes(run, 32, [&](std::size_t i) { return fiveBits(block, i); });
}

/// Q2_K and Q3_K: the low two bits of weight i of run s.
unsigned lowBits(const std::uint8_t *qs, std::size_t s, std::size_t i)
{
    return (qs[32 * (s / 8) + 16 * (s % 2) + i] >> (2 * (s % 8 / 2))) & 3u;
}

void readRun(const BlockQ2K &block, std::size_t s, Run &run)
{
    run.scale = halfToFloat(block.d) * static_cast<float>(block.scales[s] & 15);
    run.min = -(halfToFloat(block.dmin) * static_cast<float>(block.scales[s] >> 4));
    setCodes(run, 16, [&](std::size_t i) { return lowBits(block.qs, s, i); });
}

void readRun(const BlockQ3K &block, std::size_t s, Run &run)
{
    run.scale = halfToFloat(block.d) * static_cast<float>(scaleQ3K(block.scales, static_cast<int>(s)));
    setCodes(run, 16, [&](std::size_t i) {
        const unsigned high = (block.hmask[16 * (s % 2) + i] >> (s / 2)) & 1u;
        return lowBits(block.qs, s, i) | high << 2;
    });
}

void readRun(const BlockQ4K &block, std::size_t s, Run &run)
{
    const ScaleMin packed = scaleMinK4(block.scales, static_cast<int>(s));
    run.scale = halfToFloat(block.d) * static_cast<float>(packed.scale);
    run.min = -(halfToFloat(block.dmin) * static_cast<float>(packed.min));
    setCodes(run, 32, [&](std::size_t i) { return (block.qs[32 * (s / 2) + i] >> (4 * (s % 2))) & 15u; });
}

void readRun(const BlockIQ4NL &block, std::size_t, Run &run)
{
    run.scale = halfToFloat(block.d);
    setCodes(run, 32, [&](std::size_t i) { return nibble(block.qs, i); });
}

void readRun(const BlockIQ4XS &block, std::size_t s, Run &run)
{
    const int scale = scaleIQ4XS(block.scalesH, block.scalesL, static_cast<int>(s));
    run.scale = halfToFloat(block.d) * static_cast<float>(scale);
    setCodes(run, 32, [&](std::size_t i) { return nibble(block.qs + 16 * s, i); });
}

/// The code of a weight of a grid's entry; see LevelsIQ1.
unsigned codeIQ1(std::size_t index, std::size_t i, bool isNegative)
{
    const int value = gridValue(GridIQ1S[index], i);
    return (value == 1 ? 1u : 0u) | (value == 0 ? 2u : 0u) | (isNegative ? 4u : 0u);
}

void readRun(const BlockIQ1S &block, std::size_t s, Run &run)
{
    const unsigned qh = block.qh[s];
    run.scale = halfToFloat(block.d) * static_cast<float>(2 * ((qh >> 12) & 7) + 1) * 0.125f;
    setCodes(run, 32, [&](std::size_t i) {
        const unsigned high = (qh >> (3 * (i / 8))) & 7u;
        return codeIQ1(block.qs[4 * s + i / 8] | high << 8, i % 8, qh & 0x8000);
    });
}

void readRun(const BlockIQ1M &block, std::size_t s, Run &run)
{
    run.scale = halfToFloat(halfOfIQ1M(block.scales)) * static_cast<float>(factorIQ1M(block.scales, static_cast<int>(s))) * 0.125f;
    setCodes(run, 16, [&](std::size_t i) {
        const unsigned qh = block.qh[s] >> (4 * (i / 8));
        return codeIQ1(block.qs[2 * s + i / 8] | (qh & 7u) << 8, i % 8, qh & 8u);
    });
}

/// The digits of four bytes each make a word of codes; of the 64 words, those of one byte come one after
/// the other, and eight make a run. All weights of a block have one scale, so that any eight will do.
void readRun(const BlockTQ1_0 &block, std::size_t s, Run &run)
{
    constexpr unsigned Powers[] = {1, 3, 9, 27, 81};
    run.scale = halfToFloat(block.d);
    setCodes(run, 32, [&](std::size_t i) {
        const std::size_t word = 8 * s + i / 4;
        const std::uint8_t byte = word < 60 ? block.qs[word / 5 * 4 + i % 4] : block.qh[i % 4];
        return (byte * Powers[word % 5] & 255u) * 3 >> 8;
    });
}

void readRun(const BlockTQ2_0 &block, std::size_t s, Run &run)
{
    run.scale = halfToFloat(block.d);
    setCodes(run, 32, [&](std::size_t i) { return twoBits(block.qs + 8 * s, i); });
}

void readRun(const BlockMXFP4 &block, std::size_t, Run &run)
{
    run.scale = scaleE8M0Half(block.e);
    setCodes(run, 32, [&](std::size_t i) { return nibble(block.qs, i); });
}

void readRun(const BlockNVFP4 &block, std::size_t s, Run &run)
{
    run.scale = scaleUE4M3Half(block.d[s]);
    setCodes(run, 16, [&](std::size_t i) { return (block.qs[8 * s + i % 8] >> (4 * (i / 8))) & 15u; });
}

void readRun(const BlockQ1_0 &block, std::size_t s, Run &run)
{
    run.scale = halfToFloat(block.d);
    setCodes(run, 32, [&](std::size_t i) { return bitOf(block.qs + 4 * s, i); });
}

void readRun(const BlockQ2_0 &block, std::size_t s, Run &run)
{
    run.scale = halfToFloat(block.d);
    setCodes(run, 32, [&](std::size_t i) { return twoBits(block.qs + 8 * s, i); });
}

void writeRun(const LevelType &type, const Run &run, LevelPlanes &planes, std::size_t at)
{
    for (std::size_t bit = 0; bit < type.bits; ++bit) {
        planes.planes[bit][at] = 0;
        for (std::size_t i = 0; i < type.runWeights; ++i)
            planes.planes[bit][at] |= ((run.codes[i] >> bit) & 1u) << i;
    }
    planes.used[at] = type.runWeights == 32 ? ~0u : (1u << type.runWeights) - 1;
    planes.scale[at] = run.scale;
    planes.min[at] = run.min;
}

template <class Block, GgmlType type>
void splitBlocks(const std::byte *blocks, std::size_t n, LevelPlanes &planes)
{
    const LevelType &row = *levelType(type);
    planes.blocks = n;
    for (std::size_t at = 0; at < planes.vectors(row) * LevelPlanes::Lanes; ++at) {
        const std::size_t vector = at / LevelPlanes::Lanes;
        const std::size_t block = vector / row.runs * LevelPlanes::Lanes + at % LevelPlanes::Lanes;
        if (block >= n) {
            writeRun(row, {}, planes, at);
            planes.used[at] = 0;
            continue;
        }
        Block bytes;
        std::memcpy(&bytes, blocks + block * sizeof bytes, sizeof bytes);
        Run run;
        readRun(bytes, vector % row.runs, run);
        writeRun(row, run, planes, at);
    }
}

constexpr detail::LevelSplitter References[] = {
    {GgmlType::Q4_0, splitBlocks<BlockQ4_0, GgmlType::Q4_0>},
    {GgmlType::Q4_1, splitBlocks<BlockQ4_1, GgmlType::Q4_1>},
    {GgmlType::Q5_0, splitBlocks<BlockQ5_0, GgmlType::Q5_0>},
    {GgmlType::Q5_1, splitBlocks<BlockQ5_1, GgmlType::Q5_1>},
    {GgmlType::Q2_K, splitBlocks<BlockQ2K, GgmlType::Q2_K>},
    {GgmlType::Q3_K, splitBlocks<BlockQ3K, GgmlType::Q3_K>},
    {GgmlType::Q4_K, splitBlocks<BlockQ4K, GgmlType::Q4_K>},
    {GgmlType::IQ4_NL, splitBlocks<BlockIQ4NL, GgmlType::IQ4_NL>},
    {GgmlType::IQ4_XS, splitBlocks<BlockIQ4XS, GgmlType::IQ4_XS>},
    {GgmlType::IQ1_S, splitBlocks<BlockIQ1S, GgmlType::IQ1_S>},
    {GgmlType::IQ1_M, splitBlocks<BlockIQ1M, GgmlType::IQ1_M>},
    {GgmlType::TQ1_0, splitBlocks<BlockTQ1_0, GgmlType::TQ1_0>},
    {GgmlType::TQ2_0, splitBlocks<BlockTQ2_0, GgmlType::TQ2_0>},
    {GgmlType::MXFP4, splitBlocks<BlockMXFP4, GgmlType::MXFP4>},
    {GgmlType::NVFP4, splitBlocks<BlockNVFP4, GgmlType::NVFP4>},
    {GgmlType::Q1_0, splitBlocks<BlockQ1_0, GgmlType::Q1_0>},
    {GgmlType::Q2_0, splitBlocks<BlockQ2_0, GgmlType::Q2_0>},
};

SplitLevelsFn find(std::span<const detail::LevelSplitter> splitters, GgmlType type)
{
    const auto found = std::ranges::find(splitters, type, &detail::LevelSplitter::type);
    return found != splitters.end() ? found->split : nullptr;
}

} // namespace

const LevelType *levelType(GgmlType type)
{
    const auto found = std::ranges::find(Types, type, &LevelType::type);
    return found != std::end(Types) ? &*found : nullptr;
}

float scaleOfBits(GgmlType type, std::uint16_t bits)
{
    switch (type) {
    case GgmlType::MXFP4:
        return scaleE8M0Half(static_cast<std::uint8_t>(bits));
    case GgmlType::NVFP4:
        return scaleUE4M3Half(static_cast<std::uint8_t>(bits));
    default:
        return halfToFloat(bits);
    }
}

SplitLevelsFn referenceLevelSplitter(GgmlType type) { return find(References, type); }

SplitLevelsFn levelSplitter(GgmlType type)
{
    const std::string_view wanted = activeImplementation(type);
    for (const detail::LevelSplitters &row : detail::simdLevelSplitters()) {
        const SplitLevelsFn split = row.name == wanted ? find(row.splitters, type) : nullptr;
        if (split)
            return split;
    }
    return referenceLevelSplitter(type);
}

} // namespace ql
