// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/output/metadataedit.h"

#include "core/model/tensorname.h"

#include <algorithm>
#include <charconv>

namespace ql {

namespace {

constexpr ValueType ScalarTypes[] = {ValueType::U8, ValueType::I8, ValueType::U16, ValueType::I16,
                                     ValueType::U32, ValueType::I32, ValueType::F32, ValueType::Bool,
                                     ValueType::String, ValueType::U64, ValueType::I64, ValueType::F64};

std::optional<ValueType> typeByName(std::string_view name)
{
    const auto found = std::ranges::find(ScalarTypes, name, valueTypeName);
    return found != std::end(ScalarTypes) ? std::optional(*found) : std::nullopt;
}

template <class Stored, class Wide>
std::optional<MetadataValue> parseNumber(std::string_view text)
{
    Stored value{};
    const char *end = text.data() + text.size();
    const auto [stop, problem] = std::from_chars(text.data(), end, value);
    if (problem != std::errc() || stop != end)
        return std::nullopt;
    return MetadataValue(static_cast<Wide>(value));
}

std::optional<MetadataValue> parseBool(std::string_view text)
{
    if (text == "true" || text == "1")
        return MetadataValue(BoolByte{1});
    if (text == "false" || text == "0")
        return MetadataValue(BoolByte{0});
    return std::nullopt;
}

std::optional<MetadataValue> parseValue(ValueType type, std::string_view text)
{
    switch (type) {
    case ValueType::U8: return parseNumber<std::uint8_t, std::uint64_t>(text);
    case ValueType::U16: return parseNumber<std::uint16_t, std::uint64_t>(text);
    case ValueType::U32: return parseNumber<std::uint32_t, std::uint64_t>(text);
    case ValueType::U64: return parseNumber<std::uint64_t, std::uint64_t>(text);
    case ValueType::I8: return parseNumber<std::int8_t, std::int64_t>(text);
    case ValueType::I16: return parseNumber<std::int16_t, std::int64_t>(text);
    case ValueType::I32: return parseNumber<std::int32_t, std::int64_t>(text);
    case ValueType::I64: return parseNumber<std::int64_t, std::int64_t>(text);
    case ValueType::F32: return parseNumber<float, float>(text);
    case ValueType::F64: return parseNumber<double, double>(text);
    case ValueType::Bool: return parseBool(text);
    case ValueType::String: return MetadataValue(unescapeBytes(text));
    case ValueType::Array: break;
    }
    return std::nullopt;
}

/// "KEY:type" taken apart.
struct KeyAndType {
    std::string rawKey;
    std::optional<ValueType> type;
};

/// A colon that no type follows belongs to the key if there is such a key; else it is a slip.
Result<KeyAndType> parseKey(const GgufModel &model, std::string_view text)
{
    const auto colon = text.rfind(':');
    std::string whole = unescapeBytes(text);
    if (colon == std::string_view::npos)
        return KeyAndType{std::move(whole), std::nullopt};
    if (const auto type = typeByName(text.substr(colon + 1)))
        return KeyAndType{unescapeBytes(text.substr(0, colon)), type};
    if (model.findMetadata(whole))
        return KeyAndType{std::move(whole), std::nullopt};
    std::string types;
    for (const ValueType type : ScalarTypes)
        types.append(types.empty() ? "" : " ").append(valueTypeName(type));
    return failure(BadValueCode,
                   "'" + std::string(text.substr(colon + 1)) + "' is no type of a value: " + types
                       + " (a new key with a colon in it needs one behind it)",
                   std::string(text));
}

/// Whether a new file can have the key.
Result<void> checkKey(const std::string &rawKey)
{
    constexpr std::size_t MostBytes = 65535; // as the specification says
    constexpr std::size_t ShownBytes = 60;
    const std::string shown = escapeBytes(rawKey.substr(0, ShownBytes));
    if (rawKey.empty() || rawKey.size() > MostBytes)
        return failure(BadValueCode, "a key of " + std::to_string(rawKey.size()) + " bytes can't be written, only of 1 to "
                                         + std::to_string(MostBytes) + (shown.empty() ? "" : ": '" + shown + "…'"));
    if (rawKey.starts_with("split."))
        return failure(BadValueCode, "'" + shown + "' tells of the parts of a split model, and the new file is whole", shown);
    return {};
}

} // namespace

Result<MetadataEdit> parseMetadataSet(const GgufModel &model, std::string_view text)
{
    const auto equals = text.find('=');
    if (equals == std::string_view::npos || equals == 0)
        return failure(BadValueCode, "'" + std::string(text) + "' is not KEY=VALUE or KEY:type=VALUE");
    const auto key = parseKey(model, text.substr(0, equals));
    if (!key)
        return tl::unexpected(key.error());
    if (auto fine = checkKey(key->rawKey); !fine)
        return tl::unexpected(fine.error());
    const MetadataEntry *existing = model.findMetadata(key->rawKey);
    const ValueType type = key->type ? *key->type : existing ? existing->type : ValueType::String;
    const std::string shown = escapeBytes(key->rawKey);
    if (type == ValueType::Array)
        return failure(BadValueCode, "'" + shown + "' is an array; give a type to put a single value in its place",
                       shown);
    auto value = parseValue(type, text.substr(equals + 1));
    if (!value)
        return failure(BadValueCode,
                       "'" + std::string(text.substr(equals + 1)) + "' is no value of type "
                           + std::string(valueTypeName(type)) + " for '" + shown + "'",
                       shown);
    return MetadataEdit{key->rawKey, GgufEntry{key->rawKey, type, std::move(*value)}, !key->type && !existing};
}

Result<MetadataEdit> parseMetadataUnset(const GgufModel &model, std::string_view key)
{
    const std::string rawKey = unescapeBytes(key);
    if (!model.findMetadata(rawKey))
        return failure(NoSuchKeyCode, "there is no key '" + std::string(key) + "'", std::string(key));
    return MetadataEdit{rawKey, std::nullopt, false};
}

std::vector<GgufEntry> editedMetadata(const GgufModel &model, const std::vector<MetadataEdit> &changes)
{
    std::vector<GgufEntry> metadata = entriesOf(model);
    for (const MetadataEdit &change : changes) {
        if (change.value)
            setMetadata(metadata, *change.value);
        else
            std::erase_if(metadata, [&](const GgufEntry &entry) { return entry.key == change.rawKey; });
    }
    return metadata;
}

void setMetadata(std::vector<GgufEntry> &metadata, GgufEntry entry)
{
    const auto existing = std::ranges::find(metadata, entry.key, &GgufEntry::key);
    if (existing != metadata.end())
        *existing = std::move(entry);
    else
        metadata.push_back(std::move(entry));
}

} // namespace ql
