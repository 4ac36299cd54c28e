// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/metadatadiff.h"

#include <algorithm>
#include <bit>
#include <map>
#include <string>
#include <utility>

namespace ql {

namespace {

using ArrayPtr = std::shared_ptr<const MetadataArray>;

bool areEqual(const MetadataValue &a, const MetadataValue &b);

/// The first index at which two arrays differ; nothing if they don't.
std::optional<std::uint64_t> firstDifference(const MetadataArray &a, const MetadataArray &b)
{
    constexpr std::uint64_t AtOnce = 4096;
    const std::uint64_t common = std::min(a.count(), b.count());
    if (a.elementType() != b.elementType())
        return 0;
    for (std::uint64_t first = 0; first < common; first += AtOnce) {
        const std::uint64_t n = std::min(AtOnce, common - first);
        const auto partA = a.slice(first, n);
        const auto partB = b.slice(first, n);
        const std::size_t m = std::min(partA.size(), partB.size());
        for (std::size_t i = 0; i < m; ++i) {
            if (!areEqual(partA[i], partB[i]))
                return first + i;
        }
        if (m < n)
            return first + m; // the file shrank under the map
    }
    if (a.count() != b.count())
        return common;
    return std::nullopt;
}

/// By value; floats by their bits, so that a NaN equals itself and -0 is not 0.
struct Equal {
    bool operator()(float a, float b) const
    {
        return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
    }
    bool operator()(double a, double b) const
    {
        return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
    }
    bool operator()(const ArrayPtr &a, const ArrayPtr &b) const
    {
        return !firstDifference(*a, *b);
    }
    template <class T>
    bool operator()(const T &a, const T &b) const
    {
        return a == b;
    }
    template <class A, class B>
    bool operator()(const A &, const B &) const
    {
        return false;
    }
};

bool areEqual(const MetadataValue &a, const MetadataValue &b) { return std::visit(Equal{}, a, b); }

std::optional<MetadataChange> changeOf(const GgufModel &a, std::size_t indexA, const GgufModel &b,
                                       std::size_t indexB)
{
    const MetadataEntry &entryA = a.metadata()[indexA];
    const MetadataEntry &entryB = b.metadata()[indexB];
    if (entryA.type == ValueType::Array && entryB.type == ValueType::Array) {
        const auto first = firstDifference(*std::get<ArrayPtr>(entryA.value),
                                           *std::get<ArrayPtr>(entryB.value));
        const bool sameType = std::get<ArrayPtr>(entryA.value)->elementType()
            == std::get<ArrayPtr>(entryB.value)->elementType();
        if (!first && sameType)
            return std::nullopt;
        return MetadataChange{indexA, indexB, first};
    }
    if (entryA.type == entryB.type && areEqual(entryA.value, entryB.value))
        return std::nullopt;
    return MetadataChange{indexA, indexB, std::nullopt};
}

/// A key and which of its occurrences.
using Occurrence = std::pair<std::string_view, std::size_t>;

/// Every shard has split.* of its own: one of each stands for all.
bool isLaterShards(const Occurrence &key) { return key.second > 0 && isSplitKey(key.first); }

std::vector<Occurrence> occurrences(const GgufModel &model)
{
    std::map<std::string_view, std::size_t> seen;
    std::vector<Occurrence> result;
    for (const MetadataEntry &entry : model.metadata())
        result.emplace_back(entry.rawKey, seen[entry.rawKey]++);
    return result;
}

void noteDifferences(MetadataDiff &diff, const GgufModel &a, const GgufModel &b)
{
    const auto matters = [](const GgufModel &model, std::size_t i) {
        return !isSplitKey(model.metadata()[i].rawKey);
    };
    diff.differs = std::ranges::any_of(diff.onlyA, [&](std::size_t i) { return matters(a, i); })
        || std::ranges::any_of(diff.onlyB, [&](std::size_t i) { return matters(b, i); })
        || std::ranges::any_of(diff.changed,
                               [&](const MetadataChange &change) { return matters(a, change.a); });
}

} // namespace

bool isSplitKey(std::string_view rawKey) { return rawKey.starts_with("split."); }

MetadataDiff diffMetadata(const GgufModel &a, const GgufModel &b)
{
    const auto keysA = occurrences(a);
    const auto keysB = occurrences(b);
    std::map<Occurrence, std::size_t> indexInB;
    for (std::size_t i = 0; i < keysB.size(); ++i)
        indexInB.emplace(keysB[i], i);
    MetadataDiff diff;
    std::vector<bool> paired(keysB.size());
    for (std::size_t i = 0; i < keysA.size(); ++i) {
        if (isLaterShards(keysA[i]))
            continue;
        const auto found = indexInB.find(keysA[i]);
        if (found == indexInB.end()) {
            diff.onlyA.push_back(i);
            continue;
        }
        paired[found->second] = true;
        if (const auto change = changeOf(a, i, b, found->second))
            diff.changed.push_back(*change);
    }
    for (std::size_t i = 0; i < keysB.size(); ++i) {
        if (!paired[i] && !isLaterShards(keysB[i]))
            diff.onlyB.push_back(i);
    }
    noteDifferences(diff, a, b);
    return diff;
}

} // namespace ql
