// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/tensorscan.h"

#include "core/stats/scratchpool.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <type_traits>

namespace ql {

namespace {

constexpr std::uint64_t SampleGroupWeights = 1u << 16;
/// Slabs of fewer weights are not worth a group of their own.
constexpr std::uint64_t TinySlabWeights = 1u << 16;
constexpr std::uint64_t ExpertBinBytes = 32u << 20;
constexpr std::uint64_t AskedBinBytes = 256u << 20;
constexpr std::uint64_t AskedScratchBytes = 24u << 20;
/// A second look at the bulk is worth its time where the range is wider than this, in sigmas.
constexpr double CoreRangeSigmas = 24;
constexpr double CoreHalfWidthSigmas = 8;

Piece wholeOf(const TensorView &view) { return {0, view.rows(), 0, view.columns()}; }

/// Scatters neighbouring numbers evenly over 64 bits, the same on every machine.
std::uint64_t scatter(std::uint64_t x)
{
    x = (x ^ (x >> 32)) * 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 29)) * 0xd1b54a32d192ed03u;
    return x ^ (x >> 32);
}

/// Every how manieth group to look at for about this share of them.
std::uint64_t sampleStep(std::optional<double> share)
{
    if (!share || !(*share < 1))
        return 1;
    constexpr double Smallest = 1e-9;
    return static_cast<std::uint64_t>(std::llround(1.0 / std::max(*share, Smallest)));
}

void addCounts(std::vector<std::uint64_t> &total, const std::vector<std::uint32_t> &part)
{
    if (total.empty())
        total.resize(part.size());
    // Where the total has fewer bins (both powers of two) several of the part's go into one.
    const std::size_t ratio = std::max<std::size_t>(1, part.size() / std::max<std::size_t>(1, total.size()));
    const int shift = std::countr_zero(ratio);
    for (std::size_t i = 0; i < part.size(); ++i)
        total[i >> shift] += part[i];
}

Histogram emptyHistogram(const BinPlan &plan, std::size_t bins, bool anyFinite)
{
    Histogram histogram;
    if (anyFinite) {
        histogram.lo = plan.lo;
        histogram.hi = plan.hi;
    }
    histogram.counts.resize(bins);
    return histogram;
}

/// Percentiles inside the core come from its finer bins.
std::optional<double> percentileOf(const Figures &figures, std::uint64_t belowCore, double percent)
{
    const auto coarse = percentile(figures.fine, percent);
    if (!figures.core || !coarse)
        return coarse;
    const std::uint64_t n = figures.fine.total();
    const std::uint64_t inCore = figures.core->total();
    const double rank = percent / 100.0 * static_cast<double>(n - 1) - static_cast<double>(belowCore);
    if (inCore < 2 || rank < 0 || rank > static_cast<double>(inCore - 1))
        return coarse;
    return percentile(*figures.core, rank / static_cast<double>(inCore - 1) * 100.0);
}

} // namespace

GroupList::GroupList(const TensorView &view, std::optional<double> sampleShare)
{
    const std::uint64_t slabWeights = view.slabRows() * view.columns();
    m_endsAtSlabs = view.slabs() <= 1 || slabWeights >= TinySlabWeights;
    const std::uint64_t slabRows = m_endsAtSlabs ? view.slabRows() : view.rows();
    m_step = sampleStep(sampleShare);
    m_cutting = Cutting(wholeOf(view), m_step > 1 ? SampleGroupWeights : GroupWeights, slabRows);
    m_size = m_cutting.size() / m_step + (m_cutting.size() % m_step != 0);
}

std::uint64_t GroupList::indexOf(std::uint64_t i) const
{
    // One of each run of m_step groups, not always the same: a fixed stride would look at the same
    // columns of every row.
    if (m_step == 1)
        return i;
    return std::min(i * m_step + scatter(i) % m_step, m_cutting.size() - 1);
}

std::uint64_t GroupList::weights() const
{
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; i < m_size; ++i)
        sum += (*this)[i].weights();
    return sum;
}

