// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/bincounter.h"

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

void BinCounter::add(std::span<const float> weights, bool allFinite)
{
    forFinite(weights, allFinite, [this](double x) { ++m_counts[m_rule.binOf(x)]; });
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

void CoreCounter::add(std::span<const float> weights, bool allFinite)
{
    forFinite(weights, allFinite,
              [this](double x) { ++m_counts[coreSlot(m_rule, m_lo, m_hi, x)]; });
}

void CoreCounter::add(std::span<const double> weights, bool allFinite)
{
    forFinite(weights, allFinite,
              [this](double x) { ++m_counts[coreSlot(m_rule, m_lo, m_hi, x)]; });
}

std::vector<std::uint32_t> CoreCounter::take() { return takeCounts(m_counts); }

} // namespace ql
