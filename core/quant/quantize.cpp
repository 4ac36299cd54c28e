// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/quant/quantize.h"

#include "core/model/blocks.h"
#include "core/quant/quantize_kernels.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace ql {

namespace {

constexpr std::size_t NoHalf = static_cast<std::size_t>(-1);
constexpr std::uint16_t HalfExponent = 0x7c00;
constexpr std::uint16_t BF16Exponent = 0x7f80;

/// A type's encoder, and where its blocks hold 16-bit floats that can overflow.
struct Encoder {
    GgmlType type;
    QuantizeFn encode;
    std::size_t halves[2] = {NoHalf, NoHalf};
    std::uint16_t exponent = HalfExponent;
};

// Most bits first: the order in which menus show them.
constexpr Encoder Encoders[] = {
    {GgmlType::F32, encode::f32},
    {GgmlType::F16, encode::f16, {0, NoHalf}},
    {GgmlType::BF16, encode::bf16, {0, NoHalf}, BF16Exponent},
    {GgmlType::Q8_0, encode::q8_0, {offsetof(BlockQ8_0, d), NoHalf}},
    {GgmlType::Q6_K, encode::q6K, {offsetof(BlockQ6K, d), NoHalf}},
    {GgmlType::Q5_1, encode::q5_1, {offsetof(BlockQ5_1, d), offsetof(BlockQ5_1, m)}},
    {GgmlType::Q5_K, encode::q5K, {offsetof(BlockQ5K, d), offsetof(BlockQ5K, dmin)}},
    {GgmlType::Q5_0, encode::q5_0, {offsetof(BlockQ5_0, d), NoHalf}},
    {GgmlType::Q4_1, encode::q4_1, {offsetof(BlockQ4_1, d), offsetof(BlockQ4_1, m)}},
    {GgmlType::Q4_K, encode::q4K, {offsetof(BlockQ4K, d), offsetof(BlockQ4K, dmin)}},
    {GgmlType::Q4_0, encode::q4_0, {offsetof(BlockQ4_0, d), NoHalf}},
    {GgmlType::IQ4_NL, encode::iq4NL, {offsetof(BlockIQ4NL, d), NoHalf}},
    {GgmlType::NVFP4, encode::nvfp4},
    {GgmlType::IQ4_XS, encode::iq4XS, {offsetof(BlockIQ4XS, d), NoHalf}},
    {GgmlType::MXFP4, encode::mxfp4},
    {GgmlType::Q3_K, encode::q3K, {offsetof(BlockQ3K, d), NoHalf}},
    {GgmlType::Q2_K, encode::q2K, {offsetof(BlockQ2K, d), offsetof(BlockQ2K, dmin)}},
    {GgmlType::Q2_0, encode::q2_0, {offsetof(BlockQ2_0, d), NoHalf}},
    {GgmlType::TQ2_0, encode::tq2_0, {offsetof(BlockTQ2_0, d), NoHalf}},
    {GgmlType::TQ1_0, encode::tq1_0, {offsetof(BlockTQ1_0, d), NoHalf}},
    {GgmlType::Q1_0, encode::q1_0, {offsetof(BlockQ1_0, d), NoHalf}},
};

constexpr auto typesOfEncoders()
{
    std::array<GgmlType, std::size(Encoders)> types{};
    std::ranges::transform(Encoders, types.begin(), &Encoder::type);
    return types;
}
constexpr auto Types = typesOfEncoders();

const Encoder *findEncoder(GgmlType type)
{
    const auto row = std::ranges::find(Encoders, type, &Encoder::type);
    return row != std::end(Encoders) ? row : nullptr;
}

bool isFiniteAt(const std::byte *block, std::size_t offset, std::uint16_t exponent)
{
    std::uint16_t half = 0;
    std::memcpy(&half, block + offset, sizeof half);
    return (half & exponent) != exponent;
}

} // namespace

QuantizeFn quantizer(GgmlType type)
{
    const Encoder *row = findEncoder(type);
    return row ? row->encode : nullptr;
}

std::span<const GgmlType> quantizableTypes() { return Types; }

bool scaleOverflows(GgmlType type, std::span<const std::byte> blocks)
{
    const Encoder *row = findEncoder(type);
    const std::size_t blockBytes = traits(type).blockBytes;
    if (!row)
        return false;
    for (const std::size_t offset : row->halves) {
        if (offset == NoHalf)
            break;
        for (std::size_t at = 0; at + blockBytes <= blocks.size(); at += blockBytes)
            if (!isFiniteAt(blocks.data() + at, offset, row->exponent))
                return true;
    }
    return false;
}

} // namespace ql
