// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compareheatscales.h"

#include "widgets/formatting.h"
#include "widgets/heatmaptext.h"

namespace ql {

namespace {

/// Ends that some cells lie beyond say so.
ScaleEnds marked(const ColorScale &scale, ScaleEnds ends)
{
    if (scale.clipsLow)
        ends.low.prepend(QStringLiteral("≤ "));
    if (scale.clipsHigh)
        ends.high.prepend(QStringLiteral("≥ "));
    return ends;
}

/// As any map's; but where no cell has an error, none is the dark end and not the middle.
ColorScale errorScale(const Comparison &comparison, const CompareTitles &titles, Measure measure,
                      Pooling pooling)
{
    ColorScale scale = scaleOf(*comparison.heatError, errorMeasure(measure), pooling);
    scale.map = ColorMap::Error;
    if (scale.hi <= 0) {
        scale.lo = 0;
        scale.hi = rmsOfA(comparison, titles).value_or(1);
    }
    return scale;
}

} // namespace

CompareScales compareScales(const Comparison &comparison, const CompareTitles &titles, Measure measure,
                            Pooling pooling, bool common)
{
    CompareScales scales;
    scales.a = scaleOf(*comparison.heatA, measure, pooling);
    scales.b = scaleOf(*comparison.heatB, measure, pooling);
    if (common)
        scales.a = scales.b = united(scales.a, scales.b);
    scales.error = errorScale(comparison, titles, measure, pooling);
    return scales;
}

ScaleEnds measureEnds(const ColorScale &scale, Measure measure)
{
    const double step = scale.hi - scale.lo;
    return marked(scale, {scaleLabel(measure, scale.lo, step), scaleLabel(measure, scale.hi, step)});
}

ScaleEnds errorEnds(const ColorScale &scale, std::optional<double> rmsA)
{
    if (!rmsA)
        return marked(scale, {formatNumber(scale.lo), formatNumber(scale.hi)});
    return marked(scale, {relativeError(scale.lo, rmsA), relativeError(scale.hi, rmsA)});
}

} // namespace ql
