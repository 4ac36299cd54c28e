// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/compareheattext.h"
#include "widgets/heatmapimage.h"

#include <QString>

namespace ql {

/// What the colours of the three maps stand for.
struct CompareScales {
    ColorScale a;
    ColorScale b;
    ColorScale error; ///< ColorMap::Error, always its own
};

/// `common`: A and B by the same colours, over what both hold. The comparison must have its maps.
CompareScales compareScales(const Comparison &comparison, const CompareTitles &titles, Measure measure,
                            Pooling pooling, bool common);

/// The numbers at the ends: a measure's, or an error's share of A's RMS where A has one.
struct ScaleEnds {
    QString low;
    QString high;
};
ScaleEnds measureEnds(const ColorScale &scale, Measure measure);
ScaleEnds errorEnds(const ColorScale &scale, std::optional<double> rmsA);

} // namespace ql
