// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/lints.h"

#include "core/format/metadatareader.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>

namespace ql {

namespace {

constexpr std::string_view TokenizerPrefix = "tokenizer.ggml.";

class Linter
{
public:
    Linter(const std::vector<ShardInfo> &shards, const std::vector<MetadataEntry> &metadata,
           const std::vector<TensorInfo> &tensors, Findings &findings)
        : m_shards(shards), m_metadata(metadata), m_tensors(tensors), m_findings(findings)
    {
    }

    void lint()
    {
        lintArchitecture();
        lintExperts();
        lintTokenizer();
    }

private:
    const MetadataEntry *find(std::string_view key) const
    {
        const auto entry = std::ranges::find(m_metadata, key, &MetadataEntry::rawKey);
        return entry == m_metadata.end() ? nullptr : &*entry;
    }

    template <class T>
    const T *valueOf(std::string_view key) const
    {
        const auto *entry = find(key);
        return entry ? std::get_if<T>(&entry->value) : nullptr;
    }

    const MetadataArray *arrayOf(std::string_view key) const
    {
        const auto *array = valueOf<std::shared_ptr<const MetadataArray>>(key);
        return array ? array->get() : nullptr;
    }

    std::uint64_t placeOf(const MetadataEntry &entry) const
    {
        return valueOffset(entry, m_shards[entry.shard].version == 1);
    }

    void lintArchitecture()
    {
        constexpr std::string_view Key = "general.architecture";
        const auto *entry = find(Key);
        const auto *kind = valueOf<std::string>("general.type");
        if (entry && entry->type != ValueType::String)
            m_findings.warning("architecture-not-string",
                               "general.architecture is stored as "
                                   + std::string(valueTypeName(entry->type)) + ", not as a string",
                               std::string(Key), placeOf(*entry));
        else if (!entry && !(kind && *kind == "imatrix"))
            m_findings.warning("no-architecture",
                               "the required key general.architecture is missing",
                               std::string(Key));
    }

    void lintExperts()
    {
        const auto *architecture = valueOf<std::string>("general.architecture");
        if (!architecture)
            return;
        const auto *entry = find(*architecture + ".expert_count");
        const auto *said = entry ? std::get_if<std::uint64_t>(&entry->value) : nullptr;
        if (!said)
            return;
        for (const auto &[found, where] : expertCounts()) {
            if (found == *said)
                continue;
            m_findings.warning("expert-count-disagrees",
                               entry->key + " says " + std::to_string(*said) + ", but " + where
                                   + " has " + std::to_string(found)
                                   + " experts; the tensors are trusted",
                               entry->key, placeOf(*entry));
            return;
        }
    }

    /// Expert counts as the tensors have them, each with a name to show: slabs of merged tensors
    /// and the numbers of old one-tensor-an-expert layers.
    std::vector<std::pair<std::uint64_t, std::string>> expertCounts() const
    {
        std::vector<std::pair<std::uint64_t, std::string>> counts;
        std::map<std::pair<std::uint32_t, std::string_view>, std::uint64_t> old;
        for (const auto &info : m_tensors) {
            if (info.experts && info.ne.size() >= 3)
                counts.emplace_back(*info.experts, "'" + info.name + "'");
            if (info.expert && info.layer)
                ++old[{*info.layer, info.role}];
        }
        for (const auto &[group, count] : old)
            counts.emplace_back(count, "layer " + std::to_string(group.first) + " ("
                                           + std::string(group.second) + ")");
        return counts;
    }

    void lintTokenizer()
    {
        const auto *tokens = arrayOf("tokenizer.ggml.tokens");
        if (!tokens)
            return;
        lintTokenArray("tokenizer.ggml.scores", *tokens, {ValueType::F32});
        lintTokenArray("tokenizer.ggml.token_type", *tokens, {ValueType::I32, ValueType::U32});
        if (tokens->elementType() != ValueType::String)
            m_findings.info("token-array-type",
                            "tokenizer.ggml.tokens is an array of "
                                + std::string(valueTypeName(tokens->elementType()))
                                + ", not of strings",
                            "tokenizer.ggml.tokens", placeOf(*find("tokenizer.ggml.tokens")));
        for (const auto &entry : m_metadata)
            lintSpecialId(entry, tokens->count());
        lintMerges();
    }

    /// The first merges only: looking at all would cost as much as opening the file.
    void lintMerges()
    {
        constexpr std::uint64_t Looked = 256;
        const std::string key = "tokenizer.ggml.merges";
        const auto *merges = arrayOf(key);
        if (!merges)
            return;
        merges->forEachString(0, Looked, [&](std::uint64_t i, std::string_view text) {
            if (text.find(' ', 1) != text.npos) // from 1: the first piece may be a space itself
                return true;
            m_findings.info("merge-without-space",
                            "merge " + std::to_string(i)
                                + " is not two pieces with a space between them",
                            key, placeOf(*find(key)));
            return false;
        });
    }

    void lintTokenArray(const std::string &key, const MetadataArray &tokens,
                        std::initializer_list<ValueType> types)
    {
        const auto *array = arrayOf(key);
        if (!array)
            return;
        const auto place = placeOf(*find(key));
        if (std::ranges::find(types, array->elementType()) == types.end())
            m_findings.info("token-array-type",
                            key + " is an array of "
                                + std::string(valueTypeName(array->elementType())) + ", not of "
                                + std::string(valueTypeName(*types.begin())),
                            key, place);
        if (array->count() != tokens.count())
            m_findings.info("token-array-length",
                            key + " has " + std::to_string(array->count()) + " entries for "
                                + std::to_string(tokens.count()) + " tokens",
                            key, place);
    }

    void lintSpecialId(const MetadataEntry &entry, std::uint64_t tokens)
    {
        const std::string_view key = entry.rawKey;
        const auto *id = std::get_if<std::uint64_t>(&entry.value);
        if (!id || !key.starts_with(TokenizerPrefix) || !key.ends_with("_token_id") || *id < tokens)
            return;
        m_findings.info("token-id-out-of-range",
                        entry.key + " is " + std::to_string(*id) + ", but there are only "
                            + std::to_string(tokens) + " tokens",
                        entry.key, placeOf(entry));
    }

    const std::vector<ShardInfo> &m_shards;
    const std::vector<MetadataEntry> &m_metadata;
    const std::vector<TensorInfo> &m_tensors;
    Findings &m_findings;
};

} // namespace

void lintModel(const std::vector<ShardInfo> &shards, const std::vector<MetadataEntry> &metadata,
               const std::vector<TensorInfo> &tensors, Findings &findings)
{
    Linter(shards, metadata, tensors, findings).lint();
}

} // namespace ql
