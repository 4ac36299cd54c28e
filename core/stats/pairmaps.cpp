// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/parallel/guarded.h"
#include "core/parallel/reduce.h"
#include "core/stats/comparison.h"
#include "core/stats/mapadvice.h"
#include "core/stats/pairscan.h"
#include "core/stats/scratchpool.h"
#include "core/stats/tensorstats.h"

#include <atomic>

namespace ql {

namespace {

/// The region in pieces of a group's size. A half of a fused tensor skips rows from slab to slab, so
/// that no piece may reach into the next.
std::vector<Piece> piecesOf(const PairShape &shape, const Piece &region)
{
    const std::uint64_t slabRows = shape.slabRows();
    const bool isContiguous = shape.a.viewSlabRows == slabRows && shape.b.viewSlabRows == slabRows;
    const std::uint64_t end = region.firstRow + region.rows;
    std::vector<Piece> pieces;
    for (std::uint64_t row = region.firstRow; row < end;) {
        const std::uint64_t next = isContiguous ? end : std::min(end, (row / slabRows + 1) * slabRows);
        const Cutting cutting(Piece{row, next - row, region.firstColumn, region.columns}, GroupWeights);
        for (std::uint64_t i = 0; i < cutting.size(); ++i)
            pieces.push_back(cutting[i]);
        row = next;
    }
    return pieces;
}

bool hasScale(const PairSide &side) { return blockScale(side.view.type().type) != nullptr; }

/// Collects the parts of the three maps.
class MapSums
{
public:
    MapSums(const PairShape &shape, const HeatMapGrid &grid)
        : m_shape(shape), m_sums{HeatMapSums(grid, hasScale(shape.a)), HeatMapSums(grid, hasScale(shape.b)),
                                 HeatMapSums(grid, false)}
    {
    }

    void merge(const std::array<HeatMapPart, 3> &parts)
    {
        for (std::size_t i = 0; i < m_sums.size(); ++i)
            m_sums[i].merge(parts[i]);
    }

    PairMapsPtr finish()
    {
        auto maps = std::make_shared<PairMaps>();
        HeatMap *const targets[] = {&maps->a, &maps->b, &maps->error};
        for (std::size_t i = 0; i < m_sums.size(); ++i) {
            *targets[i] = m_sums[i].finish();
            targets[i]->tensorRows = m_shape.rows;
            targets[i]->tensorColumns = m_shape.columns;
        }
        return maps;
    }

private:
    const PairShape &m_shape;
    std::array<HeatMapSums, 3> m_sums;
};

template <class T>
Result<PairMapsPtr> scanMaps(const PairShape &shape, const HeatMapWindow &window, unsigned threads,
                             const std::stop_token &stop, const ProgressFn &progress)
{
    const auto grid = HeatMapGrid::over(window, shape.cellWeights());
    const Piece region{window.firstRow, window.rows, window.firstColumn, window.columns};
    const std::vector<Piece> pieces = piecesOf(shape, region);
    const MapAdvice adviceA(shape.a.view);
    const MapAdvice adviceB(shape.b.view);
    MapSums sums(shape, grid);
    std::atomic<std::uint64_t> done = 0;
    using Pool = ScratchPool<PairPass>;
    Pool pool([&] { return std::make_unique<PairPass>(shape, &grid); });
    const bool complete = reduce<PairSums>(
        pieces.size(), {threads, true}, stop,
        [&](std::size_t i) {
            typename Pool::Loan pass(pool);
            auto part = pass->template sums<T>(pieces[i]);
            const std::uint64_t now = done += pieces[i].weights();
            if (progress)
                progress({now, region.weights()});
            return part;
        },
        [&](std::size_t i, PairSums &&part) {
            sums.merge(part.heat);
            adviceA.haveRead(shape.a.inView(pieces[i], shape.slabRows()));
            adviceB.haveRead(shape.b.inView(pieces[i], shape.slabRows()));
        });
    if (!complete)
        return failure(StoppedCode, "stopped");
    for (const TensorView *view : {&shape.a.view, &shape.b.view}) {
        if (view->model().changedOnDisk())
            return tl::unexpected(view->model().changedError());
    }
    return sums.finish();
}

} // namespace

Result<PairMapsPtr> comparePairMaps(const GgufModelPtr &a, const GgufModelPtr &b, const TensorPair &pair,
                                    const HeatMapWindow &window, unsigned threads, std::stop_token stop,
                                    const ProgressFn &progress)
{
    return guarded([&]() -> Result<PairMapsPtr> {
        const auto shape = PairShape::of(a, b, pair);
        if (!shape)
            return tl::unexpected(shape.error());
        const auto inside = clippedWindow(window, shape->rows, shape->columns, shape->cellWeights());
        if (shape->needsDouble())
            return scanMaps<double>(*shape, inside, threads, stop, progress);
        return scanMaps<float>(*shape, inside, threads, stop, progress);
    });
}

} // namespace ql
