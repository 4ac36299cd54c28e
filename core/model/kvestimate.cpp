// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/kvestimate.h"

#include "core/model/checkedmath.h"

#include <string>
#include <vector>

namespace ql {

namespace {

/// No model has more layers; a longer array is none of head counts.
constexpr std::uint64_t MaxLayers = 100'000;

std::optional<std::uint64_t> unsignedOf(const MetadataValue &value)
{
    if (const auto *u = std::get_if<std::uint64_t>(&value))
        return *u;
    if (const auto *i = std::get_if<std::int64_t>(&value); i && *i >= 0)
        return static_cast<std::uint64_t>(*i);
    return std::nullopt;
}

/// A figure that is one number for all layers or an array of one a layer.
class PerLayer
{
public:
    PerLayer(const GgufModel &model, const std::string &key)
    {
        const auto *entry = model.findMetadata(key);
        if (!entry)
            return;
        m_all = unsignedOf(entry->value);
        const auto *array = std::get_if<std::shared_ptr<const MetadataArray>>(&entry->value);
        if (!array || (*array)->count() > MaxLayers)
            return;
        m_isArray = true;
        for (const auto &value : (*array)->slice(0, (*array)->count()))
            m_each.push_back(unsignedOf(value));
    }

    bool isArray() const { return m_isArray; }
    std::uint64_t size() const { return m_each.size(); }
    std::optional<std::uint64_t> of(std::uint64_t layer) const
    {
        if (!m_isArray)
            return m_all;
        return layer < m_each.size() ? m_each[layer] : std::nullopt;
    }

private:
    std::optional<std::uint64_t> m_all;
    std::vector<std::optional<std::uint64_t>> m_each;
    bool m_isArray = false;
};

class Estimate
{
public:
    Estimate(const GgufModel &model, const std::string &architecture)
        : m_heads(model, architecture + ".attention.head_count"),
          m_kvHeads(model, architecture + ".attention.head_count_kv"),
          m_keyLength(model.metadataUint(architecture + ".attention.key_length")),
          m_valueLength(model.metadataUint(architecture + ".attention.value_length")),
          m_embedding(model.metadataUint(architecture + ".embedding_length"))
    {
        m_layers = model.metadataUint(architecture + ".block_count");
        if (!m_layers && m_kvHeads.isArray())
            m_layers = m_kvHeads.size();
    }

    std::optional<std::uint64_t> sum() const
    {
        if (!m_layers || *m_layers > MaxLayers)
            return std::nullopt;
        std::uint64_t total = 0;
        for (std::uint64_t layer = 0; layer < *m_layers; ++layer) {
            const auto bytes = ofLayer(layer);
            const auto sum = bytes ? checkedAdd(total, *bytes) : std::nullopt;
            if (!sum)
                return std::nullopt;
            total = *sum;
        }
        return total;
    }

private:
    std::optional<std::uint64_t> lengthOf(std::optional<std::uint64_t> length,
                                          std::uint64_t layer) const
    {
        if (length)
            return length;
        const auto heads = m_heads.of(layer);
        if (!m_embedding || !heads || *heads == 0)
            return std::nullopt;
        return *m_embedding / *heads;
    }

    std::optional<std::uint64_t> ofLayer(std::uint64_t layer) const
    {
        const auto kvHeads = m_kvHeads.of(layer);
        if (kvHeads == std::optional<std::uint64_t>(0))
            return 0; // a layer without attention keeps nothing
        const auto key = lengthOf(m_keyLength, layer);
        const auto value = lengthOf(m_valueLength, layer);
        if (!kvHeads || !key || !value)
            return std::nullopt;
        const auto both = checkedAdd(*key, *value);
        const auto weights = both ? checkedMul(*both, *kvHeads) : std::nullopt;
        return weights ? checkedMul(*weights, 2) : std::nullopt;
    }

    PerLayer m_heads;
    PerLayer m_kvHeads;
    std::optional<std::uint64_t> m_keyLength;
    std::optional<std::uint64_t> m_valueLength;
    std::optional<std::uint64_t> m_embedding;
    std::optional<std::uint64_t> m_layers;
};

bool isCausal(const GgufModel &model, const std::string &architecture)
{
    const auto *entry = model.findMetadata(architecture + ".attention.causal");
    const auto *flag = entry ? std::get_if<BoolByte>(&entry->value) : nullptr;
    return !flag || flag->byte != 0;
}

} // namespace

std::optional<std::uint64_t> kvBytesPerTokenF16(const GgufModel &model)
{
    const auto architecture = model.metadataString("general.architecture");
    if (!architecture || !isCausal(model, *architecture))
        return std::nullopt;
    return Estimate(model, *architecture).sum();
}

} // namespace ql
