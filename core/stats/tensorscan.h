// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/parallel/reduce.h"
#include "core/stats/cutting.h"
#include "core/stats/heatmapsums.h"
#include "core/stats/mapadvice.h"
#include "core/stats/scanpasses.h"
#include "core/stats/tensorstats.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace ql {

/// The groups of a scan, numbered without gaps: all of a view, or a fixed spread of them.
class GroupList
{
public:
    GroupList() = default;
    GroupList(const TensorView &view, std::optional<double> sampleShare);

    std::uint64_t size() const { return m_size; }
    Piece operator[](std::uint64_t i) const { return m_cutting[indexOf(i)]; }
    /// The slab a group lies in; 0 where slabs are too small to be cut at.
    std::uint64_t slabOf(std::uint64_t i) const { return m_cutting.slabOf(indexOf(i)); }
    /// False where several slabs share a group.
    bool endsAtSlabs() const { return m_endsAtSlabs; }
    std::uint64_t weights() const;

private:
    std::uint64_t indexOf(std::uint64_t i) const;

    Cutting m_cutting;
    std::uint64_t m_size = 0;
    std::uint64_t m_step = 1; ///< one of so many groups is looked at
    bool m_endsAtSlabs = true;
};

/// One call of scanTensor: both passes and what they have found so far. T as in scanpasses.h.
template <class T>
class TensorScan
{
public:
    TensorScan(const TensorView &view, const ScanOptions &options, std::stop_token stop,
               const ProgressFn &progress);

    Result<TensorStatsPtr> run();

private:
    struct RangePart {
        RangeSums sums;
        HeatMapPart heat;
    };

    Result<void> checkLimits() const;
    bool runRangePass();
    bool runRangeOnce();
    bool runValuePass();
    bool runTinySlabs();
    void prepareBins();
    void readAhead(std::uint64_t group);
    void mergeRange(std::uint64_t group, RangePart &&part);
    void mergeValues(std::uint64_t group, ValueSums &&part);
    void addTo(Figures &figures, const ValueSums &part) const;
    Figures emptyExpert() const;
    void finish();
    void finishFigures(Figures &figures) const;
    void report(std::uint64_t weights);
    std::vector<Figures> figureSlabs(std::uint64_t first, std::uint64_t last);

    const TensorView &m_view;
    ScanOptions m_options;
    std::stop_token m_stop;
    ProgressFn m_progress; ///< in weights, counted once though they are read twice
    ParallelOptions m_parallel;
    MapAdvice m_advice;
    GroupList m_groups;
    HeatMapGrid m_grid;
    std::optional<HeatMapSums> m_heat;
    int m_exponent = 0;
    std::vector<RangeSums> m_ranges; ///< one a group
    RangeSums m_total;
    BinPlan m_bins;
    std::size_t m_expertBins = 0;
    std::vector<std::uint64_t> m_coreCounts; ///< below, the bins, above
    std::shared_ptr<TensorStats> m_result;
    std::uint64_t m_work = 0;
    std::atomic<std::uint64_t> m_done = 0;
};

extern template class TensorScan<float>;
extern template class TensorScan<double>;

} // namespace ql
