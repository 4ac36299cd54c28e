// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/stats/countkernels.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace ql {

/// Most patterns never occur: so many at once are looked at and left alone.
inline constexpr std::size_t PatternRun = 32;

/// Calls handle(first) for each run of counters of which one is not 0.
template <class Count, class Handle>
void forUsedRuns(std::span<const Count> counts, const Handle &handle)
{
    for (std::size_t first = 0; first < counts.size(); first += PatternRun) {
        Count any = 0;
        for (std::size_t i = first; i < first + PatternRun; ++i)
            any |= counts[i];
        if (any)
            handle(first);
    }
}

/// Counts the bit patterns of weights of two bytes. Not thread-safe: one a worker.
class PatternCounter
{
public:
    PatternCounter() : m_counts(Patterns) {}

    /// Whole patterns, little-endian.
    void add(std::span<const std::byte> weights);
    /// The same, with whole strips summed up on the way; false as CountStripsFn.
    bool add(std::span<const std::byte> weights, CountStripsFn countStrips, StripTable &table);

    /// How often each pattern occurred since the last clear(); right for fewer than 2^32 weights.
    std::span<const std::uint32_t> counts();
    std::uint64_t counted() const { return m_counted; }
    void clear();

private:
    CountIn tablesFor(std::span<const std::byte> weights);
    std::uint32_t *tables(CountIn where) { return where == CountIn::OneTable ? m_counts.data() : m_four.data(); }

    std::vector<std::uint32_t> m_counts;
    std::vector<std::uint32_t> m_four; ///< four tables, once there were many equal weights; else empty
    std::size_t m_skewed = 0;            ///< spans of such weights
    std::uint64_t m_counted = 0;
};

/// Adds up tables of counts that have a slot a pattern. Takes no memory before it is used.
class PatternTotals
{
public:
    void add(std::span<const std::uint32_t> counts);
    void add(std::span<const std::uint64_t> counts);
    bool isEmpty() const { return m_counts.empty(); }
    /// Once something was added.
    std::span<const std::uint64_t> counts() const { return m_counts; }
    void clear() { m_counts.clear(); }

private:
    template <class Count>
    void addAll(std::span<const Count> counts);

    std::vector<std::uint64_t> m_counts;
};

/// The range of the finite ones among weights of two bytes.
class PatternRange
{
public:
    /// `infinity` is the pattern of the type's infinity.
    explicit PatternRange(std::uint16_t infinity) : m_infinity(static_cast<std::int16_t>(infinity)) {}

    /// Whole patterns, little-endian.
    void add(std::span<const std::byte> weights);
    void merge(const PatternRange &other);
    bool isEmpty() const { return m_least > m_most; }
    /// The patterns of the least and the greatest; not to be asked for where there are none.
    std::uint16_t least() const { return patternOf(m_least); }
    std::uint16_t greatest() const { return patternOf(m_most); }

private:
    static std::uint16_t patternOf(std::int16_t ordinal);
    bool isFinite(std::int16_t ordinal) const { return ordinal > -m_infinity - 1 && ordinal < m_infinity; }
    void addFinite(std::span<const std::int16_t> patterns);

    // Patterns as integers in the order of their values.
    std::int16_t m_infinity;
    std::int16_t m_least = std::numeric_limits<std::int16_t>::max();
    std::int16_t m_most = std::numeric_limits<std::int16_t>::min();
};

} // namespace ql
