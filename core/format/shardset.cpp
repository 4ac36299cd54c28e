// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/shardset.h"

#include "core/format/ggufreader.h"
#include "core/format/incompleteset.h"
#include "core/format/lints.h"
#include "core/format/mappedfile.h"
#include "core/format/metadatareader.h"
#include "core/format/shardname.h"
#include "core/format/tensortable.h"
#include "core/model/tensorname.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <unistd.h>

namespace ql {

namespace {

constexpr std::string_view CountKey = "split.count";
constexpr std::string_view NumberKey = "split.no";
constexpr std::string_view TensorsKey = "split.tensors.count";
/// Missing files are named one by one up to here.
constexpr std::uint32_t MaxMissingNamed = 20;

Result<GgufFile> readFile(const std::string &path)
{
    auto map = MappedFile::open(path);
    if (!map)
        return tl::unexpected(std::move(map.error()));
    return readGguf(*map);
}

std::string quotedName(const std::string &path)
{
    std::string name = "'";
    name += escapeBytes(fileNameOf(path));
    return name += '\'';
}

const MetadataEntry *find(const GgufFile &file, std::string_view key)
{
    const auto entry = std::ranges::find(file.metadata, key, &MetadataEntry::rawKey);
    return entry == file.metadata.end() ? nullptr : &*entry;
}

std::optional<std::uint64_t> number(const GgufFile &file, std::string_view key)
{
    const auto *entry = find(file, key);
    if (!entry)
        return std::nullopt;
    if (const auto *u = std::get_if<std::uint64_t>(&entry->value))
        return *u;
    if (const auto *i = std::get_if<std::int64_t>(&entry->value); i && *i >= 0)
        return static_cast<std::uint64_t>(*i);
    return std::nullopt;
}

std::uint64_t placeOf(const GgufFile &file, std::string_view key)
{
    return valueOffset(*find(file, key), file.shard.version == 1);
}

/// The shards of one model that could be read, in their order, and what was wrong with the rest.
class ShardSet
{
public:
    explicit ShardSet(std::string path) : m_path(std::move(path)) {}

    Result<GgufModelPtr> open()
    {
        auto named = readFile(m_path);
        const auto name = shardName();
        if (name && name->count > 1 && isSplit(named, *name))
            readSiblings(std::move(named), *name);
        else if (named)
            takeSingle(std::move(*named));
        else
            return tl::unexpected(std::move(named.error()));
        if (m_files.empty())
            return tl::unexpected(std::move(m_namedError));
        return assemble();
    }

private:
    /// By the path given or, where that has no siblings, by the file it is a link to.
    std::optional<ShardName> shardName() const
    {
        auto given = parseShardName(m_path);
        if (given && hasSiblings(*given))
            return given;
        const std::unique_ptr<char, decltype(&std::free)> real(::realpath(m_path.c_str(), nullptr), &std::free);
        auto linked = real ? parseShardName(real.get()) : std::nullopt;
        return linked && hasSiblings(*linked) ? linked : given;
    }

    /// A lone file may happen to be named like a shard.
    static bool isSplit(const Result<GgufFile> &named, const ShardName &name)
    {
        return (named && number(*named, CountKey)) || hasSiblings(name);
    }

    static bool hasSiblings(const ShardName &name)
    {
        for (std::uint32_t i = 1; i <= std::min(name.count, MaxMissingNamed); ++i) {
            if (i != name.number && ::access(name.pathOf(i).c_str(), F_OK) == 0)
                return true;
        }
        return false;
    }

    void takeSingle(GgufFile file)
    {
        const auto count = number(file, CountKey);
        if (count && *count > 1)
            m_findings.warning("split-name",
                               "split.count says that this is one of " + std::to_string(*count)
                                   + " files, but its name does not end in -00001-of-0000N.gguf, so "
                                     "the others can't be found",
                               std::string(CountKey), placeOf(file, CountKey));
        m_haveFirst = true;
        m_files.push_back(std::move(file));
    }

    void readSiblings(Result<GgufFile> named, const ShardName &name)
    {
        for (std::uint32_t i = 1; i <= name.count; ++i) {
            const auto path = name.pathOf(i);
            auto file = i == name.number ? std::move(named) : readFile(path);
            if (!file && i == name.number)
                m_namedError = file.error();
            if (file)
                takeShard(std::move(*file), name, i);
            else
                reportUnread(file.error(), path);
        }
        reportRestOfMissing();
        checkTensorCount(name);
    }

    void takeShard(GgufFile file, const ShardName &name, std::uint32_t i)
    {
        const auto count = number(file, CountKey);
        if (count && *count != name.count)
            m_findings.warning("split-count-wrong",
                               quotedName(file.shard.path) + " says split.count "
                                   + std::to_string(*count) + ", its name says "
                                   + std::to_string(name.count),
                               std::string(CountKey), placeOf(file, CountKey));
        const auto index = number(file, NumberKey);
        if (index && *index != i - 1)
            m_findings.warning("split-number-wrong",
                               quotedName(file.shard.path) + " says split.no "
                                   + std::to_string(*index) + ", by its name it is "
                                   + std::to_string(i - 1),
                               std::string(NumberKey), placeOf(file, NumberKey));
        m_haveFirst = m_haveFirst || i == 1;
        m_files.push_back(std::move(file));
    }

