// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/error.h"
#include "core/model/metadata.h"
#include "core/model/tensorinfo.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ql {

class MappedFile;

/// One file of a model. A model in one file has one shard.
struct ShardInfo {
    std::string path;
    std::uint64_t size = 0;
    std::uint32_t version = 0;
    bool bigEndian = false;
    std::uint64_t alignment = 32;
    std::uint64_t dataOffset = 0;
    std::uint64_t tensorCount = 0; ///< rows of its own table
    std::shared_ptr<const MappedFile> file;
};

/// An opened model: immutable, owns its maps, shared by every job that works on it.
class GgufModel
{
public:
    GgufModel(std::string path, std::vector<ShardInfo> shards, std::vector<MetadataEntry> metadata,
              std::vector<TensorInfo> tensors, std::vector<Warning> warnings);

    const std::string &path() const { return m_path; } ///< as given
    const std::vector<ShardInfo> &shards() const { return m_shards; }
    const std::vector<MetadataEntry> &metadata() const { return m_metadata; }
    const std::vector<TensorInfo> &tensors() const { return m_tensors; }
    const std::vector<Warning> &warnings() const { return m_warnings; }

    const TensorInfo &tensor(TensorIndex index) const { return m_tensors[index.value]; }
    /// By display name (as JSON prints it, "NAME#2" for the second of two).
    std::optional<TensorIndex> findTensor(std::string_view name) const;
    /// The first entry with this raw key.
    const MetadataEntry *findMetadata(std::string_view rawKey) const;
    /// Shortcuts for the typed look-ups everyone needs; nothing if absent or of another kind.
    std::optional<std::string> metadataString(std::string_view rawKey) const;
    std::optional<std::uint64_t> metadataUint(std::string_view rawKey) const;

    /// True once a page of any shard's map had to be replaced because the file shrank under it,
    /// or its size or modification time is no longer what it was at opening. Costs a stat a shard.
    bool changedOnDisk() const;
    /// The error jobs return when changedOnDisk().
    Error changedError() const;

private:
    std::string m_path;
    std::vector<ShardInfo> m_shards;
    std::vector<MetadataEntry> m_metadata;
    std::vector<TensorInfo> m_tensors;
    std::vector<Warning> m_warnings;
    std::vector<std::uint32_t> m_byName;     ///< tensor indices, sorted by display name
    std::vector<std::uint32_t> m_byKey;      ///< metadata indices, sorted by raw key, first one first
};

using GgufModelPtr = std::shared_ptr<const GgufModel>;

} // namespace ql
