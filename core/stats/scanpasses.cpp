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

StripReader::StripReader(const TypeTraits &type, std::uint32_t cellWeights, bool withScales)
    : m_type(&type)
    , m_cellWeights(cellWeights)
    , m_blockScale(withScales ? blockScale(type.type) : nullptr)
{
}

template <class T>
void StripReader::sum(const Piece &tile, std::span<const T> weights, double factor)
{
    const std::size_t perRow = (tile.columns + m_cellWeights - 1) / m_cellWeights;
    m_strips.resize(tile.rows * perRow);
    m_scales.clear();
    if (tile.columns % m_cellWeights == 0) {
        sumStrips(weights, m_cellWeights, factor, m_strips.data());
        return;
    }
    for (std::size_t row = 0; row < tile.rows; ++row) {
        sumStrips(weights.subspan(row * tile.columns, tile.columns), m_cellWeights, factor,
                  m_strips.data() + row * perRow);
    }
}

template void StripReader::sum(const Piece &, std::span<const float>, double);
template void StripReader::sum(const Piece &, std::span<const double>, double);

void StripReader::sumScales(std::span<const std::byte> blocks)
{
    m_scales.assign(m_strips.size(), {});
    const std::size_t blocksPerStrip = std::max(m_cellWeights / m_type->blockSize, 1u);
    const std::size_t n = blocks.size() / m_type->blockBytes;
    for (std::size_t i = 0; i < n; ++i)
        m_scales[i / blocksPerStrip].add(m_blockScale(blocks.data() + i * m_type->blockBytes));
}

void StripReader::addTo(HeatMapPart &part, const Piece &tile) const
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

template <class T>
RangeSums RangePass::run(const Piece &group, double factor, HeatMapPart *part)
{
    RangeSums sums;
    forEachTile(m_reader.view(), group, [&](const Piece &tile) {
        m_strips.sum(tile, m_reader.read<T>(tile), factor);
        for (const StripSums &strip : m_strips.strips())
            sums.add(strip);
        if (!part)
            return;
        if (m_strips.hasScales())
            m_strips.sumScales(m_reader.blocks(tile));
        m_strips.addTo(*part, tile);
    });
    return sums;
}

template RangeSums RangePass::run<float>(const Piece &, double, HeatMapPart *);
template RangeSums RangePass::run<double>(const Piece &, double, HeatMapPart *);

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
