// SPDX-License-Identifier: GPL-3.0-or-later
// The k-quants and IQ4_XS: super-blocks of 256. Pictures of the bytes: core/model/blocks.h.
#include "core/model/blocks.h"
#include "core/quant/blockfields_builder.h"

#include <bit>
#include <cstddef>

namespace ql::detail {

namespace {

constexpr std::size_t Weights = 256;

/// Two halves of 128 weights and 32 bytes: weight 128h + 32j + l is bits 2j of byte 32h + l.
constexpr BitRange pairOfHalf(std::size_t firstByte, std::size_t w)
{
    return bitsAt(firstByte + 32 * (w / 128) + w % 32, 2 * (w % 128 / 32), 2);
}

void readQ2_K(FieldBuilder &b)
{
    const Field d = b.half("d", "d", offsetof(BlockQ2K, d));
    const Field dmin = b.half("dmin", "dmin", offsetof(BlockQ2K, dmin));
    std::array<Field, 16> scale;
    std::array<Field, 16> min;
    for (std::size_t s = 0; s < 16; ++s) {
        scale[s] = b.code("scale", "scale", s, {bitsAt(offsetof(BlockQ2K, scales) + s, 0, 4)});
        min[s] = b.code("min", "min", s, {bitsAt(offsetof(BlockQ2K, scales) + s, 4, 4)});
    }
    for (std::size_t w = 0; w < Weights; ++w) {
        const Field sc = scale[w / 16];
        const Field mn = min[w / 16];
        const Field q = b.code("q", "quant", w, {pairOfHalf(offsetof(BlockQ2K, qs), w)});
        b.weight((d.value * sc.value) * q.value - (dmin.value * mn.value), {d, sc, q, dmin, mn});
    }
}

/// Three bits with their own sign rule: the low two, minus 4 where the high bit is clear.
Field threeBitCode(FieldBuilder &b, std::size_t w)
{
    const BitRange low = pairOfHalf(offsetof(BlockQ3K, qs), w);
    const BitRange high = bitsAt(offsetof(BlockQ3K, hmask) + w % 32, w / 32, 1);
    const int q = static_cast<int>(b.read({low})) - (b.read({high}) ? 0 : 4);
    return b.add(indexed("q", w), "quant", static_cast<float>(q), std::to_string(q), {low, high});
}

void readQ3_K(FieldBuilder &b)
{
    const std::size_t scales = offsetof(BlockQ3K, scales);
    const Field d = b.half("d", "d", offsetof(BlockQ3K, d));
    std::array<Field, 16> scale;
    for (std::size_t s = 0; s < 16; ++s) {
        const BitRange low = splitNibble(scales, s, 8);
        const BitRange high = bitsAt(scales + 8 + s % 4, 2 * (s / 4), 2);
        scale[s] = b.code("scale", "scale", s, {low, high});
    }
    for (std::size_t w = 0; w < Weights; ++w) {
        const Field sc = scale[w / 16];
        const Field q = threeBitCode(b, w);
        b.weight((d.value * (sc.value - 32)) * q.value, {d, sc, q});
    }
}

struct ScaleAndMin {
    std::array<Field, 8> scale;
    std::array<Field, 8> min;
};

/// Eight 6-bit scales and mins in 12 bytes: those of sub-blocks 0-3 are whole, 4-7 have their low
/// four bits in bytes 8-11 and their top two above the first four's.
ScaleAndMin readScalesAndMins(FieldBuilder &b, std::size_t scales)
{
    ScaleAndMin result;
    for (std::size_t s = 0; s < 4; ++s) {
        result.scale[s] = b.code("scale", "scale", s, {bitsAt(scales + s, 0, 6)});
        result.min[s] = b.code("min", "min", s, {bitsAt(scales + s + 4, 0, 6)});
    }
    for (std::size_t s = 4; s < 8; ++s) {
        result.scale[s] = b.code("scale", "scale", s,
                                 {bitsAt(scales + s + 4, 0, 4), bitsAt(scales + s - 4, 6, 2)});
        result.min[s] =
            b.code("min", "min", s, {bitsAt(scales + s + 4, 4, 4), bitsAt(scales + s, 6, 2)});
    }
    return result;
}

/// Sub-blocks 2p and 2p+1 are the low and high nibbles of bytes 32p … 32p+31.
constexpr BitRange nibbleOfPair(std::size_t firstByte, std::size_t w)
{
    return bitsAt(firstByte + 32 * (w / 64) + w % 32, w % 64 < 32 ? 0 : 4, 4);
}

void readQ4_K(FieldBuilder &b)
{
    const Field d = b.half("d", "d", offsetof(BlockQ4K, d));
    const Field dmin = b.half("dmin", "dmin", offsetof(BlockQ4K, dmin));
    const ScaleAndMin sub = readScalesAndMins(b, offsetof(BlockQ4K, scales));
    for (std::size_t w = 0; w < Weights; ++w) {
        const Field sc = sub.scale[w / 32];
        const Field mn = sub.min[w / 32];
        const Field q = b.code("q", "quant", w, {nibbleOfPair(offsetof(BlockQ4K, qs), w)});
        b.weight((d.value * sc.value) * q.value - (dmin.value * mn.value), {d, sc, q, dmin, mn});
    }
}

void readQ5_K(FieldBuilder &b)
{
    const Field d = b.half("d", "d", offsetof(BlockQ5K, d));
    const Field dmin = b.half("dmin", "dmin", offsetof(BlockQ5K, dmin));
    const ScaleAndMin sub = readScalesAndMins(b, offsetof(BlockQ5K, scales));
    for (std::size_t w = 0; w < Weights; ++w) {
        const Field sc = sub.scale[w / 32];
        const Field mn = sub.min[w / 32];
        const BitRange fifth = bitsAt(offsetof(BlockQ5K, qh) + w % 32, w / 32, 1);
        const Field q = b.code("q", "quant", w, {nibbleOfPair(offsetof(BlockQ5K, qs), w), fifth});
        b.weight((d.value * sc.value) * q.value - (dmin.value * mn.value), {d, sc, q, dmin, mn});
    }
}

/// In half h, weights l, l+32, l+64, l+96 take lo(ql[l]), lo(ql[l+32]), hi(ql[l]), hi(ql[l+32]) of
/// its 64 bytes and bit pairs 0, 2, 4, 6 of its qh[l] on top.
Field sixBitCode(FieldBuilder &b, std::size_t w)
{
    const std::size_t half = w / 128;
    const std::size_t quarter = w % 128 / 32;
    const std::size_t low = offsetof(BlockQ6K, ql) + 64 * half + w % 64;
    const std::size_t high = offsetof(BlockQ6K, qh) + 32 * half + w % 32;
    return b.code("q", "quant", w,
                  {bitsAt(low, quarter < 2 ? 0 : 4, 4), bitsAt(high, 2 * quarter, 2)});
}

void readQ6_K(FieldBuilder &b)
{
    const Field d = b.half("d", "d", offsetof(BlockQ6K, d));
    std::array<Field, 16> scale;
    for (std::size_t s = 0; s < 16; ++s)
        scale[s] = b.signedByte("scale", "scale", s, offsetof(BlockQ6K, scales) + s);
    for (std::size_t w = 0; w < Weights; ++w) {
        const Field sc = scale[w / 16];
        const Field q = sixBitCode(b, w);
        b.weight((d.value * sc.value) * (q.value - 32), {d, sc, q});
    }
}

void readQ8_K(FieldBuilder &b)
{
    const BitRange dBits = bitsAt(offsetof(BlockQ8K, d), 0, 32);
    const auto dValue = std::bit_cast<float>(static_cast<std::uint32_t>(b.read({dBits})));
    const Field d = b.add("d", "d", dValue, numberText(dValue), {dBits});
    for (std::size_t s = 0; s < 16; ++s) {
        const BitRange bits = bitsAt(offsetof(BlockQ8K, bsums) + 2 * s, 0, 16);
        const auto sum = static_cast<std::int16_t>(b.read({bits}));
        b.add(indexed("bsum", s), "sum", sum, std::to_string(sum), {bits});
    }
    for (std::size_t w = 0; w < Weights; ++w) {
        const Field q = b.signedByte("q", "quant", w, offsetof(BlockQ8K, qs) + w);
        b.weight(d.value * q.value, {d, q});
    }
}

void readIQ4_XS(FieldBuilder &b)
{
    const Field d = b.half("d", "d", offsetof(BlockIQ4XS, d));
    std::array<Field, 8> scale;
    for (std::size_t s = 0; s < 8; ++s) {
        const BitRange high = bitsAt(offsetof(BlockIQ4XS, scalesH), 2 * s, 2);
        scale[s] = b.code("scale", "scale", s, {nibbleAt(offsetof(BlockIQ4XS, scalesL), s), high});
    }
    for (std::size_t w = 0; w < Weights; ++w) {
        const Field sc = scale[w / 32];
        const BitRange bits = splitNibble(offsetof(BlockIQ4XS, qs) + 16 * (w / 32), w % 32, 16);
        const Field q = b.step(w, bits, ValuesIQ4NL);
        b.weight((d.value * (sc.value - 32)) * stepOf(ValuesIQ4NL, q), {d, sc, q});
    }
}

constexpr FieldReader Readers[] = {
    {GgmlType::Q2_K, "w = (d * scale) * q - (dmin * min)", readQ2_K},
    {GgmlType::Q3_K, "w = (d * (scale - 32)) * q, q = low2 - (high ? 0 : 4)", readQ3_K},
    {GgmlType::Q4_K, "w = (d * scale) * q - (dmin * min)", readQ4_K},
    {GgmlType::Q5_K, "w = (d * scale) * q - (dmin * min)", readQ5_K},
    {GgmlType::Q6_K, "w = (d * scale) * (q - 32)", readQ6_K},
    {GgmlType::Q8_K, "w = d * q", readQ8_K},
    {GgmlType::IQ4_XS, "w = (d * (scale - 32)) * K[q]", readIQ4_XS},
};

} // namespace

std::span<const FieldReader> kFieldReaders() { return Readers; }

} // namespace ql::detail
