// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/expertstats.h"

#include "core/output/table.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

namespace ql {

namespace {

constexpr double TailShare = 1e-4; ///< of the weights may lie beyond each end of the axis

std::optional<double> rms(const ExpertSummary &e) { return e.moments.rms(); }
std::optional<double> absMax(const ExpertSummary &e) { return e.moments.absMax(); }
std::optional<double> sigma(const ExpertSummary &e) { return e.moments.std(); }
std::optional<double> mean(const ExpertSummary &e) { return e.moments.meanValue(); }
std::optional<double> kurtosis(const ExpertSummary &e) { return e.moments.kurtosis(); }
std::optional<double> meanScale(const ExpertSummary &e) { return e.meanScale; }
std::optional<double> routerNorm(const ExpertSummary &e) { return e.routerNorm; }

std::optional<double> zeroShare(const ExpertSummary &e)
{
    if (e.moments.count == 0)
        return std::nullopt;
    return static_cast<double>(e.moments.zeros) / static_cast<double>(e.moments.count);
}

std::optional<double> nonFinite(const ExpertSummary &e)
{
    return static_cast<double>(e.moments.nan + e.moments.inf);
}

struct FigureRow {
    ExpertFigure figure;
    std::string_view name;
    std::string_view csvName;
    std::optional<double> (*value)(const ExpertSummary &);
};

constexpr FigureRow FigureRows[] = {
    {ExpertFigure::Rms, "RMS", "rms", rms},
    {ExpertFigure::AbsMax, "absmax", "absmax", absMax},
    {ExpertFigure::Std, "\u03c3", "std", sigma},
    {ExpertFigure::Mean, "mean", "mean", mean},
    {ExpertFigure::Kurtosis, "kurtosis", "kurtosis", kurtosis},
    {ExpertFigure::ZeroShare, "zero share", "zero_share", zeroShare},
    {ExpertFigure::MeanScale, "mean scale", "mean_scale", meanScale},
    {ExpertFigure::RouterNorm, "router row norm", "router_norm", routerNorm},
    {ExpertFigure::NonFinite, "NaN, Inf", "nonfinite", nonFinite},
};

const FigureRow &rowOf(ExpertFigure figure)
{
    return *std::ranges::find(FigureRows, figure, &FigureRow::figure);
}

/// One expert's figures and bins in its tensor's scan.
const Figures *figuresOf(const TensorStats &stats, const ExpertRef &ref)
{
    if (!ref.slab)
        return &stats.figures;
    return *ref.slab < stats.experts.size() ? &stats.experts[*ref.slab] : nullptr;
}

double middleOf(const Histogram &fine, std::size_t bin)
{
    const double share = (static_cast<double>(bin) + 0.5) / static_cast<double>(fine.counts.size());
    return *fine.lo * (1 - share) + *fine.hi * share;
}

/// Bins of all experts by value, to find an axis that single outliers don't stretch.
class AxisFinder
{
public:
    /// Those of a merged tensor have one range: their counts are added up, or a thousand experts
    /// would make millions of bins to sort.
    void add(const Histogram &fine)
    {
        if (!fine.lo)
            return;
        const auto same = std::ranges::find_if(m_sums, [&](const Histogram &sum) {
            return sum.lo == fine.lo && sum.hi == fine.hi && sum.counts.size() == fine.counts.size();
        });
        if (same == m_sums.end())
            m_sums.push_back(fine);
        else
            std::ranges::transform(same->counts, fine.counts, same->counts.begin(), std::plus<>());
    }

    std::pair<double, double> range() const
    {
        const std::vector<Bin> bins = sortedBins();
        if (bins.empty())
            return {0, 0};
        const std::uint64_t total = std::accumulate(
            bins.begin(), bins.end(), std::uint64_t{0},
            [](std::uint64_t sum, const Bin &bin) { return sum + bin.count; });
        const auto tail = static_cast<std::uint64_t>(TailShare * static_cast<double>(total));
        const Bin &low = *cut(bins.begin(), bins.end(), tail);
        const Bin &high = *cut(bins.rbegin(), bins.rend(), tail);
        return {low.middle - low.halfWidth, high.middle + high.halfWidth};
    }

private:
    struct Bin {
        double middle;
        double halfWidth;
        std::uint64_t count;
    };

