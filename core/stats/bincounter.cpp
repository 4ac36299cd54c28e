// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/bincounter.h"

#include <algorithm>
#include <utility>

namespace ql {

namespace {

/// Calls count(x) for every finite weight.
template <class T, class Count>
void forFinite(std::span<const T> weights, bool allFinite, const Count &count)
{
    for (const T weight : weights) {
        if (allFinite || std::isfinite(weight))
            count(static_cast<double>(weight));
    }
}

std::vector<std::uint32_t> takeCounts(std::vector<std::uint32_t> &counts)
{
    return std::exchange(counts, std::vector<std::uint32_t>(counts.size()));
}

} // namespace

BinCounter::BinCounter(double lo, double hi, std::size_t bins)
    : m_rule(lo, hi, bins), m_bins(lo, hi, bins), m_kernels(&scanKernels()), m_found(TileWeights), m_counts(bins)
{
}

void BinCounter::add(std::span<const float> weights, bool allFinite)
{
    if (!allFinite) {
        forFinite(weights, false, [this](double x) { ++m_counts[m_rule.binOf(x)]; });
        return;
    }
    for (std::size_t first = 0; first < weights.size(); first += TileWeights) {
        const auto tile = weights.subspan(first, std::min(TileWeights, weights.size() - first));
        m_kernels->findBins(tile.data(), tile.size(), m_bins, m_found.data());
        for (std::size_t i = 0; i < tile.size(); ++i)
            ++m_counts[m_found[i]];
    }
}

void BinCounter::add(std::span<const double> weights, bool allFinite)
{
    forFinite(weights, allFinite, [this](double x) { ++m_counts[m_rule.binOf(x)]; });
}

void BinCounter::add(std::span<const float> values, std::span<const std::uint32_t> times)
{
    for (std::size_t first = 0; first < values.size(); first += TileWeights) {
        const std::size_t n = std::min(TileWeights, values.size() - first);
        m_kernels->findBins(values.data() + first, n, m_bins, m_found.data());
        for (std::size_t i = 0; i < n; ++i)
            m_counts[m_found[i]] += times[first + i];
    }
}

std::vector<std::uint32_t> BinCounter::take() { return takeCounts(m_counts); }

CoreCounter::CoreCounter(double lo, double hi, std::size_t bins)
    : m_rule(lo, hi, bins), m_lo(lo), m_hi(hi), m_bins(lo, hi, bins), m_kernels(&scanKernels()), m_stride(bins + 96),
      m_sets(CoreSets * m_stride), m_counts(bins + 2)
{
}

void CoreCounter::add(std::span<const float> weights, bool allFinite)
{
    if (!allFinite) {
        forFinite(weights, false, [this](double x) { ++m_counts[coreSlot(m_rule, m_lo, m_hi, x)]; });
        return;
    }
    Outside outside;
    m_kernels->countInside(weights.data(), weights.size(), m_bins, m_sets.data(), m_stride, outside);
    m_counts.front() += outside.below;
    m_counts.back() += outside.above;
}

void CoreCounter::add(std::span<const double> weights, bool allFinite)
{
    forFinite(weights, allFinite,
              [this](double x) { ++m_counts[coreSlot(m_rule, m_lo, m_hi, x)]; });
}

void CoreCounter::add(std::span<const float> values, std::span<const std::uint32_t> times)
{
    Outside outside;
    m_kernels->countInsideTimes(values.data(), times.data(), values.size(), m_bins, m_sets.data(), m_stride, outside);
    m_counts.front() += outside.below;
    m_counts.back() += outside.above;
}

std::vector<std::uint32_t> CoreCounter::take()
{
    for (std::size_t set = 0; set < CoreSets; ++set) {
        for (std::size_t i = 0; i + 2 < m_counts.size(); ++i)
            m_counts[i + 1] += std::exchange(m_sets[set * m_stride + i], 0u);
    }
    return takeCounts(m_counts);
}

} // namespace ql
