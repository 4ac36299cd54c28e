// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/heatmapsums.h"

#include "core/stats/signedkey.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace ql {

namespace {

constexpr float None = std::numeric_limits<float>::quiet_NaN();

std::uint64_t ceilDiv(std::uint64_t a, std::uint64_t b) { return a / b + (a % b != 0); }

/// Keeps the larger magnitude with its sign; of equal ones the positive. NaN stands for none.
void keepLargest(float &kept, float value)
{
    if (std::isnan(kept) || signedKey(value) > signedKey(kept))
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

HeatMapWindow clippedWindow(HeatMapWindow window, std::uint64_t rows, std::uint64_t columns,
                            std::uint32_t cellWeights)
{
    const std::uint64_t step = cellWeights;
    window.firstRow = std::min(window.firstRow, rows);
    window.rows = std::min(window.rows, rows - window.firstRow);
    window.firstColumn = std::min(window.firstColumn, columns) / step * step;
    const std::uint64_t left = columns - window.firstColumn;
    window.columns = std::min(window.columns, left);
    window.columns = std::min(left, (window.columns + step - 1) / step * step);
    return window;
}

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

namespace {

void keepLarger(std::uint32_t &key, float value) { key = std::max(key, signedKey(value)); }

void addStrip(const StripSums &strip, const CellRow &cell)
{
    *cell.nonFinite += strip.nan + strip.inf;
    const std::uint32_t n = strip.finite();
    if (n == 0)
        return;
    const auto weights = static_cast<double>(n);
    keepLarger(*cell.absKey, signedMax(strip));
    keepLarger(*cell.meanKey, static_cast<float>(strip.sum / weights));
    *cell.maxRms = std::max(*cell.maxRms, static_cast<float>(std::sqrt(strip.sumSq / weights)));
    *cell.sum += strip.sum;
    *cell.sumSq += strip.sumSq;
    *cell.finite += n;
    *cell.zeros += strip.zeros;
}

void poolScales(const StripTable &table, std::size_t first, std::size_t n, const CellRow &cell)
{
    for (std::size_t i = first; i < first + n; ++i) {
        const float scale = table.scale[i];
        if (!std::isfinite(scale))
            continue;
        *cell.scaleSum += static_cast<double>(scale);
        *cell.maxScale = std::max(*cell.maxScale, scale);
        ++*cell.scales;
    }
}

/// As the kernels' addStrips for n strips of one cell, one after the other.
void poolStrips(const StripTable &table, std::size_t first, std::size_t n, std::uint32_t weights, bool withScales,
                const CellRow &cell)
{
    const float share = 1.0f / static_cast<float>(weights); // exact: a power of two
    double sum = *cell.sum;
    double sumSq = *cell.sumSq;
    float largestSq = 0;
    for (std::size_t i = first; i < first + n; ++i) {
        sum += static_cast<double>(table.sum[i]);
        sumSq += static_cast<double>(table.sumSq[i]);
        largestSq = std::max(largestSq, table.sumSq[i]);
        *cell.absKey = std::max(*cell.absKey, table.key[i]);
        keepLarger(*cell.meanKey, table.sum[i] * share);
        *cell.zeros += table.zeros[i];
    }
    *cell.sum = sum;
    *cell.sumSq = sumSq;
    *cell.maxRms = std::max(*cell.maxRms, std::sqrt(largestSq * share)); // of the largest alone: roots keep the order
    *cell.finite += static_cast<std::uint32_t>(n) * weights;
    if (withScales)
        poolScales(table, first, n, cell);
}

void addScale(const ScaleSums &scale, const CellRow &cell)
{
    *cell.scaleSum += scale.sum;
    *cell.maxScale = std::max(*cell.maxScale, scale.max);
    *cell.scales += scale.count;
}

} // namespace

HeatMapPart::HeatMapPart(const HeatMapGrid &grid, const Piece &group) : m_grid(&grid)
{
    m_firstRow = grid.rowOf(group.firstRow);
    const std::size_t rows = grid.rowOf(group.firstRow + group.rows - 1) - m_firstRow + 1;
    m_firstColumn = grid.columnOf(group.firstColumn);
    m_columns = grid.columnOf(group.firstColumn + group.columns - 1) - m_firstColumn + 1;
    for (auto *sums : {&m_sum, &m_sumSq, &m_scaleSum})
        sums->resize(rows * m_columns);
    for (auto *maxima : {&m_maxRms, &m_maxScale})
        maxima->resize(rows * m_columns);
    for (auto *counts : {&m_absKey, &m_meanKey, &m_finite, &m_zeros, &m_nonFinite, &m_scales})
        counts->resize(rows * m_columns);
}

CellRow HeatMapPart::cellsFrom(std::uint64_t row, std::size_t column)
{
    const std::size_t cell = (m_grid->rowOf(row) - m_firstRow) * m_columns + column - m_firstColumn;
    return CellRow{m_sum.data(),     m_sumSq.data(),   m_scaleSum.data(), m_maxRms.data(),
                   m_maxScale.data(), m_absKey.data(),  m_meanKey.data(),  m_finite.data(),
                   m_zeros.data(),   m_nonFinite.data(), m_scales.data()}
        .from(cell);
}

void HeatMapPart::addStrips(std::uint64_t row, std::uint64_t column, std::span<const StripSums> strips)
{
    for (std::size_t i = 0; i < strips.size(); ++i)
        addStrip(strips[i], cellsFrom(row, m_grid->columnOf(column + i * m_grid->cellWeights)));
}

void HeatMapPart::addScales(std::uint64_t row, std::uint64_t column, std::span<const ScaleSums> scales)
{
    for (std::size_t i = 0; i < scales.size(); ++i)
        addScale(scales[i], cellsFrom(row, m_grid->columnOf(column + i * m_grid->cellWeights)));
}

void HeatMapPart::addTable(const ScanKernels &kernels, std::uint64_t row, std::uint64_t column,
                           const StripTable &table, std::size_t first, std::size_t n, bool withScales)
{
    const std::uint32_t weights = m_grid->cellWeights;
    if (m_grid->weightsPerCell == weights) {
        kernels.addStrips(table, first, n, weights, withScales,
                          cellsFrom(row, m_grid->columnOf(column)));
        return;
    }
    // Several strips of a row fall into one cell.
    for (std::size_t i = 0; i < n;) {
        const std::uint64_t at = column + i * weights;
        const std::uint64_t inCell = (at - m_grid->window.firstColumn) % m_grid->weightsPerCell;
        const std::size_t run = std::min<std::uint64_t>(n - i, (m_grid->weightsPerCell - inCell) / weights);
        poolStrips(table, first + i, run, weights, withScales, cellsFrom(row, m_grid->columnOf(at)));
        i += run;
    }
}

HeatMapSums::HeatMapSums(const HeatMapGrid &grid, bool hasScale, int exponent)
    : m_grid(grid), m_factor(std::ldexp(1.0, exponent))
{
    m_map.window = grid.window;
    m_map.cellWeights = grid.cellWeights;
    m_map.rowsPerCell = grid.rowsPerCell;
    m_map.weightsPerCell = grid.weightsPerCell;
    m_map.rows = grid.rows;
    m_map.columns = grid.columns;
    m_map.hasScale = hasScale;
    const std::size_t cells = grid.rows * grid.columns;
    for (std::vector<float> *values : {&m_map.absMax, &m_map.rms, &m_map.maxRms, &m_map.mean, &m_map.maxMean,
                                       &m_map.zeroShare})
        values->assign(cells, None);
    for (std::vector<float> *values : {&m_map.scale, &m_map.maxScale})
        values->assign(hasScale ? cells : 0, None);
    m_map.nonFinite.assign(cells, 0);
}

void HeatMapSums::merge(const HeatMapPart &part)
{
    const std::size_t rows = part.m_columns ? part.size() / part.m_columns : 0;
    if (rows == 0)
        return;
    openRows(part.m_firstRow, rows);
    for (std::size_t row = 0; row < rows; ++row) {
        Totals *const totals = m_open.data() + row * m_grid.columns + part.m_firstColumn;
        const std::size_t first = (part.m_firstRow + row) * m_grid.columns + part.m_firstColumn;
        for (std::size_t i = 0; i < part.m_columns; ++i)
            mergeCell(first + i, totals[i], part, row * part.m_columns + i);
    }
}

/// Makes rows [first, first + rows) the open ones, and works out those before them.
void HeatMapSums::openRows(std::size_t first, std::size_t rows)
{
    assert(first >= m_firstOpen);
    closeRowsBefore(first);
    if (m_open.size() < rows * m_grid.columns)
        m_open.resize(rows * m_grid.columns);
}

void HeatMapSums::closeRowsBefore(std::size_t row)
{
    const std::size_t open = m_open.size() / std::max<std::size_t>(m_grid.columns, 1);
    const std::size_t closed = std::min(open, row - m_firstOpen);
    for (std::size_t i = 0; i < closed * m_grid.columns; ++i)
        finishCell(m_firstOpen * m_grid.columns + i, m_open[i]);
    m_open.erase(m_open.begin(), m_open.begin() + static_cast<std::ptrdiff_t>(closed * m_grid.columns));
    m_firstOpen = row;
}

void HeatMapSums::mergeCell(std::size_t index, Totals &totals, const HeatMapPart &part, std::size_t cell)
{
    addSaturating(m_map.nonFinite[index], part.m_nonFinite[cell]);
    if (part.m_finite[cell]) {
        keepLargest(m_map.absMax[index], valueOfKey(part.m_absKey[cell]));
        keepLargest(m_map.maxMean[index], valueOfKey(part.m_meanKey[cell]));
        keepLargest(m_map.maxRms[index], part.m_maxRms[cell]);
    }
    if (part.m_scales[cell])
        keepLargest(m_map.maxScale[index], part.m_maxScale[cell]);
    totals.sum += part.m_sum[cell];
    totals.sumSq += part.m_sumSq[cell];
    totals.scaleSum += part.m_scaleSum[cell];
    totals.finite += part.m_finite[cell];
    totals.zeros += part.m_zeros[cell];
    totals.scales += part.m_scales[cell];
}

void HeatMapSums::finishCell(std::size_t index, const Totals &totals)
{
    if (m_map.hasScale && totals.scales) {
        const double scale = totals.scaleSum / static_cast<double>(totals.scales);
        m_map.scale[index] = static_cast<float>(scale);
    }
    if (totals.finite == 0)
        return;
    const auto n = static_cast<double>(totals.finite);
    m_map.rms[index] = static_cast<float>(std::sqrt(totals.sumSq / n) * m_factor);
    m_map.mean[index] = static_cast<float>(totals.sum / n * m_factor);
    m_map.zeroShare[index] = static_cast<float>(static_cast<double>(totals.zeros) / n);
}

HeatMap HeatMapSums::finish()
{
    closeRowsBefore(m_grid.rows);
    if (m_factor != 1) {
        for (std::vector<float> *values : {&m_map.maxRms, &m_map.maxMean})
            for (float &value : *values)
                value = static_cast<float>(static_cast<double>(value) * m_factor);
    }
    return std::move(m_map);
}

} // namespace ql
