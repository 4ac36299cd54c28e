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
    /// Every finite weight lies in [lo, hi].
    FineCounter(double lo, double hi);

    void add(std::span<const float> weights, CentralSums &central);
    void add(std::span<const double> weights, CentralSums &central);

    /// The counts since the last take(), a slot a bin.
    std::vector<std::uint32_t> take();

private:
    void flush();

    const ScanKernels *m_kernels;
    FloatBins m_bins;
    BinCounter m_slow; ///< for doubles, and where not all weights are finite
    std::vector<std::uint16_t> m_sets; ///< FineSets × FineStride
    std::size_t m_inSets = 0;          ///< weights counted there
    std::vector<std::uint32_t> m_counts;
};

} // namespace ql
