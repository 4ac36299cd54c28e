// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/error.h"
#include "core/model/ggufmodel.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ql {

struct ShardSummary {
    std::string path;
    std::uint64_t size = 0;
    std::uint32_t version = 0;
    bool bigEndian = false;
    std::uint64_t alignment = 0;
    std::uint64_t dataOffset = 0;
    std::uint64_t tensors = 0;
};

/// One metadata entry with everything a view shows, copied out of the map.
struct MetadataSummary {
    std::string key;       ///< escaped
    ValueType type = ValueType::U8;
    std::string preview;   ///< one line, escaped; at most about 200 characters; arrays: "[a, b, c, …]"
    std::string text;      ///< strings only: escapeText of the first 1 MiB
    std::uint64_t textBytes = 0; ///< strings only: the length in the file
    std::optional<ValueType> elementType; ///< arrays
    std::optional<std::uint64_t> count;   ///< arrays
    std::uint64_t offset = 0;
    std::uint32_t shard = 0;
};

struct TypeTotal {
    std::uint32_t typeId = 0;
    std::uint64_t tensors = 0;
    std::uint64_t parameters = 0;
    std::uint64_t bytes = 0;
};

struct ModelTotals {
    std::uint64_t tensors = 0;
    std::uint64_t parameters = 0; ///< of sized tensors
    std::uint64_t bytes = 0;      ///< of sized tensors
    std::uint64_t unsized = 0;    ///< tensors whose size is unknown or beyond 64 bits
    std::optional<double> bitsPerWeight;
    std::vector<TypeTotal> byType; ///< most bytes first
};

/// A model as values, without a map behind it: what views and `info` show. Immutable, shared.
struct ModelSummary {
    std::string path;
    std::uint64_t size = 0; ///< of all shards
    std::vector<ShardSummary> shards;
    std::vector<MetadataSummary> metadata;
    std::vector<TensorInfo> tensors;
    std::vector<Warning> warnings;
    ModelTotals totals;
    std::optional<std::uint64_t> kvBytesPerTokenF16;

    std::string name;         ///< general.name, or the file's name
    std::string architecture; ///< "" if the key is missing
    std::string kind;         ///< general.type: model, adapter, mmproj, imatrix, vocab; guessed where missing
    std::string fileType;     ///< label of general.file_type; "" if missing
    bool hasTokenizer = false;
};

using ModelSummaryPtr = std::shared_ptr<const ModelSummary>;

ModelSummaryPtr summarize(const GgufModel &model);

/// Totals over some tensors: "what is shown" under a filter.
ModelTotals totalsOf(const std::vector<TensorInfo> &tensors, const std::vector<TensorIndex> &shown);
ModelTotals totalsOf(const std::vector<TensorInfo> &tensors);

} // namespace ql
