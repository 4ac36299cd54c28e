// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/levelkernels.h"

#include "core/quant/kernels.h"
#include "core/stats/signedkey.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace ql {

namespace {

/// How many weights of a run have a code.
std::uint32_t timesOf(const LevelPlanes &planes, const LevelType &type, std::size_t at, std::size_t code)
{
    std::uint32_t weights = planes.used[at];
    for (std::size_t bit = 0; bit < type.bits; ++bit)
        weights &= code >> bit & 1 ? planes.planes[bit][at] : ~planes.planes[bit][at];
    return static_cast<std::uint32_t>(std::popcount(weights));
}

float valueOf(const LevelPlanes &planes, const LevelType &type, std::size_t at, std::size_t code)
{
    const float product = type.levels[code] * planes.scale[at];
    return type.hasMin ? product + planes.min[at] : product;
}

/// Sums of powers of a run's codes: whole numbers.
struct RunPowers {
    double weights = 0;
    double sum1 = 0, sum2 = 0, sum3 = 0, sum4 = 0;
    double magnitude = 0;
    double negative = 0;  ///< how many weights are below 0
    double negative1 = 0; ///< the part of sum1 that is theirs
};

RunPowers powersOf(const LevelPlanes &planes, const LevelPowers &powers, std::size_t at)
{
    constexpr double High = LevelPowers::HighUnit;
    RunPowers sums;
    for (std::size_t code = 0; code < powers.type.codes(); ++code) {
        const auto times = static_cast<double>(timesOf(planes, powers.type, at, code));
        sums.weights += times;
        sums.sum1 += times * static_cast<double>(powers.power1[code]);
        sums.sum2 += times * static_cast<double>(powers.power2[code]);
        sums.sum3 += times * (static_cast<double>(powers.power3[code]) + High * static_cast<double>(powers.high3[code]));
        sums.sum4 += times * (static_cast<double>(powers.power4[code]) + High * static_cast<double>(powers.high4[code]));
        sums.magnitude += times * static_cast<double>(powers.magnitude[code]);
        if (powers.type.hasMin && valueOf(planes, powers.type, at, code) < 0) {
            sums.negative += times;
            sums.negative1 += times * static_cast<double>(powers.power1[code]);
        }
    }
    return sums;
}

/// The value at the type's center.
double middleOf(const LevelPlanes &planes, const LevelType &type, std::size_t at)
{
    const double middle = static_cast<double>(type.center) * static_cast<double>(planes.scale[at]);
    return type.hasMin ? middle + static_cast<double>(planes.min[at]) : middle;
}

struct Strip {
    double sum = 0;
    double sumSq = 0;
    float min = std::numeric_limits<float>::infinity();
    float max = -std::numeric_limits<float>::infinity();
    std::uint32_t zeros = 0;

