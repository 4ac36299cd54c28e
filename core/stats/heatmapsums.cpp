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

void HeatMapPart::begin(const HeatMapGrid &grid, const Piece &group)
{
    m_grid = &grid;
    m_firstRow = grid.rowOf(group.firstRow);
    const std::size_t rows = grid.rowOf(group.firstRow + group.rows - 1) - m_firstRow + 1;
    m_firstColumn = grid.columnOf(group.firstColumn);
    m_columns = grid.columnOf(group.firstColumn + group.columns - 1) - m_firstColumn + 1;
    for (auto *sums : {&m_sum, &m_sumSq, &m_scaleSum})
        sums->assign(rows * m_columns, 0.0);
    for (auto *maxima : {&m_maxRms, &m_maxScale})
        maxima->assign(rows * m_columns, 0.0f);
    for (auto *counts : {&m_absKey, &m_meanKey, &m_finite, &m_zeros, &m_nonFinite, &m_scales})
        counts->assign(rows * m_columns, 0u);
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

namespace {

// Plain loops over equal arrays, which compilers turn into vectors.

void addAll(double *totals, const double *parts, std::size_t n)
{
    for (std::size_t i = 0; i < n; ++i)
        totals[i] += parts[i];
}

/// Counts of a group, which has far fewer than 2^31 weights.
void addAll(double *totals, const std::uint32_t *parts, std::size_t n)
{
    for (std::size_t i = 0; i < n; ++i)
        totals[i] += static_cast<double>(static_cast<std::int32_t>(parts[i]));
}

template <class T>
void keepLargest(T *kept, const T *parts, std::size_t n)
{
    for (std::size_t i = 0; i < n; ++i)
        kept[i] = kept[i] < parts[i] ? parts[i] : kept[i];
}

void addNonFinite(std::uint32_t *totals, const std::uint32_t *parts, std::size_t n)
{
    std::uint32_t any = 0;
    for (std::size_t i = 0; i < n; ++i)
        any |= parts[i];
    for (std::size_t i = 0; any && i < n; ++i)
        addSaturating(totals[i], parts[i]);
}

template <class T>
void shiftCells(std::vector<T> &values, std::size_t n, std::size_t size)
{
    values.erase(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(n));
    values.resize(size);
}

} // namespace

void HeatMapSums::OpenCells::shift(std::size_t n, std::size_t size, bool withScales)
{
    for (std::vector<double> *values : {&sum, &sumSq, &finite, &zeros})
        shiftCells(*values, n, size);
    for (std::vector<std::uint32_t> *values : {&absKey, &meanKey})
        shiftCells(*values, n, size);
    shiftCells(maxRms, n, size);
    if (!withScales)
        return;
    for (std::vector<double> *values : {&scaleSum, &scales})
        shiftCells(*values, n, size);
    shiftCells(maxScale, n, size);
}

void HeatMapSums::merge(const HeatMapPart &part)
{
    const std::size_t rows = part.m_columns ? part.size() / part.m_columns : 0;
    if (rows == 0)
        return;
    openRows(part.m_firstRow, rows);
    for (std::size_t row = 0; row < rows; ++row)
        mergeRow(part, row, row * m_grid.columns + part.m_firstColumn);
}

/// Row `row` of a part into the open cells from `open` on.
void HeatMapSums::mergeRow(const HeatMapPart &part, std::size_t row, std::size_t open)
{
    const std::size_t n = part.m_columns;
    const std::size_t from = row * n;
    addAll(m_open.sum.data() + open, part.m_sum.data() + from, n);
    addAll(m_open.sumSq.data() + open, part.m_sumSq.data() + from, n);
    addAll(m_open.finite.data() + open, part.m_finite.data() + from, n);
    addAll(m_open.zeros.data() + open, part.m_zeros.data() + from, n);
    keepLargest(m_open.absKey.data() + open, part.m_absKey.data() + from, n);
    keepLargest(m_open.meanKey.data() + open, part.m_meanKey.data() + from, n);
    keepLargest(m_open.maxRms.data() + open, part.m_maxRms.data() + from, n);
    addNonFinite(m_map.nonFinite.data() + m_firstOpen * m_grid.columns + open, part.m_nonFinite.data() + from, n);
    if (!m_map.hasScale)
        return;
    addAll(m_open.scaleSum.data() + open, part.m_scaleSum.data() + from, n);
    addAll(m_open.scales.data() + open, part.m_scales.data() + from, n);
    keepLargest(m_open.maxScale.data() + open, part.m_maxScale.data() + from, n);
}

/// Makes rows [first, first + rows) the open ones, and works out those before them.
void HeatMapSums::openRows(std::size_t first, std::size_t rows)
{
    assert(first >= m_firstOpen);
    closeRowsBefore(first);
    if (m_open.size() < rows * m_grid.columns)
        m_open.shift(0, rows * m_grid.columns, m_map.hasScale);
}

void HeatMapSums::closeRowsBefore(std::size_t row)
{
    const std::size_t open = m_open.size() / std::max<std::size_t>(m_grid.columns, 1);
    const std::size_t closed = std::min(open, row - m_firstOpen) * m_grid.columns;
    if (closed > 0) {
        finishCells(m_firstOpen * m_grid.columns, closed);
        finishScales(m_firstOpen * m_grid.columns, m_map.hasScale ? closed : 0);
        m_open.shift(closed, m_open.size() - closed, m_map.hasScale);
    }
    m_firstOpen = row;
}

/// The first n open cells into the map's from `first` on.
void HeatMapSums::finishCells(std::size_t first, std::size_t n)
{
    const double *const finite = m_open.finite.data();
    const auto into = [=](std::vector<float> &values, const auto &valueOf) {
        float *const to = values.data() + first;
        for (std::size_t i = 0; i < n; ++i) {
            const float value = valueOf(i);
            to[i] = finite[i] > 0 ? value : None;
        }
    };
    const double factor = m_factor;
    into(m_map.absMax, [keys = m_open.absKey.data()](std::size_t i) { return valueOfKey(keys[i]); });
    into(m_map.maxMean, [keys = m_open.meanKey.data()](std::size_t i) { return valueOfKey(keys[i]); });
    into(m_map.maxRms, [maxima = m_open.maxRms.data()](std::size_t i) { return maxima[i]; });
    into(m_map.rms, [=, sums = m_open.sumSq.data()](std::size_t i) {
        return static_cast<float>(std::sqrt(sums[i] / finite[i]) * factor);
    });
    into(m_map.mean, [=, sums = m_open.sum.data()](std::size_t i) {
        return static_cast<float>(sums[i] / finite[i] * factor);
    });
    into(m_map.zeroShare, [=, zeros = m_open.zeros.data()](std::size_t i) {
        return static_cast<float>(zeros[i] / finite[i]);
    });
}

void HeatMapSums::finishScales(std::size_t first, std::size_t n)
{
    for (std::size_t i = 0; i < n; ++i) {
        if (m_open.scales[i] == 0)
            continue;
        m_map.scale[first + i] = static_cast<float>(m_open.scaleSum[i] / m_open.scales[i]);
        m_map.maxScale[first + i] = m_open.maxScale[i];
    }
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
