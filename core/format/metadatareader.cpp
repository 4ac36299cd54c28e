// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/metadatareader.h"

#include "core/format/arraywalk.h"
#include "core/format/mappedfile.h"
#include "core/format/valuereader.h"
#include "core/model/tensorname.h"
#include "core/model/utf8.h"

#include <string_view>
#include <unordered_map>

namespace ql {

namespace {

/// Keys, names and strings are copied out of the map; a file of many gigabytes must not talk us into
/// a copy of itself.
constexpr std::uint64_t MaxCopiedBytes = std::uint64_t(512) << 20;
constexpr std::uint64_t MaxKeyBytes = 65535; ///< the written specification's limit

class MetadataReader
{
public:
    MetadataReader(ByteReader &reader, const std::shared_ptr<const MappedFile> &file,
                   Findings &findings)
        : m_reader(reader), m_file(file), m_findings(findings)
    {
    }

    Result<MetadataEntry> readEntry(std::uint64_t index)
    {
        MetadataEntry entry;
        entry.offset = m_reader.position();
        const auto key = m_reader.readString();
        if (!key)
            return cutKey(index, entry.offset);
        if (!copies(key->size()))
            return tooLarge(kvField(index, "key"), entry.offset);
        entry.rawKey = *key;
        entry.key = escapeBytes(*key);
        checkKey(entry, index);

        const auto typeAt = m_reader.position();
        const auto type = m_reader.read<std::uint32_t>();
        if (!type)
            return cutType(entry, index, typeAt);
        if (!isKnownValueType(*type))
            return unknownType(entry, index, typeAt, *type);
        entry.type = static_cast<ValueType>(*type);
        auto value = readValue(entry);
        if (!value)
            return tl::unexpected(std::move(value.error()));
        entry.value = std::move(*value);
        return entry;
    }

private:
    bool copies(std::uint64_t bytes)
    {
        m_copied += bytes;
        return m_copied <= MaxCopiedBytes;
    }

    tl::unexpected<Error> tooLarge(std::string field, std::uint64_t offset) const
    {
        return failure("metadata-too-large",
                       "keys and strings up to here take more than " + bytesText(MaxCopiedBytes)
                           + ": this is no model's metadata",
                       std::move(field), offset);
    }

    tl::unexpected<Error> cutKey(std::uint64_t index, std::uint64_t at)
    {
        const auto length = m_reader.readLength();
        auto message = "the file ends inside metadata key " + std::to_string(index);
        if (length)
            message += ": the key says it is " + bytesText(*length) + " long, "
                + bytesText(m_reader.remaining()) + " are left";
        return failure("truncated-metadata", std::move(message), kvField(index, "key"), at);
    }

    tl::unexpected<Error> cutType(const MetadataEntry &entry, std::uint64_t index,
                                  std::uint64_t at) const
    {
        return failure("truncated-metadata",
                       "the file ends before the value of '" + entry.key + "'",
                       kvField(index, "value_type"), at);
    }

    tl::unexpected<Error> unknownType(const MetadataEntry &entry, std::uint64_t index,
                                      std::uint64_t at, std::uint32_t type) const
    {
        return failure("unknown-value-type",
                       "'" + entry.key + "' has the value type " + std::to_string(type)
                           + "; 0 to 12 are known, so what follows can't be located",
                       kvField(index, "value_type"), at);
    }

    void checkKey(const MetadataEntry &entry, std::uint64_t index)
    {
        const auto field = kvField(index, "key");
        if (entry.rawKey.empty())
            m_findings.warning("empty-key", "metadata key " + std::to_string(index) + " is empty",
                               field, entry.offset);
        else if (!isValidUtf8(entry.rawKey))
            m_findings.warning("key-not-utf8", "the key '" + entry.key + "' is not UTF-8", field,
                               entry.offset);
        else if (hidesCharacters(entry.rawKey))
            m_findings.warning("control-characters",
                               "the key '" + entry.key + "' has control characters", field,
                               entry.offset);
        if (entry.rawKey.size() > MaxKeyBytes)
            m_findings.warning("key-too-long",
                               "a key of " + bytesText(entry.rawKey.size()) + "; the limit is "
                                   + std::to_string(MaxKeyBytes),
                               field, entry.offset);
    }

    Result<MetadataValue> readValue(const MetadataEntry &entry)
    {
        const auto at = m_reader.position();
        if (entry.type == ValueType::Array)
            return readArray(entry, at);
        if (entry.type == ValueType::String)
            return readText(entry, at);
        const auto value = readScalar(m_reader, entry.type);
        if (!value)
            return cutValue(entry, at);
        if (const auto *flag = std::get_if<BoolByte>(&*value); flag && flag->byte > 1)
            m_findings.warning("bool-not-0-or-1",
                               "'" + entry.key + "' is a bool stored as " + std::to_string(flag->byte),
                               entry.key, at);
        return *value;
    }

