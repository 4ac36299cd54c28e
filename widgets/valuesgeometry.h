// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/stats/valuespage.h"

#include <QPoint>
#include <QRect>
#include <QSize>

#include <cstdint>
#include <optional>

namespace ql {

/// 64-bit scroll positions on a scroll bar, which counts in int. Exact while they fit; beyond that
/// a bar position stands for many, and the ends still meet.
struct ScrollScale {
    std::uint64_t last = 0; ///< the highest position

    std::uint64_t positionsPerStep() const;
    int maximum() const;
    int toBar(std::uint64_t position) const;
    std::uint64_t fromBar(int value) const;
};

struct CellPlace {
    std::uint64_t row = 0;
    std::uint64_t column = 0;
    bool operator==(const CellPlace &) const = default;
};

/// Where cells of a table of any size lie in a viewport that scrolls by whole rows and columns.
/// Numbers of rows stand left, of columns on top.
struct ValuesGeometry {
    std::uint64_t rows = 0;
    std::uint64_t columns = 0;
    std::uint64_t top = 0;  ///< first row shown
    std::uint64_t left = 0; ///< first column shown
    QSize viewport;
    QSize cell{90, 20};
    QSize header{60, 24}; ///< width of the row numbers, height of the column numbers

    bool isEmpty() const { return rows == 0 || columns == 0; }
    /// Rows and columns that fit whole; at least one.
    std::uint64_t wholeRows() const;
    std::uint64_t wholeColumns() const;
    std::uint64_t lastTop() const { return rows > wholeRows() ? rows - wholeRows() : 0; }
    std::uint64_t lastLeft() const
    {
        return columns > wholeColumns() ? columns - wholeColumns() : 0;
    }
    /// What can be seen, partly visible cells included.
    ValuesWindow visible() const;
    /// visible() and about as much around it, at most ValuesPage::MaxCells.
    ValuesWindow wanted() const;

    QRect rectOf(const CellPlace &place) const; ///< of a cell in or near the viewport
    std::optional<CellPlace> cellAt(QPoint p) const;
    /// The nearest cell of the table, for dragging beyond the edges.
    CellPlace nearestCell(QPoint p) const;
    /// Scrolls as little as shows the cell whole.
    void ensureVisible(const CellPlace &place);
    void clampScroll();
};

/// The rectangle between two cells, both included.
ValuesWindow windowBetween(const CellPlace &a, const CellPlace &b);
bool isInside(const ValuesWindow &inner, const ValuesWindow &outer);

} // namespace ql
