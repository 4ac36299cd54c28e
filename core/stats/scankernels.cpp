// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/scankernels.h"

#include "core/quant/kernels.h"
#include "core/stats/increment.h"
#include "core/stats/signedkey.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

namespace ql {

namespace {

float foldFloats(const float *lanes)
{
    float fold[Lanes / 2];
    for (std::size_t i = 0; i < Lanes / 2; ++i)
        fold[i] = lanes[i] + lanes[i + Lanes / 2];
    for (std::size_t half = Lanes / 4; half > 0; half /= 2) {
        for (std::size_t i = 0; i < half; ++i)
            fold[i] += fold[i + half];
    }
    return fold[0];
}

bool sumStrip(const float *weights, std::size_t n, StripTable &table, std::size_t strip)
{
    float sum[Lanes] = {};
    float sumSq[Lanes] = {};
    std::uint32_t key = 0;
    std::uint32_t zeros = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const float square = weights[i] * weights[i];
        sum[i % Lanes] += weights[i];
        sumSq[i % Lanes] += square;
        key = std::max(key, signedKey(weights[i]));
        zeros += weights[i] == 0;
    }
    table.sum[strip] = foldFloats(sum);
    table.sumSq[strip] = foldFloats(sumSq);
    table.key[strip] = key;
    table.zeros[strip] = zeros;
    return isOrdinary(table.sumSq[strip], zeros, n);
}

bool sumStrips(const float *weights, std::size_t n, std::size_t stripWeights, StripTable &table,
               TileRange &range)
{
    const std::size_t strips = n / stripWeights;
    bool ordinary = true;
    for (std::size_t i = 0; i < strips; ++i)
        ordinary &= sumStrip(weights + i * stripWeights, stripWeights, table, i);
    range.min = *std::min_element(weights, weights + n) + 0.0f;
    range.max = *std::max_element(weights, weights + n) + 0.0f;
    referenceSumTable(table, strips, range);
    return ordinary;
}

void addScale(const StripTable &table, std::size_t strip, const CellRow &cells, std::size_t cell)
{
    const float scale = table.scale[strip];
    if (!std::isfinite(scale))
        return;
    cells.scaleSum[cell] += static_cast<double>(scale);
    cells.maxScale[cell] = std::max(cells.maxScale[cell], scale);
    ++cells.scales[cell];
}

void addStrips(const StripTable &table, std::size_t first, std::size_t n, std::size_t stripWeights,
               bool withScales, const CellRow &cells)
{
    const float share = 1.0f / static_cast<float>(stripWeights); // exact: a power of two
    for (std::size_t i = 0; i < n; ++i) {
        const std::size_t strip = first + i;
        cells.sum[i] += static_cast<double>(table.sum[strip]);
        cells.sumSq[i] += static_cast<double>(table.sumSq[strip]);
        cells.maxRms[i] = std::max(cells.maxRms[i], std::sqrt(table.sumSq[strip] * share));
        cells.absKey[i] = std::max(cells.absKey[i], table.key[strip]);
        cells.meanKey[i] = std::max(cells.meanKey[i], signedKey(table.sum[strip] * share));
        cells.finite[i] += static_cast<std::uint32_t>(stripWeights);
        cells.zeros[i] += table.zeros[strip];
        if (withScales)
            addScale(table, strip, cells, i);
    }
}

template <std::size_t sets>
void addValuesTo(const float *weights, std::size_t n, double shift, double *centralLanes, const FloatBins &bins,
                 std::uint16_t *fineSets)
{
    for (std::size_t i = 0; i < n; ++i) {
        double *const lane = centralLanes + i % Lanes;
        const auto x = static_cast<double>(weights[i]);
        const double d = x - shift;
        const double d2 = d * d;
        const double d3 = d2 * d;
        const double d4 = d2 * d2;
        lane[0] += d;
        lane[Lanes] += d2;
        lane[2 * Lanes] += d3;
        lane[3 * Lanes] += d4;
        lane[4 * Lanes] += std::abs(x);
        ++fineSets[i % sets * FineStride + bins.rule.binOf(x)];
    }
}

template <std::size_t sets>
void countTimesIn(const float *values, const std::uint32_t *times, std::size_t n, const FloatBins &bins,
                  std::uint16_t *fineSets)
{
    for (std::size_t i = 0; i < n; ++i)
        increase(fineSets[i % sets * FineStride + bins.rule.binOf(static_cast<double>(values[i]))], times[i]);
}

void countInside(const float *weights, std::size_t n, const FloatBins &bins, std::uint32_t *sets, std::size_t stride,
                 Outside &outside)
{
    for (std::size_t i = 0; i < n; ++i) {
        if (weights[i] < bins.floatLo)
            ++outside.below;
        else if (weights[i] > bins.floatHi)
            ++outside.above;
        else
            ++sets[i % CoreSets * stride + bins.rule.binOf(static_cast<double>(weights[i]))];
    }
}

void countInsideTimes(const float *values, const std::uint32_t *times, std::size_t n, const FloatBins &bins,
                      std::uint32_t *sets, std::size_t stride, Outside &outside)
{
    for (std::size_t i = 0; i < n; ++i) {
        if (values[i] < bins.floatLo)
            outside.below += times[i];
        else if (values[i] > bins.floatHi)
            outside.above += times[i];
        else
            sets[i % CoreSets * stride + bins.rule.binOf(static_cast<double>(values[i]))] += times[i];
    }
}

void findBins(const float *weights, std::size_t n, const FloatBins &bins, std::uint32_t *found)
{
    for (std::size_t i = 0; i < n; ++i)
        found[i] = static_cast<std::uint32_t>(bins.rule.binOf(static_cast<double>(weights[i])));
}

void addPairs(const float *as, const float *bs, std::size_t n, double *pairLanes, ErrorRange &range)
{
    for (std::size_t i = 0; i < n; ++i) {
        double *const lane = pairLanes + i % Lanes;
        const auto a = static_cast<double>(as[i]);
        const auto b = static_cast<double>(bs[i]);
        const double error = a - b;
        lane[0] += error * error;
        lane[Lanes] += std::abs(error);
        lane[2 * Lanes] += a * a;
        lane[3 * Lanes] += b * b;
        lane[4 * Lanes] += a * b;
        range.min = std::min(range.min, error);
        range.max = std::max(range.max, error);
    }
}

constexpr ScanKernels Reference{"reference", sumStrips, addStrips, addValuesTo<FineSets>, addValuesTo<Lanes>,
                                countTimesIn<FineSets>, countTimesIn<Lanes>, countInside, countInsideTimes,
                                findBins, addPairs};

} // namespace

