// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/parallel/guarded.h"
#include "core/parallel/reduce.h"
#include "core/stats/heatmapsums.h"
#include "core/stats/mapadvice.h"
#include "core/stats/scanpasses.h"
#include "core/stats/scratchpool.h"
#include "core/stats/tensorstats.h"

#include <algorithm>
#include <atomic>

namespace ql {

namespace {

template <class T>
Result<std::shared_ptr<const HeatMap>> scanWindow(const TensorView &view, const HeatMapWindow &window,
                                                  unsigned threads, const std::stop_token &stop,
                                                  const ProgressFn &progress)
{
    const auto grid = HeatMapGrid::over(window, cellWeightsOf(view.type().blockSize));
    const Piece region{window.firstRow, window.rows, window.firstColumn, window.columns};
    const Cutting groups(region, GroupWeights);
    const MapAdvice advice(view);
    HeatMapSums sums(grid, blockScale(view.type().type) != nullptr);
    std::atomic<std::uint64_t> done = 0;
    ScratchPool<RangePass> pool([&] { return std::make_unique<RangePass>(view, grid.cellWeights, true); });
    const bool complete = reduce<HeatMapPart>(
        groups.size(), {threads, true}, stop,
        [&](std::size_t i) {
            const Piece group = groups[i];
            typename ScratchPool<RangePass>::Loan pass(pool);
            HeatMapPart part(grid, group);
            pass->template run<T>(group, 1.0, &part);
            const std::uint64_t now = done += group.weights();
            if (progress)
                progress({now, region.weights()});
            return part;
        },
        [&](std::size_t i, HeatMapPart &&part) {
            sums.merge(part);
            advice.haveRead(groups[i]);
        });
    if (!complete)
        return failure(StoppedCode, "stopped");
    if (view.model().changedOnDisk())
        return tl::unexpected(view.model().changedError());
    auto map = std::make_shared<HeatMap>(sums.finish());
    map->tensorRows = view.rows();
    map->tensorColumns = view.columns();
    return map;
}

} // namespace

Result<std::shared_ptr<const HeatMap>> scanHeatMap(const TensorView &view, const HeatMapWindow &window,
                                                   unsigned threads, std::stop_token stop,
                                                   const ProgressFn &progress)
{
    return guarded([&]() -> Result<std::shared_ptr<const HeatMap>> {
        const std::uint32_t cellWeights = cellWeightsOf(view.type().blockSize);
        const HeatMapWindow inside = clippedWindow(window, view.rows(), view.columns(), cellWeights);
        if (needsDouble(view.type()))
            return scanWindow<double>(view, inside, threads, stop, progress);
        return scanWindow<float>(view, inside, threads, stop, progress);
    });
}

} // namespace ql
