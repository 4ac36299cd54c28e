// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/scanpasses.h"

#include <algorithm>
#include <cmath>

namespace ql {

void RangeSums::add(const StripSums &strip)
{
    if (strip.finite() > 0) {
        counts.min = counts.finite() ? std::min(counts.min, strip.min) : strip.min;
        counts.max = counts.finite() ? std::max(counts.max, strip.max) : strip.max;
    }
    counts.count += strip.count;
    counts.nan += strip.nan;
    counts.inf += strip.inf;
    counts.zeros += strip.zeros;
    sum += strip.sum;
    sumSq += strip.sumSq;
}

void RangeSums::merge(const RangeSums &other)
{
    counts.merge(other.counts);
    sum += other.sum;
    sumSq += other.sumSq;
}

double RangeSums::mean() const
{
    return counts.finite() ? sum / static_cast<double>(counts.finite()) : 0.0;
}

double RangeSums::roughVariance() const
{
    if (!counts.finite())
        return 0;
    return std::max(0.0, sumSq / static_cast<double>(counts.finite()) - mean() * mean());
}

RangePass::RangePass(const TensorView &view, const HeatMapGrid *grid, std::uint32_t cellWeights)
    : m_reader(view)
    , m_grid(grid)
    , m_cellWeights(cellWeights)
    , m_blockScale(grid ? blockScale(view.type().type) : nullptr)
{
}

template <class T>
RangeSums RangePass::run(const Piece &group, double factor, HeatMapPart *part)
{
    RangeSums sums;
    forEachTile(m_reader.view(), group, [&](const Piece &tile) {
        sumTile<T>(tile, factor);
        for (const StripSums &strip : m_strips)
            sums.add(strip);
        if (part) {
            sumScales(tile);
            addToPart(tile, *part);
        }
    });
    return sums;
}

template RangeSums RangePass::run<float>(const Piece &, double, HeatMapPart *);
template RangeSums RangePass::run<double>(const Piece &, double, HeatMapPart *);

template <class T>
void RangePass::sumTile(const Piece &tile, double factor)
{
    const auto weights = m_reader.read<T>(tile);
    const std::size_t perRow = (tile.columns + m_cellWeights - 1) / m_cellWeights;
    m_strips.resize(tile.rows * perRow);
    if (tile.columns % m_cellWeights == 0) {
        sumStrips(weights, m_cellWeights, factor, m_strips.data());
        return;
    }
    for (std::size_t row = 0; row < tile.rows; ++row) {
        sumStrips(weights.subspan(row * tile.columns, tile.columns), m_cellWeights, factor,
                  m_strips.data() + row * perRow);
    }
}

void RangePass::sumScales(const Piece &tile)
{
    if (!m_blockScale)
        return;
    m_scales.assign(m_strips.size(), {});
    const auto &type = m_reader.view().type();
    const std::size_t blocksPerStrip = std::max(m_cellWeights / type.blockSize, 1u);
    const auto blocks = m_reader.blocks(tile);
    const std::size_t n = blocks.size() / type.blockBytes;
    for (std::size_t i = 0; i < n; ++i)
        m_scales[i / blocksPerStrip].add(m_blockScale(blocks.data() + i * type.blockBytes));
}

void RangePass::addToPart(const Piece &tile, HeatMapPart &part) const
{
    const std::size_t perRow = m_strips.size() / tile.rows;
    for (std::size_t row = 0; row < tile.rows; ++row) {
        const std::span strips(m_strips.data() + row * perRow, perRow);
        const auto scales = m_scales.empty()
            ? std::span<const ScaleSums>()
            : std::span<const ScaleSums>(m_scales.data() + row * perRow, perRow);
        part.addStrips(tile.firstRow + row, tile.firstColumn, strips, scales);
    }
}

ValuePass::ValuePass(const TensorView &view, const BinPlan &plan)
    : m_reader(view)
    , m_plan(plan)
    , m_fine(plan.lo, plan.hi, plan.fineBins)
    , m_asked(plan.lo, plan.hi, plan.askedBins)
    , m_core(plan.coreLo, plan.coreHi, plan.coreBins)
{
}

template <class T>
ValueSums ValuePass::run(const Piece &group, const RangeSums &range, int exponent)
{
    ValueSums result;
    result.moments = range.counts;
    result.moments.exponent = exponent;
    CentralSums central;
    central.shift = range.mean();
    central.factor = std::ldexp(1.0, -exponent);
    central.allFinite = range.counts.finite() == range.counts.count;
    forEachTile(m_reader.view(), group, [&](const Piece &tile) {
        const auto weights = m_reader.read<T>(tile);
        central.add(weights);
        m_fine.add(weights, central.allFinite);
        if (m_plan.askedBins)
            m_asked.add(weights, central.allFinite);
        if (m_plan.coreBins)
            m_core.add(weights, central.allFinite);
    });
    central.finish(result.moments);
    result.fine = m_fine.take();
    if (m_plan.askedBins)
        result.asked = m_asked.take();
    if (m_plan.coreBins)
        result.core = m_core.take();
    return result;
}

template ValueSums ValuePass::run<float>(const Piece &, const RangeSums &, int);
template ValueSums ValuePass::run<double>(const Piece &, const RangeSums &, int);

} // namespace ql
