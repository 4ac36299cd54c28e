// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/output/hashmanifest.h"

#include "core/model/asciicase.h"
#include "core/model/tensorname.h"

#include <algorithm>
#include <cctype>
#include <map>

namespace ql {

namespace {

bool isHex(std::string_view text)
{
    return std::ranges::all_of(text, [](unsigned char c) { return std::isxdigit(c); });
}

/// Cuts the word before the next blank off the front.
std::string_view takeWord(std::string_view &line)
{
    const auto word = line.substr(0, line.find(' '));
    line.remove_prefix(word.size());
    return word;
}

void skipBlanks(std::string_view &line) { line.remove_prefix(std::min(line.find_first_not_of(' '), line.size())); }

/// sha256sum writes "\DIGEST  NAME" where the name has backslashes or newlines, escaped.
std::string unescapedName(std::string_view name)
{
    std::string plain;
    for (std::size_t i = 0; i < name.size(); ++i) {
        const bool escape = name[i] == '\\' && i + 1 < name.size();
        const char c = escape ? name[++i] : name[i];
        plain += escape && c == 'n' ? '\n' : escape && c == 'r' ? '\r' : c;
    }
    return plain;
}

std::optional<ManifestEntry> ggufHashLine(std::string_view line)
{
    const bool escaped = line.starts_with('\\');
    line.remove_prefix(escaped);
    const auto algorithm = findHash(takeWord(line));
    skipBlanks(line);
    const auto digest = takeWord(line);
    skipBlanks(line);
    if (!algorithm || digest.size() != traits(*algorithm).digestChars || !isHex(digest) || line.empty())
        return std::nullopt;
    return ManifestEntry{*algorithm, lowered(digest), escaped ? unescapeBytes(line) : std::string(line), false};
}

std::optional<ManifestEntry> shaSumLine(std::string_view line)
{
    const bool escaped = line.starts_with('\\');
    line.remove_prefix(escaped);
    const auto digest = takeWord(line);
    const auto row = std::ranges::find(HashTable, digest.size(), &HashTraits::digestChars);
    if (row == HashTable.end() || !isHex(digest) || line.size() < 3)
        return std::nullopt;
    line.remove_prefix(2); // a blank, and a second one or the star of binary mode
    return ManifestEntry{row->algorithm, lowered(digest), escaped ? unescapedName(line) : std::string(line), true};
}

/// Lines that say nothing about bytes.
bool isSkipped(std::string_view line)
{
    return line.empty() || line.starts_with('#') || line.starts_with("uuid");
}

std::string baseName(const std::string &path) { return path.substr(path.rfind('/') + 1); }

/// What of a file an entry is about.
struct About {
    std::optional<std::string> tensor; ///< whose name may be empty; nothing: all of the file
};

/// Nothing if it is another file's.
std::optional<About> aboutFile(const std::string &name, const std::string &base)
{
    for (auto at = name.find(base); at != std::string::npos; at = name.find(base, at + 1)) {
        const std::string rest = name.substr(at + base.size());
        const bool wholeWord = at == 0 || name[at - 1] == '/';
        if (wholeWord && rest.empty())
            return About();
        if (wholeWord && rest[0] == ':')
            return About{rest.substr(1)};
    }
    return std::nullopt;
}

/// Answers for the lines of one manifest; hashes what is asked for once.
class Checking
{
public:
    Checking(const std::string &path, GgufModelPtr model, const ParallelOptions &parallel, std::stop_token stop,
             const ProgressFn &progress)
        : m_model(std::move(model)), m_parallel(parallel), m_stop(std::move(stop)), m_progress(progress)
    {
        m_files.push_back(path);
        if (m_model && m_model->shards().size() > 1) {
            for (const ShardInfo &shard : m_model->shards())
                m_files.push_back(shard.path);
        }
    }