    template <class Iterator>
    static Iterator cut(Iterator first, Iterator last, std::uint64_t tail)
    {
        std::uint64_t seen = 0;
        return std::find_if(first, last,
                            [&](const Bin &bin) { return (seen += bin.count) > tail; });
    }

    std::vector<Bin> sortedBins() const
    {
        std::vector<Bin> bins;
        for (const Histogram &sum : m_sums)
            for (std::size_t bin = 0; bin < sum.counts.size(); ++bin)
                if (sum.counts[bin] > 0)
                    bins.push_back({middleOf(sum, bin), sum.binWidth() / 2, sum.counts[bin]});
        std::ranges::sort(bins, {}, &Bin::middle);
        return bins;
    }

    std::vector<Histogram> m_sums; ///< one a range
};

void fillBars(ExpertSummary &summary, const Histogram &fine, double lo, double hi)
{
    summary.counts.resize(ExpertSummary::Bins);
    if (!fine.lo)
        return;
    const double perBar = (hi - lo) / static_cast<double>(ExpertSummary::Bins);
    for (std::size_t bin = 0; bin < fine.counts.size(); ++bin) {
        if (fine.counts[bin] == 0) // most are, of small experts
            continue;
        const double at = middleOf(fine, bin);
        const double bar = perBar > 0 ? std::floor((at - lo) / perBar) : 0.0;
        if (bar < 0)
            summary.below += fine.counts[bin];
        else if (bar >= static_cast<double>(ExpertSummary::Bins))
            summary.above += fine.counts[bin];
        else
            summary.counts[static_cast<std::size_t>(bar)] += fine.counts[bin];
    }
}

/// Of the values that are there; they are not empty. The lower and upper middle are averaged.
double medianOf(std::vector<double> values)
{
    std::ranges::sort(values);
    const std::size_t n = values.size();
    return n % 2 ? values[n / 2] : 0.5 * (values[n / 2 - 1] + values[n / 2]);
}

std::string number(double value)
{
    char text[40];
    return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

std::string shortNumber(double value)
{
    char text[40];
    return {text,
            std::to_chars(text, text + sizeof text, value, std::chars_format::general, 3).ptr};
}

} // namespace

std::string_view expertFigureName(ExpertFigure figure) { return rowOf(figure).name; }

std::optional<double> ExpertSummary::figure(ExpertFigure figure) const
{
    return rowOf(figure).value(*this);
}

std::vector<std::optional<double>> ExpertTable::column(ExpertFigure figure) const
{
    std::vector<std::optional<double>> values;
    for (const ExpertSummary &expert : experts)
        values.push_back(expert.figure(figure));
    return values;
}

ExpertTablePtr makeExpertTable(const ExpertGroup &group, const StatsOf &stats,
                               const ScalesOf &scales, std::span<const double> routerNorms)
{
    auto table = std::make_shared<ExpertTable>();
    table->layer = group.layer;
    table->role = group.role;
    std::vector<TensorStatsPtr> kept; // alive while the bins are read
    std::vector<const Figures *> figures;
    AxisFinder axis;
    for (const ExpertRef &ref : group.experts) {
        if (kept.empty() || !ref.slab || *ref.slab == 0)
            kept.push_back(stats(ref.tensor));
        const Figures *own = kept.back() ? figuresOf(*kept.back(), ref) : nullptr;
        if (!own)
            return nullptr;
        figures.push_back(own);
        table->sampledShare = std::min(table->sampledShare, kept.back()->sampledShare);
        axis.add(own->fine);
    }
    std::tie(table->lo, table->hi) = axis.range();
    for (std::size_t i = 0; i < figures.size(); ++i) {
        ExpertSummary &summary = table->experts.emplace_back();
        summary.ref = group.experts[i];
        summary.moments = figures[i]->moments;
        if (scales)
            summary.meanScale = scales(summary.ref);
        if (summary.ref.number < routerNorms.size())
            summary.routerNorm = routerNorms[summary.ref.number];
        fillBars(summary, figures[i]->fine, table->lo, table->hi);
    }
    return table;
}

RobustScores robustScores(std::span<const std::optional<double>> values)
{
    constexpr double GaussianMad = 1.4826;
    constexpr double GaussianMeanDeviation = 1.2533;
    RobustScores result;
    result.scores.resize(values.size());
    std::vector<double> present;
    for (const auto &value : values)
        if (value)
            present.push_back(*value);
    if (present.empty())
        return result;
    result.median = medianOf(present);
    for (double &value : present)
        value = std::abs(value - result.median);
    result.spread = GaussianMad * medianOf(present);
    if (result.spread == 0)
        result.spread = GaussianMeanDeviation * std::accumulate(present.begin(), present.end(), 0.0)
                        / static_cast<double>(present.size());
    for (std::size_t i = 0; i < values.size(); ++i)
        if (values[i])
            result.scores[i] =
                result.spread > 0 ? (*values[i] - result.median) / result.spread : 0.0;
    return result;
}

std::vector<OddExpert> findOddExperts(const ExpertTable &table, ExpertFigure figure)
{
    constexpr double LeastShare = 0.1;
    auto values = table.column(figure);
    std::vector<OddExpert> odd;
    for (std::size_t i = 0; i < table.experts.size(); ++i) {
        const ExpertSummary &expert = table.experts[i];
        if (expert.isDead()) {
            odd.push_back({i, OddExpert::Why::Dead, figure, 0});
            values[i].reset();
        }
        if (expert.moments.nan + expert.moments.inf > 0)
            odd.push_back({i, OddExpert::Why::NonFinite, figure, 0});
    }
    const RobustScores robust = robustScores(values);
    for (std::size_t i = 0; i < values.size(); ++i) {
        const bool isFar = robust.scores[i] && std::abs(*robust.scores[i]) > OddScore;
        if (isFar && std::abs(*values[i] - robust.median) >= LeastShare * std::abs(robust.median))
            odd.push_back({i, OddExpert::Why::Outlier, figure, *robust.scores[i]});
    }
    std::ranges::stable_sort(odd, {}, &OddExpert::index);
    return odd;
}

std::string describe(const OddExpert &odd, const ExpertTable &table)
{
    const ExpertSummary &expert = table.experts[odd.index];
    const std::string name = "expert " + std::to_string(expert.ref.number) + ": ";
    switch (odd.why) {
    case OddExpert::Why::Dead: return name + "all weights are zero";
    case OddExpert::Why::NonFinite:
        return name + std::to_string(expert.moments.nan) + " NaN, "
               + std::to_string(expert.moments.inf) + " Inf";
    case OddExpert::Why::Outlier: break;
    }
    return name + std::string(expertFigureName(odd.figure)) + " is "
           + shortNumber(std::abs(odd.score)) + " spreads " + (odd.score > 0 ? "above" : "below")
           + " the layer's median";
}

ExpertMap makeExpertMap(std::span<const ExpertGroup> groups, std::span<const ExpertTablePtr> tables,
                        const std::string &role, ExpertFigure figure)
{
    ExpertMap map;
    map.role = role;
    for (const ExpertGroup &group : groups) {
        if (group.role != role || !group.layer)
            continue;
        map.layers.push_back(*group.layer);
        // A name may claim expert 4,000,000,000; the map stays as wide as experts can be many.
        const std::uint64_t last = group.experts.empty() ? 0 : group.experts.back().number;
        map.experts =
            std::max<std::size_t>(map.experts, std::min<std::uint64_t>(last + 1, MaxSlabs));
    }
    map.values.assign(map.layers.size() * map.experts, std::numeric_limits<double>::quiet_NaN());
    for (const ExpertTablePtr &table : tables) {
        if (!table || table->role != role || !table->layer)
            continue;
        const auto row = std::ranges::find(map.layers, *table->layer);
        if (row == map.layers.end())
            continue;
        const auto first = static_cast<std::size_t>(row - map.layers.begin()) * map.experts;
        for (const ExpertSummary &expert : table->experts)
            if (expert.ref.number < map.experts)
                map.values[first + expert.ref.number] =
                    expert.figure(figure).value_or(std::numeric_limits<double>::quiet_NaN());
    }
    return map;
}

std::string expertTableCsv(const ExpertTable &table)
{
    Table csv;
    csv.columns = {"expert", "count"};
    for (const FigureRow &row : FigureRows)
        csv.columns.emplace_back(row.csvName);
    for (const ExpertSummary &expert : table.experts) {
        auto &cells = csv.rows.emplace_back();
        cells.push_back(TableCell::number(std::to_string(expert.ref.number)));
        cells.push_back(TableCell::number(std::to_string(expert.moments.count)));
        for (const FigureRow &row : FigureRows) {
            const auto value = row.value(expert);
            cells.push_back(TableCell::number(value ? number(*value) : std::string()));
        }
    }
    return tableToCsv(csv);
}

} // namespace ql
