// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/heatmap.h"

namespace ql {

const std::vector<float> &HeatMap::values(Measure measure, Pooling pooling) const
{
    const bool max = pooling == Pooling::Max;
    switch (measure) {
    case Measure::AbsMax:
        return absMax;
    case Measure::Rms:
        return max ? maxRms : rms;
    case Measure::Mean:
        return max ? maxMean : mean;
    case Measure::ZeroShare:
        return zeroShare;
    case Measure::Scale:
        return max ? maxScale : scale;
    }
    return absMax;
}

} // namespace ql
