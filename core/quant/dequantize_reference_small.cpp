// SPDX-License-Identifier: GPL-3.0-or-later
// Blocks of 32 to 128 weights, and the ternary ones.
#include "core/quant/codebooks.h"
#include "core/quant/dequantize_reference.h"
#include "core/quant/half.h"
#include "core/quant/scales.h"

namespace ql::reference {

namespace {

/// The code of weight w of 32: low nibbles first, then high ones.
int nibbleOf32(const std::uint8_t *qs, int w) { return w < 16 ? qs[w] & 15 : qs[w - 16] >> 4; }

/// The same with a fifth bit from qh.
int fiveBitsOf32(const std::uint8_t *qs, const std::uint8_t *qh, int w)
{
    const int fifth = (qh[w / 8] >> (w % 8)) & 1;
    return nibbleOf32(qs, w) | fifth << 4;
}

/// Digit of a byte that holds base-3 digits as a fraction of 256; power is 3^digit.
int ternaryDigit(std::uint8_t byte, int power) { return (((byte * power) & 255) * 3) >> 8; }

/// One digit of each of `count` bytes, for digits 0 … digits-1; returns the end of what it wrote.
float *decodeTernary(const std::uint8_t *bytes, int count, int digits, float d, float *out)
{
    int power = 1;
    for (int digit = 0; digit < digits; ++digit, power *= 3)
        for (int i = 0; i < count; ++i)
            *out++ = static_cast<float>(ternaryDigit(bytes[i], power) - 1) * d;
    return out;
}

} // namespace

void decodeBlock(const BlockQ4_0 &block, float *out)
{
    const float d = halfToFloat(block.d);
    for (int w = 0; w < 32; ++w)
        out[w] = static_cast<float>(nibbleOf32(block.qs, w) - 8) * d;
}

void decodeBlock(const BlockQ4_1 &block, float *out)
{
    const float d = halfToFloat(block.d);
    const float m = halfToFloat(block.m);
    for (int w = 0; w < 32; ++w)
        out[w] = static_cast<float>(nibbleOf32(block.qs, w)) * d + m;
}

void decodeBlock(const BlockQ5_0 &block, float *out)
{
    const float d = halfToFloat(block.d);
    for (int w = 0; w < 32; ++w)
        out[w] = static_cast<float>(fiveBitsOf32(block.qs, block.qh, w) - 16) * d;
}

void decodeBlock(const BlockQ5_1 &block, float *out)
{
    const float d = halfToFloat(block.d);
    const float m = halfToFloat(block.m);
    for (int w = 0; w < 32; ++w)
        out[w] = static_cast<float>(fiveBitsOf32(block.qs, block.qh, w)) * d + m;
}

void decodeBlock(const BlockQ8_0 &block, float *out)
{
    const float d = halfToFloat(block.d);
    for (int w = 0; w < 32; ++w)
        out[w] = static_cast<float>(block.qs[w]) * d;
}

void decodeBlock(const BlockQ8_1 &block, float *out)
{
    const float d = halfToFloat(block.d);
    for (int w = 0; w < 32; ++w)
        out[w] = static_cast<float>(block.qs[w]) * d;
}

void decodeBlock(const BlockIQ4NL &block, float *out)
{
    const float d = halfToFloat(block.d);
    for (int w = 0; w < 32; ++w)
        out[w] = d * static_cast<float>(ValuesIQ4NL[nibbleOf32(block.qs, w)]);
}

void decodeBlock(const BlockMXFP4 &block, float *out)
{
    const float s = scaleE8M0Half(block.e);
    for (int w = 0; w < 32; ++w)
        out[w] = static_cast<float>(ValuesFP4[nibbleOf32(block.qs, w)]) * s;
}

void decodeBlock(const BlockNVFP4 &block, float *out)
{
    for (int w = 0; w < 64; ++w) {
        const float s = scaleUE4M3Half(block.d[w / 16]);
        const std::uint8_t byte = block.qs[w / 16 * 8 + w % 8];
        const int code = w % 16 < 8 ? byte & 15 : byte >> 4;
        out[w] = static_cast<float>(ValuesFP4[code]) * s;
    }
}

void decodeBlock(const BlockQ1_0 &block, float *out)
{
    const float d = halfToFloat(block.d);
    for (int w = 0; w < 128; ++w)
        out[w] = (block.qs[w / 8] >> (w % 8)) & 1 ? d : -d;
}

void decodeBlock(const BlockQ2_0 &block, float *out)
{
    const float d = halfToFloat(block.d);
    for (int w = 0; w < 64; ++w)
        out[w] = static_cast<float>(((block.qs[w / 4] >> (2 * (w % 4))) & 3) - 1) * d;
}

void decodeBlock(const BlockTQ1_0 &block, float *out)
{
    const float d = halfToFloat(block.d);
    out = decodeTernary(block.qs, 32, 5, d, out);
    out = decodeTernary(block.qs + 32, 16, 5, d, out);
    decodeTernary(block.qh, 4, 4, d, out);
}

void decodeBlock(const BlockTQ2_0 &block, float *out)
{
    const float d = halfToFloat(block.d);
    for (int w = 0; w < 256; ++w) {
        const int q = (block.qs[w / 128 * 32 + w % 32] >> (2 * (w % 128 / 32))) & 3;
        out[w] = static_cast<float>(q - 1) * d;
    }
}

} // namespace ql::reference
