// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/tensorview.h"
#include "core/stats/cutting.h"

#include <cstdint>
#include <optional>

namespace ql {

/// Slabs of fewer weights are not worth a group of their own.
inline constexpr std::uint64_t TinySlabWeights = 1u << 16;

/// The groups of a scan, numbered without gaps: all of a view, or a fixed spread of them.
class GroupList
{
public:
    GroupList() = default;
    GroupList(const TensorView &view, std::optional<double> sampleShare);

    std::uint64_t size() const { return m_size; }
    Piece operator[](std::uint64_t i) const { return m_cutting[indexOf(i)]; }
    /// The slab a group lies in; 0 where slabs are too small to be cut at.
    std::uint64_t slabOf(std::uint64_t i) const { return m_cutting.slabOf(indexOf(i)); }
    /// False where several slabs share a group.
    bool endsAtSlabs() const { return m_endsAtSlabs; }
    std::uint64_t weights() const;

private:
    std::uint64_t indexOf(std::uint64_t i) const;

    Cutting m_cutting;
    std::uint64_t m_size = 0;
    std::uint64_t m_step = 1; ///< one of so many groups is looked at
    bool m_endsAtSlabs = true;
};

} // namespace ql