    void reportUnread(const Error &error, const std::string &path)
    {
        const auto field = escapeBytes(fileNameOf(path));
        if (error.code != "file-not-found")
            m_findings.error("shard-unreadable",
                             "the shard '" + field + "' can't be read: " + error.message, field,
                             error.offset);
        else if (m_missing++ < MaxMissingNamed)
            m_findings.error("shard-missing", "the shard '" + field + "' is missing", field);
    }

    void reportRestOfMissing()
    {
        if (m_missing > MaxMissingNamed)
            m_findings.error("shard-missing",
                             std::to_string(m_missing - MaxMissingNamed) + " more shards are missing",
                             std::string(CountKey));
    }

    void checkTensorCount(const ShardName &name)
    {
        std::uint64_t found = 0;
        std::optional<std::uint64_t> said;
        std::uint64_t place = 0;
        for (const auto &file : m_files) {
            found += file.tensors.size();
            if (const auto count = said ? std::nullopt : number(file, TensorsKey)) {
                said = count;
                place = placeOf(file, TensorsKey);
            }
        }
        if (!said || *said == found)
            return;
        const bool whole = m_files.size() == name.count;
        const auto message = "the shards that are here have " + std::to_string(found) + " of the "
            + std::to_string(*said) + " tensors that split.tensors.count names";
        m_findings.add(whole ? Severity::Warning : Severity::Info, "split-tensors-wrong", message,
                       std::string(TensorsKey), place);
    }

    Result<GgufModelPtr> assemble()
    {
        std::vector<ShardInfo> shards;
        std::vector<MetadataEntry> metadata;
        std::vector<TensorInfo> tensors;
        for (auto &file : m_files) {
            const auto index = static_cast<std::uint32_t>(shards.size());
            takeWarnings(file);
            for (auto &entry : file.metadata)
                entry.shard = index;
            for (auto &info : file.tensors)
                info.shard = index;
            std::ranges::move(file.metadata, std::back_inserter(metadata));
            std::ranges::move(file.tensors, std::back_inserter(tensors));
            shards.push_back(std::move(file.shard));
        }
        if (shards.size() > 1)
            reportSharedNames(shards, tensors);
        if (m_haveFirst)
            lintModel(shards, metadata, tensors, m_findings);
        return std::make_shared<const GgufModel>(m_path, std::move(shards), std::move(metadata),
                                                 std::move(tensors), m_findings.take());
    }

    void takeWarnings(GgufFile &file)
    {
        const bool many = m_files.size() > 1;
        for (auto &warning : file.warnings) {
            auto message = many ? quotedName(file.shard.path) + ": " + warning.message
                                : std::move(warning.message);
            m_findings.add(warning.severity, std::move(warning.code), std::move(message),
                           std::move(warning.field), warning.offset);
        }
    }

    void reportSharedNames(const std::vector<ShardInfo> &shards, std::vector<TensorInfo> &tensors)
    {
        for (const auto &[index, first] : makeNamesUnique(tensors)) {
            const auto &info = tensors[index];
            if (info.shard == tensors[first].shard)
                continue; // said when its file was read
            m_findings.warning("duplicate-tensor-name",
                               "the tensor '" + tensors[first].name + "' is in "
                                   + quotedName(shards[tensors[first].shard].path) + " and in "
                                   + quotedName(shards[info.shard].path) + "; the second is listed as '"
                                   + info.name + "'",
                               tensors[first].name);
        }
    }

    std::string m_path;
    std::vector<GgufFile> m_files;
    Findings m_findings;
    Error m_namedError;
    std::uint32_t m_missing = 0;
    bool m_haveFirst = false;
};

} // namespace

Result<GgufModelPtr> openModel(const std::string &path) { return ShardSet(path).open(); }

std::optional<Error> incompleteError(const GgufModel &model)
{
    constexpr std::string_view Codes[] = {"shard-missing", "shard-unreadable", "split-name"};
    const auto leavesOut = [&](const Warning &w) { return std::ranges::find(Codes, w.code) != std::end(Codes); };
    const auto found = std::ranges::find_if(model.warnings(), leavesOut);
    if (found == model.warnings().end())
        return std::nullopt;
    const auto all = model.metadataUint(TensorsKey);
    const std::string here = std::to_string(model.tensors().size());
    const auto others = std::ranges::count_if(model.warnings(), leavesOut) - 1;
    return Error{found->code,
                 found->message + (others > 0 ? ", and " + std::to_string(others) + " more" : "") + ": only "
                     + here + (all ? " of " + std::to_string(*all) : "") + " tensors are here",
                 found->field, found->offset};
}

} // namespace ql
