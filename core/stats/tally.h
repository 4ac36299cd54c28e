// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/ggmltype.h"
#include "core/stats/moments.h"
#include "core/stats/scanpasses.h"
#include "core/stats/tensorstats.h"

#include <cstdint>
#include <span>
#include <vector>

namespace ql {

/// True for the types of so few values (65,536) that a scan may count how often each occurs.
bool canBeTallied(GgmlType type);
/// The value of a bit pattern of such a type.
float valueOfPattern(GgmlType type, std::uint16_t pattern);
/// The bit pattern of its infinity.
std::uint16_t infinityOf(GgmlType type);

/// Gathers values for a Tally.
class TallyBuilder
{
public:
    /// At most so many values.
    explicit TallyBuilder(std::size_t most) : m_values(most + 1), m_times(most + 1) {}

    /// Any value; those that never occur are left out.
    void add(float value, std::uint64_t times)
    {
        const bool isFinite = value - value == 0;
        m_values[m_size] = static_cast<double>(value) + 0.0;
        m_times[m_size] = static_cast<double>(static_cast<std::int64_t>(times));
        m_size += isFinite && times != 0;
        m_moments.count += times;
        m_moments.zeros += value == 0 ? times : 0;
        if (!isFinite) [[unlikely]]
            (value != value ? m_moments.nan : m_moments.inf) += times;
    }

private:
    friend class Tally;
    std::vector<double> m_values; ///< finite ones; one more than there are is written to
    std::vector<double> m_times;
    std::size_t m_size = 0;
    Moments m_moments; ///< counts alone
};

/// The distinct values among some weights, and how often each occurs: everything a scan tells of
/// weights apart from where they are. Sums go through the values in the order of their bit patterns,
/// in double, so that they depend on the counts alone.
class Tally
{
public:
    /// `counts` has a slot a bit pattern of a type that can be tallied.
    Tally(GgmlType type, std::span<const std::uint32_t> counts);
    Tally(GgmlType type, std::span<const std::uint64_t> counts);
    /// Sums go through the values in the order in which they were added; one may come more than once.
    explicit Tally(TallyBuilder &&builder);

    const Moments &moments() const { return m_moments; }
    /// Fills bins that lie over the whole range of a plan.
    void addTo(Histogram &histogram) const;
    /// Below, the bins, above.
    std::vector<std::uint64_t> coreCounts(const BinPlan &plan) const;
    /// Adds to figures of the same bins.
    void addTo(Figures &figures) const;

private:
    template <class Count>
    void collect(GgmlType type, std::span<const Count> counts);
    void sumUp();

    // Of finite values, -0 as +0.
    std::vector<double> m_values;
    std::vector<double> m_times; ///< how often: exact, and what sums need
    Moments m_moments;
};

} // namespace ql