    void addRange(float value, std::uint32_t times)
    {
        if (times == 0)
            return;
        min = std::min(min, value);
        max = std::max(max, value);
        zeros += value == 0 ? times : 0;
    }
};

/// The order of the operations is the kernels' as well.
Strip sumStrip(const LevelPlanes &planes, const LevelPowers &powers, std::size_t block)
{
    const LevelType &type = powers.type;
    Strip strip;
    for (std::size_t run = 0; run < type.runs; ++run) {
        const std::size_t vector = block / LevelPlanes::Lanes * type.runs + run;
        const std::size_t at = vector * LevelPlanes::Lanes + block % LevelPlanes::Lanes;
        for (std::size_t code = 0; code < type.codes(); ++code)
            strip.addRange(valueOf(planes, type, at, code), timesOf(planes, type, at, code));
        const RunPowers sums = powersOf(planes, powers, at);
        const auto a = static_cast<double>(planes.scale[at]);
        const double sum1 = a * sums.sum1;
        const double sum2 = (a * a) * sums.sum2;
        if (!type.hasMin) {
            strip.sum += sum1;
            strip.sumSq += sum2;
            continue;
        }
        const double middle = middleOf(planes, type, at);
        const double all = middle * sums.weights;
        strip.sum += sum1 + all;
        strip.sumSq += sum2 + middle * ((sum1 + sum1) + all);
    }
    // Which zero came first depends on the vector width: adding +0 makes both +0.
    strip.min += 0.0f;
    strip.max += 0.0f;
    return strip;
}

bool sumStrips(const LevelPlanes &planes, const LevelPowers &powers, StripTable &table, TileRange &range)
{
    bool ordinary = true;
    range = {std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity(), 0, 0, 0};
    for (std::size_t block = 0; block < planes.blocks; ++block) {
        const Strip strip = sumStrip(planes, powers, block);
        table.sum[block] = static_cast<float>(strip.sum);
        table.sumSq[block] = static_cast<float>(strip.sumSq);
        table.key[block] = std::max(signedKey(strip.min), signedKey(strip.max));
        table.zeros[block] = strip.zeros;
        range.min = std::min(range.min, strip.min);
        range.max = std::max(range.max, strip.max);
        ordinary &= isOrdinary(table.sumSq[block], strip.zeros, powers.type.blockWeights());
    }
    referenceSumTable(table, planes.blocks, range);
    return ordinary;
}

/// The same sums of distances from a center `by` levels higher.
void moveCenter(RunPowers &sums, double by)
{
    sums.sum4 -= by * (4 * sums.sum3 - by * (6 * sums.sum2 - by * (4 * sums.sum1 - by * sums.weights)));
    sums.sum3 -= by * (3 * sums.sum2 - by * (3 * sums.sum1 - by * sums.weights));
    sums.sum2 -= by * (2 * sums.sum1 - by * sums.weights);
    sums.sum1 -= by * sums.weights;
}

/// How many levels `shift` lies above the center of a run, in whole ones.
double levelsTo(double shift, double middle, float scale)
{
    constexpr float Most = 128;
    if (scale == 0)
        return 0;
    return static_cast<double>(std::clamp(std::nearbyint(static_cast<float>(shift - middle) / scale), -Most, Most));
}

/// The central sums of a run; the order of the operations is the kernels' as well.
struct RunSums {
    double sum1, sum2, sum3, sum4;
};

RunSums centralSums(const RunPowers &run, double a, double middle, double shift)
{
    const double b = middle - shift;
    const double a2 = a * a;
    const double sum1 = a * run.sum1;
    const double sum2 = a2 * run.sum2;
    const double sum3 = (a2 * a) * run.sum3;
    const double sum4 = (a2 * a2) * run.sum4;
    const double all = b * run.weights;
    return {sum1 + all, sum2 + b * ((sum1 + sum1) + all), sum3 + b * (3 * sum2 + b * (3 * sum1 + all)),
            sum4 + b * (4 * sum3 + b * (6 * sum2 + b * (4 * sum1 + all)))};
}

/// Whether terms of these would cancel each other.
bool wouldCancel(const LevelPlanes &planes, const LevelPowers &powers, std::size_t at, double shift)
{
    const RunPowers run = powersOf(planes, powers, at);
    const auto a = static_cast<double>(planes.scale[at]);
    const double middle = middleOf(planes, powers.type, at);
    const RunSums sums = centralSums(run, a, middle, shift);
    return run.weights > 0
        && (std::abs(middle - shift) > LevelKernels::FarLevels * std::abs(a)
            || sums.sum2 < LevelKernels::NearSquares * ((a * a) * run.weights));
}

void addRun(const LevelPlanes &planes, const LevelPowers &powers, std::size_t at, double shift, bool movesCenter,
            double *lane)
{
    RunPowers run = powersOf(planes, powers, at);
    const auto a = static_cast<double>(planes.scale[at]);
    double middle = middleOf(planes, powers.type, at);
    if (powers.type.hasMin) {
        const double below = a * run.negative1 + middle * run.negative;
        lane[4 * Lanes] += (a * run.sum1 + middle * run.weights) - (below + below);
    } else {
        lane[4 * Lanes] += std::abs(a) * run.magnitude;
    }
    if (movesCenter) {
        const double by = levelsTo(shift, middle, planes.scale[at]);
        moveCenter(run, by);
        middle += by * a;
    }
    const RunSums sums = centralSums(run, a, middle, shift);
    lane[0] += sums.sum1;
    lane[Lanes] += sums.sum2;
    lane[2 * Lanes] += sums.sum3;
    lane[3 * Lanes] += sums.sum4;
}

ListedRuns list(const LevelPlanes &planes, const LevelPowers &powers, std::size_t vector, double shift,
                double *centralLanes, float *values, std::uint32_t *times)
{
    const LevelType &type = powers.type;
    ListedRuns listed{0, true};
    const std::size_t first = vector * Lanes;
    for (std::size_t code = 0; code < type.codes(); ++code) {
        for (std::size_t at = first; at < first + Lanes; ++at) {
            values[listed.values] = valueOf(planes, type, at, code);
            times[listed.values] = timesOf(planes, type, at, code);
            listed.values += times[listed.values] != 0;
        }
    }
    for (std::size_t at = first; type.hasMin && at < first + Lanes; ++at)
        listed.areSummed &= isExact(planes.scale[at], planes.min[at], type.levels[type.codes() - 1]);
    bool movesCenter = false;
    for (std::size_t at = first; at < first + Lanes; ++at)
        movesCenter |= wouldCancel(planes, powers, at, shift);
    for (std::size_t lane = 0; listed.areSummed && lane < Lanes; ++lane)
        addRun(planes, powers, first + lane, shift, movesCenter, centralLanes + lane);
    return listed;
}

void count(const LevelPlanes &planes, const LevelType &type, std::size_t vector, std::uint8_t *counts)
{
    for (std::size_t at = vector * Lanes; at < (vector + 1) * Lanes; ++at) {
        for (std::size_t code = 0; code < type.codes(); ++code)
            *counts++ = static_cast<std::uint8_t>(timesOf(planes, type, at, code));
    }
}

constexpr LevelKernels Reference{"reference", sumStrips, list, count};

} // namespace

