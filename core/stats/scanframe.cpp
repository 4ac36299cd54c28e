// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/scanframe.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

namespace ql {

namespace {

constexpr std::uint64_t ExpertBinBytes = 32u << 20;
constexpr std::uint64_t AskedBinBytes = 256u << 20;
/// A second look at the bulk is worth its time where the range is wider than this, in sigmas.
constexpr double CoreRangeSigmas = 24;
constexpr double CoreHalfWidthSigmas = 8;

/// From so many weights on the edges of the bins are found beforehand.
constexpr std::uint64_t ManyWeights = 1u << 20;

std::size_t expertBinsFor(std::uint64_t slabs)
{
    const auto bins = std::bit_floor(ExpertBinBytes / 8 / std::max<std::uint64_t>(slabs, 1));
    return std::clamp<std::size_t>(bins, 1, FineBins);
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

ScanFrame::ScanFrame(const TensorView &view, const ScanOptions &options, std::stop_token stop,
                     const ProgressFn &progress, unsigned passes)
    : m_view(view)
    , m_options(options)
    , m_stop(std::move(stop))
    , m_parallel{options.threads, options.lowPriority}
    , m_advice(view)
    , m_groups(view, options.sampleShare)
    , m_grid(HeatMapGrid::over({0, view.rows(), 0, view.columns()},
                               cellWeightsOf(view.type().blockSize)))
    , m_result(std::make_shared<TensorStats>())
    , m_progress(progressOver(view.elements(), progress))
    , m_passes(passes)
    , m_expertBins(expertBinsFor(view.slabs()))
{
}

Result<TensorStatsPtr> ScanFrame::run()
{
    if (const auto limits = checkLimits(); !limits)
        return tl::unexpected(limits.error());
    const std::uint64_t weights = m_groups.weights();
    m_work = m_passes * weights;
    if (m_view.elements() > 0)
        m_result->sampledShare = static_cast<double>(weights) / static_cast<double>(m_view.elements());
    if (!scan())
        return failure(StoppedCode, "stopped");
    if (m_view.model().changedOnDisk())
        return tl::unexpected(m_view.model().changedError());
    finish();
    return TensorStatsPtr(std::move(m_result));
}

Result<void> ScanFrame::checkLimits() const
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

const HeatMapGrid *ScanFrame::startHeatMap(int exponent)
{
    if (!m_options.heatMap)
        return nullptr;
    m_heat.emplace(m_grid, blockScale(m_view.type().type) != nullptr, exponent);
    return &m_grid;
}

HeatMapPart ScanFrame::newPart(const HeatMapGrid &grid, const Piece &group)
{
    HeatMapPart part;
    {
        const std::lock_guard lock(m_partsMutex);
        if (!m_parts.empty()) {
            part = std::move(m_parts.back());
            m_parts.pop_back();
        }
    }
    part.begin(grid, group);
    return part;
}

void ScanFrame::mergeHeat(HeatMapPart &&part)
{
    if (!m_heat)
        return;
    m_heat->merge(part);
    const std::lock_guard lock(m_partsMutex);
    m_parts.push_back(std::move(part));
}

void ScanFrame::readAhead(std::uint64_t group) const
{
    const std::uint64_t last = std::min<std::uint64_t>(group + MapAdvice::Ahead, m_groups.size() - 1);
    for (std::uint64_t i = group == 0 ? 0 : group + MapAdvice::Ahead; i <= last; ++i)
        m_advice.willRead(m_groups[i]);
}

void ScanFrame::report(std::uint64_t weights)
{
    const std::uint64_t done = m_done.fetch_add(weights, std::memory_order_relaxed) + weights;
    if (m_progress)
        m_progress({std::min(done, m_work), m_work});
}

void ScanFrame::prepareRange(const Moments &counts)
{
    m_bins.lo = counts.minValue().value_or(0.0);
    m_bins.hi = counts.maxValue().value_or(0.0);
    const std::size_t derivable = m_options.perExpert ? m_expertBins : FineBins;
    if (!std::has_single_bit(m_options.bins) || m_options.bins > derivable)
        m_bins.askedBins = m_options.bins;
    const bool anyFinite = counts.finite() > 0;
    m_result->figures.fine = emptyHistogram(m_bins, FineBins, anyFinite);
    if (m_bins.askedBins)
        m_result->histogram = emptyHistogram(m_bins, m_bins.askedBins, anyFinite);
    if (m_options.perExpert)
        m_result->experts.assign(m_view.slabs(), emptyExpert());
}

void ScanFrame::prepareCore(double mean, double sigma)
{
    if (!(sigma > 0) || !(m_bins.hi - m_bins.lo > CoreRangeSigmas * sigma))
        return;
    // As values of the type in which weights are compared with them.
    const bool inDouble = needsDouble(m_view.type());
    const auto rounded = [inDouble](double x) { return inDouble ? x : static_cast<double>(static_cast<float>(x)); };
    m_bins.coreBins = CoreBins;
    m_bins.coreLo = std::max(m_bins.lo, rounded(mean - CoreHalfWidthSigmas * sigma));
    m_bins.coreHi = std::min(m_bins.hi, rounded(mean + CoreHalfWidthSigmas * sigma));
}

void ScanFrame::findFineEdges()
{
    const FloatBins fine(m_bins.lo, m_bins.hi, FineBins);
    if (m_groups.weights() >= ManyWeights && fine.isFixed())
        m_bins.fineEdges = findBinEdges(fine);
}

Figures ScanFrame::emptyExpert() const
{
    const bool anyFinite = m_result->figures.fine.lo.has_value();
    Figures figures;
    figures.fine = emptyHistogram(m_bins, m_expertBins, anyFinite);
    if (m_bins.askedBins)
        figures.asked = emptyHistogram(m_bins, m_bins.askedBins, anyFinite);
    return figures;
}

void ScanFrame::addCounts(std::vector<std::uint64_t> &total, const std::vector<std::uint32_t> &part)
{
    if (total.empty())
        total.resize(part.size());
    // Where the total has fewer bins (both powers of two) several of the part's go into one.
    const std::size_t ratio = std::max<std::size_t>(1, part.size() / std::max<std::size_t>(1, total.size()));
    const int shift = std::countr_zero(ratio);
    for (std::size_t i = 0; i < part.size(); ++i)
        total[i >> shift] += part[i];
}

void ScanFrame::addTo(Figures &figures, const ValueSums &part)
{
    figures.moments.merge(part.moments);
    addCounts(figures.fine.counts, part.fine);
    if (figures.asked)
        addCounts(figures.asked->counts, part.asked);
}

template <class T>
std::vector<Figures> ScanFrame::figureSlabs(std::uint64_t first, std::uint64_t last, int exponent) const
{
    RangePass range(m_view, m_grid.cellWeights, false);
    ValuePass values(m_view, m_bins);
    std::vector<Figures> figures;
    for (std::uint64_t slab = first; slab < last; ++slab) {
        const Piece piece{slab * m_view.slabRows(), m_view.slabRows(), 0, m_view.columns()};
        const RangeSums sums = range.run<T>(piece, std::ldexp(1.0, -exponent), nullptr);
        figures.push_back(emptyExpert());
        addTo(figures.back(), values.run<T>(piece, sums, exponent));
    }
    return figures;
}

bool ScanFrame::runTinySlabs(int exponent)
{
    if (!m_options.perExpert || m_groups.endsAtSlabs() || m_view.elements() == 0)
        return true;
    constexpr std::uint64_t AtOnce = 16;
    const std::uint64_t slabs = m_view.slabs();
    return reduce<std::vector<Figures>>(
        (slabs + AtOnce - 1) / AtOnce, m_parallel, m_stop,
        [&](std::size_t i) {
            const std::uint64_t last = std::min(slabs, (i + 1) * AtOnce);
            return needsDouble(m_view.type()) ? figureSlabs<double>(i * AtOnce, last, exponent)
                                              : figureSlabs<float>(i * AtOnce, last, exponent);
        },
        [&](std::size_t i, std::vector<Figures> &&figures) {
            std::ranges::move(figures, m_result->experts.begin() + static_cast<std::ptrdiff_t>(i * AtOnce));
        });
}

void ScanFrame::finish()
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

void ScanFrame::finishFigures(Figures &figures) const
{
    const std::uint64_t below = m_coreCounts.empty() ? 0 : m_coreCounts.front();
    for (std::size_t i = 0; i < PercentilePoints.size(); ++i) {
        auto &value = figures.percentiles[i];
        value = percentileOf(figures, below, PercentilePoints[i]);
        if (value)
            value = std::clamp(*value, figures.moments.min, figures.moments.max);
    }
}

} // namespace ql
