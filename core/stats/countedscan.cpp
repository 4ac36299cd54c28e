// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/countedscan.h"

#include <utility>

namespace ql {

namespace {

/// With fewer weights going through the counts takes longer than a second look at the weights. It is the
/// size of an expert that decides, so that its figures are the same bits in its tensor and alone.
constexpr std::uint64_t FewestWeights = 1u << 18;
static_assert(FewestWeights >= TinySlabWeights, "experts must be groups of their own");
/// A worker hands over its counts before they could overflow.
constexpr std::uint64_t MostInWorker = 1u << 31;

} // namespace

bool CountedScan::pays(const TensorView &view)
{
    return canBeTallied(view.type().type) && view.slabRows() * view.columns() >= FewestWeights;
}

CountedScan::CountedScan(const TensorView &view, const ScanOptions &options, std::stop_token stop,
                         const ProgressFn &progress)
    : ScanFrame(view, options, std::move(stop), progress, options.perExpert && view.slabs() > 1 ? 2 : 1)
{
}

bool CountedScan::scan()
{
    return (!figuresSlabs() || runRangePass()) && runCountPass();
}

bool CountedScan::runRangePass()
{
    PatternRange total(infinityOf(type()));
    ScratchPool<TileReader> pool([&] { return std::make_unique<TileReader>(m_view); });
    const bool complete = reduce<PatternRange>(
        m_groups.size(), m_parallel, m_stop,
        [&](std::size_t i) {
            const Piece group = m_groups[i];
            readAhead(i);
            ScratchPool<TileReader>::Loan reader(pool);
            PatternRange range(infinityOf(type()));
            forEachTile(m_view, group, [&](const Piece &tile) { range.add(reader->blocks(tile)); });
            report(group.weights());
            return range;
        },
        [&](std::size_t i, PatternRange &&range) {
            total.merge(range);
            if (m_advice.isLarge())
                m_advice.haveRead(m_groups[i]);
        });
    Moments range;
    if (!total.isEmpty()) {
        range.count = 1; // of so many finite weights the bins need to know no more
        range.min = static_cast<double>(valueOfPattern(type(), total.least())) + 0.0;
        range.max = static_cast<double>(valueOfPattern(type(), total.greatest())) + 0.0;
    }
    prepareRange(range);
    return complete;
}

CountedScan::Scratch::Scratch(const TensorView &view, std::uint32_t cellWeights, bool withHeatMap)
    : m_reader(view)
    , m_strips(view.type(), cellWeights, withHeatMap)
    , m_countStrips(cellWeights == LineWeights ? countStripsOf(view.type().type) : nullptr)
    , m_cellWeights(cellWeights)
    , m_kernels(&scanKernels())
{
}

void CountedScan::Scratch::run(const Piece &group, HeatMapPart *part)
{
    forEachTile(m_reader.view(), group, [&](const Piece &tile) {
        const auto patterns = m_reader.blocks(tile);
        if (!part) {
            m_counter.add(patterns);
            return;
        }
        if (m_countStrips && tile.columns % m_cellWeights == 0) {
            if (m_counter.add(patterns, m_countStrips, m_table)) {
                addStrips(tile, *part);
                return;
            }
        } else {
            m_counter.add(patterns);
        }
        m_strips.sum(tile, m_reader.read<float>(tile), 1.0);
        m_strips.addTo(*part);
    });
}

void CountedScan::Scratch::addStrips(const Piece &tile, HeatMapPart &part)
{
    const std::size_t perRow = tile.columns / m_cellWeights;
    for (std::size_t row = 0; row < tile.rows; ++row)
        part.addTable(*m_kernels, tile.firstRow + row, tile.firstColumn, m_table, row * perRow, perRow, false);
}

bool CountedScan::runCountPass()
{
    const HeatMapGrid *grid = startHeatMap(0);
    ScratchPool<Scratch> pool([&] { return std::make_unique<Scratch>(m_view, m_grid.cellWeights, grid != nullptr); });
    const bool complete = reduce<Part>(
        m_groups.size(), m_parallel, m_stop,
        [&](std::size_t i) {
            const Piece group = m_groups[i];
            readAhead(i);
            ScratchPool<Scratch>::Loan scratch(pool);
            Part part;
            if (grid)
                part.heat = HeatMapPart(*grid, group);
            scratch->run(group, grid ? &part.heat : nullptr);
            if (figuresSlabs())
                figureExpert(i, scratch->counter(), part);
            if (figuresSlabs() || scratch->counter().counted() >= MostInWorker)
                m_totals.take(scratch->counter());
            report(group.weights());
            return part;
        },
        [&](std::size_t i, Part &&part) {
            if (m_heat)
                m_heat->merge(part.heat);
            if (figuresSlabs())
                mergeExpert(i, part);
            m_advice.haveRead(m_groups[i]);
        });
    if (complete)
        finishTotals(tallyOf(pool));
    return complete;
}

/// Of all weights. A single worker's counts, as of small tensors, need no adding up.
Tally CountedScan::tallyOf(ScratchPool<Scratch> &pool)
{
    Scratch *only = nullptr;
    std::size_t workers = 0;
    pool.forAll([&](Scratch &scratch) {
        only = &scratch;
        ++workers;
    });
    if (workers == 1 && m_totals.totals().isEmpty())
        return Tally(type(), only->counter().counts());
    pool.forAll([&](Scratch &scratch) { m_totals.take(scratch.counter()); });
    return Tally(type(), m_totals.totals().counts());
}

bool CountedScan::beginsSlab(std::uint64_t group) const
{
    return group == 0 || m_groups.slabOf(group - 1) != m_groups.slabOf(group);
}

bool CountedScan::endsSlab(std::uint64_t group) const
{
    return group + 1 == m_groups.size() || m_groups.slabOf(group + 1) != m_groups.slabOf(group);
}

Figures CountedScan::figuresOf(const Tally &tally) const
{
    Figures figures = emptyExpert();
    tally.addTo(figures);
    return figures;
}

/// An expert of one group is worked out by the worker that counted it.
void CountedScan::figureExpert(std::uint64_t group, PatternCounter &counter, Part &part) const
{
    const auto counts = counter.counts();
    if (beginsSlab(group) && endsSlab(group))
        part.expert = std::make_unique<Figures>(figuresOf(Tally(type(), counts)));
    else
        part.counts.assign(counts.begin(), counts.end());
}

void CountedScan::mergeExpert(std::uint64_t group, Part &part)
{
    Figures &expert = m_result->experts[m_groups.slabOf(group)];
    if (part.expert) {
        expert = std::move(*part.expert);
        return;
    }
    m_slab.add(part.counts);
    if (!endsSlab(group))
        return;
    expert = figuresOf(Tally(type(), m_slab.counts()));
    m_slab.clear();
}

void CountedScan::finishTotals(const Tally &tally)
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
