// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/stats/scanframe.h"
#include "core/stats/scratchpool.h"
#include "core/stats/tally.h"

#include <cstdint>
#include <memory>
#include <mutex>

namespace ql {

/// The strategy for types of few different values: one pass counts how often each occurs and sums up the
/// heat map; all figures follow from the counts. Figures of experts, whose bins lie on the tensor's range,
/// take a look at that range first.
///
/// Counting says what is counted:
///   Worker(view, cellWeights, withHeatMap)   what a thread needs
///     run(group, part)                       counts a group; `part` may be null
///     isFull(), isEmpty(), clear()           full: its counts are to be taken before the next group
///   Totals   what several workers counted; holds little before the first add()
///     add(worker), add(totals), isEmpty(), clear(), tally(type)
///   Range(view)   the quick look: run(group) gives Moments of which the least and the greatest weight count
///   tallyOf(worker, type)   without totals
template <class Counting>
class CountedScan final : public ScanFrame
{
public:
    CountedScan(const TensorView &view, const ScanOptions &options, std::stop_token stop,
                const ProgressFn &progress);

private:
    using Worker = typename Counting::Worker;
    using Totals = typename Counting::Totals;
    using Range = typename Counting::Range;

    /// What is merged in order; of experts either their figures or the counts to go into them.
    struct Part {
        HeatMapPart heat;
        std::unique_ptr<Figures> expert;
        Totals counts;
    };

    bool scan() override;
    bool runRangePass();
    bool runCountPass();
    void take(Worker &worker);
    Tally tallyOf(ScratchPool<Worker> &pool);
    void finishTotals(const Tally &tally);
    Figures figuresOf(const Tally &tally) const;
    void figureExpert(std::uint64_t group, Worker &worker, Part &part) const;
    void mergeExpert(std::uint64_t group, Part &part);
    bool beginsSlab(std::uint64_t group) const;
    bool endsSlab(std::uint64_t group) const;

    /// Whether experts have figures of their own; a single one has the tensor's.
    bool figuresSlabs() const { return m_options.perExpert && m_view.slabs() > 1; }
    GgmlType type() const { return m_view.type().type; }

    std::mutex m_mutex;
    Totals m_totals; ///< guarded; the sum of whole numbers is the same in any order
    Totals m_slab; ///< of the expert being merged
};

} // namespace ql
