// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/scanpasses.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

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

void RangeSums::add(const TileRange &tile, std::uint64_t weights)
{
    counts.min = counts.finite() ? std::min(counts.min, static_cast<double>(tile.min)) : static_cast<double>(tile.min);
    counts.max = counts.finite() ? std::max(counts.max, static_cast<double>(tile.max)) : static_cast<double>(tile.max);
    counts.count += weights;
    counts.zeros += tile.zeros;
    sum += tile.sum;
    sumSq += tile.sumSq;
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
    , m_blocksPerStrip(std::max(cellWeights / type.blockSize, 1u))
    , m_blockScale(withScales ? blockScale(type.type) : nullptr)
    , m_blockScales(blockScales(type.type))
    , m_kernels(&scanKernels())
    , m_levelKernels(&levelKernels())
{
    if (const LevelType *levels = levelType(type.type))
        m_powers = std::make_unique<LevelPowers>(*levels);
}

template <class T>
void StripReader::sum(const Piece &tile, std::span<const T> weights, double factor)
{
    m_tile = tile;
    m_perRow = (tile.columns + m_cellWeights - 1) / m_cellWeights;
    m_scales.clear();
    if constexpr (std::is_same_v<T, float>) {
        m_isTable = tabulate(tile, weights);
        if (m_isTable)
            return;
    }
    m_strips.resize(tile.rows * m_perRow);
    for (std::size_t row = 0; row < tile.rows; ++row) {
        sumStrips(weights.subspan(row * tile.columns, tile.columns), m_cellWeights, factor,
                  m_strips.data() + row * m_perRow);
    }
}

template void StripReader::sum(const Piece &, std::span<const float>, double);
template void StripReader::sum(const Piece &, std::span<const double>, double);

bool StripReader::tabulate(const Piece &tile, std::span<const float> weights)
{
    return tile.columns % m_cellWeights == 0
        && m_kernels->sumStrips(weights.data(), weights.size(), m_cellWeights, m_table, m_range);
}

void StripReader::tabulateScales(std::span<const std::byte> blocks)
{
    m_blockScales(blocks.data(), blocks.size() / m_type->blockBytes, m_table.scale);
}

void StripReader::sumScales(std::span<const std::byte> blocks)
{
    if (m_isTable && m_blocksPerStrip == 1) {
        tabulateScales(blocks);
        return;
    }
    const std::size_t n = blocks.size() / m_type->blockBytes;
    m_scales.assign(m_tile.rows * m_perRow, {});
    for (std::size_t i = 0; i < n; ++i)
        m_scales[i / m_blocksPerStrip].add(m_blockScale(blocks.data() + i * m_type->blockBytes));
}

bool StripReader::sum(const LevelReader::Tile &tile)
{
    m_isTable = m_levelKernels->sumStrips(tile.planes, *m_powers, m_table, m_range);
    m_tile = {0, 1, 0, tile.planes.blocks * m_cellWeights};
    m_scales.clear();
    return m_isTable;
}

void StripReader::addTo(RangeSums &sums) const
{
    if (m_isTable) {
        sums.add(m_range, m_tile.weights());
        return;
    }
    for (const StripSums &strip : m_strips)
        sums.add(strip);
}

void StripReader::addTo(HeatMapPart &part) const
{
    const bool scalesInTable = m_isTable && hasScales() && m_blocksPerStrip == 1;
    for (std::size_t row = 0; row < m_tile.rows; ++row) {
        const std::uint64_t at = m_tile.firstRow + row;
        const std::size_t first = row * m_perRow;
        if (m_isTable)
            part.addTable(*m_kernels, at, m_tile.firstColumn, m_table, first, m_perRow, scalesInTable);
        else
            part.addStrips(at, m_tile.firstColumn, std::span(m_strips.data() + first, m_perRow));
        if (!m_scales.empty())
            part.addScales(at, m_tile.firstColumn, std::span(m_scales.data() + first, m_perRow));
    }
}

void StripReader::addTo(HeatMapPart &part, std::uint64_t row, std::uint64_t column, std::size_t first,
                        std::size_t n) const
{
    part.addTable(*m_kernels, row, column, m_table, first, n, hasScales());
}

namespace {

/// Where sums of codes are less work than sums of weights.
std::unique_ptr<LevelReader> rangeReader(const TensorView &view)
{
    const LevelType *type = levelType(view.type().type);
    const bool isLess = type && (type->hasFewValues() || LevelPowers(*type).isLinear);
    return isLess ? LevelReader::make(view) : nullptr;
}

/// Where counting values is less work than going through the weights.
std::unique_ptr<LevelReader> valueReader(const TensorView &view)
{
    const LevelType *type = levelType(view.type().type);
    return type && type->hasFewValues() ? LevelReader::make(view) : nullptr;
}

} // namespace

RangePass::RangePass(const TensorView &view, std::uint32_t cellWeights, bool withHeatMap)
    : m_reader(view), m_levels(rangeReader(view)), m_strips(view.type(), cellWeights, withHeatMap)
{
}

template <class T>
RangeSums RangePass::run(const Piece &group, double factor, HeatMapPart *part)
{
    RangeSums sums;
    if (m_levels) {
        m_levels->forEachTile(group, [&](const LevelReader::Tile &tile) { addLevels(group, tile, sums, part); });
        return sums;
    }
    forEachTile(m_reader.view(), group, [&](const Piece &tile) { addTile<T>(tile, factor, sums, part); });
    return sums;
}

template <class T>
void RangePass::addTile(const Piece &tile, double factor, RangeSums &sums, HeatMapPart *part)
{
    m_strips.sum(tile, m_reader.read<T>(tile), factor);
    m_strips.addTo(sums);
    if (!part)
        return;
    if (m_strips.hasScales())
        m_strips.sumScales(m_reader.blocks(tile));
    m_strips.addTo(*part);
}

namespace {

/// Calls handle(first, part) for the rows that a tile touches: `part` of a row begins at block `first` of
/// the tile.
template <class Handle>
void forEachRow(const Piece &group, const LevelReader::Tile &tile, std::uint32_t blockSize, const Handle &handle)
{
    const std::uint64_t perRow = group.columns / blockSize;
    for (std::size_t i = 0; i < tile.planes.blocks;) {
        const std::uint64_t row = (tile.first + i) / perRow;
        const std::uint64_t inRow = (tile.first + i) % perRow;
        const std::uint64_t n = std::min<std::uint64_t>(perRow - inRow, tile.planes.blocks - i);
        handle(i, Piece{group.firstRow + row, 1, group.firstColumn + inRow * blockSize, n * blockSize});
        i += n;
    }
}

} // namespace

void RangePass::addLevels(const Piece &group, const LevelReader::Tile &tile, RangeSums &sums, HeatMapPart *part)
{
    const std::uint32_t blockSize = m_reader.view().type().blockSize;
    if (!m_strips.sum(tile)) {
        forEachRow(group, tile, blockSize,
                   [&](std::size_t, const Piece &row) { addTile<float>(row, 1.0, sums, part); });
        return;
    }
    m_strips.addTo(sums);
    if (!part)
        return;
    m_strips.sumScales(tile.blocks);
    forEachRow(group, tile, blockSize, [&](std::size_t first, const Piece &row) {
        m_strips.addTo(*part, row.firstRow, row.firstColumn, first, row.columns / blockSize);
    });
}

template RangeSums RangePass::run<float>(const Piece &, double, HeatMapPart *);
template RangeSums RangePass::run<double>(const Piece &, double, HeatMapPart *);

ValuePass::ValuePass(const TensorView &view, const BinPlan &plan)
    : m_reader(view)
    , m_levels(valueReader(view))
    , m_list(m_levels ? std::make_unique<ValueList>(m_levels->type()) : nullptr)
    , m_plan(plan)
    , m_fine(plan.lo, plan.hi, plan.coreBins > 0, plan.fineEdges.empty() ? nullptr : plan.fineEdges.data())
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
    if (m_levels && central.allFinite)
        addLevels(group, central);
    else
        forEachTile(m_reader.view(), group, [&](const Piece &tile) {
            const auto weights = m_reader.read<T>(tile);
            m_fine.add(weights, central);
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

void ValuePass::addLevels(const Piece &group, CentralSums &central)
{
    m_levels->forEachTile(group, [&](const LevelReader::Tile &tile) {
        for (std::size_t vector = 0; vector < tile.planes.vectors(m_levels->type()); ++vector) {
            m_list->add(tile.planes, vector, central.shift, central.lanes.data());
            if (m_list->isFull())
                countListed(m_list->whole());
        }
    });
    countListed(m_list->values().size());
}

/// The first n values of the list.
void ValuePass::countListed(std::size_t n)
{
    const auto values = m_list->values().first(n);
    const auto times = m_list->times().first(n);
    m_fine.add(values, times, m_list->weights());
    if (m_plan.askedBins)
        m_asked.add(values, times);
    if (m_plan.coreBins)
        m_core.add(values, times);
    m_list->drop(n);
}

template ValueSums ValuePass::run<float>(const Piece &, const RangeSums &, int);
template ValueSums ValuePass::run<double>(const Piece &, const RangeSums &, int);

} // namespace ql
