// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/metadata.h"

#include "core/format/arraywalk.h"
#include "core/format/bytereader.h"
#include "core/format/mappedfile.h"
#include "core/format/valuereader.h"

#include <algorithm>
#include <array>

namespace ql {

std::string_view valueTypeName(ValueType type)
{
    constexpr std::array<std::string_view, 13> Names = {"u8",   "i8",     "u16",   "i16", "u32",
                                                        "i32",  "f32",    "bool",  "string", "array",
                                                        "u64",  "i64",    "f64"};
    const auto id = static_cast<std::uint32_t>(type);
    return id < Names.size() ? Names[id] : "unknown";
}

MetadataArray::MetadataArray(std::shared_ptr<const MappedFile> file, ValueType elementType,
                             std::uint64_t count, std::uint64_t offset, std::uint64_t byteSize,
                             bool bigEndian, bool v1, std::vector<std::uint64_t> checkpoints,
                             std::uint32_t depth)
    : m_file(std::move(file)), m_elementType(elementType), m_count(count), m_offset(offset),
      m_byteSize(byteSize), m_bigEndian(bigEndian), m_v1(v1), m_depth(depth),
      m_checkpoints(std::move(checkpoints))
{
}

std::span<const std::byte> MetadataArray::bytes() const
{
    return m_file->bytes().subspan(m_offset, m_byteSize);
}

ByteReader MetadataArray::readerAt(std::uint64_t i) const
{
    // Ends with the array: should the bytes change under the map, no length read from them can
    // lead out of it.
    const auto upToEnd = m_file->bytes().first(m_offset + m_byteSize);
    if (const std::uint64_t each = valueBytes(m_elementType))
        return {upToEnd, m_bigEndian, m_v1, m_offset + i * each};
    const auto checkpoint = i / CheckpointStride;
    const bool known = checkpoint < m_checkpoints.size();
    ByteReader reader(upToEnd, m_bigEndian, m_v1,
                      known ? m_checkpoints[checkpoint] : m_offset + m_byteSize);
    std::uint64_t budget = MaxWalkedElements;
    if (m_elementType == ValueType::String)
        walkArray(reader, ValueType::String, i % CheckpointStride, budget);
    else
        walkArray(reader, ValueType::Array, i % CheckpointStride, budget);
    return reader;
}

MetadataValue MetadataArray::readElement(ByteReader &reader) const
{
    if (m_elementType != ValueType::Array)
        return readScalar(reader, m_elementType).value_or(zeroValue(m_elementType));
    const auto id = reader.read<std::uint32_t>().value_or(0);
    const auto count = reader.readLength().value_or(0);
    const auto type = isKnownValueType(id) ? static_cast<ValueType>(id) : ValueType::U8;
    const auto start = reader.position();
    std::uint64_t budget = MaxWalkedElements;
    auto walk = walkArray(reader, type, count, budget);
    if (walk.problem != WalkProblem::None) // only if the file changed since it was opened
        return zeroValue(ValueType::String);
    if (m_depth >= MaxDepth)
        return std::string(TooDeepText);
    return std::make_shared<const MetadataArray>(m_file, type, count, start,
                                                 reader.position() - start, m_bigEndian, m_v1,
                                                 std::move(walk.checkpoints), m_depth + 1);
}

MetadataValue MetadataArray::at(std::uint64_t i) const
{
    auto reader = readerAt(i);
    return readElement(reader);
}

std::vector<MetadataValue> MetadataArray::slice(std::uint64_t first, std::uint64_t n) const
{
    std::vector<MetadataValue> values;
    if (first >= m_count)
        return values;
    n = std::min(n, m_count - first);
    values.reserve(n);
    auto reader = readerAt(first);
    for (std::uint64_t i = 0; i < n; ++i)
        values.push_back(readElement(reader));
    return values;
}

void MetadataArray::forEachString(
    std::uint64_t first, std::uint64_t n,
    const std::function<bool(std::uint64_t, std::string_view)> &visit) const
{
    if (m_elementType != ValueType::String || first >= m_count)
        return;
    auto reader = readerAt(first);
    const auto last = first + std::min(n, m_count - first);
    for (auto i = first; i < last; ++i) {
        if (!visit(i, reader.readString().value_or(std::string_view())))
            return;
    }
}

} // namespace ql
