// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/stats/bincounter.h"
#include "core/stats/scankernels.h"
#include "core/stats/tilesums.h"

#include <cstdint>
#include <span>
#include <vector>

namespace ql {

/// Counts weights in FineBins bins, and adds up the central sums on the way. Not thread-safe.
class FineCounter
{
public:
    /// Every finite weight lies in [lo, hi]. With `isSquashed` most weights fall into a few bins.
    /// `edges`, findBinEdges()'s, may be null and must outlive the counter.
    FineCounter(double lo, double hi, bool isSquashed, const float *edges);

    void add(std::span<const float> weights, CentralSums &central);
    void add(std::span<const double> weights, CentralSums &central);
    /// Finite values that occur `times` each: at most so many weights, fewer than 65,536.
    void add(std::span<const float> values, std::span<const std::uint32_t> times, std::size_t weights);

    /// The counts since the last take(), a slot a bin.
    std::vector<std::uint32_t> take();

private:
    /// Makes room for so many more weights in one set.
    void reserve(std::size_t weights);
    void flush();

    decltype(ScanKernels::addValues) m_addValues;
    decltype(ScanKernels::countTimes) m_countTimes;
    std::size_t m_setCount;
    FloatBins m_bins;
    BinCounter m_slow; ///< for doubles, and where not all weights are finite
    std::vector<std::uint16_t> m_sets; ///< so many × FineStride
    std::size_t m_inSets = 0;          ///< weights counted in the fullest of them
    std::vector<std::uint32_t> m_counts;
};

} // namespace ql
