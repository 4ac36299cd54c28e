// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/heatmapimage.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace ql {

namespace {

/// How far beyond its 5th and 95th percentile a scale follows outliers, in bulk spreads. Whole
/// outlying columns (1 of 56 is common) must not take the colours from the others.
constexpr double BulkShare = 0.05;
constexpr double FollowedSpread = 1.0;

/// The finite values as shown: their ends, and enough of them for the ranks. A map has up to half a
/// million cells, and all of this happens on the window's thread.
struct Shown {
    std::vector<double> sample;
    double min = std::numeric_limits<double>::infinity();
    double max = -std::numeric_limits<double>::infinity();
};
constexpr std::size_t SampledCells = 20000;

Shown shownValues(const std::vector<float> &values, Measure measure)
{
    Shown shown;
    // An odd stride, so that it does not keep to the same columns of a map 2^n wide.
    const std::size_t stride = values.size() / SampledCells | 1;
    shown.sample.reserve(values.size() / stride + 1);
    std::size_t next = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double value = shownValue(measure, values[i]);
        if (!std::isfinite(value))
            continue;
        shown.min = std::min(shown.min, value);
        shown.max = std::max(shown.max, value);
        if (i >= next) {
            shown.sample.push_back(value);
            next = i + stride;
        }
    }
    return shown;
}

double ranked(std::vector<double> &values, double share)
{
    const auto rank = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), values.begin() + rank, values.end());
    return values[static_cast<std::size_t>(rank)];
}

ColorScale robustScale(Shown &shown)
{
    const double min = shown.min, max = shown.max;
    const double low = ranked(shown.sample, BulkShare), high = ranked(shown.sample, 1 - BulkShare);
    ColorScale scale;
    scale.lo = min;
    scale.hi = max;
    if (high > low) {
        scale.lo = std::max(min, low - FollowedSpread * (high - low));
        scale.hi = std::min(max, high + FollowedSpread * (high - low));
    }
    scale.clipsLow = min < scale.lo;
    scale.clipsHigh = max > scale.hi;
    return scale;
}

ColorScale symmetric(ColorScale scale)
{
    const double bound = std::max(std::fabs(scale.lo), std::fabs(scale.hi));
    scale.clipsLow = scale.clipsLow && scale.lo == -bound;
    scale.clipsHigh = scale.clipsHigh && scale.hi == bound;
    scale.lo = -bound;
    scale.hi = bound;
    scale.map = ColorMap::Signed;
    return scale;
}

/// One pixel from the cells [row0, row1) × [column0, column1).
struct Pixel {
    double value = std::numeric_limits<double>::quiet_NaN();
    bool nonFinite = false;
};

class Reducer
{
public:
    Reducer(const HeatMap &map, Measure measure, Pooling pooling)
        : m_map(map), m_values(map.values(measure, pooling)), m_measure(measure),
          m_keepsLargest(pooling == Pooling::Max && measure != Measure::ZeroShare)
    {
    }

    Pixel operator()(std::size_t row0, std::size_t row1, std::size_t column0, std::size_t column1) const
    {
        Pixel pixel;
        double sum = 0;
        std::size_t count = 0;
        for (std::size_t row = row0; row < row1; ++row)
            for (std::size_t i = m_map.index(row, column0); i < m_map.index(row, column1); ++i) {
                pixel.nonFinite |= i < m_map.nonFinite.size() && m_map.nonFinite[i] > 0;
                const double value = i < m_values.size() ? shownValue(m_measure, m_values[i]) : NAN;
                if (!std::isfinite(value))
                    continue;
                sum += value;
                ++count;
                if (count == 1 || std::fabs(value) > std::fabs(pixel.value))
                    pixel.value = value;
            }
        if (count > 1 && !m_keepsLargest)
            pixel.value = sum / static_cast<double>(count);
        return pixel;
    }

private:
    const HeatMap &m_map;
    const std::vector<float> &m_values;
    Measure m_measure;
    bool m_keepsLargest;
};

} // namespace

ColorScale united(const ColorScale &a, const ColorScale &b)
{
    ColorScale scale = a;
    scale.lo = std::min(a.lo, b.lo);
    scale.hi = std::max(a.hi, b.hi);
    scale.clipsLow = (a.clipsLow && a.lo == scale.lo) || (b.clipsLow && b.lo == scale.lo);
    scale.clipsHigh = (a.clipsHigh && a.hi == scale.hi) || (b.clipsHigh && b.hi == scale.hi);
    return scale;
}

double shownValue(Measure measure, float value)
{
    const double shown = value;
    return measure == Measure::AbsMax || measure == Measure::Scale ? std::fabs(shown) : shown;
}

ColorScale scaleOf(const HeatMap &map, Measure measure, Pooling pooling)
{
    Shown values = shownValues(map.values(measure, pooling), measure);
    if (values.sample.empty())
        return {0, 1, false, false, measure == Measure::Mean ? ColorMap::Signed : ColorMap::Magnitude};
    ColorScale scale = robustScale(values);
    if (measure == Measure::Mean)
        return symmetric(scale);
    if (scale.lo == scale.hi) // the middle of the colours would tell of a middling size
        scale.lo = 0;
    return scale;
}

QImage heatMapImage(const HeatMap &map, Measure measure, Pooling pooling, const ColorScale &scale,
                    const Theme &theme, std::size_t reduceRows, std::size_t reduceColumns)
{
    if (map.rows == 0 || map.columns == 0)
        return {};
    const std::size_t height = (map.rows + reduceRows - 1) / reduceRows;
    const std::size_t width = (map.columns + reduceColumns - 1) / reduceColumns;
    QImage image(static_cast<int>(width), static_cast<int>(height), QImage::Format_ARGB32_Premultiplied);
    const Reducer reduced(map, measure, pooling);
    const ColorTable &colors = theme.colors(scale.map);
    const QRgb mark = theme.nonFinite.rgb();
    for (std::size_t y = 0; y < height; ++y) {
        auto *line = reinterpret_cast<QRgb *>(image.scanLine(static_cast<int>(y)));
        const std::size_t row = y * reduceRows, rowEnd = std::min(row + reduceRows, map.rows);
        for (std::size_t x = 0; x < width; ++x) {
            const std::size_t column = x * reduceColumns;
            const Pixel pixel
                = reduced(row, rowEnd, column, std::min(column + reduceColumns, map.columns));
            const double at = std::clamp(scale.position(pixel.value), 0.0, 1.0) * 255.0 + 0.5;
            line[x] = pixel.nonFinite ? mark
                : std::isnan(pixel.value) ? qRgba(0, 0, 0, 0)
                                          : colors[static_cast<std::size_t>(at)];
        }
    }
    return image;
}

CellCounts countCells(const HeatMap &map)
{
    CellCounts counts;
    for (std::size_t i = 0; i < map.rows * map.columns; ++i) {
        const bool marked = i < map.nonFinite.size() && map.nonFinite[i] > 0;
        counts.nonFinite += marked;
        counts.notSampled += !marked && (i >= map.rms.size() || std::isnan(map.rms[i]));
    }
    return counts;
}

} // namespace ql