namespace {

double foldTable(const float *values, std::size_t n)
{
    double lanes[Lanes] = {};
    for (std::size_t i = 0; i < n; ++i)
        lanes[i % Lanes] += static_cast<double>(values[i]);
    return foldLanes(lanes);
}

} // namespace

void referenceSumTable(const StripTable &table, std::size_t strips, TileRange &range)
{
    range.sum = foldTable(table.sum, strips);
    range.sumSq = foldTable(table.sumSq, strips);
    range.zeros = 0;
    for (std::size_t i = 0; i < strips; ++i)
        range.zeros += table.zeros[i];
}

FloatBins::FloatBins(double rangeLo, double hi, std::size_t n)
    : rule(rangeLo, hi, n), lo(rangeLo), bins(static_cast<double>(n))
{
    width = hi > lo ? hi - lo : 1.0;
    floatLo = static_cast<float>(lo);
    floatHi = static_cast<float>(hi);
    // Where a distance and the factor stay far from the ends of a float's range.
    constexpr double Smallest = 0x1p-90;
    constexpr double Largest = 0x1p+90;
    const double exactFactor = bins / width;
    if (static_cast<double>(floatLo) != lo || !(exactFactor > Smallest && exactFactor < Largest)
        || !(width < Largest) || n > 65536)
        return;
    fraction = FixedBits - static_cast<int>(std::bit_width(n - 1));
    factor = static_cast<float>(std::ldexp(exactFactor, fraction));
}

namespace {

/// Floats as integers in the same order; both zeros are 0.
std::int64_t placeOf(float x)
{
    const std::int64_t magnitude = std::bit_cast<std::uint32_t>(x) & 0x7fffffffu;
    return std::signbit(x) ? -magnitude : magnitude;
}

float floatAt(std::int64_t place)
{
    const auto magnitude = static_cast<std::uint32_t>(place < 0 ? -place : place);
    return std::bit_cast<float>(magnitude | (place < 0 ? 0x80000000u : 0u));
}

} // namespace

std::vector<float> findBinEdges(const FloatBins &bins)
{
    const std::size_t n = bins.rule.bins();
    std::vector<float> edges(n, std::numeric_limits<float>::infinity());
    const std::int64_t first = placeOf(bins.floatLo);
    const std::int64_t last = placeOf(bins.floatHi);
    for (std::size_t bin = 1; first < last && bin < n; ++bin) {
        const auto reaches = [&](std::int64_t place) {
            return bins.rule.binOf(static_cast<double>(floatAt(place))) >= bin;
        };
        // As a rule within a float or two of the first guess; near 0, where floats lie dense, far from it.
        const auto guess = static_cast<float>(bins.lo + static_cast<double>(bin) * bins.width / bins.bins);
        std::int64_t below = std::clamp(placeOf(guess), first, last);
        std::int64_t above = below;
        for (std::int64_t step = 1; reaches(below); step *= 2)
            above = std::exchange(below, std::max(below - step, first));
        for (std::int64_t step = 1; !reaches(above); step *= 2)
            below = std::exchange(above, std::min(above + step, last));
        while (above - below > 1)
            (reaches((below + above) / 2) ? above : below) = (below + above) / 2;
        edges[bin - 1] = floatAt(above);
    }
    return edges;
}

const ScanKernels &referenceScanKernels() { return Reference; }

const ScanKernels &scanKernels()
{
    const std::string_view wanted = activeImplementation(GgmlType::Q4_K);
    for (const ScanKernels *kernels : detail::simdScanKernels()) {
        if (kernels->name == wanted)
            return *kernels;
    }
    return Reference;
}

} // namespace ql
