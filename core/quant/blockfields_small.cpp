// SPDX-License-Identifier: GPL-3.0-or-later
// The blocks of 32, 64 and 128 weights. Pictures of the bytes: core/model/blocks.h.
#include "core/model/blocks.h"
#include "core/quant/blockfields_builder.h"

#include <bit>
#include <cmath>
#include <cstddef>

namespace ql::detail {

namespace {

constexpr std::size_t Weights = 32;

void readQ4_0(FieldBuilder &b)
{
    const Field d = b.half("d", "d", offsetof(BlockQ4_0, d));
    for (std::size_t w = 0; w < Weights; ++w) {
        const Field q = b.code("q", "quant", w, {splitNibble(offsetof(BlockQ4_0, qs), w, 16)});
        b.weight((q.value - 8) * d.value, {d, q});
    }
}

void readQ4_1(FieldBuilder &b)
{
    const Field d = b.half("d", "d", offsetof(BlockQ4_1, d));
    const Field m = b.half("m", "min", offsetof(BlockQ4_1, m));
    for (std::size_t w = 0; w < Weights; ++w) {
        const Field q = b.code("q", "quant", w, {splitNibble(offsetof(BlockQ4_1, qs), w, 16)});
        b.weight(q.value * d.value + m.value, {d, q, m});
    }
}

void readQ5_0(FieldBuilder &b)
{
    const Field d = b.half("d", "d", offsetof(BlockQ5_0, d));
    for (std::size_t w = 0; w < Weights; ++w) {
        const BitRange fifth = bitsAt(offsetof(BlockQ5_0, qh) + w / 8, w % 8, 1);
        const Field q =
            b.code("q", "quant", w, {splitNibble(offsetof(BlockQ5_0, qs), w, 16), fifth});
        b.weight((q.value - 16) * d.value, {d, q});
    }
}

void readQ5_1(FieldBuilder &b)
{
    const Field d = b.half("d", "d", offsetof(BlockQ5_1, d));
    const Field m = b.half("m", "min", offsetof(BlockQ5_1, m));
    for (std::size_t w = 0; w < Weights; ++w) {
        const BitRange fifth = bitsAt(offsetof(BlockQ5_1, qh) + w / 8, w % 8, 1);
        const Field q =
            b.code("q", "quant", w, {splitNibble(offsetof(BlockQ5_1, qs), w, 16), fifth});
        b.weight(q.value * d.value + m.value, {d, q, m});
    }
}

void readQ8_0(FieldBuilder &b)
{
    const Field d = b.half("d", "d", offsetof(BlockQ8_0, d));
    for (std::size_t w = 0; w < Weights; ++w) {
        const Field q = b.signedByte("q", "quant", w, offsetof(BlockQ8_0, qs) + w);
        b.weight(q.value * d.value, {d, q});
    }
}

void readQ8_1(FieldBuilder &b)
{
    const Field d = b.half("d", "d", offsetof(BlockQ8_1, d));
    b.half("s", "sum", offsetof(BlockQ8_1, s));
    for (std::size_t w = 0; w < Weights; ++w) {
        const Field q = b.signedByte("q", "quant", w, offsetof(BlockQ8_1, qs) + w);
        b.weight(q.value * d.value, {d, q});
    }
}

void readIQ4_NL(FieldBuilder &b)
{
    const Field d = b.half("d", "d", offsetof(BlockIQ4NL, d));
    for (std::size_t w = 0; w < Weights; ++w) {
        const Field q = b.step(w, splitNibble(offsetof(BlockIQ4NL, qs), w, 16), ValuesIQ4NL);
        b.weight(d.value * stepOf(ValuesIQ4NL, q), {d, q});
    }
}

void readMXFP4(FieldBuilder &b)
{
    const auto e = static_cast<int>(b.read({byteAt(offsetof(BlockMXFP4, e))}));
    // 2^(e-128); ldexp is exact here, subnormals included.
    const float scale = std::ldexp(1.0f, e - 128);
    const Field s = b.add("s", "scale", scale,
                          "2^" + std::to_string(e - 128) + " (e " + std::to_string(e) + ")",
                          {byteAt(offsetof(BlockMXFP4, e))});
    for (std::size_t w = 0; w < Weights; ++w) {
        const Field q = b.step(w, splitNibble(offsetof(BlockMXFP4, qs), w, 16), ValuesFP4);
        b.weight(stepOf(ValuesFP4, q) * s.value, {s, q});
    }
}

/// Half of the value of an unsigned 8-bit float with four bits of exponent. 0x7f would be NaN and
/// means 0; the top bit is ignored but for 0xff, which is not 0x7f.
float halvedUe4m3(unsigned x)
{
    if (x == 0 || x == 0x7f)
        return 0;
    const int exponent = (x >> 3) & 15;
    const auto mantissa = static_cast<float>(x & 7);
    const float value = exponent == 0 ? std::ldexp(mantissa, -9)
                                      : std::ldexp(1 + mantissa / 8, exponent - 7);
    return value * 0.5f;
}

void readNVFP4(FieldBuilder &b)
{
    std::array<Field, 4> s;
    for (std::size_t i = 0; i < s.size(); ++i) {
        const BitRange bits = byteAt(offsetof(BlockNVFP4, d) + i);
        const float value = halvedUe4m3(static_cast<unsigned>(b.read({bits})));
        s[i] = b.add(indexed("s", i), "scale", value, numberText(value), {bits});
    }
    for (std::size_t w = 0; w < 64; ++w) {
        const std::size_t sub = w / 16;
        const BitRange bits = splitNibble(offsetof(BlockNVFP4, qs) + 8 * sub, w % 16, 8);
        const Field q = b.step(w, bits, ValuesFP4);
        b.weight(stepOf(ValuesFP4, q) * s[sub].value, {s[sub], q});
    }
}

void readQ1_0(FieldBuilder &b)
{
    const Field d = b.half("d", "d", offsetof(BlockQ1_0, d));
    for (std::size_t w = 0; w < 128; ++w) {
        const Field q =
            b.code("q", "quant", w, {bitsAt(offsetof(BlockQ1_0, qs) + w / 8, w % 8, 1)});
        b.weight(q.value != 0 ? d.value : -d.value, {d, q});
    }
}

void readQ2_0(FieldBuilder &b)
{
    const Field d = b.half("d", "d", offsetof(BlockQ2_0, d));
    for (std::size_t w = 0; w < 64; ++w) {
        const BitRange bits = bitsAt(offsetof(BlockQ2_0, qs) + w / 4, 2 * (w % 4), 2);
        const Field q = b.code("q", "quant", w, {bits});
        b.weight((q.value - 1) * d.value, {d, q});
    }
}

constexpr FieldReader Readers[] = {
    {GgmlType::Q4_0, "w = (q - 8) * d", readQ4_0},
    {GgmlType::Q4_1, "w = q * d + m", readQ4_1},
    {GgmlType::Q5_0, "w = (q - 16) * d", readQ5_0},
    {GgmlType::Q5_1, "w = q * d + m", readQ5_1},
    {GgmlType::Q8_0, "w = q * d", readQ8_0},
    {GgmlType::Q8_1, "w = q * d", readQ8_1},
    {GgmlType::IQ4_NL, "w = d * K[q]", readIQ4_NL},
    {GgmlType::MXFP4, "w = E[q] * s, s = 2^(e - 128)", readMXFP4},
    {GgmlType::NVFP4, "w = E[q] * s, s = ue4m3(d) / 2", readNVFP4},
    {GgmlType::Q1_0, "w = q ? d : -d", readQ1_0},
    {GgmlType::Q2_0, "w = (q - 1) * d", readQ2_0},
};

} // namespace

std::span<const FieldReader> smallFieldReaders() { return Readers; }

} // namespace ql::detail
