// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/tally.h"

#include "core/quant/dequantize.h"
#include "core/quant/half.h"
#include "core/stats/bincounter.h"
#include "core/stats/patterncounter.h"
#include "core/stats/tilesums.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ql {

bool canBeTallied(GgmlType type) { return type == GgmlType::BF16 || type == GgmlType::F16; }

float valueOfPattern(GgmlType type, std::uint16_t pattern)
{
    return type == GgmlType::BF16 ? bf16ToFloat(pattern) : halfToFloat(pattern);
}

std::uint16_t infinityOf(GgmlType type) { return type == GgmlType::BF16 ? 0x7f80 : 0x7c00; }

Tally::Tally(GgmlType type, std::span<const std::uint32_t> counts) { collect(type, counts); }

Tally::Tally(GgmlType type, std::span<const std::uint64_t> counts) { collect(type, counts); }

Tally::Tally(TallyBuilder &&builder)
    : m_values(std::move(builder.m_values)), m_times(std::move(builder.m_times)), m_moments(builder.m_moments)
{
    m_values.resize(builder.m_size);
    m_times.resize(builder.m_size);
    sumUp();
}

namespace {

/// The finite patterns that occur, in ascending order, and how often.
class Found
{
public:
    explicit Found(std::size_t most) : m_patterns(most + 1), m_times(most + 1) {}

    /// Of the patterns [first, last), both multiples of PatternRun.
    template <class Count>
    void add(std::span<const Count> counts, std::size_t first, std::size_t last)
    {
        forUsedRuns(counts.subspan(first, last - first), [&](std::size_t run) {
            for (std::size_t i = first + run; i < first + run + PatternRun; ++i) {
                m_patterns[m_size] = static_cast<std::uint16_t>(i);
                m_times[m_size] = static_cast<double>(static_cast<std::int64_t>(counts[i]));
                m_size += counts[i] != 0;
            }
        });
    }

    std::vector<double> values(GgmlType type) const
    {
        std::vector<float> floats(m_size);
        dequantizer(type)(reinterpret_cast<const std::byte *>(m_patterns.data()), floats.data(), m_size);
        std::vector<double> values(m_size);
        std::ranges::transform(floats, values.begin(), [](float x) { return static_cast<double>(x) + 0.0; });
        return values;
    }
    std::vector<double> takeTimes()
    {
        m_times.resize(m_size);
        return std::move(m_times);
    }

private:
    std::vector<std::uint16_t> m_patterns; ///< one more than there are is written to
    std::vector<double> m_times;
    std::size_t m_size = 0;
};

template <class Count>
std::uint64_t sumOf(std::span<const Count> counts)
{
    return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

/// Sums in four lanes, value i in lane i mod 4.
constexpr std::size_t TallyLanes = 4;

struct Lane4 {
    double lanes[TallyLanes] = {};

    double folded() const { return (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]); }
};

struct TallySums {
    Lane4 sum1, sum2, sum3, sum4, sumAbs;
};

void addLane(TallySums &sums, std::size_t lane, double value, double times, double shift)
{
    const double d = value - shift;
    const double d2 = d * d;
    sums.sum1.lanes[lane] += times * d;
    sums.sum2.lanes[lane] += times * d2;
    sums.sum3.lanes[lane] += times * (d2 * d);
    sums.sum4.lanes[lane] += times * (d2 * d2);
    sums.sumAbs.lanes[lane] += times * std::abs(value);
}

TallySums powerSums(std::span<const double> values, const double *times, double shift)
{
    TallySums sums;
    std::size_t i = 0;
    for (; i + TallyLanes <= values.size(); i += TallyLanes) {
        for (std::size_t lane = 0; lane < TallyLanes; ++lane)
            addLane(sums, lane, values[i + lane], times[i + lane], shift);
    }
    for (std::size_t lane = 0; i + lane < values.size(); ++lane)
        addLane(sums, lane, values[i + lane], times[i + lane], shift);
    return sums;
}

double plainSum(std::span<const double> values, const double *times)
{
    Lane4 sum;
    std::size_t i = 0;
    for (; i + TallyLanes <= values.size(); i += TallyLanes) {
        for (std::size_t lane = 0; lane < TallyLanes; ++lane)
            sum.lanes[lane] += times[i + lane] * values[i + lane];
    }
    for (std::size_t lane = 0; i + lane < values.size(); ++lane)
        sum.lanes[lane] += times[i + lane] * values[i + lane];
    return sum.folded();
}

/// Calls handle(i, bin of value i) for all, the bins worked out some at a time.
template <class Handle>
void forBins(const BinRule &rule, std::span<const double> values, const Handle &handle)
{
    constexpr std::size_t AtOnce = 256;
    double positions[AtOnce];
    for (std::size_t first = 0; first < values.size(); first += AtOnce) {
        const std::size_t n = std::min(AtOnce, values.size() - first);
        for (std::size_t i = 0; i < n; ++i)
            positions[i] = rule.positionOf(values[first + i]);
        for (std::size_t i = 0; i < n; ++i)
            handle(first + i, rule.binAt(positions[i]));
    }
}

template <class Count>
std::size_t mostFound(std::span<const Count> counts)
{
    std::size_t runs = 0;
    forUsedRuns(counts, [&](std::size_t) { ++runs; });
    return runs * PatternRun;
}

} // namespace