    Result<MetadataValue> readText(const MetadataEntry &entry, std::uint64_t at)
    {
        const auto text = m_reader.readString();
        if (!text)
            return cutValue(entry, at);
        if (!copies(text->size()))
            return tooLarge(entry.key, at);
        return MetadataValue(std::string(*text));
    }

    tl::unexpected<Error> cutValue(const MetadataEntry &entry, std::uint64_t at)
    {
        auto message = "the file ends inside the value of '" + entry.key + "' ("
            + std::string(valueTypeName(entry.type)) + ")";
        if (entry.type == ValueType::String) {
            if (const auto length = m_reader.readLength())
                message += ": it says it is " + std::to_string(*length) + " bytes long, "
                    + bytesText(m_reader.remaining()) + " are left";
        }
        return failure("truncated-metadata", std::move(message), entry.key, at);
    }

    Result<MetadataValue> readArray(const MetadataEntry &entry, std::uint64_t at)
    {
        const auto id = m_reader.read<std::uint32_t>();
        const auto count = id ? m_reader.readLength() : std::nullopt;
        if (!count)
            return cutValue(entry, at);
        if (!isKnownValueType(*id))
            return unknownElement(entry, at, *id);
        const auto type = static_cast<ValueType>(*id);
        const auto start = m_reader.position();
        auto walk = walkArray(m_reader, type, *count, m_walkBudget);
        if (walk.problem != WalkProblem::None)
            return arrayFailure(entry, at, type, *count, walk);
        if (walk.depth > MetadataArray::MaxDepth)
            m_findings.warning("nested-too-deep",
                               "'" + entry.key + "' nests arrays " + std::to_string(walk.depth)
                                   + " deep; only the outer "
                                   + std::to_string(MetadataArray::MaxDepth) + " are shown",
                               entry.key, at);
        return std::make_shared<const MetadataArray>(
            m_file, type, *count, start, m_reader.position() - start, m_reader.bigEndian(),
            m_reader.shortLengths(), std::move(walk.checkpoints));
    }

    tl::unexpected<Error> unknownElement(const MetadataEntry &entry, std::uint64_t at,
                                         std::uint32_t id) const
    {
        return failure("unknown-value-type",
                       "'" + entry.key + "' is an array of elements of type " + std::to_string(id)
                           + "; 0 to 12 are known, so what follows can't be located",
                       entry.key, at);
    }

    tl::unexpected<Error> arrayFailure(const MetadataEntry &entry, std::uint64_t at, ValueType type,
                                       std::uint64_t count, const ArrayWalk &walk) const
    {
        if (walk.problem == WalkProblem::UnknownElement)
            return unknownElement(entry, at, walk.badElementType);
        const auto what = "the array '" + entry.key + "' says it has " + std::to_string(count) + " "
            + std::string(valueTypeName(type)) + " elements";
        if (walk.problem == WalkProblem::TooManyElements)
            return failure("metadata-too-large",
                           what + "; more than " + std::to_string(MaxWalkedElements)
                               + " strings and arrays in one file are not read",
                           entry.key, at);
        return failure("truncated-metadata", what + ", but the file ends before the last of them",
                       entry.key, at);
    }

    ByteReader &m_reader;
    std::shared_ptr<const MappedFile> m_file;
    Findings &m_findings;
    std::uint64_t m_copied = 0;
    std::uint64_t m_walkBudget = MaxWalkedElements;
};

void findDuplicates(const std::vector<MetadataEntry> &entries, Findings &findings)
{
    std::unordered_map<std::string_view, std::uint64_t> seen;
    for (std::uint64_t i = 0; i < entries.size(); ++i) {
        const auto &entry = entries[i];
        const auto [first, isNew] = seen.emplace(entry.rawKey, i);
        if (!isNew)
            findings.warning("duplicate-key",
                             "the key '" + entry.key + "' stands twice: as entry "
                                 + std::to_string(first->second) + " and as entry "
                                 + std::to_string(i) + "; both are shown, the first one counts",
                             entry.key, entry.offset);
    }
}

} // namespace

Result<std::vector<MetadataEntry>> readMetadata(ByteReader &reader,
                                                const std::shared_ptr<const MappedFile> &file,
                                                const GgufHeader &header, Findings &findings)
{
    std::vector<MetadataEntry> entries;
    MetadataReader metadata(reader, file, findings);
    for (std::uint64_t i = 0; i < header.metadataCount; ++i) {
        auto entry = metadata.readEntry(i);
        if (!entry)
            return tl::unexpected(std::move(entry.error()));
        entries.push_back(std::move(*entry));
    }
    findDuplicates(entries, findings);
    return entries;
}

std::uint64_t valueTypeOffset(const MetadataEntry &entry, bool v1)
{
    return entry.offset + (v1 ? 4 : 8) + entry.rawKey.size();
}

std::uint64_t valueOffset(const MetadataEntry &entry, bool v1)
{
    return valueTypeOffset(entry, v1) + 4;
}

} // namespace ql
