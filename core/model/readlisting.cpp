// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/readlisting.h"

#include "core/model/tensorname.h"
#include "core/model/valuetext.h"

#include <algorithm>

namespace ql {

namespace {

// Elements decoded at a time: enough to be quick, little enough to stop at once.
constexpr std::uint64_t ChunkElements = 4096;
constexpr std::size_t NestedPreviewBytes = 400;
constexpr std::string_view Prefix = "tokenizer.ggml.";
constexpr std::string_view IdSuffix = "_token_id";

std::string elementText(const MetadataValue &value)
{
    if (std::holds_alternative<std::shared_ptr<const MetadataArray>>(value))
        return valuePreview(value, NestedPreviewBytes);
    return scalarText(value);
}

/// Fills a listing as far as its limits allow, whatever the lengths of single elements.
class Lister
{
public:
    Lister(const MetadataArray &array, const ListingLimits &limits)
        : m_array(array), m_count(std::min(array.count(), limits.elements)), m_room(limits.textBytes),
          m_listing(std::make_shared<ArrayListing>(array.count()))
    {
        m_listing->reserve(m_count);
    }

    /// Null if stopped.
    ArrayListingPtr list(const std::stop_token &stop)
    {
        if (m_array.elementType() == ValueType::String)
            listStrings(stop);
        else
            listValues(stop);
        return stop.stop_requested() ? nullptr : m_listing;
    }

private:
    bool append(std::string_view text)
    {
        if (text.size() > m_room)
            return false;
        m_room -= text.size();
        m_listing->append(text);
        return true;
    }

    // Straight from the map: a string that can't fit is neither copied nor escaped first, it may
    // be as long as its file.
    void listStrings(const std::stop_token &stop)
    {
        m_array.forEachString(0, m_count, [&](std::uint64_t i, std::string_view text) {
            if (i % ChunkElements == 0 && stop.stop_requested())
                return false;
            return text.size() <= m_room && append(escapeBytes(text));
        });
    }

    void listValues(const std::stop_token &stop)
    {
        for (std::uint64_t first = 0; first < m_count && !stop.stop_requested(); first += ChunkElements)
            for (const auto &value : m_array.slice(first, std::min(ChunkElements, m_count - first)))
                if (!append(elementText(value)))
                    return;
    }

    const MetadataArray &m_array;
    std::uint64_t m_count;
    std::size_t m_room;
    std::shared_ptr<ArrayListing> m_listing;
};

tl::unexpected<Error> stopped() { return failure("stopped", "stopped"); }

const MetadataArray *arrayOf(const GgufModel &model, std::string_view key, ValueType elementType)
{
    const MetadataEntry *entry = model.findMetadata(key);
    if (!entry)
        return nullptr;
    const auto *array = std::get_if<std::shared_ptr<const MetadataArray>>(&entry->value);
    return array && (*array)->elementType() == elementType ? array->get() : nullptr;
}

/// All elements as numbers of type T, if the array has elements of this type; else nothing.
template <class Stored, class T>
std::vector<T> numbers(const MetadataArray *array, std::stop_token stop)
{
    std::vector<T> result;
    if (!array)
        return result;
    const std::uint64_t count = std::min(array->count(), ListingLimits().elements);
    for (std::uint64_t first = 0; first < count && !stop.stop_requested(); first += ChunkElements)
        for (const auto &value : array->slice(first, std::min(ChunkElements, count - first)))
            result.push_back(static_cast<T>(std::get<Stored>(value)));
    return result;
}

std::vector<std::int32_t> tokenTypes(const GgufModel &model, std::stop_token stop)
{
    constexpr std::string_view Key = "tokenizer.ggml.token_type";
    if (const auto *array = arrayOf(model, Key, ValueType::I32))
        return numbers<std::int64_t, std::int32_t>(array, stop);
    return numbers<std::uint64_t, std::int32_t>(arrayOf(model, Key, ValueType::U32), stop);
}

std::optional<SpecialToken> specialToken(const MetadataEntry &entry)
{
    std::string_view name = entry.rawKey;
    if (!name.starts_with(Prefix) || !name.ends_with(IdSuffix))
        return std::nullopt;
    name.remove_prefix(Prefix.size());
    name.remove_suffix(IdSuffix.size());
    const auto *id = std::get_if<std::uint64_t>(&entry.value);
    if (!id)
        return std::nullopt;
    return SpecialToken{escapeBytes(name), *id};
}

std::vector<SpecialToken> specialTokens(const GgufModel &model)
{
    std::vector<SpecialToken> result;
    for (const auto &entry : model.metadata())
        if (auto special = specialToken(entry))
            result.push_back(*std::move(special));
    return result;
}

} // namespace

Result<ArrayListingPtr> readListing(const MetadataArray &array, std::stop_token stop, const ListingLimits &limits)
{
    auto listing = Lister(array, limits).list(stop);
    if (!listing)
        return stopped();
    return listing;
}

Result<TokenTablePtr> readTokenTable(const GgufModel &model, std::stop_token stop)
{
    const auto *tokens = arrayOf(model, "tokenizer.ggml.tokens", ValueType::String);
    if (!tokens)
        return failure("no-tokenizer", "the file holds no token list", "tokenizer.ggml.tokens");
    auto table = std::make_shared<TokenTable>();
    table->model = escapeBytes(model.metadataString("tokenizer.ggml.model").value_or(std::string()));
    table->pre = escapeBytes(model.metadataString("tokenizer.ggml.pre").value_or(std::string()));
    const auto listing = readListing(*tokens, stop);
    if (!listing)
        return tl::unexpected(listing.error());
    table->tokens = *listing;
    if (const auto *merges = arrayOf(model, "tokenizer.ggml.merges", ValueType::String)) {
        const auto listed = readListing(*merges, stop);
        if (!listed)
            return tl::unexpected(listed.error());
        table->merges = *listed;
    }
    table->types = tokenTypes(model, stop);
    table->scores = numbers<float, float>(arrayOf(model, "tokenizer.ggml.scores", ValueType::F32), stop);
    table->specials = specialTokens(model);
    if (stop.stop_requested())
        return stopped();
    return table;
}

} // namespace ql
