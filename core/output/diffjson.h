// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/output/json.h"
#include "core/stats/comparison.h"
#include "core/stats/metadatadiff.h"

#include <string>
#include <vector>

namespace ql {

/// What became of one pair.
struct ComparedPair {
    TensorPair pair;
    Result<ComparisonPtr> outcome;
};

/// Everything `diff` prints.
struct ModelDiff {
    MetadataDiff metadata;
    std::vector<ComparedPair> pairs; ///< in A's order
    std::vector<Unpaired> onlyA;
    std::vector<Unpaired> onlyB;
    std::vector<TensorPair> mismatched;
};

struct DiffTotals {
    std::uint64_t compared = 0;
    std::uint64_t identical = 0;
    std::uint64_t failed = 0;  ///< pairs that can't be decoded
    std::uint64_t bytesA = 0;  ///< of the pairs compared
    std::uint64_t bytesB = 0;
    ErrorSums sums;            ///< over the pairs decoded
};
DiffTotals totalsOf(const GgufModel &a, const GgufModel &b, const ModelDiff &diff);

/// The shape that a pair compares: a slab or a half where one side is.
Ne pairShape(const GgufModel &a, const GgufModel &b, const TensorPair &pair);

/// Bytes of the parts that a pair compares.
struct PairBytes {
    std::uint64_t a = 0;
    std::uint64_t b = 0;
};
PairBytes pairBytes(const GgufModel &a, const GgufModel &b, const TensorPair &pair);
/// "gate", "up" or "".
std::string_view pairPart(const TensorPair &pair);

/// The document of `diff --json`.
Json diffJson(const GgufModel &a, const GgufModel &b, const ModelDiff &diff);

} // namespace ql
