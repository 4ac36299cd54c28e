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

/// The distinct values among some weights, and how often each occurs: everything a scan tells of
/// weights apart from where they are. Sums go through the values in the order of their bit patterns,
/// in double, so that they depend on the counts alone.
class Tally
{
public:
    /// `counts` has a slot a bit pattern of a type that can be tallied.
    Tally(GgmlType type, std::span<const std::uint32_t> counts);
    Tally(GgmlType type, std::span<const std::uint64_t> counts);

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
