// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/parallel/reduce.h"
#include "core/stats/grouplist.h"
#include "core/stats/heatmapsums.h"
#include "core/stats/mapadvice.h"
#include "core/stats/scanpasses.h"
#include "core/stats/tensorstats.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace ql {

/// One call of scanTensor, as far as it is the same whatever the strategy: limits, groups, read-ahead,
/// progress, the rule for the bins, and how the result is finished. A strategy derives from it and
/// fills in m_heat, m_result and m_coreCounts.
class ScanFrame
{
public:
    /// `passes` says how often the strategy reads every weight.
    ScanFrame(const TensorView &view, const ScanOptions &options, std::stop_token stop,
              const ProgressFn &progress, unsigned passes);
    virtual ~ScanFrame() = default;
    ScanFrame(const ScanFrame &) = delete;
    ScanFrame &operator=(const ScanFrame &) = delete;

    Result<TensorStatsPtr> run();

protected:
    /// Reads the weights, all passes. False when stopped.
    virtual bool scan() = 0;

    /// Makes m_heat, empty; null where no heat map is asked for. Sums are of weights · 2^-exponent.
    const HeatMapGrid *startHeatMap(int exponent);
    /// A part of the heat map for a group, of memory that others had before: asking the system for more each
    /// time took a tenth of a scan. Thread-safe.
    HeatMapPart newPart(const HeatMapGrid &grid, const Piece &group);
    /// Adds a part to m_heat, where there is one, and keeps its memory.
    void mergeHeat(HeatMapPart &&part);
    /// Call as the work on a group begins: storage reads some groups ahead.
    void readAhead(std::uint64_t group) const;
    /// So many more weights were read.
    void report(std::uint64_t weights);
    /// The work reported so far has to be done again.
    void restartProgress() { m_done = 0; }
    /// Lays out the bins for weights with such a range, mean and standard deviation, and makes the empty
    /// figures that the bins are counted in.
    void prepareBins(const Moments &counts, double mean, double sigma)
    {
        prepareRange(counts);
        prepareCore(mean, sigma);
    }
    /// The same in two steps: all but the core's bins, then these.
    void prepareRange(const Moments &counts);
    void prepareCore(double mean, double sigma);
    /// Finds the edges of the fine bins where there are weights enough to make it worth while.
    void findFineEdges();
    Figures emptyExpert() const;
    bool wantsExperts() const { return m_options.perExpert && m_groups.endsAtSlabs(); }
    /// Slabs too small to be groups are done one by one, after the rest. False when stopped.
    bool runTinySlabs(int exponent);
    /// Adds what two passes found in a group; both have equal bins or the part more.
    static void addTo(Figures &figures, const ValueSums &part);
    static void addCounts(std::vector<std::uint64_t> &total, const std::vector<std::uint32_t> &part);

    const TensorView &m_view;
    const ScanOptions m_options;
    const std::stop_token m_stop;
    const ParallelOptions m_parallel;
    const MapAdvice m_advice;
    const GroupList m_groups;
    const HeatMapGrid m_grid;
    std::optional<HeatMapSums> m_heat;
    BinPlan m_bins;
    std::vector<std::uint64_t> m_coreCounts; ///< below, the bins, above; or empty
    std::shared_ptr<TensorStats> m_result;

private:
    Result<void> checkLimits() const;
    void finish();
    void finishFigures(Figures &figures) const;
    template <class T>
    std::vector<Figures> figureSlabs(std::uint64_t first, std::uint64_t last, int exponent) const;

    const ProgressFn m_progress; ///< in weights, counted once however often they are read
    const std::uint64_t m_passes;
    const std::size_t m_expertBins;
    std::uint64_t m_work = 0;
    std::mutex m_partsMutex;
    std::vector<HeatMapPart> m_parts; ///< to be used again
    std::atomic<std::uint64_t> m_done = 0;
};

} // namespace ql
