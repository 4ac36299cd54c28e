// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/stats/comparison.h"
#include "core/stats/tensorstats.h"

#include <functional>
#include <span>

namespace ql {

/// Called once a tensor as its result comes, from any worker thread but never two at a time. What
/// goes wrong with one tensor is its own affair; the others go on.
using TensorScanned = std::function<void(TensorIndex, const Result<TensorStatsPtr> &)>;

/// Scans many tensors of a model as one parallel job: several at once, the largest first, their
/// groups shared out among all threads, so that no core idles while the last is worked off. Every
/// result is bit for bit scanTensor's. Progress is in weights over all tensors, counted once. Error
/// "stopped" when the token asked; tensors that were in work then are not reported.
Result<void> scanTensors(const GgufModelPtr &model, std::span<const TensorIndex> tensors,
                         const ScanOptions &options, const TensorScanned &scanned,
                         std::stop_token stop = {}, const ProgressFn &progress = {});

/// The same for the pairs of two models; the number is the pair's place in `pairs`.
using PairCompared = std::function<void(std::size_t, const Result<ComparisonPtr> &)>;
Result<void> comparePairs(const GgufModelPtr &a, const GgufModelPtr &b, std::span<const TensorPair> pairs,
                          const CompareOptions &options, const PairCompared &compared,
                          std::stop_token stop = {}, const ProgressFn &progress = {});

} // namespace ql
