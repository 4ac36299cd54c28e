// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/stats/heatmap.h"

#include <vector>

namespace ql {

/// A measure along each edge of a map: of every row of cells and of every column of cells. RMS goes
/// through squares, the others are the mean of what their cells are coloured by. NaN where a whole
/// row or column is unknown.
struct HeatMapProfiles {
    std::vector<double> rows;
    std::vector<double> columns;
};
HeatMapProfiles profilesOf(const HeatMap &map, Measure measure);

} // namespace ql
