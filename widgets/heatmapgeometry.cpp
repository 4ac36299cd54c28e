// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/heatmapgeometry.h"

#include <algorithm>
#include <cmath>

namespace ql {

namespace {

/// Beyond the viewport, on each side, so that a short pan needs no new scan.
constexpr double MarginShare = 0.25;

std::uint64_t ceilDiv(std::uint64_t a, std::uint64_t b)
{
    return a / b + (a % b != 0);
}

struct Span {
    std::uint64_t first;
    std::uint64_t count;
};

/// [first, first + size) with a margin, widened to multiples of unit, within total.
Span widened(double first, double size, std::uint64_t unit, std::uint64_t total)
{
    const double margin = size * MarginShare;
    const double unitSize = static_cast<double>(unit);
    const double from = std::max(0.0, std::floor((first - margin) / unitSize) * unitSize);
    const double to = std::ceil((first + size + margin) / unitSize) * unitSize;
    const auto begin = std::min(static_cast<std::uint64_t>(from), total);
    const auto end = to >= static_cast<double>(total) ? total : static_cast<std::uint64_t>(to);
    return {begin, end - begin};
}

} // namespace

HeatMapGeometry::HeatMapGeometry(const HeatMap *map, const QRectF &area, const HeatMapViewport &viewport)
{
    if (!map || map->tensorRows == 0 || map->tensorColumns == 0 || area.isEmpty())
        return;
    m_tensorRows = static_cast<double>(map->tensorRows);
    m_tensorColumns = static_cast<double>(map->tensorColumns);
    m_cellWeights = map->cellWeights;
    m_plot = area;
    m_plot.setHeight(std::min(area.height(), m_tensorRows * MaxRowPixels));
    m_viewport = viewport.isEmpty() ? fitted() : clamped(viewport);
}

QPointF HeatMapGeometry::toPixel(double row, double column) const
{
    return {m_plot.left() + (column - m_viewport.firstColumn) / m_viewport.columns * m_plot.width(),
            m_plot.top() + (row - m_viewport.firstRow) / m_viewport.rows * m_plot.height()};
}

QRectF HeatMapGeometry::pixelsOf(double row, double rows, double column, double columns) const
{
    return QRectF(toPixel(row, column), toPixel(row + rows, column + columns));
}

std::optional<WeightPlace> HeatMapGeometry::weightAt(const QPointF &pixel) const
{
    if (isEmpty() || !m_plot.contains(pixel))
        return std::nullopt;
    const double row = m_viewport.firstRow
        + (pixel.y() - m_plot.top()) / m_plot.height() * m_viewport.rows;
    const double column = m_viewport.firstColumn
        + (pixel.x() - m_plot.left()) / m_plot.width() * m_viewport.columns;
    return WeightPlace{static_cast<std::uint64_t>(std::clamp(row, 0.0, m_tensorRows - 1)),
                       static_cast<std::uint64_t>(std::clamp(column, 0.0, m_tensorColumns - 1))};
}

HeatMapViewport HeatMapGeometry::fitted() const
{
    return {0, m_tensorRows, 0, m_tensorColumns};
}

HeatMapViewport HeatMapGeometry::clamped(HeatMapViewport v) const
{
    const double minRows = std::min(m_tensorRows, MinCells);
    const double minColumns = std::min(m_tensorColumns, MinCells * m_cellWeights);
    v.rows = std::clamp(v.rows, minRows, m_tensorRows);
    v.columns = std::clamp(v.columns, minColumns, m_tensorColumns);
    v.firstRow = std::clamp(v.firstRow, 0.0, m_tensorRows - v.rows);
    v.firstColumn = std::clamp(v.firstColumn, 0.0, m_tensorColumns - v.columns);
    return v;
}

HeatMapViewport HeatMapGeometry::zoomed(const QPointF &about, double rowFactor, double columnFactor) const
{
    if (isEmpty())
        return m_viewport;
    const double x = std::clamp((about.x() - m_plot.left()) / m_plot.width(), 0.0, 1.0);
    const double y = std::clamp((about.y() - m_plot.top()) / m_plot.height(), 0.0, 1.0);
    // Clamp the size first: at the closest zoom the place must not slide away.
    HeatMapViewport v = m_viewport;
    v.rows /= rowFactor;
    v.columns /= columnFactor;
    const HeatMapViewport sized = clamped(v);
    v.rows = sized.rows;
    v.columns = sized.columns;
    v.firstRow = m_viewport.firstRow + y * (m_viewport.rows - v.rows);
    v.firstColumn = m_viewport.firstColumn + x * (m_viewport.columns - v.columns);
    return clamped(v);
}

HeatMapViewport HeatMapGeometry::panned(const QPointF &pixels) const
{
    if (isEmpty())
        return m_viewport;
    HeatMapViewport v = m_viewport;
    v.firstRow -= pixels.y() / m_plot.height() * v.rows;
    v.firstColumn -= pixels.x() / m_plot.width() * v.columns;
    return clamped(v);
}

bool covers(const HeatMapWindow &window, const HeatMapViewport &v)
{
    return static_cast<double>(window.firstRow) <= v.firstRow
        && static_cast<double>(window.firstRow + window.rows) >= v.firstRow + v.rows
        && static_cast<double>(window.firstColumn) <= v.firstColumn
        && static_cast<double>(window.firstColumn + window.columns) >= v.firstColumn + v.columns;
}

std::optional<HeatMapWindow> finerWindow(const HeatMap &map, const HeatMapViewport &viewport)
{
    if (viewport.isEmpty() || map.cellWeights == 0)
        return std::nullopt;
    const Span rows = widened(viewport.firstRow, viewport.rows, 1, map.tensorRows);
    const Span columns = widened(viewport.firstColumn, viewport.columns, map.cellWeights,
                                 map.tensorColumns);
    const auto rowsPerCell = std::max<std::uint64_t>(1, ceilDiv(rows.count, HeatMap::MaxRows));
    const auto cellsAcross = ceilDiv(columns.count, map.cellWeights);
    const auto weightsPerCell
        = map.cellWeights * std::max<std::uint64_t>(1, ceilDiv(cellsAcross, HeatMap::MaxColumns));
    const bool isFiner = rowsPerCell < map.rowsPerCell || weightsPerCell < map.weightsPerCell;
    if (!isFiner && covers(map.window, viewport))
        return std::nullopt;
    return HeatMapWindow{rows.first, rows.count, columns.first, columns.count};
}

std::vector<std::uint64_t> axisTicks(double first, double span, int count, std::uint64_t unit)
{
    if (!(span > 0) || count < 1)
        return {};
    std::uint64_t step = std::max<std::uint64_t>(1, unit);
    constexpr std::uint64_t Mantissas[] = {2, 5, 10};
    std::uint64_t decade = 1;
    for (int i = 0; span / static_cast<double>(step) > count; ++i) {
        if (unit != 0) {
            step *= 2;
            continue;
        }
        step = decade * Mantissas[i % 3];
        if (i % 3 == 2)
            decade = step;
    }
    std::vector<std::uint64_t> ticks;
    const double size = static_cast<double>(step);
    for (double at = std::ceil(first / size) * size; at < first + span; at += size)
        ticks.push_back(static_cast<std::uint64_t>(at));
    return ticks;
}

} // namespace ql
