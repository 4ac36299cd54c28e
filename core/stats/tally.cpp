// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/tally.h"

#include "core/quant/half.h"
#include "core/stats/bincounter.h"
#include "core/stats/patterncounter.h"
#include "core/stats/tilesums.h"

#include <algorithm>
#include <cmath>

namespace ql {

bool canBeTallied(GgmlType type) { return type == GgmlType::BF16 || type == GgmlType::F16; }

float valueOfPattern(GgmlType type, std::uint16_t pattern)
{
    return type == GgmlType::BF16 ? bf16ToFloat(pattern) : halfToFloat(pattern);
}

std::uint16_t infinityOf(GgmlType type) { return type == GgmlType::BF16 ? 0x7f80 : 0x7c00; }

Tally::Tally(GgmlType type, std::span<const std::uint32_t> counts) { collect(type, counts); }

Tally::Tally(GgmlType type, std::span<const std::uint64_t> counts) { collect(type, counts); }

template <class Count>
void Tally::collect(GgmlType type, std::span<const Count> counts)
{
    m_entries.reserve(static_cast<std::size_t>(Patterns - std::ranges::count(counts, Count{0})));
    for (std::size_t pattern = 0; pattern < counts.size(); ++pattern) {
        if (counts[pattern])
            add(valueOfPattern(type, static_cast<std::uint16_t>(pattern)), counts[pattern]);
    }
    sumUp();
}

void Tally::add(float value, std::uint64_t count)
{
    m_moments.count += count;
    if (std::isnan(value)) {
        m_moments.nan += count;
        return;
    }
    if (std::isinf(value)) {
        m_moments.inf += count;
        return;
    }
    m_moments.zeros += value == 0 ? count : 0;
    m_entries.push_back({static_cast<double>(value) + 0.0, count}); // -0 becomes +0
}

void Tally::sumUp()
{
    if (m_entries.empty())
        return;
    const auto [least, most] = std::ranges::minmax(m_entries, {}, &Entry::value);
    m_moments.min = least.value;
    m_moments.max = most.value;
    double sum = 0;
    for (const Entry &entry : m_entries)
        sum += static_cast<double>(entry.count) * entry.value;
    PowerSums sums;
    sums.shift = sum / static_cast<double>(m_moments.finite());
    for (const Entry &entry : m_entries) {
        const auto n = static_cast<double>(entry.count);
        const double d = entry.value - sums.shift;
        const double d2 = d * d;
        sums.sum1 += n * d;
        sums.sum2 += n * d2;
        sums.sum3 += n * (d2 * d);
        sums.sum4 += n * (d2 * d2);
        sums.sumAbs += n * std::abs(entry.value);
    }
    sums.finish(m_moments);
}

void Tally::addTo(Histogram &histogram) const
{
    if (m_entries.empty())
        return;
    const BinRule rule(*histogram.lo, *histogram.hi, histogram.counts.size());
    for (const Entry &entry : m_entries)
        histogram.counts[rule.binOf(entry.value)] += entry.count;
}

std::vector<std::uint64_t> Tally::coreCounts(const BinPlan &plan) const
{
    const BinRule rule(plan.coreLo, plan.coreHi, plan.coreBins);
    std::vector<std::uint64_t> counts(plan.coreBins + 2);
    for (const Entry &entry : m_entries)
        counts[coreSlot(rule, plan.coreLo, plan.coreHi, entry.value)] += entry.count;
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
