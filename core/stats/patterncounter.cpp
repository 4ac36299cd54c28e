// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/patterncounter.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

namespace ql {

namespace {

constexpr std::size_t MostInNear = std::numeric_limits<std::uint16_t>::max();
/// Bytes that are fetched before they are counted: the next tile, on the next page.
constexpr std::size_t Ahead = 8192;
/// Most patterns never occur: so many slots at once are looked at and left alone.
constexpr std::size_t Run = 32;

/// GCC would make it one instruction that reads, adds and writes: slower among other work.
inline void increment(std::uint16_t *counter)
{
    std::uint32_t count = *counter;
    asm("" : "+r"(count));
    *counter = static_cast<std::uint16_t>(count + 1);
}

inline std::uint16_t patternAt(const std::byte *weights, std::size_t i)
{
    std::uint16_t pattern;
    std::memcpy(&pattern, weights + 2 * i, sizeof pattern);
    return pattern;
}

/// Counts 32 weights, a store a cycle at best.
inline void countLine(const std::byte *weights, std::uint16_t *counts)
{
#pragma GCC unroll 8
    for (std::size_t i = 0; i < 32; i += 4) {
        std::uint16_t *a = counts + patternAt(weights, i);
        std::uint16_t *b = counts + patternAt(weights, i + 1);
        std::uint16_t *c = counts + patternAt(weights, i + 2);
        std::uint16_t *d = counts + patternAt(weights, i + 3);
        asm("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d)); // all four before the first store
        increment(a);
        increment(b);
        increment(c);
        increment(d);
    }
}

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

/// Calls handle(first) for each run of slots of which one is not 0.
template <class Count, class Handle>
void forUsedRuns(const std::vector<Count> &counts, const Handle &handle)
{
    for (std::size_t first = 0; first < Patterns; first += Run) {
        if (anyIn(counts.data() + first))
            handle(first);
    }
}

} // namespace

PatternCounter::PatternCounter() : m_near(Patterns), m_counts(Patterns) {}

void PatternCounter::add(std::span<const std::byte> weights)
{
    const std::size_t n = weights.size() / 2;
    if (m_inNear + n > MostInNear)
        flush();
    std::uint16_t *const near = m_near.data();
    std::size_t i = 0;
    for (; i + 32 <= n; i += 32) {
        __builtin_prefetch(weights.data() + 2 * i + Ahead);
        countLine(weights.data() + 2 * i, near);
    }
    for (; i < n; ++i)
        increment(near + patternAt(weights.data(), i));
    m_inNear += n;
    m_counted += n;
}

void PatternCounter::flush()
{
    forUsedRuns(m_near, [this](std::size_t first) {
        for (std::size_t i = first; i < first + Run; ++i)
            m_counts[i] += std::exchange(m_near[i], std::uint16_t{0});
    });
    m_inNear = 0;
}

std::span<const std::uint32_t> PatternCounter::counts()
{
    flush();
    return m_counts;
}

void PatternCounter::clear()
{
    flush();
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
