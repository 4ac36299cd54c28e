// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/patterncounter.h"

#include <algorithm>
#include <utility>

namespace ql {

namespace {

/// Most patterns never occur: so many slots at once are looked at and left alone.
constexpr std::size_t Run = 32;

/// The sets of equal weights do not lie a multiple of 4 KiB apart: loads and stores that far apart wait
/// for each other.
constexpr std::size_t Stride = Patterns + 96;
/// So many spans of equal weights are worth the memory of sets.
constexpr std::size_t FewSkewed = 16;

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

namespace {

/// Whether many weights are the same as their neighbour, by the first few.
bool looksSkewed(std::span<const std::byte> weights)
{
    constexpr std::size_t Looked = 64;
    constexpr std::size_t Many = 4;
    if (weights.size() / 2 <= Looked)
        return false;
    std::size_t equal = 0;
    for (std::size_t i = 0; i < Looked; ++i)
        equal += patternAt(weights.data(), i) == patternAt(weights.data(), i + 1);
    return equal >= Many;
}

} // namespace

CountSets PatternCounter::setsFor(std::span<const std::byte> weights)
{
    const CountSets plain{m_counts.data(), 0};
    if (!looksSkewed(weights) || ++m_skewed < FewSkewed)
        return plain;
    m_spread.resize(CountSets::Sets * Stride);
    return {m_spread.data(), Stride};
}

void PatternCounter::add(std::span<const std::byte> weights)
{
    const CountSets sets = setsFor(weights);
    const std::size_t n = weights.size() / 2;
    std::size_t i = 0;
    for (; i + LineWeights <= n; i += LineWeights)
        countLine(weights.data() + 2 * i, sets);
    for (; i < n; ++i)
        increment(m_counts.data(), patternAt(weights.data(), i));
    m_counted += n;
}

bool PatternCounter::add(std::span<const std::byte> weights, CountStripsFn countStrips, StripTable &table)
{
    m_counted += weights.size() / 2;
    return countStrips(weights.data(), weights.size() / 2, setsFor(weights), table);
}

std::span<const std::uint32_t> PatternCounter::counts()
{
    for (std::size_t first = 0; first < m_spread.size(); first += Stride) {
        for (std::size_t i = 0; i < Patterns; ++i)
            m_counts[i] += std::exchange(m_spread[first + i], 0u);
    }
    return m_counts;
}

void PatternCounter::clear()
{
    std::ranges::fill(m_counts, 0u);
    std::ranges::fill(m_spread, 0u);
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
