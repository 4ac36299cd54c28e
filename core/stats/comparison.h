// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/modelsummary.h"
#include "core/model/tensorview.h"
#include "core/parallel/progress.h"
#include "core/stats/heatmap.h"
#include "core/stats/histogram.h"

#include <array>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace ql {

/// Which weights of A go with which of B.
struct TensorPair {
    TensorIndex a;
    TensorIndex b;
    std::optional<std::uint64_t> expertA; ///< a slab of A, where A is merged and B one tensor an expert
    std::optional<std::uint64_t> expertB;
    enum class Half { Whole, Gate, Up };
    Half halfA = Half::Whole; ///< of a fused gate_up in A
    Half halfB = Half::Whole;

    bool operator==(const TensorPair &) const = default;
};

struct Unpaired {
    TensorIndex tensor;
    std::string hint; ///< "tied to token_embd.weight" or ""
};

struct Pairing {
    std::vector<TensorPair> pairs; ///< in A's order
    std::vector<Unpaired> onlyA;
    std::vector<Unpaired> onlyB;
    std::vector<TensorPair> mismatched; ///< same name, other shape: listed, never compared
};

Pairing pairTensors(const GgufModel &a, const GgufModel &b);

/// Sums behind the measures of one pair (or slab), over pairs of finite weights; mergeable.
struct ErrorSums {
    std::uint64_t count = 0;
    std::uint64_t nonfinite = 0; ///< pairs with a NaN or Inf on either side, left out of the sums
    double sumSqError = 0;
    double sumAbsError = 0;
    double sumSqA = 0;
    double sumSqB = 0;
    double sumAB = 0;
    double maxAbsError = 0;
    std::uint64_t maxAt = 0; ///< flattened index in the pair (of an expert: in its slab), the first in file order

    std::uint64_t compared() const { return count - nonfinite; }
    void merge(const ErrorSums &other); ///< other comes later in file order

    std::optional<double> rmse() const;
    std::optional<double> relativeRmse() const; ///< rmse / rms of A; nothing where A is all zero
    std::optional<double> meanAbsError() const;
    std::optional<double> cosine() const;       ///< nothing where a side is all zero
    std::optional<double> sqnrDb() const;       ///< nothing where A or the error is all zero
};

struct Comparison {
    bool identical = false; ///< same type, shape and bytes: not decoded
    ErrorSums sums;
    std::vector<ErrorSums> experts;      ///< a slab each, if asked for
    std::optional<Histogram> errorHistogram; ///< of a - b, FineBins
    std::optional<HeatMap> heatA, heatB, heatError; ///< one grid for all three; error: RMS and max of a - b
};
using ComparisonPtr = std::shared_ptr<const Comparison>;

/// A, B and their error over one window, in one grid.
struct PairMaps {
    HeatMap a, b, error;
};
using PairMapsPtr = std::shared_ptr<const PairMaps>;

struct CompareOptions {
    bool perExpert = false;
    bool heatMaps = false;
    bool errorHistogram = false;
    unsigned threads = 0;
    bool lowPriority = false;
};

/// One pass over both sides (two with an error histogram). Same bits for any number of threads.
/// Identical pairs are decoded only where heat maps or an error histogram are asked for; whole tensors
/// that can't be decoded are still identical where their bytes are. Progress is in pairs. Errors:
/// those of TensorView, "shapes-differ", "too-many-slabs" (MaxSlabs), "file-changed", "stopped",
/// "out-of-memory".
Result<ComparisonPtr> comparePair(const GgufModelPtr &a, const GgufModelPtr &b, const TensorPair &pair,
                                  const CompareOptions &options, std::stop_token stop = {},
                                  const ProgressFn &progress = {});

/// The heat maps of a part of a pair, in rows and weights of the pair, as fine as HeatMap's limits
/// allow; the window is cut to whole cell columns. Equal cells have equal bits for any number of
/// threads. Errors as comparePair's.
Result<PairMapsPtr> comparePairMaps(const GgufModelPtr &a, const GgufModelPtr &b, const TensorPair &pair,
                                    const HeatMapWindow &window, unsigned threads = 0,
                                    std::stop_token stop = {}, const ProgressFn &progress = {});

} // namespace ql
