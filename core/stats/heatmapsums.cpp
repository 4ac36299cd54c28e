// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/heatmapsums.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ql {

namespace {

constexpr float None = std::numeric_limits<float>::quiet_NaN();

std::uint64_t ceilDiv(std::uint64_t a, std::uint64_t b) { return a / b + (a % b != 0); }

/// Keeps the larger magnitude with its sign; of equal ones the first. NaN stands for none.
void keepLargest(float &kept, float value)
{
    if (!(std::abs(kept) >= std::abs(value)))
        kept = value;
}

float signedMax(const StripSums &strip)
{
    const double value = std::abs(strip.max) >= std::abs(strip.min) ? strip.max : strip.min;
    return static_cast<float>(value);
}

void addSaturating(std::uint32_t &total, std::uint32_t value)
{
    if (__builtin_add_overflow(total, value, &total))
        total = std::numeric_limits<std::uint32_t>::max();
}

} // namespace

std::uint32_t cellWeightsOf(std::uint32_t blockSize) { return std::max(blockSize, 32u); }

HeatMapGrid HeatMapGrid::over(const HeatMapWindow &window, std::uint32_t cellWeights)
{
    HeatMapGrid grid;
    grid.window = window;
    grid.cellWeights = cellWeights;
    grid.rowsPerCell = std::max<std::uint64_t>(1, ceilDiv(window.rows, HeatMap::MaxRows));
    const std::uint64_t cellColumns = ceilDiv(window.columns, cellWeights);
    const std::uint64_t pooled = std::max<std::uint64_t>(1, ceilDiv(cellColumns, HeatMap::MaxColumns));
    grid.weightsPerCell = pooled * cellWeights;
    grid.rows = ceilDiv(window.rows, grid.rowsPerCell);
    grid.columns = ceilDiv(window.columns, grid.weightsPerCell);
    return grid;
}

void ScaleSums::add(float scale)
{
    const float magnitude = std::abs(scale);
    if (!std::isfinite(magnitude))
        return;
    sum += static_cast<double>(magnitude);
    max = std::max(max, magnitude);
    ++count;
}

void CellSums::add(const StripSums &strip)
{
    nonFinite += strip.nan + strip.inf;
    const std::uint32_t n = strip.finite();
    if (n == 0)
        return;
    const auto weights = static_cast<double>(n);
    const auto stripMean = static_cast<float>(strip.sum / weights);
    const float stripMax = signedMax(strip);
    // The first strip replaces the zeros of an empty cell.
    absMax = finite && std::abs(absMax) >= std::abs(stripMax) ? absMax : stripMax;
    maxMean = finite && std::abs(maxMean) >= std::abs(stripMean) ? maxMean : stripMean;
    maxMeanSq = std::max(maxMeanSq, strip.sumSq / weights);
    sum += strip.sum;
    sumSq += strip.sumSq;
    finite += n;
    zeros += strip.zeros;
}

void CellSums::add(const ScaleSums &scale)
{
    scaleSum += scale.sum;
    maxScale = std::max(maxScale, scale.max);
    scales += scale.count;
}

HeatMapPart::HeatMapPart(const HeatMapGrid &grid, const Piece &group) : m_grid(&grid)
{
    m_firstRow = grid.rowOf(group.firstRow);
    const std::size_t rows = grid.rowOf(group.firstRow + group.rows - 1) - m_firstRow + 1;
    m_firstColumn = grid.columnOf(group.firstColumn);
    m_columns = grid.columnOf(group.firstColumn + group.columns - 1) - m_firstColumn + 1;
    m_cells.resize(rows * m_columns);
}

