// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/patterncounting.h"

#include "core/stats/countedscan-inl.h"

namespace ql {

namespace {

/// With fewer weights going through the counts takes longer than a second look at the weights. It is the
/// size of an expert that decides, so that its figures are the same bits in its tensor and alone.
constexpr std::uint64_t FewestWeights = 1u << 18;
static_assert(FewestWeights >= TinySlabWeights, "experts must be groups of their own");
/// A worker hands over its counts before they could overflow.
constexpr std::uint64_t MostInWorker = 1u << 31;

} // namespace

bool PatternCounting::pays(const TensorView &view)
{
    return canBeTallied(view.type().type) && view.slabRows() * view.columns() >= FewestWeights;
}

PatternCounting::Worker::Worker(const TensorView &view, std::uint32_t cellWeights, bool withHeatMap)
    : m_reader(view)
    , m_strips(view.type(), cellWeights, withHeatMap)
    , m_countStrips(cellWeights == LineWeights ? countStripsOf(view.type().type) : nullptr)
    , m_cellWeights(cellWeights)
{
}

void PatternCounting::Worker::run(const Piece &group, HeatMapPart *part)
{
    forEachTile(m_reader.view(), group, [&](const Piece &tile) {
        if (part)
            addTile(tile, *part);
        else
            m_counter.add(m_reader.blocks(tile));
    });
}

void PatternCounting::Worker::addTile(const Piece &tile, HeatMapPart &part)
{
    const auto patterns = m_reader.blocks(tile);
    const auto countStrips = [&](StripTable &table) { return m_counter.add(patterns, m_countStrips, table); };
    if (m_countStrips && tile.columns % m_cellWeights == 0) {
        if (m_strips.fill(tile, countStrips)) {
            m_strips.addTo(part);
            return;
        }
    } else {
        m_counter.add(patterns);
    }
    m_strips.sum(tile, m_reader.read<float>(tile), 1.0);
    m_strips.addTo(part);
}

bool PatternCounting::Worker::isFull() const { return m_counter.counted() >= MostInWorker; }

Moments PatternCounting::Range::run(const Piece &group)
{
    const GgmlType type = m_reader.view().type().type;
    PatternRange range(infinityOf(type));
    forEachTile(m_reader.view(), group, [&](const Piece &tile) { range.add(m_reader.blocks(tile)); });
    Moments found;
    if (!range.isEmpty()) {
        found.count = 1; // of so many finite weights the bins need to know no more
        found.min = static_cast<double>(valueOfPattern(type, range.least())) + 0.0;
        found.max = static_cast<double>(valueOfPattern(type, range.greatest())) + 0.0;
    }
    return found;
}

template class CountedScan<PatternCounting>;

} // namespace ql
