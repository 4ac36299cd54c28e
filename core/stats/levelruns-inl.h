// SPDX-License-Identifier: GPL-3.0-or-later
// What the vector kernels of levelkernels.h share: a run a lane, so that nothing goes from lane to lane.
// Compiled once for every target, hence the guard that is flipped by hwy/foreach_target.h.
#if defined(QL_LEVEL_RUNS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef QL_LEVEL_RUNS_INL
#undef QL_LEVEL_RUNS_INL
#else
#define QL_LEVEL_RUNS_INL
#endif

#include "core/stats/levelkernels.h"
#include "core/stats/scanlanes-inl.h"

#include <type_traits>

#if QL_SCAN_TARGET
HWY_BEFORE_NAMESPACE();
namespace ql::HWY_NAMESPACE::scan {

// ---- the kernels that have a file of their own; see LevelKernels

bool sumLevelStrips(const LevelPlanes &planes, const LevelPowers &powers, StripTable &table, TileRange &range);
void countCodes(const LevelPlanes &planes, const LevelType &type, std::size_t vector, std::uint8_t *counts);

/// The runs of one vector of lanes, or of the part of it that fills a register.
template <std::size_t bits, bool hasMin>
class Runs
{
public:
    static constexpr std::size_t LowBits = bits < 3 ? bits : 3;
    static constexpr std::size_t Lows = std::size_t{1} << LowBits;
    static constexpr std::size_t Highs = std::size_t{1} << (bits - LowBits);

    HWY_INLINE Runs(const LevelPlanes &planes, std::size_t at)
        : m_scale(hn::Load(F32(), planes.scale + at)), m_min(hasMin ? hn::Load(F32(), planes.min + at) : hn::Zero(F32()))
    {
        m_low[0] = hn::Load(U32(), planes.used + at);
        split<LowBits, 1>(planes, at, 0, m_low);
        m_high[0] = hn::Set(U32(), ~0u);
        split<bits - LowBits, 1>(planes, at, LowBits, m_high);
    }

    /// Calls handle(code, times) for each code in turn.
    template <class Handle>
    HWY_INLINE void forCounts(const Handle &handle) const
    {
        for (std::size_t high = 0; high < Highs; ++high) {
            #pragma GCC unroll 8
            for (std::size_t low = 0; low < Lows; ++low) {
                const VU32 weights = Highs == 1 ? m_low[low] : hn::And(m_low[low], m_high[high]);
                handle(high * Lows + low, hn::PopulationCount(weights));
            }
        }
    }

    /// Calls handle(code, values, times) for each code in turn.
    template <class Handle>
    HWY_INLINE void forCodes(const LevelType &type, const Handle &handle) const
    {
        forCounts([&](std::size_t code, VU32 times) HWY_ATTR {
            VF32 value = hn::Mul(hn::Set(F32(), type.levels[code]), m_scale);
            if constexpr (hasMin)
                value = hn::Add(value, m_min);
            handle(code, value, times);
        });
    }

    HWY_INLINE VF32 scale() const { return m_scale; }
    HWY_INLINE VF32 min() const { return m_min; }

private:
    /// Of sets of weights those with a bit 0 and those with a bit 1, for `count` bits from `first` on: the
    /// sets' numbers are the bits.
    template <std::size_t count, std::size_t sets, std::size_t n>
    HWY_INLINE static void split(const LevelPlanes &planes, std::size_t at, std::size_t first, VU32 (&set)[n])
    {
        if constexpr (count > 0) {
            const VU32 plane = hn::Load(U32(), planes.planes[first] + at);
            for (std::size_t i = 0; i < sets; ++i) {
                set[sets + i] = hn::And(set[i], plane);
                set[i] = hn::AndNot(plane, set[i]);
            }
            split<count - 1, 2 * sets>(planes, at, first + 1, set);
        }
    }

    VF32 m_scale;
    VF32 m_min;
    VU32 m_low[Lows];
    VU32 m_high[Highs];
};

HWY_INLINE VF32 asFloat(VU32 small) { return hn::ConvertTo(F32(), hn::BitCast(I32(), small)); }

template <class V>
HWY_INLINE auto isZero(V x)
{
    return hn::Eq(x, hn::Zero(hn::DFromV<V>()));
}

/// Parts of a vector of floats, widened.
template <std::size_t part>
HWY_INLINE VF64 widenedPart(VF32 x)
{
    const hn::Half<F32> half;
    return hn::PromoteTo(F64(), part == 0 ? hn::LowerHalf(half, x) : hn::UpperHalf(half, x));
}

HWY_INLINE VF32 narrowed(VF64 low, VF64 high)
{
    const hn::Half<F32> half;
    return hn::Combine(F32(), hn::DemoteTo(half, high), hn::DemoteTo(half, low));
}

/// Calls with the number of a type's bits and whether it has mins.
template <class Call>
HWY_INLINE auto withShape(const LevelType &type, const Call &call)
{
    using Yes = std::true_type;
    using No = std::false_type;
    switch (type.bits) {
    case 1:
        return call(std::integral_constant<std::size_t, 1>(), No());
    case 2:
        return type.hasMin ? call(std::integral_constant<std::size_t, 2>(), Yes())
                           : call(std::integral_constant<std::size_t, 2>(), No());
    case 3:
        return call(std::integral_constant<std::size_t, 3>(), No());
    case 5:
        return type.hasMin ? call(std::integral_constant<std::size_t, 5>(), Yes())
                           : call(std::integral_constant<std::size_t, 5>(), No());
    default:
        return type.hasMin ? call(std::integral_constant<std::size_t, 4>(), Yes())
                           : call(std::integral_constant<std::size_t, 4>(), No());
    }
}

} // namespace ql::HWY_NAMESPACE::scan
HWY_AFTER_NAMESPACE();
#endif // QL_SCAN_TARGET

#endif // per-target guard
