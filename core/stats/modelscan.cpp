// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/modelscan.h"

#include "core/parallel/guarded.h"
#include "core/parallel/reduce.h"
#include "core/stats/mapadvice.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <numeric>
#include <vector>

namespace ql {

namespace {

/// The progress of all items as one: each reports how far it has come by itself.
class SharedProgress
{
public:
    SharedProgress(const ProgressFn &progress, std::uint64_t total) : m_progress(progress), m_total(total) {}

    /// A ProgressFn for one item that counts as `weights` of the total. Ignores steps back.
    ProgressFn item(std::uint64_t weights)
    {
        auto seen = std::make_shared<std::atomic<std::uint64_t>>(0);
        return [this, weights, seen](const Progress &own) {
            const double share = own.total ? static_cast<double>(own.done) / static_cast<double>(own.total) : 1.0;
            const auto now = static_cast<std::uint64_t>(share * static_cast<double>(weights));
            std::uint64_t before = seen->load();
            while (now > before && !seen->compare_exchange_weak(before, now)) {
            }
            if (now > before)
                report(now - before);
        };
    }

private:
    void report(std::uint64_t more)
    {
        const std::uint64_t done = m_done.fetch_add(more) + more;
        if (m_progress)
            m_progress({std::min(done, m_total), m_total});
    }

    const ProgressFn &m_progress;
    std::uint64_t m_total;
    std::atomic<std::uint64_t> m_done = 0;
};

std::uint64_t weightsOf(const GgufModel &model, TensorIndex tensor)
{
    const TensorInfo &info = model.tensor(tensor);
    return info.isDecodable() ? info.elements.value_or(0) : 0;
}

/// Places in order of falling weight; equal ones in their own order.
std::vector<std::size_t> largestFirst(const std::vector<std::uint64_t> &weights)
{
    std::vector<std::size_t> order(weights.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::greater(), [&](std::size_t i) { return weights[i]; });
    return order;
}

template <class T>
bool isStopped(const Result<T> &result)
{
    return !result && result.error().code == StoppedCode;
}

/// Asks storage for the beginning of a tensor that comes next: it would lie idle while those before are
/// looked at for the second time.
void announce(const GgufModelPtr &model, TensorIndex tensor)
{
    constexpr std::uint64_t MostBytes = 32u << 20;
    const auto view = TensorView::ofTensor(model, tensor);
    if (!view || view->rows() == 0 || view->rowBytes() > MostBytes)
        return;
    const std::uint64_t rows = std::min(view->rows(), MostBytes / std::max<std::uint64_t>(view->rowBytes(), 1));
    MapAdvice(*view).willRead({0, rows, 0, view->columns()});
}

/// How many tensors ahead storage is asked.
constexpr std::size_t Announced = 2;

/// Works off the items and hands over their results one at a time; `announceItem` is called before the
/// item's turn.
template <class T>
Result<void> workOff(const std::vector<std::uint64_t> &weights, const ParallelOptions &parallel,
                     const std::stop_token &stop, const ProgressFn &progress,
                     const std::function<void(std::size_t)> &announceItem,
                     const std::function<Result<T>(std::size_t, const ProgressFn &)> &work,
                     const std::function<void(std::size_t, const Result<T> &)> &deliver)
{
    SharedProgress shared(progress, std::accumulate(weights.begin(), weights.end(), std::uint64_t{0}));
    const auto order = largestFirst(weights);
    std::mutex delivering;
    const bool complete = forEachItem(order.size(), parallel, stop, [&](std::size_t k) {
        const std::size_t i = order[k];
        for (std::size_t next = k == 0 ? 1 : k + Announced; next <= k + Announced && next < order.size(); ++next)
            announceItem(order[next]);
        const auto result = work(i, shared.item(weights[i]));
        if (isStopped(result))
            return;
        const std::lock_guard lock(delivering);
        deliver(i, result);
    });
    if (!complete || stop.stop_requested())
        return failure(StoppedCode, "stopped");
    return {};
}

} // namespace

Result<void> scanTensors(const GgufModelPtr &model, std::span<const TensorIndex> tensors,
                         const ScanOptions &options, const TensorScanned &scanned, std::stop_token stop,
                         const ProgressFn &progress)
{
    return guarded([&]() -> Result<void> {
        std::vector<std::uint64_t> weights;
        for (const TensorIndex tensor : tensors)
            weights.push_back(weightsOf(*model, tensor));
        return workOff<TensorStatsPtr>(
            weights, {options.threads, options.lowPriority}, stop, progress,
            [&](std::size_t i) { announce(model, tensors[i]); },
            [&](std::size_t i, const ProgressFn &own) -> Result<TensorStatsPtr> {
                const auto view = TensorView::ofTensor(model, tensors[i]);
                if (!view)
                    return tl::unexpected(view.error());
                return scanTensor(*view, options, stop, own);
            },
            [&](std::size_t i, const Result<TensorStatsPtr> &result) { scanned(tensors[i], result); });
    });
}

Result<void> comparePairs(const GgufModelPtr &a, const GgufModelPtr &b, std::span<const TensorPair> pairs,
                          const CompareOptions &options, const PairCompared &compared, std::stop_token stop,
                          const ProgressFn &progress)
{
    return guarded([&]() -> Result<void> {
        std::vector<std::uint64_t> weights;
        for (const TensorPair &pair : pairs)
            weights.push_back(std::min(weightsOf(*a, pair.a), weightsOf(*b, pair.b)));
        return workOff<ComparisonPtr>(
            weights, {options.threads, options.lowPriority}, stop, progress,
            [&](std::size_t i) {
                announce(a, pairs[i].a);
                announce(b, pairs[i].b);
            },
            [&](std::size_t i, const ProgressFn &own) {
                return comparePair(a, b, pairs[i], options, stop, own);
            },
            compared);
    });
}

} // namespace ql
