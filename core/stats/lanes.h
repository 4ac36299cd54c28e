// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>

// How sums are taken, the same for the scalar code and every vector width: 16 logical lanes in
// double, weight i of a run in lane i mod 16, a product rounded before it is added, and the lanes
// folded in half four times. A kernel that keeps to this gives the same bits.

namespace ql {

inline constexpr std::size_t Lanes = 16;

/// Weights decoded at once: 16 KiB of floats stay in the first-level cache beside the bins.
inline constexpr std::size_t TileWeights = 4096;

/// Weights of one group: the unit of parallel work, of progress and of stopping.
inline constexpr std::uint64_t GroupWeights = 1u << 20;

/// Folds the lanes: 8 + 8, 4 + 4, 2 + 2, 1 + 1.
inline double foldLanes(const double *lanes)
{
    double fold[Lanes / 2];
    for (std::size_t i = 0; i < Lanes / 2; ++i)
        fold[i] = lanes[i] + lanes[i + Lanes / 2];
    for (std::size_t half = Lanes / 4; half > 0; half /= 2) {
        for (std::size_t i = 0; i < half; ++i)
            fold[i] += fold[i + half];
    }
    return fold[0];
}

} // namespace ql
