// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/ggufmodel.h"
#include "core/output/hashes.h"
#include "core/output/modelhash.h"

#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace ql {

/// One line of a manifest.
struct ManifestEntry {
    HashAlgorithm algorithm = HashAlgorithm::Sha256;
    std::string digest;     ///< lower case
    std::string name;       ///< FILE, or FILE:TENSOR
    bool ofFile = false;    ///< sha1sum's and sha256sum's form: the file's bytes
};

struct Manifest {
    std::vector<ManifestEntry> entries;
    std::vector<std::size_t> unreadable; ///< numbers of lines that are neither form
};

/// gguf-hash's lines (algorithm, digest, FILE[:TENSOR]; escaped after a leading backslash, as hashLine()
/// writes them) and those of sha1sum and sha256sum (digest,
/// FILE; binary mark and escaped names too). Empty lines, comments and gguf-hash's UUIDs are skipped.
Manifest parseManifest(std::string_view text);

/// What became of one line that is about the file.
struct Verdict {
    ManifestEntry entry;
    std::string found; ///< the digest now; empty where there is no such tensor
    bool matches() const { return found == entry.digest; }
};

/// Checks the lines about a file: by the file's base name, wherever it stood when the manifest was
/// made; a split model by any of its shards' names. `model` may be null for a file that does not
/// open: its bytes can be checked all the same. A line FILE in gguf-hash's form means all tensor
/// data, or else the file's bytes (as `hash --file` prints them). Errors: "manifest-no-match" where
/// no line is about the file, those of hashModel and hashFile.
Result<std::vector<Verdict>> checkManifest(const Manifest &manifest, const std::string &path,
                                           const GgufModelPtr &model, const std::vector<HashAlgorithm> &only,
                                           const ParallelOptions &parallel = {}, std::stop_token stop = {},
                                           const ProgressFn &progress = {});

inline constexpr const char *ManifestNoMatchCode = "manifest-no-match";

} // namespace ql
