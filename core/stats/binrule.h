// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace ql {

/// The bins of a histogram as a rule: bin i = min(N-1, floor((x - lo) / (hi - lo) * N)) in double,
/// exactly as written; all in bin 0 where hi == lo. Where hi - lo overflows (F64) everything is
/// halved first.
class BinRule
{
public:
    BinRule() = default;
    BinRule(double lo, double hi, std::size_t bins)
        : m_lo(lo), m_width(hi - lo), m_bins(static_cast<double>(bins)), m_last(bins ? bins - 1 : 0)
    {
        if (std::isinf(m_width)) {
            m_half = 0.5;
            m_lo = lo * m_half;
            m_width = hi * m_half - m_lo;
        }
    }

    double lo() const { return m_lo; }
    double width() const { return m_width; }
    std::size_t bins() const { return m_last + 1; }

    std::size_t binOf(double x) const { return binAt(positionOf(x)); }
    /// The two steps of binOf, for loops over many values; the position means nothing where all bins
    /// are one.
    double positionOf(double x) const { return (x * m_half - m_lo) / m_width * m_bins; }
    std::size_t binAt(double position) const
    {
        return m_width > 0 ? std::min(m_last, static_cast<std::size_t>(position)) : 0;
    }

private:
    double m_lo = 0;
    double m_width = 0;
    double m_bins = 1;
    double m_half = 1;
    std::size_t m_last = 0;
};

} // namespace ql
