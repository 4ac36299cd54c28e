// SPDX-License-Identifier: GPL-3.0-or-later
// The grid types: a code picks four or eight values at once.
#include "core/quant/codebooks.h"
#include "core/quant/dequantize_reference.h"
#include "core/quant/half.h"
#include "core/quant/scales.h"

namespace ql::reference {

namespace {

/// scale * grid * sign for the values of one entry; bit i of `signs` negates value i.
template <class Entry>
void decodeEntry(Entry entry, std::uint32_t signs, float scale, float *out)
{
    for (std::size_t i = 0; i < sizeof(Entry); ++i) {
        const float sign = (signs >> i) & 1 ? -1.0f : 1.0f;
        out[i] = scale * static_cast<float>(gridValue(entry, i)) * sign;
    }
}

void decodeWithDelta(std::uint64_t entry, float delta, float scale, float *out)
{
    for (std::size_t i = 0; i < 8; ++i)
        out[i] = scale * (static_cast<float>(gridValue(entry, i)) + delta);
}

/// d * (0.5 + scale) * part, the scale of the IQ2 types and IQ3_XXS.
float halfStepScale(float d, std::uint32_t scale, float part)
{
    return (d * (0.5f + static_cast<float>(scale))) * part;
}

/// The 4-bit scale of half-group s of 16 weights.
std::uint32_t nibble(const std::uint8_t *scales, int s) { return (scales[s / 2] >> (4 * (s % 2))) & 15u; }

std::uint32_t word32(const void *bytes)
{
    std::uint32_t word;
    std::memcpy(&word, bytes, sizeof word);
    return word;
}

} // namespace

void decodeBlock(const BlockIQ2XXS &block, float *out)
{
    const float d = halfToFloat(block.d);
    for (int i = 0; i < 8; ++i) {
        const std::uint32_t codes = word32(block.qs + 4 * i);
        const std::uint32_t signs = word32(block.qs + 4 * i + 2);
        const float scale = halfStepScale(d, signs >> 28, 0.25f);
        for (int g = 0; g < 4; ++g)
            decodeEntry(GridIQ2XXS[(codes >> (8 * g)) & 255], evenSigns(signs >> (7 * g)), scale,
                        out + 32 * i + 8 * g);
    }
}

void decodeBlock(const BlockIQ2XS &block, float *out)
{
    const float d = halfToFloat(block.d);
    for (int g = 0; g < 32; ++g) {
        const std::uint32_t q = block.qs[g];
        const float scale = halfStepScale(d, nibble(block.scales, g / 2), 0.25f);
        decodeEntry(GridIQ2XS[q & 511], evenSigns(q >> 9), scale, out + 8 * g);
    }
}

void decodeBlock(const BlockIQ2S &block, float *out)
{
    const float d = halfToFloat(block.d);
    for (int g = 0; g < 32; ++g) {
        const int high = (block.qh[g / 4] >> (2 * (g % 4))) & 3;
        const float scale = halfStepScale(d, nibble(block.scales, g / 2), 0.25f);
        decodeEntry(GridIQ2S[block.qs[g] | high << 8], block.signs[g], scale, out + 8 * g);
    }
}

void decodeBlock(const BlockIQ3XXS &block, float *out)
{
    const float d = halfToFloat(block.d);
    for (int k = 0; k < 64; ++k) {
        const std::uint32_t word = word32(block.words + k / 8 * 4);
        const float scale = halfStepScale(d, word >> 28, 0.5f);
        const std::uint32_t signs = evenSigns(word >> (7 * (k % 8 / 2)));
        decodeEntry(GridIQ3XXS[block.qs[k]], signs >> (4 * (k % 2)), scale, out + 4 * k);
    }
}

void decodeBlock(const BlockIQ3S &block, float *out)
{
    const float d = halfToFloat(block.d);
    for (int k = 0; k < 64; ++k) {
        const float scale = d * static_cast<float>(1 + 2 * nibble(block.scales, k / 8));
        const int ninth = (block.qh[k / 8] >> (k % 8)) & 1;
        const std::uint32_t signs = block.signs[k / 2];
        decodeEntry(GridIQ3S[block.qs[k] | ninth << 8], signs >> (4 * (k % 2)), scale, out + 4 * k);
    }
}

void decodeBlock(const BlockIQ1S &block, float *out)
{
    const float d = halfToFloat(block.d);
    for (int g = 0; g < 32; ++g) {
        const int qh = block.qh[g / 4];
        const float scale = d * static_cast<float>(2 * ((qh >> 12) & 7) + 1);
        const int index = block.qs[g] | ((qh >> (3 * (g % 4))) & 7) << 8;
        decodeWithDelta(GridIQ1S[index], qh & 0x8000 ? -0.125f : 0.125f, scale, out + 8 * g);
    }
}

void decodeBlock(const BlockIQ1M &block, float *out)
{
    const float d = halfToFloat(halfOfIQ1M(block.scales));
    for (int g = 0; g < 32; ++g) {
        const int qh = block.qh[g / 2] >> (4 * (g % 2));
        const float scale = d * static_cast<float>(factorIQ1M(block.scales, g / 2));
        decodeWithDelta(GridIQ1S[block.qs[g] | (qh & 7) << 8], qh & 8 ? -0.125f : 0.125f, scale,
                        out + 8 * g);
    }
}

} // namespace ql::reference
