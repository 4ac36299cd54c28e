// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/stats/tensorstats.h"

#include <QString>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace ql::test {

/// The figures by their definitions, from the weights one by one.
struct PlainFigures {
    std::uint64_t count = 0, nan = 0, inf = 0, zeros = 0;
    std::vector<double> finite;
    double min = 0, max = 0;
    long double mean = 0, meanAbs = 0, variance = 0, rms = 0, kurtosis = 0;

    explicit PlainFigures(std::span<const float> weights);
    /// How many of them lie in each of n bins.
    std::vector<std::uint64_t> bins(std::size_t n, double lo, double hi) const;
};

/// What differs beyond rounding, or nothing.
QString difference(const Figures &figures, const PlainFigures &plain);

} // namespace ql::test