template <class T>
TensorScan<T>::TensorScan(const TensorView &view, const ScanOptions &options, std::stop_token stop,
                          const ProgressFn &progress)
    : m_view(view)
    , m_options(options)
    , m_stop(std::move(stop))
    , m_progress(progressOver(view.elements(), progress)) // read twice, counted once
    , m_parallel{options.threads, options.lowPriority}
    , m_advice(view)
    , m_groups(view, options.sampleShare)
    , m_grid(HeatMapGrid::over({0, view.rows(), 0, view.columns()},
                               cellWeightsOf(view.type().blockSize)))
    , m_result(std::make_shared<TensorStats>())
{
    m_expertBins = std::bit_floor(ExpertBinBytes / 8 / std::max<std::uint64_t>(view.slabs(), 1));
    m_expertBins = std::clamp<std::size_t>(m_expertBins, 1, FineBins);
}

template <class T>
Result<TensorStatsPtr> TensorScan<T>::run()
{
    if (const auto limits = checkLimits(); !limits)
        return tl::unexpected(limits.error());
    m_work = 2 * m_groups.weights();
    if (m_view.elements() > 0)
        m_result->sampledShare = static_cast<double>(m_work / 2) / static_cast<double>(m_view.elements());
    if (!runRangePass() || !runValuePass() || !runTinySlabs())
        return failure(StoppedCode, "stopped");
    if (m_view.model().changedOnDisk())
        return tl::unexpected(m_view.model().changedError());
    finish();
    return TensorStatsPtr(std::move(m_result));
}

template <class T>
Result<void> TensorScan<T>::checkLimits() const
{
    const std::string name = m_view.model().tensor(m_view.tensor()).name;
    if (m_options.perExpert && m_view.slabs() > MaxSlabs) {
        return failure("too-many-slabs",
                       "figures for each of " + std::to_string(m_view.slabs()) + " slabs: at most "
                           + std::to_string(MaxSlabs) + " are possible",
                       name);
    }
    const std::uint64_t histograms = m_options.perExpert ? m_view.slabs() : 1;
    if (m_options.bins == 0 || m_options.bins > AskedBinBytes / 8 / histograms) {
        return failure("too-many-bins",
                       std::to_string(m_options.bins) + " bins in " + std::to_string(histograms)
                           + " histograms are not possible",
                       name);
    }
    return {};
}

template <class T>
bool TensorScan<T>::runRangePass()
{
    if (!runRangeOnce())
        return false;
    if constexpr (std::is_same_v<T, float>)
        return true; // the fourth power of any float is a double's
    // Fourth powers of such weights would leave a double: once more, with all of them scaled.
    constexpr double Large = 0x1p128;
    const double absMax = m_total.counts.absMax().value_or(0.0);
    if (absMax == 0 || (absMax < Large && absMax > 1 / Large))
        return true;
    constexpr int Limit = 1000;
    m_exponent = std::clamp(std::ilogb(absMax), -Limit, Limit);
    m_done = 0;
    return runRangeOnce();
}

template <class T>
bool TensorScan<T>::runRangeOnce()
{
    const std::uint32_t cellWeights = m_grid.cellWeights;
    const HeatMapGrid *grid = m_options.heatMap ? &m_grid : nullptr;
    const double factor = std::ldexp(1.0, -m_exponent);
    m_ranges.assign(m_groups.size(), {});
    m_total = {};
    if (grid)
        m_heat.emplace(m_grid, blockScale(m_view.type().type) != nullptr, m_exponent);
    ScratchPool<RangePass> pool([&] { return std::make_unique<RangePass>(m_view, cellWeights, grid != nullptr); });
    return reduce<RangePart>(
        m_groups.size(), m_parallel, m_stop,
        [&](std::size_t i) {
            const Piece group = m_groups[i];
            readAhead(i);
            typename ScratchPool<RangePass>::Loan pass(pool);
            RangePart part;
            if (grid)
                part.heat = HeatMapPart(*grid, group);
            part.sums = pass->template run<T>(group, factor, grid ? &part.heat : nullptr);
            report(group.weights());
            return part;
        },
        [&](std::size_t i, RangePart &&part) { mergeRange(i, std::move(part)); });
}

