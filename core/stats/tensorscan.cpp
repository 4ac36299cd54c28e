// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/tensorscan.h"

#include "core/stats/scratchpool.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace ql {

namespace {

constexpr std::uint64_t AskedScratchBytes = 24u << 20;

} // namespace

template <class T>
bool TensorScan<T>::scan()
{
    return runRangePass() && runValuePass() && runTinySlabs(m_exponent);
}

template <class T>
bool TensorScan<T>::runRangePass()
{
    if (!runRangeOnce())
        return false;
    if constexpr (std::is_same_v<T, float>)
        return true; // the fourth power of any float is a double's
    // Fourth powers of such weights would leave a double: once more, with all of them scaled.
    constexpr double Large = 0x1p128;
    const double absMax = m_total.counts.absMax().value_or(0.0);
    if (absMax == 0 || (absMax < Large && absMax > 1 / Large))
        return true;
    constexpr int Limit = 1000;
    m_exponent = std::clamp(std::ilogb(absMax), -Limit, Limit);
    restartProgress();
    return runRangeOnce();
}

template <class T>
bool TensorScan<T>::runRangeOnce()
{
    const double factor = std::ldexp(1.0, -m_exponent);
    const HeatMapGrid *grid = startHeatMap(m_exponent);
    m_ranges.assign(m_groups.size(), {});
    m_total = {};
    ScratchPool<RangePass> pool([&] {
        return std::make_unique<RangePass>(m_view, m_grid.cellWeights, grid != nullptr);
    });
    return reduce<RangePart>(
        m_groups.size(), m_parallel, m_stop,
        [&](std::size_t i) {
            const Piece group = m_groups[i];
            readAhead(i);
            typename ScratchPool<RangePass>::Loan pass(pool);
            RangePart part;
            if (grid)
                part.heat = newPart(*grid, group);
            part.sums = pass->template run<T>(group, factor, grid ? &part.heat : nullptr);
            report(group.weights());
            return part;
        },
        [&](std::size_t i, RangePart &&part) { mergeRange(i, std::move(part)); });
}

template <class T>
void TensorScan<T>::mergeRange(std::uint64_t group, RangePart &&part)
{
    m_ranges[group] = part.sums;
    m_total.merge(part.sums);
    mergeHeat(std::move(part.heat));
    if (m_advice.isLarge())
        m_advice.haveRead(m_groups[group]);
}

template <class T>
bool TensorScan<T>::runValuePass()
{
    prepareBins(m_total.counts, std::ldexp(m_total.mean(), m_exponent),
                std::ldexp(std::sqrt(m_total.roughVariance()), m_exponent));
    if constexpr (std::is_same_v<T, float>)
        findFineEdges();
    // Each thread holds a few sets of the bins asked for: fewer threads where those are huge.
    ParallelOptions parallel = m_parallel;
    const std::uint64_t perThread = 4 * 4 * std::max<std::uint64_t>(m_bins.askedBins, 1);
    parallel.threads = static_cast<unsigned>(
        std::clamp<std::uint64_t>(AskedScratchBytes / perThread, 1, threadCount(m_parallel)));
    ScratchPool<ValuePass> pool([&] { return std::make_unique<ValuePass>(m_view, m_bins); });
    return reduce<ValueSums>(
        m_groups.size(), parallel, m_stop,
        [&](std::size_t i) {
            const Piece group = m_groups[i];
            readAhead(i);
            typename ScratchPool<ValuePass>::Loan pass(pool);
            auto sums = pass->template run<T>(group, m_ranges[i], m_exponent);
            report(group.weights());
            return sums;
        },
        [&](std::size_t i, ValueSums &&part) { mergeValues(i, std::move(part)); });
}

template <class T>
void TensorScan<T>::mergeValues(std::uint64_t group, ValueSums &&part)
{
    addTo(m_result->figures, part);
    if (m_result->histogram)
        addCounts(m_result->histogram->counts, part.asked);
    if (m_bins.coreBins)
        addCounts(m_coreCounts, part.core);
    if (wantsExperts())
        addTo(m_result->experts[m_groups.slabOf(group)], part);
    m_advice.haveRead(m_groups[group]);
}

template class TensorScan<float>;
template class TensorScan<double>;

} // namespace ql
