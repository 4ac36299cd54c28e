// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/stats/lanes.h"
#include "core/stats/moments.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace ql {

/// The first pass over a strip: a run of weights within one row and one cell column of the heat
/// map. Lanes begin anew with each strip. Sums are of weights · factor, over the finite ones.
struct StripSums {
    double sum = 0;
    double sumSq = 0;
    double min = 0; ///< meaningful if finite() > 0
    double max = 0;
    std::uint32_t count = 0;
    std::uint32_t zeros = 0;
    std::uint32_t nan = 0;
    std::uint32_t inf = 0;

    std::uint32_t finite() const { return count - nan - inf; }
};

/// Cuts `weights` into strips of `stripWeights` (the last may be shorter) and sums up each.
/// `factor` is a power of two and always 1 for floats.
void sumStrips(std::span<const float> weights, std::size_t stripWeights, double factor,
               StripSums *strips);
void sumStrips(std::span<const double> weights, std::size_t stripWeights, double factor,
               StripSums *strips);

/// Powers of the distance from a value near the mean of some weights, summed up.
struct PowerSums {
    double shift = 0; ///< that value
    double sum1 = 0;
    double sum2 = 0;
    double sum3 = 0;
    double sum4 = 0;
    double sumAbs = 0; ///< of |x|

    /// Fills in the mean, the central moments and the absolute sum of weights whose counts, range and
    /// exponent are already there.
    void finish(Moments &moments) const;
};

/// The second pass over a group: powers of the distance from a value near its mean, in lanes that
/// begin anew with each tile.
struct CentralSums {
    double shift = 0;    ///< of weights · factor
    double factor = 1;   ///< a power of two, 1 for floats
    bool allFinite = true; ///< the first pass found nothing to leave out
    std::array<double, 5 * Lanes> lanes{}; ///< of d, d², d³, d⁴ and |x|

    void add(std::span<const float> weights);
    void add(std::span<const double> weights);
    /// As PowerSums, for a group.
    void finish(Moments &moments) const;
};

} // namespace ql
