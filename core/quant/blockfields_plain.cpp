// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/quant/blockfields_builder.h"
#include "core/quant/half.h"

#include <bit>

namespace ql::detail {

namespace {

void addValue(FieldBuilder &b, float value, std::string text)
{
    const BitRange all = bitsAt(0, 0, 8 * b.block().size());
    const Field field = b.add("w", "value", value, std::move(text), {all});
    b.weight(value, {field});
}

std::uint64_t allBits(const FieldBuilder &b)
{
    return b.read({bitsAt(0, 0, 8 * b.block().size())});
}

template <class Integer>
void readInteger(FieldBuilder &b)
{
    const auto value = static_cast<Integer>(allBits(b));
    addValue(b, static_cast<float>(value), std::to_string(value));
    b.setExactValue({}, static_cast<double>(value));
}

void readF32(FieldBuilder &b)
{
    const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(allBits(b)));
    addValue(b, value, numberText(value));
}

void readF16(FieldBuilder &b)
{
    const float value = halfToFloat(static_cast<std::uint16_t>(allBits(b)));
    addValue(b, value, numberText(value));
}

void readBF16(FieldBuilder &b)
{
    const float value = bf16ToFloat(static_cast<std::uint16_t>(allBits(b)));
    addValue(b, value, numberText(value));
}

void readF64(FieldBuilder &b)
{
    const auto value = std::bit_cast<double>(allBits(b));
    addValue(b, static_cast<float>(value), numberText(value));
    b.setExactValue({}, value);
}

constexpr FieldReader Readers[] = {
    {GgmlType::F32, "w = value", readF32},
    {GgmlType::F16, "w = value", readF16},
    {GgmlType::BF16, "w = value (the top half of a float32)", readBF16},
    {GgmlType::F64, "w = value", readF64},
    {GgmlType::I8, "w = value", readInteger<std::int8_t>},
    {GgmlType::I16, "w = value", readInteger<std::int16_t>},
    {GgmlType::I32, "w = value", readInteger<std::int32_t>},
    {GgmlType::I64, "w = value", readInteger<std::int64_t>},
};

} // namespace

std::span<const FieldReader> plainFieldReaders() { return Readers; }

} // namespace ql::detail
