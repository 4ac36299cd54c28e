// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/stats/tensorstats.h"

#include <cmath>
#include <cstdint>
#include <vector>

// What a histogram's picture is made of, as arithmetic: no Qt, no widget.

namespace ql {

struct ValueRange {
    double lo = 0;
    double hi = 0;
    double size() const { return hi - lo; }
    bool contains(double x) const { return x >= lo && x <= hi; }
    bool operator==(const ValueRange &) const = default;
};

/// Bins ready to draw: edges ascend and are one more than the counts. Counts are whole unless the
/// bins were split to fit other edges.
struct DrawnBins {
    std::vector<double> edges;
    std::vector<double> counts;

    bool isEmpty() const { return counts.empty(); }
    double largest() const;
    /// The bin over x; counts.size() outside.
    std::size_t at(double x) const;
};

/// The fine bins that touch [lo, hi], in groups of 2^k so that at most `maxBins` are left. Every
/// group starts at a multiple of its size: panning does not change what a group holds.
DrawnBins grouped(const Histogram &fine, const ValueRange &range, std::size_t maxBins);

/// All finite weights spread over other edges, each bin's count in proportion to the overlap. Uses
/// the finer bins of `core` where they reach and `fine` beyond them.
DrawnBins respread(const Figures &figures, const std::vector<double> &edges);

/// Edges of `bins` equal bins over the range.
std::vector<double> equalEdges(const ValueRange &range, std::size_t bins);
/// `edges` (equal bins) continued outwards with the same width until they hold `range`.
std::vector<double> extended(std::vector<double> edges, const ValueRange &range);

/// min … max; widened a little where all weights are equal. {0, 1} for no finite weight.
ValueRange fullRange(const Figures &figures);
/// What to show first: at most the middle 99.8 % and as much again on either side, so that single
/// outliers squash nothing; everything where that holds it all.
ValueRange firstRange(const Figures &figures);
/// Where a symmetric logarithm should turn linear: a share of the quartiles' distance, which single
/// outliers don't move; of sigma where that is nothing.
double symLogThreshold(const Figures &figures);
/// The bins to draw a range from: core where it reaches, fine otherwise.
const Histogram &binsFor(const Figures &figures, const ValueRange &range);

/// Weights below and above a range. Exact where the range ends at a bin's edge.
struct Outside {
    std::uint64_t below = 0;
    std::uint64_t above = 0;
};
Outside outside(const Figures &figures, const ValueRange &range);

/// A range grown to whole bins, and exactly how many weights they hold.
struct Brushed {
    ValueRange range;
    std::uint64_t count = 0;
};
Brushed brushed(const Figures &figures, const ValueRange &range);

/// x -> sign(x) · log10(1 + |x|/c): linear within about ±c, logarithmic beyond, zero stays zero.
class SymLog
{
public:
    explicit SymLog(double c = 1) : m_c(c > 0 ? c : 1) {}
    double threshold() const { return m_c; }
    double to(double x) const { return std::copysign(std::log10(1 + std::fabs(x) / m_c), x); }
    double from(double y) const { return std::copysign(m_c * (std::pow(10, std::fabs(y)) - 1), y); }
    /// 0 and ± powers of ten (every n-th so that at most about `count` are left), ascending.
    std::vector<double> ticks(const ValueRange &values, int count) const;

private:
    double m_c;
};

/// Labels of marks without overlap: for each (in order of importance) the lane it goes to, or -1 for
/// none free. Positions are centres; lanes are counted from the plot outwards.
struct LabelBox {
    double centre = 0;
    double width = 0;
};
std::vector<int> labelLanes(const std::vector<LabelBox> &labels, int lanes, double gap);

} // namespace ql
