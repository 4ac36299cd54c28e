// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/stats/patterncounter.h"
#include "core/stats/scanframe.h"
#include "core/stats/scratchpool.h"
#include "core/stats/tally.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace ql {

/// The strategy for types of two bytes: one pass counts how often each bit pattern occurs and sums up
/// the heat map; all figures follow from the counts. Figures of experts, whose bins lie on the
/// tensor's range, take a quick look at that range first.
class CountedScan final : public ScanFrame
{
public:
    /// Whether the strategy fits a view and is the faster one.
    static bool pays(const TensorView &view);

    CountedScan(const TensorView &view, const ScanOptions &options, std::stop_token stop,
                const ProgressFn &progress);

private:
    /// What a worker needs.
    class Scratch
    {
    public:
        Scratch(const TensorView &view, std::uint32_t cellWeights, bool withHeatMap);
        /// `part` may be null.
        void run(const Piece &group, HeatMapPart *part);
        PatternCounter &counter() { return m_counter; }

    private:
        void addStrips(const Piece &tile, HeatMapPart &part);

        TileReader m_reader;
        StripReader m_strips;
        PatternCounter m_counter;
        CountStripsFn m_countStrips;
        std::uint32_t m_cellWeights;
        const ScanKernels *m_kernels;
        StripTable m_table;
    };
    /// What is merged in order; of experts either their figures or the counts to go into them.
    struct Part {
        HeatMapPart heat;
        std::unique_ptr<Figures> expert;
        std::vector<std::uint32_t> counts;
    };

    bool scan() override;
    bool runRangePass();
    bool runCountPass();
    Tally tallyOf(ScratchPool<Scratch> &pool);
    void finishTotals(const Tally &tally);
    Figures figuresOf(const Tally &tally) const;
    void figureExpert(std::uint64_t group, PatternCounter &counter, Part &part) const;
    void mergeExpert(std::uint64_t group, Part &part);
    bool beginsSlab(std::uint64_t group) const;
    bool endsSlab(std::uint64_t group) const;

    /// Whether experts have figures of their own; a single one has the tensor's.
    bool figuresSlabs() const { return m_options.perExpert && m_view.slabs() > 1; }
    GgmlType type() const { return m_view.type().type; }

    SharedTotals m_totals;
    PatternTotals m_slab; ///< of the expert being merged
};

} // namespace ql
