// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The bodies of CountedScan, for the sources that make one.

#include "core/stats/countedscan.h"

#include <utility>

namespace ql {

template <class Counting>
CountedScan<Counting>::CountedScan(const TensorView &view, const ScanOptions &options, std::stop_token stop,
                                   const ProgressFn &progress)
    : ScanFrame(view, options, std::move(stop), progress, options.perExpert && view.slabs() > 1 ? 2 : 1)
{
}

template <class Counting>
bool CountedScan<Counting>::scan()
{
    return (!figuresSlabs() || runRangePass()) && runCountPass();
}

template <class Counting>
bool CountedScan<Counting>::runRangePass()
{
    Moments total;
    ScratchPool<Range> pool([&] { return std::make_unique<Range>(m_view); });
    const bool complete = reduce<Moments>(
        m_groups.size(), m_parallel, m_stop,
        [&](std::size_t i) {
            const Piece group = m_groups[i];
            readAhead(i);
            typename ScratchPool<Range>::Loan range(pool);
            const Moments found = range->run(group);
            report(group.weights());
            return found;
        },
        [&](std::size_t i, Moments &&range) {
            if (range.finite() > 0 && total.finite() > 0) {
                total.min = std::min(total.min, range.min);
                total.max = std::max(total.max, range.max);
            } else if (range.finite() > 0) {
                total = range;
            }
            if (m_advice.isLarge())
                m_advice.haveRead(m_groups[i]);
        });
    prepareRange(total);
    return complete;
}

template <class Counting>
void CountedScan<Counting>::take(Worker &worker)
{
    {
        const std::lock_guard lock(m_mutex);
        m_totals.add(worker);
    }
    worker.clear();
}

template <class Counting>
bool CountedScan<Counting>::runCountPass()
{
    const HeatMapGrid *grid = startHeatMap(0);
    ScratchPool<Worker> pool([&] { return std::make_unique<Worker>(m_view, m_grid.cellWeights, grid != nullptr); });
    const bool complete = reduce<Part>(
        m_groups.size(), m_parallel, m_stop,
        [&](std::size_t i) {
            Part part;
            const Piece group = m_groups[i];
            readAhead(i);
            typename ScratchPool<Worker>::Loan worker(pool);
            if (grid)
                part.heat = newPart(*grid, group);
            worker->run(group, grid ? &part.heat : nullptr);
            if (figuresSlabs())
                figureExpert(i, *worker, part);
            if (figuresSlabs() || worker->isFull())
                take(*worker);
            report(group.weights());
            return part;
        },
        [&](std::size_t i, Part &&part) {
            mergeHeat(std::move(part.heat));
            if (figuresSlabs())
                mergeExpert(i, part);
            m_advice.haveRead(m_groups[i]);
        });
    if (complete)
        finishTotals(tallyOf(pool));
    return complete;
}

/// Of all weights. A single worker's counts, as of small tensors, need no adding up.
template <class Counting>
Tally CountedScan<Counting>::tallyOf(ScratchPool<Worker> &pool)
{
    Worker *only = nullptr;
    std::size_t workers = 0;
    pool.forAll([&](Worker &worker) {
        only = worker.isEmpty() ? only : &worker;
        workers += !worker.isEmpty();
    });
    if (workers == 1 && m_totals.isEmpty())
        return Counting::tallyOf(*only, type());
    pool.forAll([&](Worker &worker) { take(worker); });
    return m_totals.tally(type());
}

template <class Counting>
bool CountedScan<Counting>::beginsSlab(std::uint64_t group) const
{
    return group == 0 || m_groups.slabOf(group - 1) != m_groups.slabOf(group);
}

template <class Counting>
bool CountedScan<Counting>::endsSlab(std::uint64_t group) const
{
    return group + 1 == m_groups.size() || m_groups.slabOf(group + 1) != m_groups.slabOf(group);
}

template <class Counting>
Figures CountedScan<Counting>::figuresOf(const Tally &tally) const
{
    Figures figures = emptyExpert();
    tally.addTo(figures);
    return figures;
}

/// An expert of one group is worked out by the worker that counted it.
template <class Counting>
void CountedScan<Counting>::figureExpert(std::uint64_t group, Worker &worker, Part &part) const
{
    if (beginsSlab(group) && endsSlab(group))
        part.expert = std::make_unique<Figures>(figuresOf(Counting::tallyOf(worker, type())));
    else
        part.counts.add(worker);
}

template <class Counting>
void CountedScan<Counting>::mergeExpert(std::uint64_t group, Part &part)
{
    Figures &expert = m_result->experts[m_groups.slabOf(group)];
    if (part.expert) {
        expert = std::move(*part.expert);
        return;
    }
    m_slab.add(part.counts);
    if (!endsSlab(group))
        return;
    expert = figuresOf(m_slab.tally(type()));
    m_slab.clear();
}

template <class Counting>
void CountedScan<Counting>::finishTotals(const Tally &tally)
{
    const Moments &moments = tally.moments();
    if (!figuresSlabs())
        prepareRange(moments);
    if (m_options.perExpert && !figuresSlabs())
        m_result->experts.front() = figuresOf(tally);
    prepareCore(moments.meanValue().value_or(0.0), moments.std().value_or(0.0));
    tally.addTo(m_result->figures);
    if (m_result->histogram)
        tally.addTo(*m_result->histogram);
    if (m_bins.coreBins)
        m_coreCounts = tally.coreCounts(m_bins);
}

} // namespace ql
