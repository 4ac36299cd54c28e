// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/error.h"
#include "core/model/ggufmodel.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace ql {

/// A key-value pair to be written. Numbers must fit their type; arrays are views into the file they
/// come from and are streamed from there.
struct GgufEntry {
    std::string key;
    ValueType type = ValueType::U8;
    MetadataValue value;
};

/// A tensor to be written. byteSize must be what type and shape make it; for types whose size we
/// don't know it is taken as it is.
struct GgufTensor {
    std::string name;
    std::uint32_t typeId = 0;
    Ne ne;
    std::uint64_t byteSize = 0;
};

/// Writes a GGUF file: version 3, little-endian, tensors in the order given, each padded to
/// general.alignment. Knows the size of everything before a byte is written. Immutable once made.
class GgufWriter
{
public:
    /// Takes bytes, in order; returns what stopped it.
    using Sink = std::function<Result<void>(std::span<const std::byte>)>;
    /// Hands the little-endian data of tensor i to the sink, in pieces of any size.
    using TensorData = std::function<Result<void>(std::size_t i, const Sink &sink)>;

    /// Refuses what loaders would: keys or names that are empty, too long or stand twice, values
    /// that don't fit their type, shapes of more than four dimensions or of partial blocks, an
    /// alignment that is no power of two from 8 to 2^20.
    static Result<GgufWriter> create(std::vector<GgufEntry> metadata,
                                     std::vector<GgufTensor> tensors);

    const std::vector<GgufEntry> &metadata() const { return m_metadata; }
    const std::vector<GgufTensor> &tensors() const { return m_tensors; }
    std::uint64_t alignment() const { return m_alignment; }
    std::uint64_t dataOffset() const { return m_dataOffset; }
    /// Of tensor i, relative to dataOffset().
    std::uint64_t tensorOffset(std::size_t i) const { return m_offsets[i]; }
    std::uint64_t fileSize() const { return m_fileSize; }

    /// Streams the file; an error of the sink or of the data ends it, so does a tensor that gives
    /// more or fewer bytes than it said.
    Result<void> write(const TensorData &data, const Sink &sink) const;

private:
    GgufWriter() = default;
    Result<void> layOut();
    Result<void> writeHeader(const Sink &sink) const;

    std::vector<GgufEntry> m_metadata;
    std::vector<GgufTensor> m_tensors;
    std::vector<std::uint64_t> m_offsets;
    std::uint64_t m_alignment = 32;
    std::uint64_t m_dataOffset = 0;
    std::uint64_t m_fileSize = 0;
};

/// A model's metadata as it would be written again: without split.*, of equal keys the first one.
std::vector<GgufEntry> entriesOf(const GgufModel &model);
/// A model's tensors; an error where one's size is unknown or not all of it is in its file.
Result<std::vector<GgufTensor>> tensorsOf(const GgufModel &model);
/// The bytes of tensorsOf(model), copied from the map. Refuses big-endian files.
GgufWriter::TensorData storedData(GgufModelPtr model);

} // namespace ql
