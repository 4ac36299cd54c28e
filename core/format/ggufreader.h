// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/format/findings.h"
#include "core/model/ggufmodel.h"

#include <memory>
#include <vector>

namespace ql {

/// One file, read: a shard of a model, or all of it. Its tensors' and entries' `shard` is 0.
struct GgufFile {
    ShardInfo shard;
    std::vector<MetadataEntry> metadata;
    std::vector<TensorInfo> tensors;
    std::vector<Warning> warnings;
};

/// Reads header, metadata and tensor table of a mapped file; never its weights. An error where
/// nothing could be shown.
Result<GgufFile> readGguf(const std::shared_ptr<const MappedFile> &file);

} // namespace ql
