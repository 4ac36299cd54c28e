// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/comparison.h"

#include "core/output/storedbytes.h"
#include "core/parallel/guarded.h"
#include "core/parallel/reduce.h"
#include "core/stats/mapadvice.h"
#include "core/stats/pairscan.h"
#include "core/stats/scratchpool.h"
#include "core/stats/tensorstats.h"

#include <atomic>
#include <cmath>
#include <cstring>

namespace ql {

namespace {

/// One call of comparePair.
template <class T>
class PairScan
{
public:
    PairScan(const PairShape &shape, const CompareOptions &options, std::stop_token stop,
             const ProgressFn &progress)
        : m_shape(shape)
        , m_options(options)
        , m_stop(std::move(stop))
        , m_progress(progressOver(shape.elements(), progress))
        , m_parallel{options.threads, options.lowPriority}
        , m_groups(shape.groups())
        , m_grid(HeatMapGrid::over({0, shape.rows, 0, shape.columns}, shape.cellWeights()))
        , m_adviceA(shape.a.view)
        , m_adviceB(shape.b.view)
        , m_result(std::make_shared<Comparison>())
    {
    }

    Result<ComparisonPtr> run();

private:
    using Pool = ScratchPool<PairPass>;

    bool findEqualBytes();
    bool areEqualBytes(const Piece &group) const;
    void noteIdentical();
    bool runSums();
    bool runHistogram();
    void mergeSums(std::size_t group, PairSums &&part);
    void finishHeatMaps();
    void report(std::uint64_t pairs);
    void haveRead(const Piece &group) const;
    bool needsDecoding() const
    {
        return !m_result->identical || m_options.heatMaps || m_options.errorHistogram;
    }
    bool hasHeat() const { return m_options.heatMaps; }

