// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Results as a scan would give them, made up for the tests of pictures: small, fixed, with the
// oddities that pictures must survive.

#include "core/stats/heatmap.h"
#include "core/stats/tensorstats.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <random>
#include <vector>

namespace ql::test {

/// A map over the whole of a tensor, a value a cell from `rms`, everything else derived from it.
inline std::shared_ptr<HeatMap> makeHeatMap(std::uint64_t rows, std::uint64_t columns,
                                            std::uint32_t cellWeights,
                                            const std::function<float(std::size_t, std::size_t)> &rms)
{
    auto map = std::make_shared<HeatMap>();
    const auto ceilDiv = [](std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; };
    map->window = {0, rows, 0, columns};
    map->tensorRows = rows;
    map->tensorColumns = columns;
    map->cellWeights = cellWeights;
    map->rowsPerCell = std::max<std::uint64_t>(1, ceilDiv(rows, HeatMap::MaxRows));
    map->weightsPerCell = cellWeights
        * std::max<std::uint64_t>(1, ceilDiv(ceilDiv(columns, cellWeights), HeatMap::MaxColumns));
    map->rows = ceilDiv(rows, map->rowsPerCell);
    map->columns = ceilDiv(columns, map->weightsPerCell);
    map->hasScale = cellWeights == 256;
    for (std::size_t r = 0; r < map->rows; ++r)
        for (std::size_t c = 0; c < map->columns; ++c) {
            const float value = rms(r, c);
            const float sign = (r + c) % 2 ? -1.0F : 1.0F;
            map->rms.push_back(value);
            map->maxRms.push_back(value * 1.5F);
            map->absMax.push_back(value * 4 * sign);
            map->mean.push_back(value * 0.1F * sign);
            map->maxMean.push_back(value * 0.2F * sign);
            map->zeroShare.push_back(static_cast<float>(c) / static_cast<float>(map->columns));
            if (map->hasScale) {
                map->scale.push_back(value / 8);
                map->maxScale.push_back(value / 6);
            }
            map->nonFinite.push_back(0);
        }
    return map;
}

/// Noise with two outlying columns and banded rows, as weights have them.
inline std::shared_ptr<HeatMap> makeLifelikeHeatMap(std::uint64_t rows, std::uint64_t columns,
                                                    std::uint32_t cellWeights, unsigned seed = 1)
{
    std::mt19937 random(seed);
    std::normal_distribution<float> noise(0, 1);
    std::vector<float> rowFactor(HeatMap::MaxRows + 1), columnFactor(HeatMap::MaxColumns + 1);
    for (auto &f : rowFactor)
        f = std::exp(0.08F * noise(random));
    for (auto &f : columnFactor)
        f = std::exp(0.15F * noise(random));
    columnFactor[17] = 2.6F;
    columnFactor[41] = 2.1F;
    return makeHeatMap(rows, columns, cellWeights, [&](std::size_t r, std::size_t c) {
        return 0.018F * rowFactor[r] * columnFactor[c] * std::exp(0.07F * noise(random));
    });
}

inline Histogram makeHistogram(const std::vector<double> &weights, double lo, double hi,
                               std::size_t bins = FineBins)
{
    Histogram histogram;
    histogram.lo = lo;
    histogram.hi = hi;
    histogram.counts.assign(bins, 0);
    for (const double w : weights)
        if (w >= lo && w <= hi)
            ++histogram.counts[std::min(bins - 1, static_cast<std::size_t>((w - lo) / (hi - lo)
                                                                           * static_cast<double>(bins)))];
    return histogram;
}

/// Everything a scan knows of these weights (NaN and Inf among them are counted, not used).
inline std::shared_ptr<TensorStats> makeStats(const std::vector<double> &all)
{
    auto stats = std::make_shared<TensorStats>();
    Figures &f = stats->figures;
    Moments &m = f.moments;
    std::vector<double> weights;
    for (const double w : all) {
        ++m.count;
        m.nan += std::isnan(w);
        m.inf += std::isinf(w);
        m.zeros += w == 0;
        if (std::isfinite(w))
            weights.push_back(w);
    }
    if (weights.empty())
        return stats;
    std::sort(weights.begin(), weights.end());
    m.min = weights.front();
    m.max = weights.back();
    for (const double w : weights) {
        m.mean += w / static_cast<double>(weights.size());
        m.sumAbs += std::fabs(w);
    }
    for (const double w : weights) {
        const double d = w - m.mean;
        m.m2 += d * d;
        m.m3 += d * d * d;
        m.m4 += d * d * d * d;
    }
    f.fine = makeHistogram(weights, m.min, m.max);
    const double sigma = std::sqrt(m.m2 / static_cast<double>(weights.size()));
    if (m.max - m.min > 40 * sigma)
        f.core = makeHistogram(weights, m.mean - 8 * sigma, m.mean + 8 * sigma);
    for (std::size_t i = 0; i < PercentilePoints.size(); ++i)
        f.percentiles[i] = weights[static_cast<std::size_t>(
            PercentilePoints[i] / 100 * static_cast<double>(weights.size() - 1))];
    return stats;
}

/// Laplacian: what trained weights look like on a logarithmic axis. `step` > 0 rounds to a grid, as
/// a coarse quantization would.
inline std::vector<double> makeWeights(std::size_t count, double scale, unsigned seed = 1, double step = 0)
{
    std::mt19937_64 random(seed);
    std::exponential_distribution<double> size(1.0 / scale);
    std::vector<double> weights(count);
    for (auto &w : weights) {
        w = size(random) * (random() % 2 ? 1 : -1);
        if (step > 0)
            w = std::round(w / step) * step;
    }
    return weights;
}

} // namespace ql::test
