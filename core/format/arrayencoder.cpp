// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/arrayencoder.h"

#include "core/format/arraywalk.h"
#include "core/format/bytereader.h"
#include "core/format/littleendian.h"

#include <algorithm>

namespace ql {

namespace {

constexpr std::size_t PieceBytes = std::size_t(1) << 20;

Result<void> writePieces(std::span<const std::byte> bytes, const GgufWriter::Sink &sink)
{
    while (!bytes.empty()) {
        const auto piece = bytes.first(std::min(bytes.size(), PieceBytes));
        if (auto written = sink(piece); !written)
            return written;
        bytes = bytes.subspan(piece.size());
    }
    return {};
}

/// Goes over an array of another byte order or with short lengths and writes it anew, without
/// recursion: see ArrayWalk.
class Encoder
{
public:
    Encoder(const MetadataArray &array, const GgufWriter::Sink &sink)
        : m_reader(array.bytes(), array.bigEndian(), array.shortLengths()), m_sink(sink)
    {
        m_levels.push_back({array.elementType(), array.count()});
    }

    Result<void> encode()
    {
        while (!m_levels.empty()) {
            const auto level = m_levels.back();
            m_levels.pop_back();
            if (!encodeLevel(level))
                return changed();
            if (m_buffer.size() >= PieceBytes || m_levels.empty()) {
                if (auto written = flush(); !written)
                    return written;
            }
        }
        return {};
    }

private:
    struct Level {
        ValueType type;
        std::uint64_t left;
    };

    Result<void> flush()
    {
        auto written = m_sink(m_buffer);
        m_buffer.clear();
        return written;
    }

    /// Opening has walked over the array: what doesn't fit now has changed since.
    static Result<void> changed()
    {
        return failure("file-changed", "a metadata array changed while it was copied");
    }

    /// One stretch of a level: an element of variable size, or some thousand numbers.
    bool encodeLevel(Level level)
    {
        if (level.left == 0)
            return true;
        const auto n = valueBytes(level.type) ? std::min<std::uint64_t>(level.left, 65536) : 1;
        if (level.left > n)
            m_levels.push_back({level.type, level.left - n});
        if (level.type == ValueType::String)
            return encodeString();
        if (level.type == ValueType::Array)
            return enterArray();
        return encodeNumbers(level.type, n);
    }

    bool encodeString()
    {
        const auto text = m_reader.readString();
        if (!text)
            return false;
        appendLittle<std::uint64_t>(m_buffer, text->size());
        const auto bytes = std::as_bytes(std::span(*text));
        m_buffer.insert(m_buffer.end(), bytes.begin(), bytes.end());
        return true;
    }

    bool enterArray()
    {
        const auto id = m_reader.read<std::uint32_t>();
        const auto count = id ? m_reader.readLength() : std::nullopt;
        if (!count || !isKnownValueType(*id))
            return false;
        appendLittle(m_buffer, *id);
        appendLittle(m_buffer, *count);
        m_levels.push_back({static_cast<ValueType>(*id), *count});
        return true;
    }

    bool encodeNumbers(ValueType type, std::uint64_t n)
    {
        const auto each = valueBytes(type);
        const auto raw = m_reader.readBytes(n * each);
        if (!raw)
            return false;
        const auto bytes = std::as_bytes(std::span(*raw));
        for (std::uint64_t i = 0; i < n; ++i) {
            const auto value = bytes.subspan(i * each, each);
            if (m_reader.bigEndian())
                m_buffer.insert(m_buffer.end(), value.rbegin(), value.rend());
            else
                m_buffer.insert(m_buffer.end(), value.begin(), value.end());
        }
        return true;
    }

    ByteReader m_reader;
    const GgufWriter::Sink &m_sink;
    std::vector<Level> m_levels;
    std::vector<std::byte> m_buffer;
};

} // namespace

Result<void> encodeArray(const MetadataArray &array, const GgufWriter::Sink &sink)
{
    std::vector<std::byte> head;
    appendLittle(head, static_cast<std::uint32_t>(array.elementType()));
    appendLittle(head, array.count());
    if (auto written = sink(head); !written)
        return written;
    if (!array.bigEndian() && !array.shortLengths())
        return writePieces(array.bytes(), sink);
    return Encoder(array, sink).encode();
}

} // namespace ql
