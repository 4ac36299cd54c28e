// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/patterncounter.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

namespace ql {

namespace {

/// So many spans of equal weights are worth the memory of four tables.
constexpr std::size_t FewSkewed = 16;

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

CountIn PatternCounter::tablesFor(std::span<const std::byte> weights)
{
    if (!looksSkewed(weights) || ++m_skewed < FewSkewed)
        return CountIn::OneTable;
    m_four.resize(CountTables * TableStride);
    return CountIn::FourTables;
}

namespace {

template <CountIn where>
void countLines(const std::byte *weights, std::size_t n, std::uint32_t *counts)
{
    std::size_t i = 0;
    for (; i + LineWeights <= n; i += LineWeights)
        countLine<where>(weights + 2 * i, counts);
    for (; i < n; ++i)
        increment(counts[patternAt(weights, i)]);
}

} // namespace

void PatternCounter::add(std::span<const std::byte> weights)
{
    const CountIn where = tablesFor(weights);
    const auto count = where == CountIn::OneTable ? countLines<CountIn::OneTable> : countLines<CountIn::FourTables>;
    count(weights.data(), weights.size() / 2, tables(where));
    m_counted += weights.size() / 2;
}

bool PatternCounter::add(std::span<const std::byte> weights, CountStripsFn countStrips, StripTable &table)
{
    m_counted += weights.size() / 2;
    const CountIn where = tablesFor(weights);
    return countStrips(weights.data(), weights.size() / 2, tables(where), where, table);
}

std::span<const std::uint32_t> PatternCounter::counts()
{
    for (std::size_t set = 0; set < m_four.size(); set += TableStride) {
        const std::span counts(m_four.data() + set, Patterns);
        forUsedRuns(std::span<const std::uint32_t>(counts), [&](std::size_t first) {
            for (std::size_t i = first; i < first + PatternRun; ++i)
                m_counts[i] += std::exchange(counts[i], 0u);
        });
    }
    return m_counts;
}

void PatternCounter::clear()
{
    std::ranges::fill(m_counts, 0u);
    std::ranges::fill(m_four, 0u);
    m_counted = 0;
}

template <class Count>
void PatternTotals::addAll(std::span<const Count> counts)
{
    m_counts.resize(Patterns);
    forUsedRuns(counts, [&](std::size_t first) {
        for (std::size_t i = first; i < first + PatternRun; ++i)
            m_counts[i] += counts[i];
    });
}

void PatternTotals::add(std::span<const std::uint32_t> counts) { addAll(counts); }

void PatternTotals::add(std::span<const std::uint64_t> counts) { addAll(counts); }

namespace {

/// A few patterns at once, in vectors.
constexpr std::size_t AtOnce = 512;

struct Ordinals {
    std::int16_t least = std::numeric_limits<std::int16_t>::max();
    std::int16_t most = std::numeric_limits<std::int16_t>::min();
};

Ordinals rangeOf(const std::int16_t *patterns, std::size_t n)
{
    Ordinals range;
    for (std::size_t i = 0; i < n; ++i) {
        const auto x = static_cast<std::int16_t>(patterns[i] ^ ((patterns[i] >> 15) & 0x7fff));
        range.least = range.least < x ? range.least : x;
        range.most = range.most > x ? range.most : x;
    }
    return range;
}

} // namespace

void PatternRange::add(std::span<const std::byte> weights)
{
    std::int16_t patterns[AtOnce];
    for (std::size_t first = 0; first < weights.size(); first += sizeof patterns) {
        const auto bytes = weights.subspan(first, std::min(sizeof patterns, weights.size() - first));
        for (std::size_t ahead = 0; ahead < bytes.size(); ahead += 2 * LineWeights)
            __builtin_prefetch(bytes.data() + CountAhead + ahead);
        std::memcpy(patterns, bytes.data(), bytes.size());
        const std::size_t n = bytes.size() / 2;
        const Ordinals range = rangeOf(patterns, n);
        if (isFinite(range.least) && isFinite(range.most)) {
            m_least = std::min(m_least, range.least);
            m_most = std::max(m_most, range.most);
        } else {
            addFinite({patterns, n});
        }
    }
}

/// One by one.
void PatternRange::addFinite(std::span<const std::int16_t> patterns)
{
    for (const std::int16_t pattern : patterns) {
        const std::int16_t x = ordinalOf(static_cast<std::uint16_t>(pattern));
        if (!isFinite(x))
            continue;
        m_least = std::min(m_least, x);
        m_most = std::max(m_most, x);
    }
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

} // namespace ql
