// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/histogram.h"

#include "core/stats/binrule.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

namespace ql {

namespace {

/// Finds values by rank: each weight of a bin stands in the middle of its share of the bin.
class RankReader
{
public:
    explicit RankReader(const Histogram &histogram) : m_histogram(histogram) {}

    double at(std::uint64_t rank) const
    {
        std::uint64_t before = 0;
        std::size_t bin = 0;
        while (bin + 1 < m_histogram.counts.size() && before + m_histogram.counts[bin] <= rank)
            before += m_histogram.counts[bin++];
        const auto inBin = static_cast<double>(std::max<std::uint64_t>(m_histogram.counts[bin], 1));
        const double share = (static_cast<double>(rank - before) + 0.5) / inBin;
        return valueAt(static_cast<double>(bin) + share);
    }

private:
    double valueAt(double position) const
    {
        const double share = position / static_cast<double>(m_histogram.counts.size());
        // As a mean of both ends, so that hi - lo can't overflow.
        const double value = *m_histogram.lo * (1.0 - share) + *m_histogram.hi * share;
        return std::clamp(value, *m_histogram.lo, *m_histogram.hi);
    }

    const Histogram &m_histogram;
};

} // namespace

std::uint64_t Histogram::total() const
{
    return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

double Histogram::binWidth() const
{
    if (!lo || counts.empty())
        return 0;
    const auto n = static_cast<double>(counts.size());
    const double width = *hi - *lo;
    return std::isinf(width) ? *hi / n - *lo / n : width / n;
}

std::size_t Histogram::binOf(double x) const
{
    return lo ? BinRule(*lo, *hi, counts.size()).binOf(x) : 0;
}

Histogram Histogram::coarsened(std::size_t bins) const
{
    Histogram result{lo, hi, std::vector<std::uint64_t>(bins)};
    const int shift = std::countr_zero(counts.size()) - std::countr_zero(bins);
    for (std::size_t i = 0; i < counts.size(); ++i)
        result.counts[i >> shift] += counts[i];
    return result;
}

std::optional<double> percentile(const Histogram &fine, double percent)
{
    const std::uint64_t n = fine.total();
    if (n == 0 || !fine.lo)
        return std::nullopt;
    const double rank = percent / 100.0 * static_cast<double>(n - 1);
    const double below = std::floor(rank);
    const double share = rank - below;
    const auto first = std::min(static_cast<std::uint64_t>(below), n - 1);
    const RankReader reader(fine);
    const double low = reader.at(first);
    if (share == 0 || first + 1 >= n)
        return low;
    return low * (1.0 - share) + reader.at(first + 1) * share;
}

} // namespace ql