LevelPowers::LevelPowers(const LevelType &levelType) : type(levelType)
{
    for (std::size_t code = 0; code < Codes; ++code) {
        isLinear &= code >= type.codes() || type.levels[code] == type.levels[0] + static_cast<float>(code);
        const auto level = static_cast<std::int64_t>(type.levels[code]);
        const std::int64_t k = level - type.center;
        const auto low = [](std::int64_t power) { return static_cast<float>(power % static_cast<std::int64_t>(HighUnit)); };
        const auto high = [](std::int64_t power) { return static_cast<float>(power / static_cast<std::int64_t>(HighUnit)); };
        magnitude[code] = static_cast<float>(std::abs(level));
        power1[code] = static_cast<float>(k);
        power2[code] = static_cast<float>(k * k);
        power3[code] = static_cast<float>(k * k * k);
        power4[code] = static_cast<float>(k * k * k * k);
        high3[code] = high4[code] = 0;
        // The sum of 32 of them is to have no more than a float's 24 bits.
        constexpr std::int64_t MostExact = (std::int64_t{1} << 24) / 32;
        hasHigh |= code < type.codes() && k * k * k * k > MostExact;
        if (hasHigh) {
            power3[code] = low(k * k * k);
            power4[code] = low(k * k * k * k);
            high3[code] = high(k * k * k);
            high4[code] = high(k * k * k * k);
        }
    }
}

bool isExact(float scale, float min, float highestLevel)
{
    // All products and sums are multiples of the unit of a 24-bit number that none of them exceeds.
    const float bound = (std::abs(scale) * highestLevel + std::abs(min)) * (1 + 0x1p-20f);
    const auto above = std::bit_cast<float>((std::bit_cast<std::uint32_t>(bound) & 0x7f800000u) + 0x00800000u);
    const float a = above - std::abs(scale);
    const float b = above - std::abs(min);
    return above - a == std::abs(scale) && above - b == std::abs(min);
}

void addListed(std::span<const float> values, std::span<const std::uint32_t> times, double shift, double *centralLanes)
{
    for (std::size_t i = 0; i < values.size(); ++i) {
        double *const lane = centralLanes + i % Lanes;
        const auto x = static_cast<double>(values[i]);
        const auto count = static_cast<double>(times[i]);
        const double d = x - shift;
        const double sum1 = count * d;
        const double sum2 = sum1 * d;
        const double sum3 = sum2 * d;
        lane[0] += sum1;
        lane[Lanes] += sum2;
        lane[2 * Lanes] += sum3;
        lane[3 * Lanes] += sum3 * d;
        lane[4 * Lanes] += count * std::abs(x);
    }
}

const LevelKernels &referenceLevelKernels() { return Reference; }

const LevelKernels &levelKernels()
{
    const std::string_view wanted = activeImplementation(GgmlType::Q4_K);
    for (const LevelKernels *kernels : detail::simdLevelKernels()) {
        if (kernels->name == wanted)
            return *kernels;
    }
    return Reference;
}

} // namespace ql
