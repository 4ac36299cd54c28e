// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// For blockfields*.cpp alone: reads fields out of one block and remembers which bits they came from.

#include "core/quant/blockfields.h"
#include "core/quant/codebooks.h"

#include <array>
#include <initializer_list>

namespace ql::detail {

/// A field that has been read: its place in the list and the number that the formula uses. Every
/// number here but a 64-bit integer's or double's is exact in a float.
struct Field {
    std::uint32_t index = 0;
    float value = 0;
};

/// `bits` consecutive bits from bit `bit` of byte `byte`. Little-endian words are consecutive bits too.
constexpr BitRange bitsAt(std::size_t byte, std::size_t bit, std::size_t bits)
{
    return {static_cast<std::uint32_t>(8 * byte + bit), static_cast<std::uint32_t>(bits)};
}
constexpr BitRange byteAt(std::size_t byte) { return bitsAt(byte, 0, 8); }

/// The nibble of weight w where byte j holds weight j (low) and weight j + half (high).
constexpr BitRange splitNibble(std::size_t firstByte, std::size_t w, std::size_t half)
{
    return bitsAt(firstByte + w % half, w < half ? 0 : 4, 4);
}

/// Nibble n of a byte array: low of byte n/2 for even n, high for odd n.
constexpr BitRange nibbleAt(std::size_t firstByte, std::size_t n)
{
    return bitsAt(firstByte + n / 2, n % 2 ? 4 : 0, 4);
}

std::string numberText(float value);
std::string numberText(double value);

class FieldBuilder
{
public:
    FieldBuilder(GgmlType type, std::string_view formula, std::span<const std::byte> block);

    /// The unsigned number in some bits, lowest part first; at most 64 bits.
    std::uint64_t read(std::initializer_list<BitRange> bits) const;
    std::uint64_t read(std::span<const BitRange> bits) const;

    Field add(std::string name, std::string_view kind, float value, std::string text,
              std::span<const BitRange> bits);
    Field add(std::string name, std::string_view kind, float value, std::string text,
              std::initializer_list<BitRange> bits);

    /// A binary16 at a byte.
    Field half(std::string_view name, std::string_view kind, std::size_t byte);
    Field half(std::string_view name, std::string_view kind, std::span<const BitRange> bits);
    /// An unsigned code: "q[17]", "scale[3]".
    Field code(std::string_view name, std::string_view kind, std::size_t i,
               std::initializer_list<BitRange> bits);
    /// A code into a table of steps, shown as "5 -> 6".
    Field step(std::size_t i, BitRange bits, std::span<const std::int8_t> steps);
    /// A signed byte.
    Field signedByte(std::string_view name, std::string_view kind, std::size_t i, std::size_t byte);
    /// A sign from one bit: -1 where it is set, else +1.
    Field sign(std::size_t w, BitRange bit);
    /// The sign that no bit holds: the one that makes the number of ones even.
    Field paritySign(std::size_t w, BitRange sevenBits);

    /// The next weight. Weights are added in order.
    void weight(float value, std::initializer_list<Field> from);

    std::span<const std::byte> block() const { return m_block; }
    /// For the types whose own value does not fit Field::value.
    void setExactValue(Field field, double value) { m_result.fields[field.index].value = value; }
    BlockFields take() { return std::move(m_result); }

private:
    std::span<const std::byte> m_block;
    BlockFields m_result;
};

/// "q" and 17 make "q[17]".
std::string indexed(std::string_view name, std::size_t i);

/// What a code stands for in a table of steps.
inline float stepOf(std::span<const std::int8_t> steps, Field code)
{
    return steps[static_cast<std::size_t>(code.value)];
}

/// An index into a grid, shown with the entry's values: "243: 8 8 25 8 8 8 8 43".
template <class Entry, std::size_t Entries>
Field gridIndex(FieldBuilder &b, std::size_t i, const std::array<Entry, Entries> &grid,
                std::initializer_list<BitRange> bits)
{
    const std::uint64_t index = b.read(bits);
    std::string text = std::to_string(index) + ':';
    for (std::size_t k = 0; k < sizeof(Entry); ++k)
        text += ' ' + std::to_string(gridValue(grid[index], k));
    return b.add(indexed("grid", i), "grid", static_cast<float>(index), std::move(text), bits);
}

/// Value k of the entry that an index names.
template <class Entry, std::size_t Entries>
float gridValueOf(const std::array<Entry, Entries> &grid, Field index, std::size_t k)
{
    return static_cast<float>(gridValue(grid[static_cast<std::size_t>(index.value)], k));
}

/// The function that takes a type's block apart, and its formula.
struct FieldReader {
    GgmlType type;
    std::string_view formula;
    void (*read)(FieldBuilder &);
};

std::span<const FieldReader> plainFieldReaders();
std::span<const FieldReader> smallFieldReaders();
std::span<const FieldReader> kFieldReaders();
std::span<const FieldReader> ternaryFieldReaders();
std::span<const FieldReader> iq1FieldReaders();
std::span<const FieldReader> iq23FieldReaders();

} // namespace ql::detail
