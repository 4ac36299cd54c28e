// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/heatmapprofile.h"

#include "widgets/heatmapimage.h"

#include <cmath>
#include <limits>

namespace ql {

namespace {

struct Mean {
    double sum = 0;
    std::size_t count = 0;

    void add(double value)
    {
        sum += value;
        ++count;
    }
    double value() const
    {
        return count ? sum / static_cast<double>(count) : std::numeric_limits<double>::quiet_NaN();
    }
};

std::vector<double> valuesOf(const std::vector<Mean> &means, bool isSquare)
{
    std::vector<double> values;
    values.reserve(means.size());
    for (const Mean &mean : means)
        values.push_back(isSquare ? std::sqrt(mean.value()) : mean.value());
    return values;
}

} // namespace

HeatMapProfiles profilesOf(const HeatMap &map, Measure measure)
{
    const std::vector<float> &values = map.values(measure, Pooling::Mean);
    const bool isSquare = measure == Measure::Rms;
    std::vector<Mean> rows(map.rows), columns(map.columns);
    if (values.size() < map.rows * map.columns)
        return {};
    for (std::size_t row = 0; row < map.rows; ++row)
        for (std::size_t column = 0; column < map.columns; ++column) {
            const double value = shownValue(measure, values[map.index(row, column)]);
            if (!std::isfinite(value))
                continue;
            rows[row].add(isSquare ? value * value : value);
            columns[column].add(isSquare ? value * value : value);
        }
    return {valuesOf(rows, isSquare), valuesOf(columns, isSquare)};
}

} // namespace ql
