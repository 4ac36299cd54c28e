// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/patterncounter.h"

#include <algorithm>

namespace ql {

namespace {

/// Most patterns never occur: so many slots at once are looked at and left alone.
constexpr std::size_t Run = 32;

template <class Count>
bool anyIn(const Count *run)
{
    Count all = 0;
    for (std::size_t i = 0; i < Run; ++i)
        all = static_cast<Count>(all | run[i]);
    return all != 0;
}

std::int16_t ordinalOf(std::uint16_t pattern)
{
    const auto bits = static_cast<std::int16_t>(pattern);
    return static_cast<std::int16_t>(bits ^ ((bits >> 15) & 0x7fff));
}

} // namespace

void PatternCounter::add(std::span<const std::byte> weights)
{
    const std::size_t n = weights.size() / 2;
    std::size_t i = 0;
    for (; i + LineWeights <= n; i += LineWeights)
        countLine(weights.data() + 2 * i, m_counts.data());
    for (; i < n; ++i)
        increment(m_counts.data(), patternAt(weights.data(), i));
    m_counted += n;
}

bool PatternCounter::add(std::span<const std::byte> weights, CountStripsFn countStrips, StripTable &table)
{
    m_counted += weights.size() / 2;
    return countStrips(weights.data(), weights.size() / 2, m_counts.data(), table);
}

void PatternCounter::clear()
{
    std::ranges::fill(m_counts, 0u);
    m_counted = 0;
}

void PatternTotals::add(std::span<const std::uint32_t> counts)
{
    for (std::size_t first = 0; first < Patterns; first += Run) {
        if (!anyIn(counts.data() + first))
            continue;
        for (std::size_t i = first; i < first + Run; ++i)
            m_counts[i] += counts[i];
    }
}

void PatternRange::add(std::span<const std::byte> weights)
{
    const auto positive = m_infinity;
    const auto negative = static_cast<std::int16_t>(-positive - 1);
    std::int16_t least = m_least;
    std::int16_t most = m_most;
    for (std::size_t i = 0; i < weights.size() / 2; ++i) {
        std::uint16_t pattern;
        std::memcpy(&pattern, weights.data() + 2 * i, sizeof pattern);
        const std::int16_t x = ordinalOf(pattern);
        const bool isFinite = x > negative && x < positive;
        least = std::min(least, isFinite ? x : std::numeric_limits<std::int16_t>::max());
        most = std::max(most, isFinite ? x : std::numeric_limits<std::int16_t>::min());
    }
    m_least = least;
    m_most = most;
}

void PatternRange::merge(const PatternRange &other)
{
    m_least = std::min(m_least, other.m_least);
    m_most = std::max(m_most, other.m_most);
}

std::uint16_t PatternRange::patternOf(std::int16_t ordinal)
{
    return static_cast<std::uint16_t>(ordinalOf(static_cast<std::uint16_t>(ordinal)));
}

void SharedTotals::take(PatternCounter &counter)
{
    {
        const std::lock_guard lock(m_mutex);
        m_totals.add(counter.counts());
    }
    counter.clear();
}

} // namespace ql
