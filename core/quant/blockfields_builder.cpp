// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/quant/blockfields_builder.h"

#include "core/quant/half.h"

#include <bit>
#include <charconv>
#include <cmath>

namespace ql::detail {

namespace {

template <class Float>
std::string shortestText(Float value)
{
    if (std::isnan(value))
        return "NaN";
    if (std::isinf(value))
        return value < 0 ? "-Inf" : "Inf";
    std::array<char, 40> buffer;
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
    return {buffer.data(), end};
}

} // namespace

std::string numberText(float value) { return shortestText(value); }
std::string numberText(double value) { return shortestText(value); }

std::string indexed(std::string_view name, std::size_t i)
{
    std::string text(name);
    text += '[';
    text += std::to_string(i);
    text += ']';
    return text;
}

FieldBuilder::FieldBuilder(GgmlType type, std::string_view formula,
                           std::span<const std::byte> block)
    : m_block(block)
{
    m_result.type = type;
    m_result.formula = formula;
    m_result.weights.reserve(traits(type).blockSize);
}

std::uint64_t FieldBuilder::read(std::span<const BitRange> bits) const
{
    std::uint64_t value = 0;
    unsigned shift = 0;
    for (const BitRange &range : bits) {
        for (std::uint32_t i = 0; i < range.bits; ++i, ++shift) {
            const std::uint32_t at = range.firstBit + i;
            const std::uint64_t bit = std::to_integer<unsigned>(m_block[at / 8]) >> (at % 8) & 1u;
            value |= bit << shift;
        }
    }
    return value;
}

std::uint64_t FieldBuilder::read(std::initializer_list<BitRange> bits) const
{
    return read(std::span(bits.begin(), bits.size()));
}

Field FieldBuilder::add(std::string name, std::string_view kind, float value, std::string text,
                        std::span<const BitRange> bits)
{
    const auto index = static_cast<std::uint32_t>(m_result.fields.size());
    m_result.fields.push_back(
        {std::move(name), kind, value, std::move(text), {bits.begin(), bits.end()}});
    return {index, value};
}

Field FieldBuilder::add(std::string name, std::string_view kind, float value, std::string text,
                        std::initializer_list<BitRange> bits)
{
    return add(std::move(name), kind, value, std::move(text), std::span(bits.begin(), bits.size()));
}

Field FieldBuilder::half(std::string_view name, std::string_view kind,
                         std::span<const BitRange> bits)
{
    const float value = halfToFloat(static_cast<std::uint16_t>(read(bits)));
    return add(std::string(name), kind, value, numberText(value), bits);
}

Field FieldBuilder::half(std::string_view name, std::string_view kind, std::size_t byte)
{
    const BitRange bits = bitsAt(byte, 0, 16);
    return half(name, kind, std::span(&bits, 1));
}

Field FieldBuilder::code(std::string_view name, std::string_view kind, std::size_t i,
                         std::initializer_list<BitRange> bits)
{
    const std::uint64_t value = read(bits);
    return add(indexed(name, i), kind, static_cast<float>(value), std::to_string(value), bits);
}

Field FieldBuilder::step(std::size_t i, BitRange bits, std::span<const std::int8_t> steps)
{
    const std::uint64_t value = read({bits});
    std::string text = std::to_string(value) + " \u2192 " + std::to_string(steps[value]);
    return add(indexed("q", i), "quant", static_cast<float>(value), std::move(text), {bits});
}

Field FieldBuilder::signedByte(std::string_view name, std::string_view kind, std::size_t i,
                               std::size_t byte)
{
    const auto value = static_cast<std::int8_t>(m_block[byte]);
    return add(indexed(name, i), kind, value, std::to_string(value), {byteAt(byte)});
}

Field FieldBuilder::sign(std::size_t w, BitRange bit)
{
    const bool negative = read({bit}) != 0;
    return add(indexed("sign", w), "sign", negative ? -1.0f : 1.0f, negative ? "-" : "+", {bit});
}

Field FieldBuilder::paritySign(std::size_t w, BitRange sevenBits)
{
    const bool negative = std::popcount(read({sevenBits})) % 2 != 0;
    return add(indexed("sign", w), "sign", negative ? -1.0f : 1.0f,
               negative ? "- (parity)" : "+ (parity)", {sevenBits});
}

void FieldBuilder::weight(float value, std::initializer_list<Field> from)
{
    BlockWeight &weight = m_result.weights.emplace_back();
    weight.value = value;
    weight.fields.reserve(from.size());
    for (const Field &field : from)
        weight.fields.push_back(field.index);
}

} // namespace ql::detail
