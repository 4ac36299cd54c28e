// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/tensorstats.h"

#include "core/parallel/guarded.h"
#include "core/stats/patterncounting.h"
#include "core/stats/scaledcounting.h"
#include "core/stats/tensorscan.h"

#include <bit>
#include <string>

namespace ql {

Result<TensorStatsPtr> scanTensor(const TensorView &view, const ScanOptions &options,
                                  std::stop_token stop, const ProgressFn &progress)
{
    return guarded([&]() -> Result<TensorStatsPtr> {
        if (needsDouble(view.type()))
            return TensorScan<double>(view, options, stop, progress).run();
        if (PatternCounting::pays(view))
            return CountedScan<PatternCounting>(view, options, stop, progress).run();
        if (ScaledCounting::pays(view))
            return CountedScan<ScaledCounting>(view, options, stop, progress).run();
        return TensorScan<float>(view, options, stop, progress).run();
    });
}

Histogram binned(const TensorStats &stats, const Figures &figures, std::size_t bins)
{
    if (figures.asked && figures.asked->counts.size() == bins)
        return *figures.asked;
    if (&figures == &stats.figures && stats.histogram && stats.histogram->counts.size() == bins)
        return *stats.histogram;
    if (std::has_single_bit(bins) && bins <= figures.fine.counts.size())
        return figures.fine.coarsened(bins);
    return {};
}

} // namespace ql
