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

std::vector<std::uint32_t> BinCounter::take() { return takeCounts(m_counts); }

namespace {

std::size_t coreSlot(const BinRule &rule, double lo, double hi, double x)
{
    if (x < lo)
        return 0;
    return x > hi ? rule.bins() + 1 : 1 + rule.binOf(x);
}

} // namespace

CoreCounter::CoreCounter(double lo, double hi, std::size_t bins)
    : m_rule(lo, hi, bins), m_lo(lo), m_hi(hi), m_inside(lo, hi, bins), m_counts(bins + 2)
{
}

void CoreCounter::add(std::span<const float> weights, bool allFinite)
{
    if (allFinite)
        addInside(weights);
    else
        forFinite(weights, false, [this](double x) { ++m_counts[coreSlot(m_rule, m_lo, m_hi, x)]; });
}

void CoreCounter::addInside(std::span<const float> weights)
{
    const auto lo = static_cast<float>(m_lo);
    const auto hi = static_cast<float>(m_hi);
    std::uint32_t below = 0;
    std::uint32_t above = 0;
    m_moved.resize(weights.size());
    for (std::size_t i = 0; i < weights.size(); ++i) {
        below += weights[i] < lo;
        above += weights[i] > hi;
        m_moved[i] = std::min(std::max(weights[i], lo), hi);
    }
    m_inside.add(m_moved, true);
    // What was moved has been counted in the first and the last bin.
    m_counts[0] += below;
    m_counts[1] -= below;
    m_counts[m_counts.size() - 2] -= above;
    m_counts.back() += above;
}

void CoreCounter::add(std::span<const double> weights, bool allFinite)
{
    forFinite(weights, allFinite,
              [this](double x) { ++m_counts[coreSlot(m_rule, m_lo, m_hi, x)]; });
}

std::vector<std::uint32_t> CoreCounter::take()
{
    const auto inside = m_inside.take();
    for (std::size_t i = 0; i < inside.size(); ++i)
        m_counts[i + 1] += inside[i];
    return takeCounts(m_counts);
}

} // namespace ql
