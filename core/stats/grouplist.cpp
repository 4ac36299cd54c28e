// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/grouplist.h"

#include "core/stats/lanes.h"

#include <algorithm>
#include <cmath>

namespace ql {

namespace {

constexpr std::uint64_t SampleGroupWeights = 1u << 16;

/// Scatters neighbouring numbers evenly over 64 bits, the same on every machine.
std::uint64_t scatter(std::uint64_t x)
{
    x = (x ^ (x >> 32)) * 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 29)) * 0xd1b54a32d192ed03u;
    return x ^ (x >> 32);
}

/// Every how manieth group to look at for about this share of them.
std::uint64_t sampleStep(std::optional<double> share)
{
    if (!share || !(*share < 1))
        return 1;
    constexpr double Smallest = 1e-9;
    return static_cast<std::uint64_t>(std::llround(1.0 / std::max(*share, Smallest)));
}

} // namespace

GroupList::GroupList(const TensorView &view, std::optional<double> sampleShare)
{
    const std::uint64_t slabWeights = view.slabRows() * view.columns();
    m_endsAtSlabs = view.slabs() <= 1 || slabWeights >= TinySlabWeights;
    const std::uint64_t slabRows = m_endsAtSlabs ? view.slabRows() : view.rows();
    m_step = sampleStep(sampleShare);
    const Piece whole{0, view.rows(), 0, view.columns()};
    m_cutting = Cutting(whole, m_step > 1 ? SampleGroupWeights : GroupWeights, slabRows);
    m_size = m_cutting.size() / m_step + (m_cutting.size() % m_step != 0);
}

std::uint64_t GroupList::indexOf(std::uint64_t i) const
{
    // One of each run of m_step groups, not always the same: a fixed stride would look at the same
    // columns of every row.
    if (m_step == 1)
        return i;
    return std::min(i * m_step + scatter(i) % m_step, m_cutting.size() - 1);
}

std::uint64_t GroupList::weights() const
{
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; i < m_size; ++i)
        sum += (*this)[i].weights();
    return sum;
}

} // namespace ql
