// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/finecounter.h"

#include <limits>
#include <utility>

namespace ql {

namespace {

/// So many weights of a set may all fall into one bin before a counter overflows.
constexpr std::size_t MostInSet = std::numeric_limits<std::uint16_t>::max();

} // namespace

FineCounter::FineCounter(double lo, double hi, bool isSquashed, const float *edges)
    : m_addValues(isSquashed ? scanKernels().addSquashed : scanKernels().addValues)
    , m_countTimes(isSquashed ? scanKernels().countTimesSquashed : scanKernels().countTimes)
    , m_setCount(isSquashed ? Lanes : FineSets)
    , m_bins(lo, hi, FineBins)
    , m_slow(lo, hi, FineBins)
    , m_sets(m_setCount * FineStride)
    , m_counts(FineBins)
{
    m_bins.edges = edges;
}

void FineCounter::add(std::span<const float> weights, CentralSums &central)
{
    if (!central.allFinite) {
        central.add(weights);
        m_slow.add(weights, false);
        return;
    }
    // The first sets get one more where the weights don't come out even.
    reserve((weights.size() + m_setCount - 1) / m_setCount);
    m_addValues(weights.data(), weights.size(), central.shift, central.lanes.data(), m_bins, m_sets.data());
}

void FineCounter::reserve(std::size_t weights)
{
    if (m_inSets + weights > MostInSet)
        flush();
    m_inSets += weights;
}

void FineCounter::add(std::span<const float> values, std::span<const std::uint32_t> times, std::size_t weights)
{
    reserve(weights);
    m_countTimes(values.data(), times.data(), values.size(), m_bins, m_sets.data());
}

void FineCounter::add(std::span<const double> weights, CentralSums &central)
{
    central.add(weights);
    m_slow.add(weights, central.allFinite);
}

void FineCounter::flush()
{
    for (std::size_t set = 0; set < m_setCount; ++set) {
        std::uint16_t *const counts = m_sets.data() + set * FineStride;
        for (std::size_t i = 0; i < FineBins; ++i)
            m_counts[i] += std::exchange(counts[i], std::uint16_t{0});
    }
    m_inSets = 0;
}

std::vector<std::uint32_t> FineCounter::take()
{
    flush();
    const auto slow = m_slow.take();
    for (std::size_t i = 0; i < FineBins; ++i)
        m_counts[i] += slow[i];
    return std::exchange(m_counts, std::vector<std::uint32_t>(FineBins));
}

} // namespace ql
