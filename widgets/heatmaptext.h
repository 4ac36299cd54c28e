// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/stats/heatmap.h"
#include "widgets/heatmapgeometry.h"

#include <QLocale>
#include <QString>

namespace ql {

/// "absmax", "RMS", "mean", "zero share", "scale |d|"
QString measureName(Measure measure);
/// What it is, for a tool-tip.
QString measureHelp(Measure measure);
/// "max RMS" where cells are pooled, "RMS" where each is one block of one row.
QString pooledMeasureName(const HeatMap &map, Measure measure, Pooling pooling);
/// A value of a measure: four digits, or per cent for the zero share.
QString measureValue(Measure measure, double value, const QLocale &locale = QLocale());
/// The same on a scale whose labels are `step` apart: as many digits as tell one from the next.
QString scaleLabel(Measure measure, double value, double step, const QLocale &locale = QLocale());

/// "row 2,113 · block 17 (weights 4,352–4,607)"; ranges where the cell is pooled. Nothing outside.
QString cellPlace(const HeatMap &map, const WeightPlace &place, const QLocale &locale = QLocale());
/// "RMS 0.01874", "RMS 0.01874 · 3 NaN or Inf", "not sampled"
QString cellValue(const HeatMap &map, Measure measure, Pooling pooling, const WeightPlace &place,
                  const QLocale &locale = QLocale());
/// Both in a line.
QString heatMapReadout(const HeatMap &map, Measure measure, Pooling pooling, const WeightPlace &place,
                       const QLocale &locale = QLocale());

/// The index of the cell over a weight, or nothing where the map's window does not reach.
std::optional<std::size_t> cellAt(const HeatMap &map, const WeightPlace &place);

/// A matrix: first line and column are the first weight and row of each cell. No locale; empty
/// cells where nothing is known.
QString heatMapCsv(const HeatMap &map, Measure measure, Pooling pooling);

} // namespace ql
