// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace ql {

class ByteReader;
class MappedFile;

enum class ValueType : std::uint32_t {
    U8 = 0, I8 = 1, U16 = 2, I16 = 3, U32 = 4, I32 = 5, F32 = 6, Bool = 7, String = 8, Array = 9,
    U64 = 10, I64 = 11, F64 = 12,
};

/// "u8", "f32", "string" …
std::string_view valueTypeName(ValueType type);

class MetadataArray;

/// A bool as stored: 0 and 1 are the legal ones, anything else is kept.
struct BoolByte {
    std::uint8_t byte = 0;
    bool operator==(const BoolByte &) const = default;
};

/// A value on its own: integers widened, strings as raw bytes (a copy), arrays as lazy views.
using MetadataValue = std::variant<std::uint64_t, std::int64_t, float, double, BoolByte, std::string,
                                   std::shared_ptr<const MetadataArray>>;

/// An array inside the mapped file, read as it is asked for. Opening has walked over it once (its
/// length is known to fit the file); nothing is copied until someone looks. String and nested
/// arrays keep an offset every 64 elements. Thread-safe; reads touch the map, so never on the GUI
/// thread.
class MetadataArray
{
public:
    MetadataArray(std::shared_ptr<const MappedFile> file, ValueType elementType, std::uint64_t count,
                  std::uint64_t offset, std::uint64_t byteSize, bool bigEndian, bool v1,
                  std::vector<std::uint64_t> checkpoints, std::uint32_t depth = 1);

    /// Arrays nested deeper than this are not descended into: at() gives TooDeepText in their
    /// place, so that code which prints values may recurse.
    static constexpr std::uint32_t MaxDepth = 64;
    static constexpr std::string_view TooDeepText = "(nested more than 64 deep)";

    ValueType elementType() const { return m_elementType; }
    std::uint64_t count() const { return m_count; }
    /// Absolute offset of the first element, and the bytes up to the end of the last.
    std::uint64_t offset() const { return m_offset; }
    std::uint64_t byteSize() const { return m_byteSize; }
    bool bigEndian() const { return m_bigEndian; }

    /// Element i; i < count().
    MetadataValue at(std::uint64_t i) const;
    /// Elements [first, first + n), clipped to the array; faster than single calls.
    std::vector<MetadataValue> slice(std::uint64_t first, std::uint64_t n) const;
    /// String arrays: calls visit(i, raw bytes) for elements [first, first + n), without a copy,
    /// until it returns false.
    void forEachString(std::uint64_t first, std::uint64_t n,
                       const std::function<bool(std::uint64_t, std::string_view)> &visit) const;
    /// The elements as they lie in the file.
    std::span<const std::byte> bytes() const;
    bool shortLengths() const { return m_v1; } ///< 32-bit lengths, as in version 1

private:
    ByteReader readerAt(std::uint64_t i) const;
    MetadataValue readElement(ByteReader &reader) const;

    std::shared_ptr<const MappedFile> m_file;
    ValueType m_elementType;
    std::uint64_t m_count;
    std::uint64_t m_offset;
    std::uint64_t m_byteSize;
    bool m_bigEndian;
    bool m_v1; ///< 32-bit lengths
    std::uint32_t m_depth;
    std::vector<std::uint64_t> m_checkpoints; ///< absolute offset of element 64·k
};

struct MetadataEntry {
    std::string rawKey;
    std::string key; ///< escaped; not made unique: a file may hold a key twice and both are shown
    ValueType type = ValueType::U8;
    MetadataValue value;
    std::uint64_t offset = 0; ///< of the key, absolute
    std::uint32_t shard = 0;
};

} // namespace ql
