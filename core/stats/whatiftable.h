// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/modelsummary.h"
#include "core/stats/whatif.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

// The What-if table: tensors by candidate types, measured one after another, one type chosen for
// each, and what that comes to for the whole file.

namespace ql {

/// What to measure.
struct WhatIfOrder {
    std::vector<TensorIndex> tensors;
    std::vector<GgmlType> candidates;
    /// Of larger tensors look at about so many weights, spread evenly; nothing: at all of them.
    std::optional<std::uint64_t> sampleWeights;
};

/// One tensor's answer. values[0] is the type it has now, then one a candidate in their order; no
/// values where `problem` says why.
struct WhatIfRow {
    TensorIndex tensor;
    std::vector<WhatIfValue> values;
    double sampledShare = 1; ///< of its weights that were looked at
    std::string problem;
};
using WhatIfRowPtr = std::shared_ptr<const WhatIfRow>;

/// Measures one tensor of the order. What is wrong with the tensor is the row's problem; an error
/// is only "stopped" or "file-changed". Progress in weights of this tensor.
Result<WhatIfRowPtr> measureRow(const GgufModelPtr &model, TensorIndex tensor, const WhatIfOrder &order,
                                bool lowPriority = false, std::stop_token stop = {},
                                const ProgressFn &progress = {});

/// What the choices come to. Sizes are of the whole file, whatever part of it was measured.
struct WhatIfTotals {
    std::uint64_t bytesNow = 0;
    std::uint64_t bytesThen = 0;
    std::optional<double> bitsNow;  ///< a weight, over all tensors of known size
    std::optional<double> bitsThen;
    std::size_t measured = 0;       ///< tensors
    std::size_t changed = 0;        ///< tensors whose choice is another type
    std::optional<double> relativeRmse; ///< over the measured tensors, unchanged ones with error 0
    std::optional<double> sqnrDb;
    bool estimated = false;         ///< some errors are from samples
};

/// A value: copies share the rows. Rows are in file order, each tensor once; each starts with its present type.
class WhatIfTable
{
public:
    WhatIfTable() = default;
    WhatIfTable(ModelSummaryPtr model, WhatIfOrder order);

    const ModelSummaryPtr &model() const { return m_model; }
    const WhatIfOrder &order() const { return m_order; }
    std::size_t rowCount() const { return m_rows.size(); }
    const TensorInfo &tensor(std::size_t row) const { return m_model->tensors[m_order.tensors[row].value]; }
    /// Null until it has been measured.
    const WhatIfRowPtr &row(std::size_t row) const { return m_rows[row]; }
    std::optional<std::size_t> placeOf(TensorIndex tensor) const;
    /// The row it belongs to; nothing for tensors that were not asked for.
    std::optional<std::size_t> setRow(WhatIfRowPtr row);
    std::size_t measuredCount() const;

    /// Place in the row's values: 0 leaves the tensor as it is.
    std::size_t chosen(std::size_t row) const { return m_chosen[row]; }
    /// Its numbers; nullptr while they are not known.
    const WhatIfValue *chosenValue(std::size_t row) const;
    /// False, and nothing changes, where the row has no such value or it can't be written.
    bool choose(std::size_t row, std::size_t value);
    /// By the candidate's type, kept for rows that are not measured yet.
    void chooseLike(const WhatIfTable &before);

    WhatIfTotals totals() const;
    /// Sizes of the whole file with every measured tensor at its smallest, and at its largest.
    std::uint64_t smallestFile() const;
    std::uint64_t largestFile() const;
    /// Chooses what planBudget() finds for a file of so many bytes; false, and nothing changes,
    /// where nothing fits.
    bool chooseForBudget(std::uint64_t fileBytes);

    /// Measured tensors with the type chosen for them, in file order; with `unchanged`, those too
    /// that stay what they are.
    std::vector<TensorTypeChoice> choices(bool unchanged) const;

private:
    std::uint64_t otherBytes() const;
    template <class Pick>
    std::uint64_t fileBytes(const Pick &pick) const;

    ModelSummaryPtr m_model;
    WhatIfOrder m_order;
    std::vector<WhatIfRowPtr> m_rows;
    std::vector<std::size_t> m_chosen;
};

} // namespace ql
