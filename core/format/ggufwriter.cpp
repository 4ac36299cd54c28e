// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/ggufwriter.h"

#include "core/format/arrayencoder.h"
#include "core/format/findings.h"
#include "core/format/ggufcheck.h"
#include "core/format/littleendian.h"
#include "core/format/mappedfile.h"
#include "core/format/tensorlayout.h"
#include "core/model/checkedmath.h"
#include "core/model/tensorname.h"

#include <algorithm>
#include <unordered_set>

namespace ql {

namespace {

constexpr std::size_t BufferBytes = std::size_t(256) << 10;
constexpr std::size_t CopyBytes = std::size_t(4) << 20;
constexpr std::uint32_t WrittenVersion = 3;

/// Collects small pieces, so that the sink sees few calls; counts all bytes.
class Output
{
public:
    explicit Output(const GgufWriter::Sink &sink) : m_sink(sink) { m_buffer.reserve(BufferBytes); }

    template <class T>
    void number(T value)
    {
        appendLittle(m_buffer, value);
    }
    void text(std::string_view text)
    {
        number<std::uint64_t>(text.size());
        const auto bytes = std::as_bytes(std::span(text));
        m_buffer.insert(m_buffer.end(), bytes.begin(), bytes.end());
    }
    void zeros(std::uint64_t n) { m_buffer.resize(m_buffer.size() + n); }

    std::uint64_t written() const { return m_written + m_buffer.size(); }

