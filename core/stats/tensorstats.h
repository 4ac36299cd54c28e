// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/tensorview.h"
#include "core/parallel/progress.h"
#include "core/stats/heatmap.h"
#include "core/stats/histogram.h"
#include "core/stats/moments.h"

#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

namespace ql {

inline constexpr std::size_t CoreBins = 2048;

/// All figures of one set of weights (a tensor or an expert).
struct Figures {
    Moments moments;
    /// FineBins over [min, max] (an expert in its tensor: the tensor's range, and fewer bins, a power
    /// of two, where there are over 1,024 experts).
    Histogram fine;
    /// A second look at the bulk, kept where single outliers squash it: CoreBins bins over about
    /// mean ± 8 sigma; weights outside are not counted. Of whole tensors and views alone.
    std::optional<Histogram> core;
    /// Of an expert: the bins asked for on the tensor's range, if not derivable from fine.
    std::optional<Histogram> asked;
    std::array<std::optional<double>, PercentilePoints.size()> percentiles;
};

/// The result of one fused scan. Immutable once made, shared.
struct TensorStats {
    Figures figures;
    std::vector<Figures> experts;  ///< one a slab, if asked for; fine bins on the tensor's range
    std::optional<Histogram> histogram; ///< the bins asked for, if not derivable from fine
    std::optional<HeatMap> heatMap;
    double sampledShare = 1.0;     ///< < 1: an estimate from a fixed spread of groups
};
using TensorStatsPtr = std::shared_ptr<const TensorStats>;

struct ScanOptions {
    std::size_t bins = 256;    ///< 1 … 1,048,576, for TensorStats::binned()
    bool perExpert = false;    ///< figures for every slab
    bool heatMap = true;
    std::optional<double> sampleShare = std::nullopt; ///< estimate: about this share of the groups, at least one
    unsigned threads = 0;      ///< 0 = all cores
    bool lowPriority = false;  ///< workers below normal priority, for the window
};

inline constexpr std::uint64_t MaxSlabs = 16384;

/// Range pass, then everything else; F16 and BF16 in one pass that counts bit patterns (two for figures
/// per expert), where they are large enough for that. The same bits for any number of threads and any kernel.
/// Returns an error "stopped" when the token asked, "file-changed" when the file changed under the
/// map, "too-many-slabs" for figures per expert of more than MaxSlabs, "too-many-bins" where those
/// asked for would need more than 256 MiB, "out-of-memory". Needs under 64 MiB beyond the map, apart
/// from figures per expert. `progress` is in weights, counted once.
Result<TensorStatsPtr> scanTensor(const TensorView &view, const ScanOptions &options,
                                  std::stop_token stop = {}, const ProgressFn &progress = {});

/// The histogram of a result in exactly `bins` bins; bins must be those asked for in the scan or
/// a power of two up to FineBins.
Histogram binned(const TensorStats &stats, const Figures &figures, std::size_t bins);

/// The heat map of a window, decoded anew, for zooming in; workers at low priority. The window is cut
/// to the view and to whole cell columns. Errors as scanTensor.
Result<std::shared_ptr<const HeatMap>> scanHeatMap(const TensorView &view, const HeatMapWindow &window,
                                                   unsigned threads = 0, std::stop_token stop = {},
                                                   const ProgressFn &progress = {});

} // namespace ql
