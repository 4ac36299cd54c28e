// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/ggufmodel.h"

#include "core/format/mappedfile.h"
#include "core/model/tensorname.h"

#include <algorithm>
#include <numeric>

namespace ql {

namespace {

/// Indices of a list in the order of a string member; equal ones stay in the list's order.
template <class T>
std::vector<std::uint32_t> sortedBy(const std::vector<T> &list, std::string T::*member)
{
    std::vector<std::uint32_t> order(list.size());
    std::iota(order.begin(), order.end(), 0u);
    std::ranges::stable_sort(order, {}, [&](std::uint32_t i) -> const std::string & {
        return list[i].*member;
    });
    return order;
}

template <class T>
std::optional<std::uint32_t> findSorted(const std::vector<T> &list,
                                        const std::vector<std::uint32_t> &order,
                                        std::string T::*member, std::string_view wanted)
{
    const auto found = std::ranges::lower_bound(
        order, wanted, {}, [&](std::uint32_t i) { return std::string_view(list[i].*member); });
    if (found == order.end() || list[*found].*member != wanted)
        return std::nullopt;
    return *found;
}

} // namespace

GgufModel::GgufModel(std::string path, std::vector<ShardInfo> shards,
                     std::vector<MetadataEntry> metadata, std::vector<TensorInfo> tensors,
                     std::vector<Warning> warnings)
    : m_path(std::move(path)), m_shards(std::move(shards)), m_metadata(std::move(metadata)),
      m_tensors(std::move(tensors)), m_warnings(std::move(warnings)),
      m_byName(sortedBy(m_tensors, &TensorInfo::name)),
      m_byKey(sortedBy(m_metadata, &MetadataEntry::rawKey))
{
}

std::optional<TensorIndex> GgufModel::findTensor(std::string_view name) const
{
    const auto index = findSorted(m_tensors, m_byName, &TensorInfo::name, name);
    return index ? std::optional(TensorIndex{*index}) : std::nullopt;
}

const MetadataEntry *GgufModel::findMetadata(std::string_view rawKey) const
{
    const auto index = findSorted(m_metadata, m_byKey, &MetadataEntry::rawKey, rawKey);
    return index ? &m_metadata[*index] : nullptr;
}

std::optional<std::string> GgufModel::metadataString(std::string_view rawKey) const
{
    const auto *entry = findMetadata(rawKey);
    const auto *text = entry ? std::get_if<std::string>(&entry->value) : nullptr;
    return text ? std::optional(*text) : std::nullopt;
}

std::optional<std::uint64_t> GgufModel::metadataUint(std::string_view rawKey) const
{
    const auto *entry = findMetadata(rawKey);
    if (!entry)
        return std::nullopt;
    if (const auto *u = std::get_if<std::uint64_t>(&entry->value))
        return *u;
    if (const auto *i = std::get_if<std::int64_t>(&entry->value); i && *i >= 0)
        return static_cast<std::uint64_t>(*i);
    return std::nullopt;
}

bool GgufModel::changedOnDisk() const
{
    return std::ranges::any_of(
        m_shards, [](const ShardInfo &shard) { return shard.file && shard.file->changedOnDisk(); });
}

Error GgufModel::changedError() const
{
    const auto changed = std::ranges::find_if(
        m_shards, [](const ShardInfo &shard) { return shard.file && shard.file->changedOnDisk(); });
    const std::string path = escapeBytes(changed == m_shards.end() ? m_path : changed->path);
    return {"file-changed",
            "'" + path + "' changed on disk since it was opened; reload it to see what it holds now",
            path, std::nullopt};
}

} // namespace ql
