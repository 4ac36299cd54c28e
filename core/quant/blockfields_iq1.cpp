// SPDX-License-Identifier: GPL-3.0-or-later
// IQ1_S and IQ1_M: a grid of -1, 0, 1 moved by a delta. Pictures of the bytes: core/model/blocks.h.
#include "core/model/blocks.h"
#include "core/quant/blockfields_builder.h"

#include <cstddef>

namespace ql::detail {

namespace {

Field delta(FieldBuilder &b, std::size_t i, BitRange sign)
{
    const float value = b.read({sign}) ? -0.125f : 0.125f;
    return b.add(indexed("delta", i), "delta", value, numberText(value), {sign});
}

void addGroup(FieldBuilder &b, Field d, Field scale, Field grid, Field move)
{
    const float step = d.value * (2 * scale.value + 1);
    for (std::size_t k = 0; k < 8; ++k)
        b.weight(step * (gridValueOf(GridIQ1S, grid, k) + move.value), {d, scale, grid, move});
}

void readIQ1_S(FieldBuilder &b)
{
    const Field d = b.half("d", "d", offsetof(BlockIQ1S, d));
    for (std::size_t i = 0; i < 8; ++i) {
        const std::size_t word = offsetof(BlockIQ1S, qh) + 2 * i;
        const Field scale = b.code("scale", "scale", i, {bitsAt(word, 12, 3)});
        const Field move = delta(b, i, bitsAt(word, 15, 1));
        for (unsigned l = 0; l < 4; ++l) {
            const Field grid =
                gridIndex(b, 4 * i + l, GridIQ1S,
                          {byteAt(offsetof(BlockIQ1S, qs) + 4 * i + l), bitsAt(word, 3 * l, 3)});
            addGroup(b, d, scale, grid, move);
        }
    }
}

/// The half whose four nibbles are the top nibbles of the four scale words, lowest first.
Field scatteredHalf(FieldBuilder &b)
{
    std::array<BitRange, 4> bits;
    for (std::size_t i = 0; i < bits.size(); ++i)
        bits[i] = bitsAt(offsetof(BlockIQ1M, scales) + 2 * i, 12, 4);
    return b.half("d", "d", bits);
}

void readIQ1_M(FieldBuilder &b)
{
    const Field d = scatteredHalf(b);
    std::array<Field, 16> scale;
    for (std::size_t s = 0; s < 16; ++s) {
        const std::size_t word = offsetof(BlockIQ1M, scales) + 2 * (s / 4);
        scale[s] = b.code("scale", "scale", s, {bitsAt(word, 3 * (s % 4), 3)});
    }
    for (std::size_t g = 0; g < 32; ++g) {
        const std::size_t high = offsetof(BlockIQ1M, qh) + g / 2;
        const unsigned nibble = g % 2 ? 4 : 0;
        const Field move = delta(b, g, bitsAt(high, nibble + 3, 1));
        const Field grid = gridIndex(
            b, g, GridIQ1S, {byteAt(offsetof(BlockIQ1M, qs) + g), bitsAt(high, nibble, 3)});
        addGroup(b, d, scale[g / 2], grid, move);
    }
}

constexpr FieldReader Readers[] = {
    {GgmlType::IQ1_S, "w = (d * (2 * scale + 1)) * (grid + delta)", readIQ1_S},
    {GgmlType::IQ1_M, "w = (d * (2 * scale + 1)) * (grid + delta)", readIQ1_M},
};

} // namespace

std::span<const FieldReader> iq1FieldReaders() { return Readers; }

} // namespace ql::detail