    /// Nothing if the entry is about another file.
    Result<std::optional<Verdict>> check(const ManifestEntry &entry)
    {
        for (const std::string &file : m_files) {
            const auto about = aboutFile(entry.name, baseName(file));
            if (!about)
                continue;
            auto found = entry.ofFile ? fileDigest(file, entry.algorithm) : dataDigest(file, about->tensor, entry);
            if (!found)
                return tl::unexpected(found.error());
            return Verdict{entry, std::move(*found)};
        }
        return std::nullopt;
    }

private:
    Result<std::string> dataDigest(const std::string &file, const std::optional<std::string> &tensor,
                                   const ManifestEntry &entry)
    {
        if (!m_model)
            return !tensor ? fileDigest(file, entry.algorithm) : Result<std::string>();
        const auto hashes = modelHashes(entry.algorithm, tensor.has_value());
        if (!hashes)
            return tl::unexpected(hashes.error());
        if (tensor)
            return tensorDigest(**hashes, *tensor);
        std::string total = (*hashes)->total ? (*hashes)->total->front() : std::string();
        if (total == entry.digest)
            return total;
        auto whole = fileDigest(file, entry.algorithm);
        return whole && *whole == entry.digest ? whole : total;
    }

    std::string tensorDigest(const ModelHashes &hashes, const std::string &name) const
    {
        for (std::size_t i = 0; i < hashes.tensors.size(); ++i) {
            const TensorInfo &tensor = m_model->tensors()[i];
            if (tensor.name == name || tensor.rawName == name || unescapeBytes(tensor.name) == name)
                return hashes.tensors[i].empty() ? std::string() : hashes.tensors[i].front();
        }
        return {};
    }

    Result<const ModelHashes *> modelHashes(HashAlgorithm algorithm, bool tensors)
    {
        const auto key = std::pair(algorithm, tensors);
        if (!m_hashes.contains(key)) {
            auto hashes = hashModel(*m_model, {{algorithm}, tensors, !tensors, m_parallel}, m_stop, m_progress);
            if (!hashes)
                return tl::unexpected(hashes.error());
            m_hashes[key] = std::move(*hashes);
        }
        return &m_hashes[key];
    }

    Result<std::string> fileDigest(const std::string &file, HashAlgorithm algorithm)
    {
        std::string &digest = m_digests[{file, algorithm}];
        if (digest.empty()) {
            auto digests = hashFile(file, {algorithm}, m_stop, m_progress);
            if (!digests)
                return tl::unexpected(digests.error());
            digest = digests->front();
        }
        return digest;
    }

    GgufModelPtr m_model;
    ParallelOptions m_parallel;
    std::stop_token m_stop;
    const ProgressFn &m_progress;
    std::vector<std::string> m_files;
    std::map<std::pair<HashAlgorithm, bool>, ModelHashes> m_hashes;
    std::map<std::pair<std::string, HashAlgorithm>, std::string> m_digests;
};

} // namespace

Manifest parseManifest(std::string_view text)
{
    Manifest manifest;
    for (std::size_t number = 1; !text.empty(); ++number) {
        const auto end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (line.ends_with('\r'))
            line.remove_suffix(1);
        if (isSkipped(line))
            continue;
        auto entry = ggufHashLine(line);
        if (!entry)
            entry = shaSumLine(line);
        if (entry)
            manifest.entries.push_back(std::move(*entry));
        else
            manifest.unreadable.push_back(number);
    }
    return manifest;
}

Result<std::vector<Verdict>> checkManifest(const Manifest &manifest, const std::string &path,
                                           const GgufModelPtr &model, const std::vector<HashAlgorithm> &only,
                                           const ParallelOptions &parallel, std::stop_token stop,
                                           const ProgressFn &progress)
{
    Checking checking(path, model, parallel, std::move(stop), progress);
    std::vector<Verdict> verdicts;
    for (const ManifestEntry &entry : manifest.entries) {
        if (!only.empty() && std::ranges::find(only, entry.algorithm) == only.end())
            continue;
        auto verdict = checking.check(entry);
        if (!verdict)
            return tl::unexpected(verdict.error());
        if (*verdict)
            verdicts.push_back(std::move(**verdict));
    }
    if (verdicts.empty())
        return failure(ManifestNoMatchCode, "no line of the manifest is about '" + escapeBytes(baseName(path)) + "'",
                       escapeBytes(path));
    return verdicts;
}

} // namespace ql
