// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/ggufmodel.h"
#include "core/parallel/progress.h"
#include "core/stats/comparison.h"
#include "core/stats/requantize.h"

#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace ql {

/// What one tensor would be in one type.
struct WhatIfValue {
    GgmlType wanted{};
    GgmlType type{};            ///< `wanted`, or the fallback where the rows don't fit it
    std::uint64_t bytes = 0;
    double bitsPerWeight = 0;
    bool identical = false;     ///< it has this type already: nothing would change
    bool estimated = false;     ///< errors are over a part of the groups
    ErrorSums errors;           ///< of the weights now against the weights then
    std::optional<std::uint64_t> overflowAt; ///< a scale would be infinite from this element on: can't be written

    bool isFallback() const { return type != wanted; }
};

struct WhatIfOptions {
    unsigned threads = 0;
    bool lowPriority = false;
    /// Look at this share of the tensor alone, spread evenly; the same groups every time.
    std::optional<double> sampleShare;
};

/// Encodes and decodes a tensor in every candidate type, each tile decoded once for all of them.
/// Without a sample the errors are those, bit for bit, that comparing with the written file gives.
/// Same bits for any number of threads. Progress in weights. Errors: NotFiniteCode naming tensor
/// and element, NeedsMatrixCode, "not-decodable", "stopped", "file-changed".
Result<std::vector<WhatIfValue>> measureTypes(const GgufModelPtr &model, TensorIndex tensor,
                                              std::span<const GgmlType> candidates,
                                              const WhatIfOptions &options = {}, std::stop_token stop = {},
                                              const ProgressFn &progress = {});

/// One tensor's choice of types, for the budget.
struct BudgetItem {
    struct Choice {
        GgmlType type{};
        std::uint64_t bytes = 0;
        double cost = 0; ///< squared error over the tensor's energy
    };
    std::vector<Choice> choices; ///< at least one
};

/// Choices of a what-if table: what can be written, fallbacks under their own type.
BudgetItem budgetItem(std::span<const WhatIfValue> values);

struct BudgetPlan {
    std::vector<std::size_t> chosen; ///< index into each item's choices
    std::uint64_t bytes = 0;
    double cost = 0;                 ///< sum over items
    bool fits = false;               ///< false: even the smallest choices are larger than the budget
};

/// Chooses a type for each item so that the sum of costs is small and the bytes stay within the
/// budget. Every item starts at its smallest choice; then, among all steps along the lower convex
/// hulls of (bytes, cost), the one that saves the most cost a byte is taken for as long as it fits.
/// That is optimal but for the last step of each item that no longer fits. Deterministic.
BudgetPlan planBudget(std::span<const BudgetItem> items, std::uint64_t budget);

/// One tensor's type, for tensorTypeArguments.
struct TensorTypeChoice {
    TensorIndex tensor;
    GgmlType type{};
};

/// The choices as arguments of llama-quantize (and of `convert`): pairs "--tensor-type",
/// "^blk\.(0|1)\.attn_q\.weight$=q4_k". Tensors that differ in their layer's number alone share a
/// pattern; no tensor matches two. `tensors` are all of the model's.
std::vector<std::string> tensorTypeArguments(std::span<const TensorInfo> tensors,
                                             std::span<const TensorTypeChoice> choices);
/// The same on one line, quoted for a shell.
std::string tensorTypeCommandLine(std::span<const TensorInfo> tensors, std::span<const TensorTypeChoice> choices);

} // namespace ql
