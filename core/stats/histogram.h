// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace ql {

/// Equal bins over [lo, hi]: bin i = min(N-1, floor((x - lo) / (hi - lo) * N)), evaluated in double
/// exactly as written; everything in bin 0 where hi == lo. Counts finite weights only.
struct Histogram {
    std::optional<double> lo; ///< nothing if no weight is finite
    std::optional<double> hi;
    std::vector<std::uint64_t> counts;

    std::uint64_t total() const;
    double binWidth() const; ///< 0 where lo == hi or nothing is finite
    /// The bin of x by the formula above; x in [lo, hi].
    std::size_t binOf(double x) const;
    /// The same counts in N equal bins, exact: N must divide counts.size() and both be powers of two.
    Histogram coarsened(std::size_t bins) const;
};

inline constexpr std::size_t FineBins = 4096;

/// The percents behind "percentiles", in order.
inline constexpr std::array<double, 7> PercentilePoints{0.1, 1, 25, 50, 75, 99, 99.9};

/// A percentile from bins: linear within the bin that holds rank p/100·(n-1), clamped to [lo, hi].
/// Accurate to one bin's width. Nothing if the histogram is empty.
std::optional<double> percentile(const Histogram &fine, double percent);

} // namespace ql
