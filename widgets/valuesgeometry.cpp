// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/valuesgeometry.h"

#include <algorithm>

namespace ql {

namespace {

constexpr std::uint64_t BarRange = 1u << 30;

std::uint64_t fitting(int pixels, int cell)
{
    return static_cast<std::uint64_t>(std::max(1, cell > 0 ? pixels / cell : 1));
}

/// The cell index at a pixel that may lie before the first one.
std::uint64_t clampedIndex(std::uint64_t first, int pixels, int cell, std::uint64_t count)
{
    const std::int64_t steps = pixels >= 0 ? pixels / cell : -((-pixels + cell - 1) / cell);
    if (steps < 0 && first < static_cast<std::uint64_t>(-steps))
        return 0;
    return std::min(first + static_cast<std::uint64_t>(steps), count - 1);
}

/// [first, first + n) and about half as much again on both sides, within [0, total).
std::pair<std::uint64_t, std::uint64_t> widened(std::uint64_t first, std::uint64_t n,
                                                std::uint64_t total)
{
    const std::uint64_t margin = n / 2;
    const std::uint64_t from = first > margin ? first - margin : 0;
    const std::uint64_t to = std::min(total, first + n + margin);
    return {from, to - from};
}

void scrollTo(std::uint64_t place, std::uint64_t whole, std::uint64_t &first)
{
    if (place < first)
        first = place;
    else if (place - first >= whole)
        first = place - whole + 1;
}

} // namespace

std::uint64_t ScrollScale::positionsPerStep() const { return last / BarRange + 1; }

int ScrollScale::maximum() const { return static_cast<int>(last / positionsPerStep()); }

int ScrollScale::toBar(std::uint64_t position) const
{
    return static_cast<int>(std::min(position, last) / positionsPerStep());
}

std::uint64_t ScrollScale::fromBar(int value) const
{
    if (value >= maximum())
        return last;
    return static_cast<std::uint64_t>(std::max(value, 0)) * positionsPerStep();
}

std::uint64_t ValuesGeometry::wholeRows() const
{
    return fitting(viewport.height() - header.height(), cell.height());
}

std::uint64_t ValuesGeometry::wholeColumns() const
{
    return fitting(viewport.width() - header.width(), cell.width());
}

ValuesWindow ValuesGeometry::visible() const
{
    if (isEmpty())
        return {};
    return {top, std::min(wholeRows() + 1, rows - top), left,
            std::min(wholeColumns() + 1, columns - left)};
}

ValuesWindow ValuesGeometry::wanted() const
{
    const ValuesWindow seen = visible();
    const auto [firstRow, rowCount] = widened(seen.firstRow, seen.rows, rows);
    const auto [firstColumn, columnCount] = widened(seen.firstColumn, seen.columns, columns);
    if (rowCount * columnCount > ValuesPage::MaxCells)
        return seen;
    return {firstRow, rowCount, firstColumn, columnCount};
}

QRect ValuesGeometry::rectOf(const CellPlace &place) const
{
    const auto x = static_cast<std::int64_t>(place.column - left) * cell.width();
    const auto y = static_cast<std::int64_t>(place.row - top) * cell.height();
    return {QPoint(header.width() + static_cast<int>(x), header.height() + static_cast<int>(y)),
            cell};
}

std::optional<CellPlace> ValuesGeometry::cellAt(QPoint p) const
{
    if (isEmpty() || p.x() < header.width() || p.y() < header.height())
        return std::nullopt;
    const CellPlace place{
        top + static_cast<std::uint64_t>((p.y() - header.height()) / cell.height()),
        left + static_cast<std::uint64_t>((p.x() - header.width()) / cell.width())};
    if (place.row >= rows || place.column >= columns)
        return std::nullopt;
    return place;
}

CellPlace ValuesGeometry::nearestCell(QPoint p) const
{
    return {clampedIndex(top, p.y() - header.height(), cell.height(), rows),
            clampedIndex(left, p.x() - header.width(), cell.width(), columns)};
}

void ValuesGeometry::ensureVisible(const CellPlace &place)
{
    scrollTo(place.row, wholeRows(), top);
    scrollTo(place.column, wholeColumns(), left);
    clampScroll();
}

void ValuesGeometry::clampScroll()
{
    top = std::min(top, lastTop());
    left = std::min(left, lastLeft());
}

ValuesWindow windowBetween(const CellPlace &a, const CellPlace &b)
{
    const std::uint64_t row = std::min(a.row, b.row);
    const std::uint64_t column = std::min(a.column, b.column);
    return {row, std::max(a.row, b.row) - row + 1, column,
            std::max(a.column, b.column) - column + 1};
}

bool isInside(const ValuesWindow &inner, const ValuesWindow &outer)
{
    return inner.firstRow >= outer.firstRow && inner.firstColumn >= outer.firstColumn
           && inner.firstRow - outer.firstRow + inner.rows <= outer.rows
           && inner.firstColumn - outer.firstColumn + inner.columns <= outer.columns;
}

} // namespace ql
