// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/tilesums.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ql {

namespace {

struct StripLanes {
    double sum[Lanes] = {};
    double sumSq[Lanes] = {};
};

void countNonFinite(double x, StripSums &strip)
{
    if (std::isnan(x))
        ++strip.nan;
    else
        ++strip.inf;
}

template <class T>
StripSums sumStrip(const T *weights, std::size_t n, double factor)
{
    StripSums strip;
    StripLanes lanes;
    T min = std::numeric_limits<T>::infinity();
    T max = -min;
    strip.count = static_cast<std::uint32_t>(n);
    for (std::size_t i = 0; i < n; ++i) {
        if (!std::isfinite(weights[i])) {
            countNonFinite(weights[i], strip);
            continue;
        }
        const double x = static_cast<double>(weights[i]) * factor;
        const double square = x * x;
        lanes.sum[i % Lanes] += x;
        lanes.sumSq[i % Lanes] += square;
        min = std::min(min, weights[i]);
        max = std::max(max, weights[i]);
        strip.zeros += weights[i] == 0;
    }
    strip.sum = foldLanes(lanes.sum);
    strip.sumSq = foldLanes(lanes.sumSq);
    // Adding +0 turns -0 into +0: which zero came first depends on the vector width.
    strip.min = static_cast<double>(min) + 0.0;
    strip.max = static_cast<double>(max) + 0.0;
    return strip;
}

template <class T>
void sumStripsOf(std::span<const T> weights, std::size_t stripWeights, double factor,
                 StripSums *strips)
{
    for (std::size_t first = 0; first < weights.size(); first += stripWeights) {
        const std::size_t n = std::min(stripWeights, weights.size() - first);
        *strips++ = sumStrip(weights.data() + first, n, factor);
    }
}

template <class T>
void addCentral(CentralSums &sums, std::span<const T> weights)
{
    for (std::size_t i = 0; i < weights.size(); ++i) {
        if (!std::isfinite(weights[i]))
            continue;
        double *const lane = sums.lanes.data() + i % Lanes;
        const double x = static_cast<double>(weights[i]) * sums.factor;
        const double d = x - sums.shift;
        const double d2 = d * d;
        const double d3 = d2 * d;
        const double d4 = d2 * d2;
        lane[0] += d;
        lane[Lanes] += d2;
        lane[2 * Lanes] += d3;
        lane[3 * Lanes] += d4;
        lane[4 * Lanes] += std::abs(x);
    }
}

} // namespace

void sumStrips(std::span<const float> weights, std::size_t stripWeights, double factor,
               StripSums *strips)
{
    sumStripsOf(weights, stripWeights, factor, strips);
}

void sumStrips(std::span<const double> weights, std::size_t stripWeights, double factor,
               StripSums *strips)
{
    sumStripsOf(weights, stripWeights, factor, strips);
}

void CentralSums::add(std::span<const float> weights) { addCentral(*this, weights); }

void CentralSums::add(std::span<const double> weights) { addCentral(*this, weights); }

void CentralSums::finish(Moments &moments) const
{
    if (moments.finite() == 0)
        return;
    const double *const first = lanes.data();
    const PowerSums sums{shift, foldLanes(first), foldLanes(first + Lanes), foldLanes(first + 2 * Lanes),
                         foldLanes(first + 3 * Lanes), foldLanes(first + 4 * Lanes)};
    sums.finish(moments);
}

void PowerSums::finish(Moments &moments) const
{
    const auto n = static_cast<double>(moments.finite());
    moments.sumAbs = sumAbs;
    // The shift is the mean but for rounding: the corrections below are tiny.
    const double delta = sum1 / n;
    moments.mean = shift + delta;
    if (moments.min == moments.max)
        return;
    const double delta2 = delta * delta;
    moments.m2 = std::max(0.0, sum2 - n * delta2);
    moments.m3 = sum3 - 3.0 * delta * sum2 + 2.0 * n * delta * delta2;
    moments.m4 = std::max(0.0, sum4 - 4.0 * delta * sum3 + 6.0 * delta2 * sum2
                                   - 3.0 * n * delta2 * delta2);
}

} // namespace ql
