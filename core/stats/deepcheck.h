// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/tensorview.h"
#include "core/parallel/progress.h"
#include "core/parallel/reduce.h"

#include <optional>
#include <stop_token>
#include <vector>

namespace ql {

/// How often something turned up in a tensor, and where first (a weight's or a row's flattened index,
/// or a block's, counted through all rows).
struct Occurrence {
    std::uint64_t count = 0;
    std::uint64_t first = 0;

    void add(std::uint64_t at)
    {
        if (count++ == 0)
            first = at;
    }
    void merge(const Occurrence &later)
    {
        if (count == 0)
            first = later.first;
        count += later.count;
    }
    bool operator==(const Occurrence &) const = default;
};

struct DeepReport {
    Occurrence nan;
    Occurrence inf;
    Occurrence zeroBlocks; ///< not counted for plain types: a block of theirs is one weight
    Occurrence zeroRows;
};

/// Decodes every weight of a view and looks for what should not be there. Errors: "stopped",
/// "file-changed".
Result<DeepReport> deepCheck(const TensorView &view, const ParallelOptions &options,
                             std::stop_token stop = {}, const ProgressFn &progress = {});

/// The report as findings: NaN and Inf are errors, zero blocks and rows info; one each, with count
/// and first place (block, element).
std::vector<Warning> deepFindings(const TensorView &view, const DeepReport &report);

} // namespace ql
