// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/stats/binrule.h"
#include "core/stats/scankernels.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ql {

/// Counts the finite weights of tiles in bins. Not thread-safe: one a worker.
class BinCounter
{
public:
    BinCounter() = default;
    /// Every finite weight lies in [lo, hi].
    BinCounter(double lo, double hi, std::size_t bins);

    void add(std::span<const float> weights, bool allFinite);
    void add(std::span<const double> weights, bool allFinite);
    /// Finite values that occur `times` each.
    void add(std::span<const float> values, std::span<const std::uint32_t> times);

    /// The counts since the last take(), a slot a bin.
    std::vector<std::uint32_t> take();

private:
    BinRule m_rule;
    FloatBins m_bins;
    const ScanKernels *m_kernels = nullptr;
    std::vector<std::uint32_t> m_found;
    std::vector<std::uint32_t> m_counts;
};

/// The slot of a weight in the counts of a part of the range: below, the bins, above.
inline std::size_t coreSlot(const BinRule &rule, double lo, double hi, double x)
{
    if (x < lo)
        return 0;
    return x > hi ? rule.bins() + 1 : 1 + rule.binOf(x);
}

/// Counts the weights of a part of the range in bins, and those below and above it. The slots are:
/// below, the bins, above.
class CoreCounter
{
public:
    CoreCounter() = default;
    CoreCounter(double lo, double hi, std::size_t bins);

    void add(std::span<const float> weights, bool allFinite);
    void add(std::span<const double> weights, bool allFinite);
    /// Finite values that occur `times` each.
    void add(std::span<const float> values, std::span<const std::uint32_t> times);
    std::vector<std::uint32_t> take();

private:
    BinRule m_rule;
    double m_lo = 0;
    double m_hi = 0;
    FloatBins m_bins;
    const ScanKernels *m_kernels = nullptr;
    std::size_t m_stride = 0;
    std::vector<std::uint32_t> m_sets; ///< CoreSets × m_stride, of the bins alone
    std::vector<std::uint32_t> m_counts;
};

} // namespace ql