/// Storage reads some groups ahead of those being worked on.
template <class T>
void TensorScan<T>::readAhead(std::uint64_t group)
{
    const std::uint64_t last = std::min<std::uint64_t>(group + MapAdvice::Ahead, m_groups.size() - 1);
    for (std::uint64_t i = group == 0 ? 0 : group + MapAdvice::Ahead; i <= last; ++i)
        m_advice.willRead(m_groups[i]);
}

template <class T>
void TensorScan<T>::mergeRange(std::uint64_t group, RangePart &&part)
{
    m_ranges[group] = part.sums;
    m_total.merge(part.sums);
    if (m_heat)
        m_heat->merge(part.heat);
    if (m_advice.isLarge())
        m_advice.haveRead(m_groups[group]);
}

template <class T>
void TensorScan<T>::prepareBins()
{
    const Moments &counts = m_total.counts;
    m_bins.lo = counts.minValue().value_or(0.0);
    m_bins.hi = counts.maxValue().value_or(0.0);
    const std::size_t derivable = m_options.perExpert ? m_expertBins : FineBins;
    if (!std::has_single_bit(m_options.bins) || m_options.bins > derivable)
        m_bins.askedBins = m_options.bins;
    const double sigma = std::ldexp(std::sqrt(m_total.roughVariance()), m_exponent);
    const double mean = std::ldexp(m_total.mean(), m_exponent);
    if (!(sigma > 0) || !(m_bins.hi - m_bins.lo > CoreRangeSigmas * sigma))
        return;
    m_bins.coreBins = CoreBins;
    // As values of T, in which weights are compared with them.
    m_bins.coreLo = std::max(m_bins.lo, static_cast<double>(static_cast<T>(mean - CoreHalfWidthSigmas * sigma)));
    m_bins.coreHi = std::min(m_bins.hi, static_cast<double>(static_cast<T>(mean + CoreHalfWidthSigmas * sigma)));
}

template <class T>
bool TensorScan<T>::runValuePass()
{
    prepareBins();
    const bool anyFinite = m_total.counts.finite() > 0;
    m_result->figures.fine = emptyHistogram(m_bins, FineBins, anyFinite);
    if (m_bins.askedBins)
        m_result->histogram = emptyHistogram(m_bins, m_bins.askedBins, anyFinite);
    if (m_options.perExpert)
        m_result->experts.assign(m_view.slabs(), emptyExpert());
    // Each thread holds a few sets of the bins asked for: fewer threads where those are huge.
    ParallelOptions parallel = m_parallel;
    const std::uint64_t perThread = 4 * 4 * std::max<std::uint64_t>(m_bins.askedBins, 1);
    parallel.threads = static_cast<unsigned>(
        std::clamp<std::uint64_t>(AskedScratchBytes / perThread, 1, threadCount(m_parallel)));
    ScratchPool<ValuePass> pool([&] { return std::make_unique<ValuePass>(m_view, m_bins); });
    return reduce<ValueSums>(
        m_groups.size(), parallel, m_stop,
        [&](std::size_t i) {
            const Piece group = m_groups[i];
            readAhead(i);
            typename ScratchPool<ValuePass>::Loan pass(pool);
            auto sums = pass->template run<T>(group, m_ranges[i], m_exponent);
            report(group.weights());
            return sums;
        },
        [&](std::size_t i, ValueSums &&part) { mergeValues(i, std::move(part)); });
}

template <class T>
Figures TensorScan<T>::emptyExpert() const
{
    const bool anyFinite = m_total.counts.finite() > 0;
    Figures figures;
    figures.fine = emptyHistogram(m_bins, m_expertBins, anyFinite);
    if (m_bins.askedBins)
        figures.asked = emptyHistogram(m_bins, m_bins.askedBins, anyFinite);
    return figures;
}

