// SPDX-License-Identifier: GPL-3.0-or-later
// The grid types. Two passes over a few super-blocks: look up the entries, by plain loads, into blocks
// of signed bytes; then signs, scales and floats by vectors. (A single pass would have to collect
// entries in registers, which costs more than the first-level cache does; and with one block at a
// time, vectors would wait for the entries' stores to arrive there.)
#include "core/quant/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/quant/dequantize_simd_grid.cpp"
#include <hwy/foreach_target.h>

#include "core/model/blocks.h"
#include "core/quant/codebooks.h"
#include "core/quant/scales.h"
#include "core/quant/simd_loops-inl.h"

#ifndef QL_SIMD_GRID_ONCE
#define QL_SIMD_GRID_ONCE
namespace ql {

/// What the first pass of a super-block leaves for the second.
struct GridBlock {
    alignas(64) std::int8_t values[256];
    alignas(64) std::uint8_t signs[40]; ///< a bit a weight, or a group; vectors may read a little further
    alignas(16) std::uint8_t scaleCodes[16];
    alignas(64) float scales[16]; ///< one for 16 weights
};

constexpr std::array<std::uint8_t, 128> EvenSigns = [] {
    std::array<std::uint8_t, 128> signs{};
    for (std::uint32_t x = 0; x < 128; ++x)
        signs[x] = evenSigns(x);
    return signs;
}();

} // namespace ql
#endif