    const PairShape &m_shape;
    CompareOptions m_options;
    std::stop_token m_stop;
    ProgressFn m_progress; ///< in pairs, counted once however often they are read
    ParallelOptions m_parallel;
    Cutting m_groups;
    HeatMapGrid m_grid;
    MapAdvice m_adviceA;
    MapAdvice m_adviceB;
    std::vector<HeatMapSums> m_heat;
    double m_minError = std::numeric_limits<double>::infinity();
    double m_maxError = -m_minError;
    std::shared_ptr<Comparison> m_result;
    std::uint64_t m_work = 0;
    std::atomic<std::uint64_t> m_done = 0;
};

template <class T>
Result<ComparisonPtr> PairScan<T>::run()
{
    m_work = m_shape.elements() * (m_options.errorHistogram ? 2 : 1);
    if (m_options.perExpert)
        m_result->experts.resize(m_shape.slabs);
    if (!findEqualBytes())
        return failure(StoppedCode, "stopped");
    if (needsDecoding() && (!runSums() || !runHistogram()))
        return failure(StoppedCode, "stopped");
    for (const TensorView *view : {&m_shape.a.view, &m_shape.b.view}) {
        if (view->model().changedOnDisk())
            return tl::unexpected(view->model().changedError());
    }
    if (m_result->identical)
        noteIdentical();
    finishHeatMaps();
    return ComparisonPtr(std::move(m_result));
}

/// Same type, same bytes: nothing to decode. Ends at the first group that differs.
template <class T>
bool PairScan<T>::findEqualBytes()
{
    const TensorView &a = m_shape.a.view;
    const TensorView &b = m_shape.b.view;
    if (a.type().type != b.type().type || a.bigEndian() != b.bigEndian())
        return true;
    // A difference stops the search, as does the caller.
    const auto found = std::make_unique<std::stop_source>();
    const std::stop_callback passOn(m_stop, [&] { found->request_stop(); });
    std::atomic<bool> differs = false;
    const bool decodesNext = m_options.heatMaps || m_options.errorHistogram;
    const bool complete = reduce<bool>(
        m_groups.size(), m_parallel, found->get_token(),
        [&](std::size_t i) {
            const Piece group = m_groups[i];
            const bool equal = areEqualBytes(group);
            if (!equal) {
                differs = true;
                found->request_stop();
            } else if (!decodesNext) {
                report(group.weights());
            }
            return equal;
        },
        [&](std::size_t i, bool &&) { haveRead(m_groups[i]); });
    m_result->identical = complete && !differs;
    if (!m_result->identical)
        m_done = 0;
    return complete || differs;
}

template <class T>
bool PairScan<T>::areEqualBytes(const Piece &group) const
{
    const std::uint64_t slabRows = m_shape.slabRows();
    const auto bytesOf = [&](const PairSide &side) {
        return TileReader(side.view).bytes(side.inView(group, slabRows));
    };
    const auto a = bytesOf(m_shape.a);
    const auto b = bytesOf(m_shape.b);
    if (a.data() == b.data() && a.size() == b.size())
        return true; // one map for both: a candidate's other tensors
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size()) == 0;
}

template <class T>
void PairScan<T>::noteIdentical()
{
    // Not decoded, so nothing but the count is known, and that no pair differs.
    m_result->sums = {};
    m_result->sums.count = m_shape.elements();
    for (ErrorSums &expert : m_result->experts) {
        expert = {};
        expert.count = m_shape.slabRows() * m_shape.columns;
    }
}

template <class T>
bool PairScan<T>::runSums()
{
    if (hasHeat()) {
        const auto hasScale = [](const PairSide &side) { return blockScale(side.view.type().type) != nullptr; };
        m_heat.emplace_back(m_grid, hasScale(m_shape.a));
        m_heat.emplace_back(m_grid, hasScale(m_shape.b));
        m_heat.emplace_back(m_grid, false);
    }
    Pool pool([&] { return std::make_unique<PairPass>(m_shape, hasHeat() ? &m_grid : nullptr); });
    return reduce<PairSums>(
        m_groups.size(), m_parallel, m_stop,
        [&](std::size_t i) {
            const Piece group = m_groups[i];
            typename Pool::Loan pass(pool);
            auto sums = pass->template sums<T>(group);
            report(group.weights());
            return sums;
        },
        [&](std::size_t i, PairSums &&part) { mergeSums(i, std::move(part)); });
}

template <class T>
void PairScan<T>::mergeSums(std::size_t group, PairSums &&part)
{
    const Piece piece = m_groups[group];
    const std::uint64_t inGroup = part.errors.maxAt;
    part.errors.maxAt = inGroup + piece.firstRow * m_shape.columns + piece.firstColumn;
    m_result->sums.merge(part.errors);
    if (m_options.perExpert && m_shape.groupsEndAtSlabs()) {
        const std::uint64_t slab = m_groups.slabOf(group);
        part.errors.maxAt -= slab * m_shape.slabRows() * m_shape.columns;
        m_result->experts[slab].merge(part.errors);
    }
    m_minError = std::min(m_minError, part.minError);
    m_maxError = std::max(m_maxError, part.maxError);
    for (std::size_t i = 0; i < m_heat.size(); ++i)
        m_heat[i].merge(part.heat[i]);
    haveRead(piece);
}

template <class T>
bool PairScan<T>::runHistogram()
{
    if (!m_options.errorHistogram)
        return true;
    Histogram histogram;
    histogram.counts.resize(FineBins);
    if (m_minError <= m_maxError) {
        histogram.lo = m_minError + 0.0; // no -0
        histogram.hi = m_maxError + 0.0;
    }
    Pool pool([&] { return std::make_unique<PairPass>(m_shape, nullptr); });
    const bool complete = reduce<std::vector<std::uint32_t>>(
        m_groups.size(), m_parallel, m_stop,
        [&](std::size_t i) {
            const Piece group = m_groups[i];
            typename Pool::Loan pass(pool);
            BinCounter bins(m_minError, m_maxError, FineBins);
            pass->template count<T>(group, bins);
            report(group.weights());
            return bins.take();
        },
        [&](std::size_t i, std::vector<std::uint32_t> &&counts) {
            for (std::size_t bin = 0; bin < FineBins; ++bin)
                histogram.counts[bin] += counts[bin];
            haveRead(m_groups[i]);
        });
    m_result->errorHistogram = std::move(histogram);
    return complete;
}

template <class T>
void PairScan<T>::finishHeatMaps()
{
    if (m_heat.empty())
        return;
    std::optional<HeatMap> *const maps[] = {&m_result->heatA, &m_result->heatB, &m_result->heatError};
    for (std::size_t i = 0; i < m_heat.size(); ++i) {
        *maps[i] = m_heat[i].finish();
        (*maps[i])->tensorRows = m_shape.rows;
        (*maps[i])->tensorColumns = m_shape.columns;
    }
}

template <class T>
void PairScan<T>::report(std::uint64_t pairs)
{
    const std::uint64_t done = m_done.fetch_add(pairs, std::memory_order_relaxed) + pairs;
    if (m_progress)
        m_progress({std::min(done, m_work), m_work});
}

template <class T>
void PairScan<T>::haveRead(const Piece &group) const
{
    m_adviceA.haveRead(m_shape.a.inView(group, m_shape.slabRows()));
    m_adviceB.haveRead(m_shape.b.inView(group, m_shape.slabRows()));
}

/// What can't be decoded can still be the same, byte for byte: that comparison, or null.
ComparisonPtr comparedByBytes(const GgufModel &a, const GgufModel &b, const TensorPair &pair)
{
    const bool isWhole = !pair.expertA && !pair.expertB && pair.halfA == TensorPair::Half::Whole
                         && pair.halfB == TensorPair::Half::Whole;
    if (!isWhole || !sameStoredBytes(a, pair.a, b, pair.b))
        return nullptr;
    const auto same = std::make_shared<Comparison>();
    same->identical = true;
    same->sums.count = a.tensor(pair.a).elements.value_or(0);
    return same;
}

} // namespace

Result<ComparisonPtr> comparePair(const GgufModelPtr &a, const GgufModelPtr &b, const TensorPair &pair,
                                  const CompareOptions &options, std::stop_token stop,
                                  const ProgressFn &progress)
{
    return guarded([&]() -> Result<ComparisonPtr> {
        const auto shape = PairShape::of(a, b, pair);
        if (!shape) {
            if (auto same = comparedByBytes(*a, *b, pair))
                return same;
            return tl::unexpected(shape.error());
        }
        if (options.perExpert && shape->slabs > MaxSlabs)
            return failure("too-many-slabs",
                           "errors for each of " + std::to_string(shape->slabs)
                               + " slabs: at most " + std::to_string(MaxSlabs) + " are possible",
                           a->tensor(pair.a).name);
        if (shape->needsDouble())
            return PairScan<double>(*shape, options, stop, progress).run();
        return PairScan<float>(*shape, options, stop, progress).run();
    });
}

} // namespace ql