template <class T>
void TensorScan<T>::addTo(Figures &figures, const ValueSums &part) const
{
    figures.moments.merge(part.moments);
    addCounts(figures.fine.counts, part.fine);
    if (figures.asked)
        addCounts(figures.asked->counts, part.asked);
}

template <class T>
void TensorScan<T>::mergeValues(std::uint64_t group, ValueSums &&part)
{
    addTo(m_result->figures, part);
    if (m_result->histogram)
        addCounts(m_result->histogram->counts, part.asked);
    if (m_bins.coreBins)
        addCounts(m_coreCounts, part.core);
    if (m_options.perExpert && m_groups.endsAtSlabs())
        addTo(m_result->experts[m_groups.slabOf(group)], part);
    m_advice.haveRead(m_groups[group]);
}

template <class T>
std::vector<Figures> TensorScan<T>::figureSlabs(std::uint64_t first, std::uint64_t last)
{
    RangePass range(m_view, m_grid.cellWeights, false);
    ValuePass values(m_view, m_bins);
    std::vector<Figures> figures;
    for (std::uint64_t slab = first; slab < last; ++slab) {
        const Piece piece{slab * m_view.slabRows(), m_view.slabRows(), 0, m_view.columns()};
        const RangeSums sums = range.run<T>(piece, std::ldexp(1.0, -m_exponent), nullptr);
        figures.push_back(emptyExpert());
        addTo(figures.back(), values.run<T>(piece, sums, m_exponent));
    }
    return figures;
}

/// Slabs too small to be groups are done one by one, after the rest.
template <class T>
bool TensorScan<T>::runTinySlabs()
{
    if (!m_options.perExpert || m_groups.endsAtSlabs() || m_view.elements() == 0)
        return true;
    constexpr std::uint64_t AtOnce = 16;
    const std::uint64_t slabs = m_view.slabs();
    return reduce<std::vector<Figures>>(
        (slabs + AtOnce - 1) / AtOnce, m_parallel, m_stop,
        [&](std::size_t i) { return figureSlabs(i * AtOnce, std::min(slabs, (i + 1) * AtOnce)); },
        [&](std::size_t i, std::vector<Figures> &&figures) {
            std::ranges::move(figures, m_result->experts.begin() + static_cast<std::ptrdiff_t>(i * AtOnce));
        });
}

template <class T>
void TensorScan<T>::finish()
{
    if (m_heat) {
        m_result->heatMap = m_heat->finish();
        m_result->heatMap->tensorRows = m_view.rows();
        m_result->heatMap->tensorColumns = m_view.columns();
        m_result->heatMap->sampledShare = m_result->sampledShare;
    }
    if (!m_coreCounts.empty()) {
        m_result->figures.core = Histogram{m_bins.coreLo, m_bins.coreHi, {}};
        m_result->figures.core->counts.assign(m_coreCounts.begin() + 1, m_coreCounts.end() - 1);
    }
    finishFigures(m_result->figures);
    for (Figures &expert : m_result->experts)
        finishFigures(expert);
}

template <class T>
void TensorScan<T>::finishFigures(Figures &figures) const
{
    const std::uint64_t below = m_coreCounts.empty() ? 0 : m_coreCounts.front();
    for (std::size_t i = 0; i < PercentilePoints.size(); ++i) {
        auto &value = figures.percentiles[i];
        value = percentileOf(figures, below, PercentilePoints[i]);
        if (value)
            value = std::clamp(*value, figures.moments.min, figures.moments.max);
    }
}

template <class T>
void TensorScan<T>::report(std::uint64_t weights)
{
    const std::uint64_t done = m_done.fetch_add(weights, std::memory_order_relaxed) + weights;
    if (m_progress)
        m_progress({std::min(done, m_work), m_work});
}

template class TensorScan<float>;
template class TensorScan<double>;

} // namespace ql