    Result<void> flushIfFull() { return m_buffer.size() < BufferBytes ? Result<void>() : flush(); }
    Result<void> flush()
    {
        if (m_buffer.empty())
            return {};
        m_written += m_buffer.size();
        auto written = m_sink(m_buffer);
        m_buffer.clear();
        return written;
    }
    /// Larger pieces go through as they are.
    Result<void> bytes(std::span<const std::byte> bytes)
    {
        if (bytes.size() < BufferBytes) {
            m_buffer.insert(m_buffer.end(), bytes.begin(), bytes.end());
            return flushIfFull();
        }
        if (auto written = flush(); !written)
            return written;
        m_written += bytes.size();
        return m_sink(bytes);
    }

private:
    const GgufWriter::Sink &m_sink;
    std::vector<std::byte> m_buffer;
    std::uint64_t m_written = 0;
};

/// Integers are stored in the type's width; whyNotWritable has seen to it that they fit.
template <class T>
void writeInteger(Output &out, const MetadataValue &value)
{
    if (const auto *u = std::get_if<std::uint64_t>(&value))
        out.number(static_cast<T>(*u));
    else
        out.number(static_cast<T>(std::get<std::int64_t>(value)));
}

Result<void> writeValue(Output &out, const GgufEntry &entry)
{
    switch (entry.type) {
    case ValueType::U8:
    case ValueType::I8: writeInteger<std::uint8_t>(out, entry.value); break;
    case ValueType::U16:
    case ValueType::I16: writeInteger<std::uint16_t>(out, entry.value); break;
    case ValueType::U32:
    case ValueType::I32: writeInteger<std::uint32_t>(out, entry.value); break;
    case ValueType::U64:
    case ValueType::I64: writeInteger<std::uint64_t>(out, entry.value); break;
    case ValueType::F32: out.number(std::get<float>(entry.value)); break;
    case ValueType::F64: out.number(std::get<double>(entry.value)); break;
    case ValueType::Bool: out.number(std::get<BoolByte>(entry.value).byte); break;
    case ValueType::String: out.text(std::get<std::string>(entry.value)); break;
    case ValueType::Array:
        return encodeArray(*std::get<std::shared_ptr<const MetadataArray>>(entry.value),
                           [&](std::span<const std::byte> bytes) { return out.bytes(bytes); });
    }
    return out.flushIfFull();
}

std::uint64_t paddingTo(std::uint64_t position, std::uint64_t alignment)
{
    return (alignment - position % alignment) % alignment;
}

Result<void> wrongSize(const GgufTensor &tensor, std::uint64_t given)
{
    const auto name = escapeBytes(tensor.name);
    return failure("wrong-size",
                   "tensor '" + name + "' gave " + bytesText(given) + " in place of "
                       + bytesText(tensor.byteSize),
                   name);
}

Result<void> writeTensor(Output &out, const GgufTensor &tensor, std::size_t index,
                         const GgufWriter::TensorData &data)
{
    const auto start = out.written();
    // Stops at the first byte too many: whoever reads the file trusts the offsets.
    auto given = data(index, [&](std::span<const std::byte> bytes) -> Result<void> {
        const auto before = out.written() - start;
        if (bytes.size() > tensor.byteSize - before)
            return wrongSize(tensor, before + bytes.size());
        return out.bytes(bytes);
    });
    if (!given)
        return given;
    if (out.written() - start != tensor.byteSize)
        return wrongSize(tensor, out.written() - start);
    return {};
}

bool isSplitKey(std::string_view key) { return key.starts_with("split."); }

} // namespace

Result<GgufWriter> GgufWriter::create(std::vector<GgufEntry> metadata,
                                      std::vector<GgufTensor> tensors)
{
    if (auto error = whyNotWritable(metadata))
        return tl::unexpected(std::move(*error));
    if (auto error = whyNotWritable(tensors))
        return tl::unexpected(std::move(*error));
    const auto alignment = alignmentOf(metadata);
    if (!alignment)
        return tl::unexpected(alignment.error());
    GgufWriter writer;
    writer.m_metadata = std::move(metadata);
    writer.m_tensors = std::move(tensors);
    writer.m_alignment = *alignment;
    if (auto laidOut = writer.layOut(); !laidOut)
        return tl::unexpected(std::move(laidOut.error()));
    return writer;
}

Result<void> GgufWriter::layOut()
{
    std::uint64_t end = 0;
    m_offsets.clear();
    for (const auto &tensor : m_tensors) {
        m_offsets.push_back(end);
        const auto behind = checkedAdd(end, tensor.byteSize);
        const auto padded = behind ? alignUp(*behind, m_alignment) : std::nullopt;
        if (!padded)
            return failure("bad-shape", "the tensors add up to more than 64 bits can count");
        end = *padded;
    }
    std::uint64_t header = 0;
    const auto counted = writeHeader([&](std::span<const std::byte> bytes) -> Result<void> {
        header += bytes.size();
        return {};
    });
    if (!counted)
        return counted;
    m_dataOffset = header;
    m_fileSize = header + end;
    return {};
}

Result<void> GgufWriter::writeHeader(const Sink &sink) const
{
    Output out(sink);
    for (const char c : {'G', 'G', 'U', 'F'})
        out.number(c);
    out.number(WrittenVersion);
    out.number<std::uint64_t>(m_tensors.size());
    out.number<std::uint64_t>(m_metadata.size());
    for (const auto &entry : m_metadata) {
        out.text(entry.key);
        out.number(static_cast<std::uint32_t>(entry.type));
        if (auto written = writeValue(out, entry); !written)
            return written;
    }
    for (std::size_t i = 0; i < m_tensors.size(); ++i) {
        const auto &tensor = m_tensors[i];
        out.text(tensor.name);
        out.number(static_cast<std::uint32_t>(tensor.ne.size()));
        for (const auto dim : tensor.ne.dims())
            out.number(dim);
        out.number(tensor.typeId);
        out.number(m_offsets[i]);
        if (auto written = out.flushIfFull(); !written)
            return written;
    }
    out.zeros(paddingTo(out.written(), m_alignment));
    return out.flush();
}

Result<void> GgufWriter::write(const TensorData &data, const Sink &sink) const
{
    if (auto written = writeHeader(sink); !written)
        return written;
    Output out(sink);
    for (std::size_t i = 0; i < m_tensors.size(); ++i) {
        if (auto written = writeTensor(out, m_tensors[i], i, data); !written)
            return written;
        out.zeros(paddingTo(m_tensors[i].byteSize, m_alignment));
    }
    return out.flush();
}

std::vector<GgufEntry> entriesOf(const GgufModel &model)
{
    std::vector<GgufEntry> entries;
    std::unordered_set<std::string_view> seen;
    for (const auto &entry : model.metadata()) {
        if (!isSplitKey(entry.rawKey) && seen.insert(entry.rawKey).second)
            entries.push_back({entry.rawKey, entry.type, entry.value});
    }
    return entries;
}

Result<std::vector<GgufTensor>> tensorsOf(const GgufModel &model)
{
    std::vector<GgufTensor> tensors;
    for (const auto &info : model.tensors()) {
        const auto fileSize = model.shards()[info.shard].size;
        if (!info.byteSize || !info.absoluteOffset || *info.absoluteOffset > fileSize
            || *info.byteSize > fileSize - *info.absoluteOffset)
            return failure("no-data",
                           "tensor '" + info.name + "' can't be copied: "
                               + (info.problem.empty() ? "its size is not known" : info.problem),
                           info.name);
        tensors.push_back({info.rawName, info.typeId, info.ne, *info.byteSize});
    }
    return tensors;
}

GgufWriter::TensorData storedData(GgufModelPtr model)
{
    return [model = std::move(model)](std::size_t i, const GgufWriter::Sink &sink) -> Result<void> {
        const auto &info = model->tensors()[i];
        const auto &shard = model->shards()[info.shard];
        if (shard.bigEndian)
            return failure("big-endian", "tensor '" + info.name + "' is big-endian: it can't be copied "
                                         "into a little-endian file as it is",
                           info.name);
        auto bytes = shard.file->bytes().subspan(*info.absoluteOffset, *info.byteSize);
        while (!bytes.empty()) {
            const auto piece = bytes.first(std::min(bytes.size(), CopyBytes));
            if (auto written = sink(piece); !written)
                return written;
            if (shard.file->faulted())
                return tl::unexpected(model->changedError());
            bytes = bytes.subspan(piece.size());
        }
        return {};
    };
}

} // namespace ql
