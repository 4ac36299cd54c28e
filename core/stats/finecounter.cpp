// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/finecounter.h"

#include <limits>
#include <utility>

namespace ql {

namespace {

/// So many weights may all fall into one bin before a set's counter overflows.
constexpr std::size_t MostInSets = FineSets * std::size_t{std::numeric_limits<std::uint16_t>::max()};

} // namespace

FineCounter::FineCounter(double lo, double hi)
    : m_kernels(&scanKernels())
    , m_bins(lo, hi, FineBins)
    , m_slow(lo, hi, FineBins)
    , m_sets(FineSets * FineStride)
    , m_counts(FineBins)
{
}

void FineCounter::add(std::span<const float> weights, CentralSums &central)
{
    if (!central.allFinite) {
        central.add(weights);
        m_slow.add(weights, false);
        return;
    }
    // The first sets get one more where the weights don't come out even.
    const std::size_t counted = (weights.size() + FineSets - 1) / FineSets * FineSets;
    if (m_inSets + counted > MostInSets)
        flush();
    m_inSets += counted;
    m_kernels->addValues(weights.data(), weights.size(), central.shift, central.lanes.data(), m_bins,
                         m_sets.data());
}

void FineCounter::add(std::span<const double> weights, CentralSums &central)
{
    central.add(weights);
    m_slow.add(weights, central.allFinite);
}

void FineCounter::flush()
{
    for (std::size_t set = 0; set < FineSets; ++set) {
        std::uint16_t *const counts = m_sets.data() + set * FineStride;
        for (std::size_t i = 0; i < FineBins; ++i)
            m_counts[i] += std::exchange(counts[i], std::uint16_t{0});
    }
    m_inSets = 0;
}

std::vector<std::uint32_t> FineCounter::take()
{
    flush();
    const auto slow = m_slow.take();
    for (std::size_t i = 0; i < FineBins; ++i)
        m_counts[i] += slow[i];
    return std::exchange(m_counts, std::vector<std::uint32_t>(FineBins));
}

} // namespace ql
