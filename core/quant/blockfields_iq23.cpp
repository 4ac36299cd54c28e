// SPDX-License-Identifier: GPL-3.0-or-later
// IQ2 and IQ3: a grid entry times a sign. Pictures of the bytes: core/model/blocks.h.
#include "core/model/blocks.h"
#include "core/quant/blockfields_builder.h"

#include <cstddef>

namespace ql::detail {

namespace {

using Signs = std::array<Field, 8>;

/// Seven stored signs for eight weights from weight w on.
Signs evenSigns(FieldBuilder &b, std::size_t w, BitRange seven)
{
    Signs signs;
    for (std::uint32_t k = 0; k < 7; ++k)
        signs[k] = b.sign(w + k, {seven.firstBit + k, 1});
    signs[7] = b.paritySign(w + 7, seven);
    return signs;
}

/// A sign byte for eight weights from weight w on.
Signs byteSigns(FieldBuilder &b, std::size_t w, std::size_t byte)
{
    Signs signs;
    for (unsigned k = 0; k < 8; ++k)
        signs[k] = b.sign(w + k, bitsAt(byte, k, 1));
    return signs;
}

/// Eight weights from one entry of an IQ2 grid.
template <class Grid>
void addGroup(FieldBuilder &b, const Grid &grid, Field d, Field scale, Field index,
              const Signs &signs)
{
    const float step = (d.value * (0.5f + scale.value)) * 0.25f;
    for (std::size_t k = 0; k < 8; ++k)
        b.weight(step * gridValueOf(grid, index, k) * signs[k].value, {d, scale, index, signs[k]});
}

/// Eight weights from two entries of an IQ3 grid.
template <class Grid>
void addPair(FieldBuilder &b, const Grid &grid, float step, Field d, Field scale,
             const std::array<Field, 2> &index, const Signs &signs)
{
    for (std::size_t k = 0; k < 8; ++k)
        b.weight(step * gridValueOf(grid, index[k / 4], k % 4) * signs[k].value,
                 {d, scale, index[k / 4], signs[k]});
}

void readIQ2_XXS(FieldBuilder &b)
{
    const Field d = b.half("d", "d", offsetof(BlockIQ2XXS, d));
    for (std::size_t i = 0; i < 8; ++i) {
        const std::size_t wordA = offsetof(BlockIQ2XXS, qs) + 8 * i;
        const std::size_t wordB = wordA + 4;
        const Field scale = b.code("scale", "scale", i, {bitsAt(wordB, 28, 4)});
        for (unsigned g = 0; g < 4; ++g) {
            const Field index = gridIndex(b, 4 * i + g, GridIQ2XXS, {byteAt(wordA + g)});
            const Signs signs = evenSigns(b, 32 * i + 8 * g, bitsAt(wordB, 7 * g, 7));
            addGroup(b, GridIQ2XXS, d, scale, index, signs);
        }
    }
}

/// Sixteen 4-bit scales, one for two groups of eight.
std::array<Field, 16> nibbleScales(FieldBuilder &b, std::size_t firstByte)
{
    std::array<Field, 16> scale;
    for (std::size_t s = 0; s < scale.size(); ++s)
        scale[s] = b.code("scale", "scale", s, {nibbleAt(firstByte, s)});
    return scale;
}

void readIQ2_XS(FieldBuilder &b)
{
    const Field d = b.half("d", "d", offsetof(BlockIQ2XS, d));
    const auto scale = nibbleScales(b, offsetof(BlockIQ2XS, scales));
    for (std::size_t g = 0; g < 32; ++g) {
        const std::size_t word = offsetof(BlockIQ2XS, qs) + 2 * g;
        const Field index = gridIndex(b, g, GridIQ2XS, {bitsAt(word, 0, 9)});
        const Signs signs = evenSigns(b, 8 * g, bitsAt(word, 9, 7));
        addGroup(b, GridIQ2XS, d, scale[g / 2], index, signs);
    }
}

void readIQ2_S(FieldBuilder &b)
{
    const Field d = b.half("d", "d", offsetof(BlockIQ2S, d));
    const auto scale = nibbleScales(b, offsetof(BlockIQ2S, scales));
    for (std::size_t g = 0; g < 32; ++g) {
        const BitRange high = bitsAt(offsetof(BlockIQ2S, qh) + g / 4, 2 * (g % 4), 2);
        const Field index = gridIndex(b, g, GridIQ2S, {byteAt(offsetof(BlockIQ2S, qs) + g), high});
        const Signs signs = byteSigns(b, 8 * g, offsetof(BlockIQ2S, signs) + g);
        addGroup(b, GridIQ2S, d, scale[g / 2], index, signs);
    }
}

void readIQ3_XXS(FieldBuilder &b)
{
    const Field d = b.half("d", "d", offsetof(BlockIQ3XXS, d));
    for (std::size_t i = 0; i < 8; ++i) {
        const std::size_t word = offsetof(BlockIQ3XXS, words) + 4 * i;
        const Field scale = b.code("scale", "scale", i, {bitsAt(word, 28, 4)});
        const float step = (d.value * (0.5f + scale.value)) * 0.5f;
        for (std::size_t l = 0; l < 4; ++l) {
            const std::size_t g = 8 * i + 2 * l;
            const std::size_t byte = offsetof(BlockIQ3XXS, qs) + g;
            const std::array index{gridIndex(b, g, GridIQ3XXS, {byteAt(byte)}),
                                   gridIndex(b, g + 1, GridIQ3XXS, {byteAt(byte + 1)})};
            const Signs signs = evenSigns(b, 4 * g, bitsAt(word, 7 * l, 7));
            addPair(b, GridIQ3XXS, step, d, scale, index, signs);
        }
    }
}

Field nineBitIndex(FieldBuilder &b, std::size_t g)
{
    const BitRange ninth = bitsAt(offsetof(BlockIQ3S, qh) + g / 8, g % 8, 1);
    return gridIndex(b, g, GridIQ3S, {byteAt(offsetof(BlockIQ3S, qs) + g), ninth});
}

void readIQ3_S(FieldBuilder &b)
{
    const Field d = b.half("d", "d", offsetof(BlockIQ3S, d));
    for (std::size_t i = 0; i < 8; ++i) {
        const Field scale = b.code("scale", "scale", i, {nibbleAt(offsetof(BlockIQ3S, scales), i)});
        const float step = d.value * (1 + 2 * scale.value);
        for (std::size_t l = 0; l < 4; ++l) {
            const std::size_t g = 8 * i + 2 * l;
            const std::array index{nineBitIndex(b, g), nineBitIndex(b, g + 1)};
            const Signs signs = byteSigns(b, 4 * g, offsetof(BlockIQ3S, signs) + 4 * i + l);
            addPair(b, GridIQ3S, step, d, scale, index, signs);
        }
    }
}

constexpr FieldReader Readers[] = {
    {GgmlType::IQ2_XXS, "w = ((d * (0.5 + scale)) * 0.25) * grid * sign", readIQ2_XXS},
    {GgmlType::IQ2_XS, "w = ((d * (0.5 + scale)) * 0.25) * grid * sign", readIQ2_XS},
    {GgmlType::IQ2_S, "w = ((d * (0.5 + scale)) * 0.25) * grid * sign", readIQ2_S},
    {GgmlType::IQ3_XXS, "w = ((d * (0.5 + scale)) * 0.5) * grid * sign", readIQ3_XXS},
    {GgmlType::IQ3_S, "w = (d * (1 + 2 * scale)) * grid * sign", readIQ3_S},
};

} // namespace

std::span<const FieldReader> iq23FieldReaders() { return Readers; }

} // namespace ql::detail
