// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/stats/scanframe.h"

#include <cstdint>
#include <vector>

namespace ql {

/// The strategy that fits every type: a pass for the range, another for everything else. T as in
/// scanpasses.h.
template <class T>
class TensorScan final : public ScanFrame
{
public:
    TensorScan(const TensorView &view, const ScanOptions &options, std::stop_token stop,
               const ProgressFn &progress)
        : ScanFrame(view, options, std::move(stop), progress, 2)
    {
    }

private:
    struct RangePart {
        RangeSums sums;
        HeatMapPart heat;
    };

    bool scan() override;
    bool runRangePass();
    bool runRangeOnce();
    bool runValuePass();
    void mergeRange(std::uint64_t group, RangePart &&part);
    void mergeValues(std::uint64_t group, ValueSums &&part);

    int m_exponent = 0;
    std::vector<RangeSums> m_ranges; ///< one a group
    RangeSums m_total;
};

extern template class TensorScan<float>;
extern template class TensorScan<double>;

} // namespace ql