#if QL_SIMD_TARGET
HWY_BEFORE_NAMESPACE();
namespace ql::HWY_NAMESPACE {
namespace {

constexpr std::size_t WideLanes = HWY_MAX_BYTES; ///< bytes a full vector
using I8Wide = hn::Simd<std::int8_t, WideLanes, 0>;

template <class Entry>
HWY_INLINE void putEntry(GridBlock &grid, std::size_t i, Entry entry)
{
    std::memcpy(grid.values + i * sizeof(Entry), &entry, sizeof(Entry));
}

/// Negates the values whose bit is set.
HWY_INLINE void applySigns(GridBlock &grid)
{
    keepInMemory(grid.values);
    for (std::size_t i = 0; i < 256; i += WideLanes) {
        const auto values = hn::Load(I8Wide(), grid.values + i);
        const auto negative = hn::LoadMaskBits(I8Wide(), grid.signs + i / 8);
        hn::Store(hn::IfThenElse(negative, hn::Neg(values), values), I8Wide(), grid.values + i);
    }
}

/// scaleCodes as they are, for what follows to turn into scales.
HWY_INLINE Floats scaleCodes(const GridBlock &grid) { return floatsFrom(grid.scaleCodes); }

/// (d * (0.5 + code)) * part
HWY_INLINE void halfStepScales(GridBlock &grid, Vector d, float part)
{
    Floats scales = scaleCodes(grid);
    for (std::size_t i = 0; i < Parts; ++i) {
        const Vector step = hn::Add(broadcast(0.5f), scales.part[i]);
        scales.part[i] = hn::Mul(hn::Mul(d, step), broadcast(part));
    }
    store(scales, grid.scales);
    keepInMemory(grid.scales);
}

/// (d * (1 + 2 * code)) * part
HWY_INLINE void oddScales(GridBlock &grid, Vector d, float part)
{
    Floats scales = scaleCodes(grid);
    for (std::size_t i = 0; i < Parts; ++i) {
        const Vector odd = hn::Add(broadcast(1.0f), hn::Mul(broadcast(2.0f), scales.part[i]));
        scales.part[i] = hn::Mul(hn::Mul(d, odd), broadcast(part));
    }
    store(scales, grid.scales);
    keepInMemory(grid.scales);
}

HWY_INLINE void storeGrid(GridBlock &grid, float *HWY_RESTRICT out)
{
    keepInMemory(grid.values);
    for (std::size_t i = 0; i < 16; ++i)
        store(Times{broadcast(grid.scales[i])}(floatsFrom(grid.values + 16 * i)), out + 16 * i);
}

/// The same 4-bit scales for both types: one for 16 weights, low nibble first.
HWY_INLINE void unpackScaleNibbles(GridBlock &grid, const std::uint8_t *packed)
{
    const hn::Simd<std::uint64_t, 2, 0> words;
    const auto bytes = hn::BitCast(U8x16(), hn::Set(words, loadAs<std::uint64_t>(packed)));
    const auto low = hn::And(bytes, hn::Set(U8x16(), std::uint8_t{15}));
    const auto high = hn::ShiftRight<4>(bytes);
    hn::Store(hn::InterleaveLower(U8x16(), low, high), U8x16(), grid.scaleCodes);
}

/// One scale for 32 weights, stored for both of their 16.
HWY_INLINE void putScale32(GridBlock &grid, std::size_t i, std::uint32_t code)
{
    grid.scaleCodes[2 * i] = static_cast<std::uint8_t>(code);
    grid.scaleCodes[2 * i + 1] = static_cast<std::uint8_t>(code);
}

/// The sign bytes of 32 weights from 4 x 7 bits.
HWY_INLINE void putEvenSigns(GridBlock &grid, std::size_t i, std::uint32_t word)
{
    for (std::size_t g = 0; g < 4; ++g)
        grid.signs[4 * i + g] = EvenSigns[(word >> (7 * g)) & 127];
}

HWY_INLINE void unpackIQ2XXS(const std::uint8_t *block, GridBlock &grid)
{
    const std::uint8_t *words = block + offsetof(BlockIQ2XXS, qs);
    for (std::size_t i = 0; i < 8; ++i) {
        for (std::size_t g = 0; g < 4; ++g)
            putEntry(grid, 4 * i + g, GridIQ2XXS[words[8 * i + g]]);
        const auto word = loadAs<std::uint32_t>(words + 8 * i + 4);
        putEvenSigns(grid, i, word);
        putScale32(grid, i, word >> 28);
    }
    halfStepScales(grid, broadcastHalf(block), 0.25f);
}

HWY_INLINE void unpackIQ2XS(const std::uint8_t *block, GridBlock &grid)
{
    for (std::size_t g = 0; g < 32; ++g) {
        const std::uint32_t q = loadAs<std::uint16_t>(block + offsetof(BlockIQ2XS, qs) + 2 * g);
        putEntry(grid, g, GridIQ2XS[q & 511]);
        grid.signs[g] = EvenSigns[q >> 9];
    }
    unpackScaleNibbles(grid, block + offsetof(BlockIQ2XS, scales));
    halfStepScales(grid, broadcastHalf(block), 0.25f);
}

HWY_INLINE void unpackIQ2S(const std::uint8_t *block, GridBlock &grid)
{
    const std::uint8_t *qs = block + offsetof(BlockIQ2S, qs);
    for (std::size_t i = 0; i < 8; ++i) {
        const std::uint32_t qh = block[offsetof(BlockIQ2S, qh) + i];
        for (std::size_t g = 0; g < 4; ++g)
            putEntry(grid, 4 * i + g, GridIQ2S[qs[4 * i + g] | ((qh << (8 - 2 * g)) & 0x300)]);
    }
    unpackScaleNibbles(grid, block + offsetof(BlockIQ2S, scales));
    halfStepScales(grid, broadcastHalf(block), 0.25f);
    std::memcpy(grid.signs, block + offsetof(BlockIQ2S, signs), 32);
}

HWY_INLINE void unpackIQ3XXS(const std::uint8_t *block, GridBlock &grid)
{
    const std::uint8_t *qs = block + offsetof(BlockIQ3XXS, qs);
    for (std::size_t k = 0; k < 64; ++k)
        putEntry(grid, k, GridIQ3XXS[qs[k]]);
    for (std::size_t i = 0; i < 8; ++i) {
        const auto word = loadAs<std::uint32_t>(block + offsetof(BlockIQ3XXS, words) + 4 * i);
        putEvenSigns(grid, i, word);
        putScale32(grid, i, word >> 28);
    }
    halfStepScales(grid, broadcastHalf(block), 0.5f);
}

HWY_INLINE void unpackIQ3S(const std::uint8_t *block, GridBlock &grid)
{
    const std::uint8_t *qs = block + offsetof(BlockIQ3S, qs);
    for (std::size_t i = 0; i < 8; ++i) {
        const std::uint32_t qh = block[offsetof(BlockIQ3S, qh) + i];
        for (std::size_t k = 0; k < 8; ++k)
            putEntry(grid, 8 * i + k, GridIQ3S[qs[8 * i + k] | ((qh << (8 - k)) & 0x100)]);
        putScale32(grid, i, (block[offsetof(BlockIQ3S, scales) + i / 2] >> (4 * (i % 2))) & 15u);
    }
    oddScales(grid, broadcastHalf(block), 1.0f);
    std::memcpy(grid.signs, block + offsetof(BlockIQ3S, signs), 32);
}

/// 8 * (grid + delta) as bytes, delta 0.125 or, where the group's bit is set, -0.125. With the
/// scale an eighth, every product is the same: all of them are exact.
HWY_INLINE void addDeltas(GridBlock &grid)
{
    using U64Wide = hn::Repartition<std::uint64_t, I8Wide>;
    using U8Wide = hn::Repartition<std::uint8_t, I8Wide>;
    keepInMemory(grid.values);
    const auto plus = hn::Set(U64Wide(), 0x0101010101010101u);
    const auto minus = hn::Set(U64Wide(), 0xffffffffffffffffu);
    for (std::size_t i = 0; i < 256; i += WideLanes) {
        const std::size_t group = i / 8;
        const auto bits = static_cast<std::uint8_t>(grid.signs[group / 8] >> (group % 8));
        const auto negative = hn::LoadMaskBits(U64Wide(), &bits);
        const auto delta = hn::BitCast(U8Wide(), hn::IfThenElse(negative, minus, plus));
        auto *values = reinterpret_cast<std::uint8_t *>(grid.values + i);
        const auto eightfold = hn::BitCast(
            U8Wide(), hn::ShiftLeft<3>(hn::BitCast(hn::Repartition<std::uint16_t, I8Wide>(),
                                                   hn::Load(U8Wide(), values))));
        const auto cut = hn::And(eightfold, hn::Set(U8Wide(), std::uint8_t{0xf8}));
        hn::Store(hn::Add(cut, delta), U8Wide(), values);
    }
}

HWY_INLINE void unpackIQ1S(const std::uint8_t *block, GridBlock &grid)
{
    const std::uint8_t *qs = block + offsetof(BlockIQ1S, qs);
    for (std::size_t i = 0; i < 8; ++i) {
        const std::uint32_t qh = loadAs<std::uint16_t>(block + offsetof(BlockIQ1S, qh) + 2 * i);
        for (std::size_t g = 0; g < 4; ++g)
            putEntry(grid, 4 * i + g, GridIQ1S[qs[4 * i + g] | (((qh >> (3 * g)) & 7) << 8)]);
        putScale32(grid, i, (qh >> 12) & 7);
        const std::uint32_t fourGroups = (qh >> 15) * 15u;
        if (i % 2 == 0)
            grid.signs[i / 2] = static_cast<std::uint8_t>(fourGroups);
        else
            grid.signs[i / 2] = static_cast<std::uint8_t>(grid.signs[i / 2] | fourGroups << 4);
    }
    oddScales(grid, broadcastHalf(block), 0.125f);
}

HWY_INLINE void unpackIQ1M(const std::uint8_t *block, GridBlock &grid)
{
    for (std::size_t i = 0; i < 4; ++i) { // 64 weights
        std::uint32_t negative = 0;
        const auto scales = loadAs<std::uint16_t>(block + offsetof(BlockIQ1M, scales) + 2 * i);
        for (std::size_t pair = 0; pair < 4; ++pair) {
            const std::uint32_t qh = block[offsetof(BlockIQ1M, qh) + 4 * i + pair];
            const std::size_t g = 8 * i + 2 * pair;
            putEntry(grid, g, GridIQ1S[block[g] | ((qh & 7) << 8)]);
            putEntry(grid, g + 1, GridIQ1S[block[g + 1] | ((qh & 0x70) << 4)]);
            negative |= (((qh >> 3) & 1) | ((qh >> 6) & 2)) << (2 * pair);
            grid.scaleCodes[4 * i + pair] = static_cast<std::uint8_t>((scales >> (3 * pair)) & 7);
        }
        grid.signs[i] = static_cast<std::uint8_t>(negative);
    }
    const float d = halfToFloat(halfOfIQ1M(block + offsetof(BlockIQ1M, scales)));
    oddScales(grid, broadcast(d), 0.125f);
}

/// unpack(block, grid) for a few blocks, then finish(grid) and floats.
template <auto unpack, auto finish, class Block>
HWY_ATTR void decodeGridBlocks(const std::byte *blocks, float *out, std::size_t nBlocks)
{
    constexpr std::size_t AtOnce = 4;
    GridBlock grids[AtOnce];
    const auto *bytes = reinterpret_cast<const std::uint8_t *>(blocks);
    for (std::size_t i = 0; i < nBlocks; i += AtOnce) {
        const std::size_t n = HWY_MIN(nBlocks - i, AtOnce);
        for (std::size_t k = 0; k < n; ++k)
            unpack(bytes + (i + k) * sizeof(Block), grids[k]);
        for (std::size_t k = 0; k < n; ++k) {
            finish(grids[k]);
            storeGrid(grids[k], out + (i + k) * 256);
        }
    }
}

constexpr SimdKernel Kernels[] = {
    {GgmlType::IQ2_XXS, decodeGridBlocks<unpackIQ2XXS, applySigns, BlockIQ2XXS>},
    {GgmlType::IQ2_XS, decodeGridBlocks<unpackIQ2XS, applySigns, BlockIQ2XS>},
    {GgmlType::IQ3_XXS, decodeGridBlocks<unpackIQ3XXS, applySigns, BlockIQ3XXS>},
    {GgmlType::IQ1_S, decodeGridBlocks<unpackIQ1S, addDeltas, BlockIQ1S>},
    {GgmlType::IQ3_S, decodeGridBlocks<unpackIQ3S, applySigns, BlockIQ3S>},
    {GgmlType::IQ2_S, decodeGridBlocks<unpackIQ2S, applySigns, BlockIQ2S>},
    {GgmlType::IQ1_M, decodeGridBlocks<unpackIQ1M, addDeltas, BlockIQ1M>},
};

} // namespace
} // namespace ql::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif // QL_SIMD_TARGET

#if HWY_ONCE
namespace ql {

std::span<const SimdKernels> simdGridKernels()
{
    static constexpr SimdKernels Rows[] = {QL_SIMD_ROWS};
    return Rows;
}

} // namespace ql
#endif
