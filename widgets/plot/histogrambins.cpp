// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plot/histogrambins.h"

#include <algorithm>

namespace ql {

namespace {

struct Piece {
    double lo;
    double hi;
    double count;
};

bool isUsable(const Histogram &h)
{
    return h.lo && h.hi && !h.counts.empty() && *h.hi > *h.lo;
}

double edge(const Histogram &h, std::size_t bin)
{
    return bin == h.counts.size() ? *h.hi : *h.lo + h.binWidth() * static_cast<double>(bin);
}

/// The number of whole bins below x, as a place between bins: 0 … counts.size(), with a fraction.
double placeOf(const Histogram &h, double x)
{
    const double place = (x - *h.lo) / (*h.hi - *h.lo) * static_cast<double>(h.counts.size());
    return std::clamp(place, 0.0, static_cast<double>(h.counts.size()));
}

/// Weights below x, a bin that holds x in proportion.
double countBelow(const Histogram &h, double x)
{
    const double place = placeOf(h, x);
    const auto whole = static_cast<std::size_t>(place);
    double count = 0;
    for (std::size_t i = 0; i < whole; ++i)
        count += static_cast<double>(h.counts[i]);
    if (whole < h.counts.size())
        count += (place - static_cast<double>(whole)) * static_cast<double>(h.counts[whole]);
    return count;
}

void addPiece(std::vector<Piece> &pieces, double lo, double hi, double count)
{
    if (hi > lo && count > 0)
        pieces.push_back({lo, hi, count});
}

struct Around {
    std::vector<Piece> before;
    std::vector<Piece> after;
};

/// The part of a fine bin that the core range does not hold: what its bins don't account for.
void addAroundCore(Around &around, const Piece &bin, const Histogram &core)
{
    const double lo = *core.lo, hi = *core.hi;
    if (bin.lo >= lo && bin.hi <= hi)
        return;
    if (bin.hi <= lo || bin.lo >= hi) {
        (bin.hi <= lo ? around.before : around.after).push_back(bin);
        return;
    }
    const double inside = countBelow(core, std::min(bin.hi, hi)) - countBelow(core, std::max(bin.lo, lo));
    const double rest = std::max(0.0, bin.count - inside);
    const double left = std::max(0.0, lo - bin.lo), right = std::max(0.0, bin.hi - hi);
    addPiece(around.before, bin.lo, lo, rest * left / (left + right));
    addPiece(around.after, hi, bin.hi, rest * right / (left + right));
}

std::vector<Piece> piecesOf(const Histogram &bins)
{
    std::vector<Piece> pieces;
    pieces.reserve(bins.counts.size());
    for (std::size_t i = 0; i < bins.counts.size(); ++i)
        addPiece(pieces, edge(bins, i), edge(bins, i + 1), static_cast<double>(bins.counts[i]));
    return pieces;
}

/// Ascending.
std::vector<Piece> piecesOf(const Figures &figures)
{
    std::vector<Piece> fine = piecesOf(figures.fine);
    if (!figures.core || !isUsable(*figures.core))
        return fine;
    Around around;
    for (const Piece &bin : fine)
        addAroundCore(around, bin, *figures.core);
    std::vector<Piece> pieces = std::move(around.before);
    const std::vector<Piece> core = piecesOf(*figures.core);
    pieces.insert(pieces.end(), core.begin(), core.end());
    pieces.insert(pieces.end(), around.after.begin(), around.after.end());
    return pieces;
}

} // namespace

double DrawnBins::largest() const
{
    return counts.empty() ? 0 : *std::max_element(counts.begin(), counts.end());
}

std::size_t DrawnBins::at(double x) const
{
    if (counts.empty() || x < edges.front() || x > edges.back())
        return counts.size();
    const auto next = std::upper_bound(edges.begin(), edges.end(), x);
    return std::min(counts.size() - 1, static_cast<std::size_t>(next - edges.begin()) - 1);
}

DrawnBins grouped(const Histogram &fine, const ValueRange &range, std::size_t maxBins)
{
    DrawnBins drawn;
    if (!isUsable(fine) || maxBins == 0 || range.hi < *fine.lo || range.lo > *fine.hi)
        return drawn;
    const std::size_t bins = fine.counts.size();
    const double from = placeOf(fine, range.lo), to = placeOf(fine, range.hi);
    std::size_t group = 1;
    while ((to - from) / static_cast<double>(group) > static_cast<double>(maxBins))
        group *= 2;
    const auto first = static_cast<std::size_t>(from) / group * group;
    const auto last = std::min(bins, static_cast<std::size_t>(std::ceil(to)));
    drawn.edges.push_back(edge(fine, first));
    for (std::size_t i = first; i < last; i += group) {
        double count = 0;
        for (std::size_t j = i; j < std::min(bins, i + group); ++j)
            count += static_cast<double>(fine.counts[j]);
        drawn.counts.push_back(count);
        drawn.edges.push_back(edge(fine, std::min(bins, i + group)));
    }
    return drawn;
}

DrawnBins respread(const Figures &figures, const std::vector<double> &edges)
{
    DrawnBins drawn{edges, std::vector<double>(edges.empty() ? 0 : edges.size() - 1)};
    if (drawn.isEmpty() || !figures.fine.lo)
        return drawn;
    if (!isUsable(figures.fine)) { // all weights equal: a needle
        if (const std::size_t bin = drawn.at(*figures.fine.lo); bin < drawn.counts.size())
            drawn.counts[bin] = static_cast<double>(figures.fine.total());
        return drawn;
    }
    std::size_t bin = 0;
    for (const Piece &piece : piecesOf(figures)) {
        while (bin > 0 && edges[bin] > piece.lo)
            --bin;
        while (bin < drawn.counts.size() && edges[bin + 1] <= piece.lo)
            ++bin;
        for (std::size_t i = bin; i < drawn.counts.size() && edges[i] < piece.hi; ++i) {
            const double overlap = std::min(piece.hi, edges[i + 1]) - std::max(piece.lo, edges[i]);
            if (overlap > 0)
                drawn.counts[i] += piece.count * overlap / (piece.hi - piece.lo);
        }
    }
    return drawn;
}

std::vector<double> equalEdges(const ValueRange &range, std::size_t bins)
{
    std::vector<double> edges(bins + 1);
    for (std::size_t i = 0; i <= bins; ++i)
        edges[i] = range.lo + range.size() * static_cast<double>(i) / static_cast<double>(bins);
    return edges;
}

std::vector<double> extended(std::vector<double> edges, const ValueRange &range)
{
    constexpr std::size_t MostAdded = 4096; // far outliers of the other file: their end is marked
    if (edges.size() < 2 || !(edges[1] > edges[0]))
        return edges;
    const double width = edges[1] - edges[0];
    std::vector<double> before;
    for (double at = edges.front(); at > range.lo && before.size() < MostAdded;)
        before.push_back(at -= width);
    edges.insert(edges.begin(), before.rbegin(), before.rend());
    for (std::size_t added = 0; edges.back() < range.hi && added < MostAdded; ++added)
        edges.push_back(edges.back() + width);
    return edges;
}

ValueRange fullRange(const Figures &figures)
{
    const auto min = figures.moments.minValue(), max = figures.moments.maxValue();
    if (!min || !max)
        return {0, 1};
    if (*min < *max)
        return {*min, *max};
    const double margin = *min == 0 ? 1.0 : std::fabs(*min) * 0.1;
    return {*min - margin, *min + margin};
}

ValueRange firstRange(const Figures &figures)
{
    const ValueRange full = fullRange(figures);
    const auto low = figures.percentiles.front(), high = figures.percentiles.back();
    if (!low || !high || !(*high > *low))
        return full;
    const double span = *high - *low;
    return {std::max(full.lo, *low - span), std::min(full.hi, *high + span)};
}

double symLogThreshold(const Figures &figures)
{
    const auto lower = figures.percentiles[2], upper = figures.percentiles[4];
    if (lower && upper && *upper > *lower)
        return (*upper - *lower) / 4;
    const double sigma = figures.moments.std().value_or(0);
    return sigma > 0 ? sigma / 10 : 1e-3;
}

const Histogram &binsFor(const Figures &figures, const ValueRange &range)
{
    if (!figures.core || !isUsable(*figures.core))
        return figures.fine;
    const ValueRange full = fullRange(figures);
    const bool reaches = *figures.core->lo <= std::max(range.lo, full.lo)
        && *figures.core->hi >= std::min(range.hi, full.hi);
    return reaches ? *figures.core : figures.fine;
}

Outside outside(const Figures &figures, const ValueRange &range)
{
    if (!isUsable(figures.fine)) {
        const bool below = figures.fine.lo && *figures.fine.lo < range.lo;
        const bool above = figures.fine.lo && *figures.fine.lo > range.hi;
        const std::uint64_t total = figures.fine.total();
        return {below ? total : 0, above ? total : 0};
    }
    if (range.lo <= *figures.fine.lo && range.hi >= *figures.fine.hi)
        return {};
    double below = 0, above = 0;
    for (const Piece &piece : piecesOf(figures)) {
        const double size = piece.hi - piece.lo;
        below += piece.count * std::clamp((range.lo - piece.lo) / size, 0.0, 1.0);
        above += piece.count * std::clamp((piece.hi - range.hi) / size, 0.0, 1.0);
    }
    return {static_cast<std::uint64_t>(std::llround(below)), static_cast<std::uint64_t>(std::llround(above))};
}

Brushed brushed(const Figures &figures, const ValueRange &range)
{
    const Histogram &bins = binsFor(figures, range);
    if (!isUsable(bins)) {
        const bool holds = bins.lo && range.contains(*bins.lo);
        return {range, holds ? bins.total() : 0};
    }
    const auto first = static_cast<std::size_t>(placeOf(bins, range.lo));
    const auto last = std::max(static_cast<std::size_t>(std::ceil(placeOf(bins, range.hi))), first);
    std::uint64_t count = 0;
    for (std::size_t i = first; i < last; ++i)
        count += bins.counts[i];
    return {{edge(bins, first), edge(bins, last)}, count};
}

std::vector<double> SymLog::ticks(const ValueRange &values, int count) const
{
    const double most = std::max(std::fabs(values.lo), std::fabs(values.hi));
    const int last = static_cast<int>(std::floor(std::log10(std::max(most, m_c))));
    const int first = std::min(last, static_cast<int>(std::ceil(std::log10(m_c))));
    const int sides = values.lo < 0 && values.hi > 0 ? 2 : 1;
    const int stride = std::max(1, (sides * (last - first + 1) + count - 1) / std::max(1, count));
    std::vector<double> ticks{0.0};
    for (int exponent = last; exponent >= first; exponent -= stride)
        for (const double sign : {-1.0, 1.0})
            ticks.push_back(sign * std::pow(10.0, exponent));
    std::erase_if(ticks, [&values](double tick) { return !values.contains(tick); });
    std::sort(ticks.begin(), ticks.end());
    return ticks;
}

std::vector<int> labelLanes(const std::vector<LabelBox> &labels, int lanes, double gap)
{
    std::vector<int> placed(labels.size(), -1);
    for (std::size_t i = 0; i < labels.size(); ++i)
        for (int lane = 0; lane < lanes && placed[i] < 0; ++lane) {
            bool isFree = true;
            for (std::size_t j = 0; j < i; ++j)
                isFree &= placed[j] != lane
                    || std::fabs(labels[i].centre - labels[j].centre)
                        >= (labels[i].width + labels[j].width) / 2 + gap;
            if (isFree)
                placed[i] = lane;
        }
    return placed;
}

} // namespace ql
