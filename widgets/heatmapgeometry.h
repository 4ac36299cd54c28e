// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/stats/heatmap.h"

#include <QPointF>
#include <QRectF>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace ql {

using HeatMapPtr = std::shared_ptr<const HeatMap>;

/// The part of a tensor that is seen, in rows and weights; fractions are fine. Views in step share one.
struct HeatMapViewport {
    double firstRow = 0;
    double rows = 0;
    double firstColumn = 0;
    double columns = 0;

    bool isEmpty() const { return !(rows > 0 && columns > 0); }
    bool operator==(const HeatMapViewport &) const = default;
};

/// A weight of the tensor (or expert) in view.
struct WeightPlace {
    std::uint64_t row = 0;
    std::uint64_t column = 0;
    bool operator==(const WeightPlace &) const = default;
};

/// Where weights lie on the screen: pixels <-> rows and weights, zooming and panning. A value, pure
/// arithmetic. Few rows are not blown up: a tensor of one row is a strip at the top of its area.
class HeatMapGeometry
{
public:
    static constexpr double MaxRowPixels = 120;
    static constexpr double MinCells = 4; ///< closest zoom: so many rows and cell columns

    HeatMapGeometry() = default;
    /// `viewport` is clamped to the tensor; an empty one means all of it. No cells: all is empty.
    HeatMapGeometry(const HeatMap *map, const QRectF &area, const HeatMapViewport &viewport);

    bool isEmpty() const { return m_viewport.isEmpty() || m_plot.isEmpty(); }
    const QRectF &plot() const { return m_plot; } ///< the part of the area in use
    const HeatMapViewport &viewport() const { return m_viewport; }

    QPointF toPixel(double row, double column) const;
    /// The rectangle of rows [row, row + rows) × weights [column, column + columns), not clipped.
    QRectF pixelsOf(double row, double rows, double column, double columns) const;
    /// Nothing outside the plot.
    std::optional<WeightPlace> weightAt(const QPointF &pixel) const;

    HeatMapViewport fitted() const;
    /// `factor` > 1 comes closer; what is under `about` stays there.
    HeatMapViewport zoomed(const QPointF &about, double rowFactor, double columnFactor) const;
    HeatMapViewport panned(const QPointF &pixels) const;
    /// `viewport` moved and shrunk into the tensor.
    HeatMapViewport clamped(HeatMapViewport viewport) const;

private:
    double m_tensorRows = 0;
    double m_tensorColumns = 0;
    double m_cellWeights = 32;
    QRectF m_plot;
    HeatMapViewport m_viewport;
};

/// The window to ask for so that `viewport` is shown as finely as its size allows: itself with a
/// margin, in whole cell columns. Nothing where `map` (which may cover only a part) is already as
/// fine as that, or finer.
std::optional<HeatMapWindow> finerWindow(const HeatMap &map, const HeatMapViewport &viewport);
bool covers(const HeatMapWindow &window, const HeatMapViewport &viewport);

/// Round positions within [first, first + span) at most `count` of them: steps of 1, 2 or 5 times
/// a power of ten, or of `unit` times a power of two where a unit is given.
std::vector<std::uint64_t> axisTicks(double first, double span, int count, std::uint64_t unit = 0);

} // namespace ql
