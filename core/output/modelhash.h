// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/ggufmodel.h"
#include "core/output/hashes.h"
#include "core/parallel/progress.h"
#include "core/parallel/reduce.h"

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace ql {

/// What to hash of a model.
struct HashRequest {
    std::vector<HashAlgorithm> algorithms; ///< each once
    bool tensors = true;                   ///< each tensor's data
    bool total = true;                     ///< all tensors' data in table order
    ParallelOptions parallel;
};

/// Digests, one an algorithm in the order of the request.
using Digests = std::vector<std::string>;

struct ModelHashes {
    std::vector<Digests> tensors;       ///< one a tensor; empty for those without bytes
    std::optional<Digests> total;       ///< nothing if any tensor has no bytes
    std::vector<Error> problems;        ///< why some have none
};

/// Errors: "stopped", "file-changed". Progress in bytes hashed.
Result<ModelHashes> hashModel(const GgufModel &model, const HashRequest &request, std::stop_token stop = {},
                              const ProgressFn &progress = {});

/// All bytes of a file, GGUF or not.
Result<Digests> hashFile(const std::string &path, const std::vector<HashAlgorithm> &algorithms,
                         std::stop_token stop = {}, const ProgressFn &progress = {});

/// "sha256    DIGEST  NAME": as gguf-hash prints it. NAME as escapeBytes() gives it; where that has a
/// backslash, another one stands in front of the line, as sha256sum's do.
std::string hashLine(HashAlgorithm algorithm, const std::string &digest, const std::string &name);

} // namespace ql
