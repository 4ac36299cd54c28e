// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/parallel/guarded.h"
#include "core/parallel/reduce.h"
#include "core/quant/dequantize.h"
#include "core/stats/cutting.h"
#include "core/stats/expertstats.h"
#include "core/stats/lanes.h"
#include "core/stats/scanpasses.h"

#include <cmath>

namespace ql {

namespace {

constexpr std::uint64_t GroupWeights = 1u << 20;

struct ScaleSum {
    double sum = 0;
    std::uint64_t count = 0; ///< of finite ones

    void add(float scale)
    {
        if (!std::isfinite(scale))
            return;
        sum += static_cast<double>(scale);
        ++count;
    }
};

ScaleSum sumOf(const TensorView &view, const Piece &group)
{
    const auto scaleOf = blockScale(view.type().type);
    const std::size_t blockBytes = view.type().blockBytes;
    TileReader reader(view);
    ScaleSum sum;
    forEachTile(view, group, [&](const Piece &tile) {
        const auto blocks = reader.blocks(tile);
        for (std::size_t at = 0; at < blocks.size(); at += blockBytes)
            sum.add(scaleOf(blocks.data() + at));
    });
    return sum;
}

Result<std::vector<std::optional<double>>> scan(const TensorView &view, std::stop_token stop,
                                                unsigned threads)
{
    const Cutting groups({0, view.rows(), 0, view.columns()}, GroupWeights, view.slabRows());
    std::vector<ScaleSum> slabs(view.slabs());
    const std::function<ScaleSum(std::size_t)> make = [&](std::size_t i) {
        return sumOf(view, groups[i]);
    };
    const std::function<void(std::size_t, ScaleSum &&)> merge = [&](std::size_t i,
                                                                    ScaleSum &&part) {
        slabs[groups.slabOf(i)].sum += part.sum;
        slabs[groups.slabOf(i)].count += part.count;
    };
    if (!reduce<ScaleSum>(groups.size(), {threads, true}, stop, make, merge))
        return failure(StoppedCode, "stopped");
    if (view.model().changedOnDisk())
        return tl::unexpected(view.model().changedError());
    std::vector<std::optional<double>> means(slabs.size());
    for (std::size_t i = 0; i < slabs.size(); ++i)
        if (slabs[i].count > 0)
            means[i] = slabs[i].sum / static_cast<double>(slabs[i].count);
    return means;
}

} // namespace

Result<std::vector<std::optional<double>>> meanScales(const TensorView &view, std::stop_token stop,
                                                      unsigned threads)
{
    const std::string &name = view.model().tensor(view.tensor()).name;
    if (view.slabs() > MaxSlabs)
        return failure("too-many-slabs",
                       "scales of " + std::to_string(view.slabs()) + " slabs: at most "
                           + std::to_string(MaxSlabs) + " are possible",
                       name);
    if (!blockScale(view.type().type) || view.elements() == 0)
        return std::vector<std::optional<double>>(view.slabs());
    return guarded([&] { return scan(view, stop, threads); });
}

} // namespace ql
