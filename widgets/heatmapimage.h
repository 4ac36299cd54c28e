// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/stats/heatmap.h"
#include "widgets/theme.h"

#include <QImage>

#include <cstdint>

namespace ql {

/// Which values the ends of a colour map stand for.
struct ColorScale {
    double lo = 0;
    double hi = 1;
    bool clipsLow = false;  ///< some cells lie below lo and have its colour
    bool clipsHigh = false; ///< some lie above hi
    ColorMap map = ColorMap::Magnitude;

    /// 0 … 1 within the scale, beyond it outside; NaN for NaN. Where lo == hi, for zeros: zero's place.
    double position(double value) const
    {
        return hi > lo ? (value - lo) / (hi - lo) : (value == value ? zeroPosition() : value);
    }
    /// Of a scale that has zero in it.
    double zeroPosition() const { return map == ColorMap::Signed ? 0.5 : 0.0; }
    bool operator==(const ColorScale &) const = default;
};

/// Covers both; for pictures side by side and for a scale that must not shrink.
ColorScale united(const ColorScale &a, const ColorScale &b);

/// What a cell's number is coloured by: the size of absmax, which keeps its sign; else itself.
double shownValue(Measure measure, float value);

/// The scale a map wants for a measure. A few far cells don't squash the rest: an end lies at most
/// the bulk's spread beyond the 5th and 95th percentile. Mean is symmetric about zero. Where all cells
/// are the same, the other measures, none of which is negative, begin at zero.
ColorScale scaleOf(const HeatMap &map, Measure measure, Pooling pooling);

/// A pixel a cell, or a pixel for reduceRows × reduceColumns of them, pooled again, so that a single
/// outlying column survives on a small screen. Cells not sampled are transparent; cells with NaN or
/// Inf have the theme's mark.
QImage heatMapImage(const HeatMap &map, Measure measure, Pooling pooling, const ColorScale &scale,
                    const Theme &theme, std::size_t reduceRows = 1, std::size_t reduceColumns = 1);

struct CellCounts {
    std::size_t nonFinite = 0;  ///< cells with NaN or Inf in them
    std::size_t notSampled = 0; ///< cells nothing is known of
};
CellCounts countCells(const HeatMap &map);

} // namespace ql