template <class Count>
void Tally::collect(GgmlType type, std::span<const Count> counts)
{
    constexpr std::size_t Negative = Patterns / 2;
    const std::size_t infinity = infinityOf(type);
    m_moments.count = sumOf(counts);
    m_moments.inf = std::uint64_t{counts[infinity]} + counts[Negative + infinity];
    m_moments.nan = sumOf(counts.subspan(infinity, Negative - infinity)) + sumOf(counts.subspan(Negative + infinity))
        - m_moments.inf;
    m_moments.zeros = std::uint64_t{counts[0]} + counts[Negative];
    Found found(mostFound(counts));
    found.add(counts, 0, infinity);
    found.add(counts, Negative, Negative + infinity);
    m_values = found.values(type);
    m_times = found.takeTimes();
    sumUp();
}

void Tally::sumUp()
{
    if (m_values.empty())
        return;
    const auto [least, most] = std::ranges::minmax(m_values);
    m_moments.min = least;
    m_moments.max = most;
    const double shift = plainSum(m_values, m_times.data()) / static_cast<double>(m_moments.finite());
    const TallySums sums = powerSums(m_values, m_times.data(), shift);
    PowerSums{shift, sums.sum1.folded(), sums.sum2.folded(), sums.sum3.folded(), sums.sum4.folded(), sums.sumAbs.folded()}
        .finish(m_moments);
}

void Tally::addTo(Histogram &histogram) const
{
    if (m_values.empty())
        return;
    const BinRule rule(*histogram.lo, *histogram.hi, histogram.counts.size());
    forBins(rule, m_values, [&](std::size_t i, std::size_t bin) {
        histogram.counts[bin] += static_cast<std::uint64_t>(static_cast<std::int64_t>(m_times[i]));
    });
}

std::vector<std::uint64_t> Tally::coreCounts(const BinPlan &plan) const
{
    const BinRule rule(plan.coreLo, plan.coreHi, plan.coreBins);
    std::vector<std::uint64_t> counts(plan.coreBins + 2);
    for (std::size_t i = 0; i < m_values.size(); ++i)
        counts[coreSlot(rule, plan.coreLo, plan.coreHi, m_values[i])] += static_cast<std::uint64_t>(m_times[i]);
    return counts;
}

void Tally::addTo(Figures &figures) const
{
    figures.moments.merge(m_moments);
    addTo(figures.fine);
    if (figures.asked)
        addTo(*figures.asked);
}

} // namespace ql
