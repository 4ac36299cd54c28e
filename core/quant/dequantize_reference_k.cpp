// SPDX-License-Identifier: GPL-3.0-or-later
// Super-blocks of 256 weights with linear codes, and IQ4_XS, which is built like them.
#include "core/quant/codebooks.h"
#include "core/quant/dequantize_reference.h"
#include "core/quant/half.h"
#include "core/quant/scales.h"

namespace ql::reference {

namespace {

/// Q2_K and Q3_K: the low two bits of weight w.
int twoBits(const std::uint8_t *qs, int w)
{
    return (qs[w / 128 * 32 + w % 32] >> (2 * (w % 128 / 32))) & 3;
}

/// Q4_K and Q5_K: the low four bits of weight w; 32 bytes hold 64 weights, low nibbles first.
int fourBits(const std::uint8_t *qs, int w)
{
    const std::uint8_t byte = qs[w / 64 * 32 + w % 32];
    return w % 64 < 32 ? byte & 15 : byte >> 4;
}

int sixBits(const BlockQ6K &block, int w)
{
    const int half = w / 128;
    const int quarter = w % 128 / 32;
    const std::uint8_t byte = block.ql[64 * half + 32 * (quarter % 2) + w % 32];
    const int low = quarter < 2 ? byte & 15 : byte >> 4;
    const int high = (block.qh[32 * half + w % 32] >> (2 * quarter)) & 3;
    return low | high << 4;
}

} // namespace

void decodeBlock(const BlockQ2K &block, float *out)
{
    const float d = halfToFloat(block.d);
    const float dmin = halfToFloat(block.dmin);
    for (int w = 0; w < 256; ++w) {
        const float scale = d * static_cast<float>(block.scales[w / 16] & 15);
        const float min = dmin * static_cast<float>(block.scales[w / 16] >> 4);
        out[w] = scale * static_cast<float>(twoBits(block.qs, w)) - min;
    }
}

void decodeBlock(const BlockQ3K &block, float *out)
{
    const float d = halfToFloat(block.d);
    for (int w = 0; w < 256; ++w) {
        const float scale = d * static_cast<float>(scaleQ3K(block.scales, w / 16));
        const bool high = (block.hmask[w % 32] >> (w / 32)) & 1;
        out[w] = scale * static_cast<float>(twoBits(block.qs, w) - (high ? 0 : 4));
    }
}

void decodeBlock(const BlockQ4K &block, float *out)
{
    const float d = halfToFloat(block.d);
    const float dmin = halfToFloat(block.dmin);
    for (int w = 0; w < 256; ++w) {
        const ScaleMin s = scaleMinK4(block.scales, w / 32);
        const float scale = d * static_cast<float>(s.scale);
        const float min = dmin * static_cast<float>(s.min);
        out[w] = scale * static_cast<float>(fourBits(block.qs, w)) - min;
    }
}

void decodeBlock(const BlockQ5K &block, float *out)
{
    const float d = halfToFloat(block.d);
    const float dmin = halfToFloat(block.dmin);
    for (int w = 0; w < 256; ++w) {
        const ScaleMin s = scaleMinK4(block.scales, w / 32);
        const float scale = d * static_cast<float>(s.scale);
        const float min = dmin * static_cast<float>(s.min);
        const int fifth = (block.qh[w % 32] >> (w / 32)) & 1;
        out[w] = scale * static_cast<float>(fourBits(block.qs, w) | fifth << 4) - min;
    }
}

void decodeBlock(const BlockQ6K &block, float *out)
{
    const float d = halfToFloat(block.d);
    for (int w = 0; w < 256; ++w) {
        const float scale = d * static_cast<float>(block.scales[w / 16]);
        out[w] = scale * static_cast<float>(sixBits(block, w) - 32);
    }
}

void decodeBlock(const BlockQ8K &block, float *out)
{
    for (int w = 0; w < 256; ++w)
        out[w] = block.d * static_cast<float>(block.qs[w]);
}

void decodeBlock(const BlockIQ4XS &block, float *out)
{
    const float d = halfToFloat(block.d);
    for (int w = 0; w < 256; ++w) {
        const float scale = d * static_cast<float>(scaleIQ4XS(block.scalesH, block.scalesL, w / 32));
        const std::uint8_t byte = block.qs[w / 32 * 16 + w % 16];
        const int code = w % 32 < 16 ? byte & 15 : byte >> 4;
        out[w] = scale * static_cast<float>(ValuesIQ4NL[code]);
    }
}

} // namespace ql::reference