void HeatMapPart::addStrips(std::uint64_t row, std::uint64_t column,
                            std::span<const StripSums> strips, std::span<const ScaleSums> scales)
{
    CellSums *const cells = this->row(row);
    const std::uint64_t perCell = m_grid->weightsPerCell / m_grid->cellWeights;
    const std::uint64_t first = (column - m_grid->window.firstColumn) / m_grid->cellWeights;
    std::size_t cell = first / perCell - m_firstColumn;
    std::uint64_t inCell = first % perCell;
    for (std::size_t i = 0; i < strips.size(); ++i) {
        cells[cell].add(strips[i]);
        if (!scales.empty())
            cells[cell].add(scales[i]);
        if (++inCell == perCell) {
            inCell = 0;
            ++cell;
        }
    }
}

HeatMapSums::HeatMapSums(const HeatMapGrid &grid, bool hasScale)
    : m_grid(grid), m_totals(grid.rows * grid.columns)
{
    m_map.window = grid.window;
    m_map.cellWeights = grid.cellWeights;
    m_map.rowsPerCell = grid.rowsPerCell;
    m_map.weightsPerCell = grid.weightsPerCell;
    m_map.rows = grid.rows;
    m_map.columns = grid.columns;
    m_map.hasScale = hasScale;
    const std::size_t cells = m_totals.size();
    m_map.absMax.assign(cells, None);
    m_map.maxRms.assign(cells, None);
    m_map.maxMean.assign(cells, None);
    m_map.maxScale.assign(hasScale ? cells : 0, None);
    m_map.nonFinite.assign(cells, 0);
}

void HeatMapSums::merge(const HeatMapPart &part)
{
    const std::size_t rows = part.m_columns ? part.m_cells.size() / part.m_columns : 0;
    for (std::size_t row = 0; row < rows; ++row) {
        const std::size_t first = (part.m_firstRow + row) * m_grid.columns + part.m_firstColumn;
        for (std::size_t i = 0; i < part.m_columns; ++i)
            mergeCell(first + i, part.m_cells[row * part.m_columns + i]);
    }
}

void HeatMapSums::mergeCell(std::size_t index, const CellSums &cell)
{
    addSaturating(m_map.nonFinite[index], cell.nonFinite);
    Totals &totals = m_totals[index];
    if (cell.finite) {
        keepLargest(m_map.absMax[index], cell.absMax);
        keepLargest(m_map.maxMean[index], cell.maxMean);
        keepLargest(m_map.maxRms[index], static_cast<float>(std::sqrt(cell.maxMeanSq)));
    }
    if (cell.scales)
        keepLargest(m_map.maxScale[index], cell.maxScale);
    totals.sum += cell.sum;
    totals.sumSq += cell.sumSq;
    totals.scaleSum += cell.scaleSum;
    totals.finite += cell.finite;
    totals.zeros += cell.zeros;
    totals.scales += cell.scales;
}

void HeatMapSums::finishCell(std::size_t index, double factor)
{
    const Totals &totals = m_totals[index];
    if (m_map.hasScale && totals.scales) {
        const double scale = totals.scaleSum / static_cast<double>(totals.scales);
        m_map.scale[index] = static_cast<float>(scale);
    }
    if (totals.finite == 0)
        return;
    const auto n = static_cast<double>(totals.finite);
    m_map.rms[index] = static_cast<float>(std::sqrt(totals.sumSq / n) * factor);
    m_map.mean[index] = static_cast<float>(totals.sum / n * factor);
    m_map.zeroShare[index] = static_cast<float>(static_cast<double>(totals.zeros) / n);
}

HeatMap HeatMapSums::finish(int exponent)
{
    const double factor = std::ldexp(1.0, exponent);
    const std::size_t cells = m_totals.size();
    m_map.rms.assign(cells, None);
    m_map.mean.assign(cells, None);
    m_map.zeroShare.assign(cells, None);
    m_map.scale.assign(m_map.hasScale ? cells : 0, None);
    for (std::size_t i = 0; i < cells; ++i)
        finishCell(i, factor);
    if (exponent != 0) {
        for (std::vector<float> *values : {&m_map.maxRms, &m_map.maxMean})
            for (float &value : *values)
                value = static_cast<float>(static_cast<double>(value) * factor);
    }
    return std::move(m_map);
}

} // namespace ql
