// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/stats/comparison.h"
#include "widgets/heatmapgeometry.h"

#include <QLocale>
#include <QString>

namespace ql {

/// What the maps of a comparison are titled with.
struct CompareTitles {
    std::uint32_t typeIdA = 0;
    std::uint32_t typeIdB = 0;
    double bpwA = 0;  ///< bits per weight; 0 where unknown
    double bpwB = 0;
    double rmsA = 0;  ///< what errors are relative to; 0: taken from the comparison's sums
};

/// The three maps a readout is taken from: of the whole pair, or finer ones of a part.
struct PairHeat {
    const HeatMap *a = nullptr;
    const HeatMap *b = nullptr;
    const HeatMap *error = nullptr;

    static PairHeat of(const Comparison &comparison);
    static PairHeat of(const PairMaps &maps) { return {&maps.a, &maps.b, &maps.error}; }
    explicit operator bool() const { return a && b && error; }
    bool holds(const WeightPlace &place) const;
};

/// The error is a size: the largest for absmax, RMS for every other measure.
Measure errorMeasure(Measure measure);
/// Of all of A: as given, else from the sums; nothing where A is all zero.
std::optional<double> rmsOfA(const Comparison &comparison, const CompareTitles &titles);

/// "Q5_K · 5.50 bpw"
QString compareSideText(std::uint32_t typeId, double bpw, const QLocale &locale = QLocale());
/// "22 %", "4.10 %"; empty where there is nothing to relate to.
QString relativeError(double error, std::optional<double> rmsA, const QLocale &locale = QLocale());

/// "row 2,113 · block 17 (weights 4,352–4,607) · A RMS 0.01874 · B RMS 0.01801 · error 0.004120
/// (22 %)". Blocks are A's, named where a cell column is one of them. Nothing outside.
QString compareHeatReadout(const Comparison &comparison, const CompareTitles &titles, Measure measure,
                           Pooling pooling, const WeightPlace &place, const QLocale &locale = QLocale());

QString compareHeatReadout(const PairHeat &maps, std::optional<double> rmsA, const CompareTitles &titles,
                           Measure measure, Pooling pooling, const WeightPlace &place,
                           const QLocale &locale = QLocale());

/// What errors are shown relative to, or why they can't be.
QString compareErrorTitle(const Comparison &comparison, const CompareTitles &titles);

/// A line a cell: first row, first weight, A, B, error. No locale; empty where nothing is known.
QString compareHeatCsv(const Comparison &comparison, Measure measure, Pooling pooling);

} // namespace ql
