// SPDX-License-Identifier: GPL-3.0-or-later
// The searching encoders' common ground; compiled once a target.
//
// A lane is a sub-block: sixteen of them are searched side by side, weight i of all sixteen in one
// row. Sums run along a sub-block in order and no lane ever looks at another, so the bytes don't
// depend on the width of the machine's vectors. Multiplications and additions are never fused.
#if defined(QL_QUANTIZE_LANES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef QL_QUANTIZE_LANES_INL_H
#undef QL_QUANTIZE_LANES_INL_H
#else
#define QL_QUANTIZE_LANES_INL_H
#endif

#include <hwy/highway.h>

#include "core/quant/half.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace ql::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t LaneCount = 16;
using LaneTag = hn::CappedTag<float, LaneCount>;
using Vec = hn::Vec<LaneTag>;
using LaneMask = hn::Mask<LaneTag>;

/// One number a lane.
struct alignas(64) Lanes16 {
    float v[LaneCount] = {};
    float &operator[](std::size_t i) { return v[i]; }
    float operator[](std::size_t i) const { return v[i]; }
};

HWY_INLINE Vec all(float value) { return hn::Set(LaneTag(), value); }
HWY_INLINE Vec load(const Lanes16 &lanes, std::size_t first) { return hn::Load(LaneTag(), lanes.v + first); }
HWY_INLINE void store(Vec value, Lanes16 &lanes, std::size_t first) { hn::Store(value, LaneTag(), lanes.v + first); }

/// Nearest integer, halves to even, for |v| < 2^22: adding 1.5 · 2^23 leaves no room for a fraction.
constexpr float RoundingMagic = 12582912.0f;
HWY_INLINE Vec nearest(Vec v) { return hn::Sub(hn::Add(v, all(RoundingMagic)), all(RoundingMagic)); }
inline float nearest(float v) { return (v + RoundingMagic) - RoundingMagic; }

HWY_INLINE Vec clampTo(Vec v, float low, float high) { return hn::Min(hn::Max(v, all(low)), all(high)); }

/// a / b, and 0 where b is not above 0.
HWY_INLINE Vec quotientOrZero(Vec a, Vec b)
{
    const LaneMask usable = hn::Gt(b, all(0.0f));
    return hn::IfThenElseZero(usable, hn::Div(a, hn::IfThenElse(usable, b, all(1.0f))));
}

/// 1 / v with v's sign, and 0 for 0.
HWY_INLINE Vec inverseOrZero(Vec v)
{
    const LaneMask zero = hn::Eq(v, all(0.0f));
    return hn::IfThenZeroElse(zero, hn::Div(all(1.0f), hn::IfThenElse(zero, all(1.0f), v)));
}

/// The power of two that brings a super-block's largest magnitude to [1, 2), where squares can
/// neither overflow nor vanish, and its inverse. Multiplying with either is exact.
struct Unit {
    float into = 1.0f;
    float outOf = 1.0f;
};

inline Unit unitOf(float largest)
{
    const auto exponent = static_cast<int>(std::bit_cast<std::uint32_t>(largest) >> 23) - 127;
    if (largest == 0.0f)
        return {};
    const auto clamped = static_cast<std::uint32_t>(std::clamp(exponent, -126, 126));
    return {std::bit_cast<float>((127u - clamped) << 23), std::bit_cast<float>((127u + clamped) << 23)};
}

/// A scale as the block will hold it, and what that is worth in the unit.
struct StoredScale {
    std::uint16_t half = 0;
    float value = 0.0f;
};

/// Where the half overflows to infinity the search goes on with the value that it should have had.
inline StoredScale storedScale(float value, Unit unit)
{
    const std::uint16_t half = floatToHalf(value * unit.outOf);
    const float stored = halfToFloat(half) * unit.into;
    return {half, std::isfinite(stored) ? stored : value};
}

/// Sixteen sub-blocks of Size weights side by side, each super-block of Subs of them in its unit.
template <std::size_t Size, std::size_t Subs>
struct Batch {
    static constexpr std::size_t Supers = LaneCount / Subs;
    alignas(64) float x[Size][LaneCount];
    Unit units[Supers];

    /// Lanes without a sub-block are zero.
    void take(const float *weights, std::size_t nSupers)
    {
        for (std::size_t s = 0; s < Supers; ++s) {
            const float *source = s < nSupers ? weights + s * Subs * Size : nullptr;
            units[s] = source ? unitOf(largest(source)) : Unit();
            for (std::size_t lane = 0; lane < Subs; ++lane)
                column(source ? source + lane * Size : nullptr, s * Subs + lane, units[s].into);
        }
    }

private:
    static float largest(const float *source)
    {
        const LaneTag tag;
        Vec result = hn::Zero(tag);
        for (std::size_t i = 0; i < Subs * Size; i += hn::Lanes(tag))
            result = hn::Max(result, hn::Abs(hn::LoadU(tag, source + i)));
        return hn::GetLane(hn::MaxOfLanes(tag, result));
    }

    void column(const float *source, std::size_t lane, float factor)
    {
        for (std::size_t i = 0; i < Size; ++i)
            x[i][lane] = source ? source[i] * factor : 0.0f;
    }
};

/// Sums Subs neighbouring lanes in a fixed tree; the result of super-block s is in lane s * Subs.
template <std::size_t Subs>
HWY_INLINE void sumSubs(Lanes16 &lanes)
{
    for (std::size_t step = Subs / 2; step > 0; step /= 2)
        for (std::size_t first = 0; first < LaneCount; first += Subs)
            for (std::size_t i = first; i < first + step; ++i)
                lanes[i] += lanes[i + step];
}

/// What Subs sub-blocks want their scale (or min) to be, and what missing it costs, squared.
template <std::size_t Subs>
struct Wanted {
    float value[Subs];
    float weight[Subs];
};

/// Of many scales that a super-block could store, those whose multiples from Low to High come
/// nearest to what its sub-blocks want. Sixteen scales at a time, one a lane.
template <std::size_t Subs, int Low, int High>
class BestMultiples
{
public:
    static constexpr std::size_t Kept = 4;

    BestMultiples(const Wanted<Subs> &wanted, Unit unit)
        : m_wanted(wanted), m_unit(unit)
    {
        std::fill_n(m_costs, Kept, 3e38f);
    }

    void offer(float value)
    {
        m_offered[m_count] = storedScale(value, m_unit);
        if (++m_count == LaneCount)
            weigh();
    }

    void finish()
    {
        if (m_count > 0)
            weigh();
    }

    /// The best first; after finish().
    StoredScale scale(std::size_t rank) const { return m_best[rank]; }

    /// The multiples of a scale that come nearest.
    void multiples(std::size_t rank, float *out) const
    {
        const float value = m_best[rank].value;
        const float inverse = value != 0.0f ? 1.0f / value : 0.0f;
        for (std::size_t i = 0; i < Subs; ++i)
            out[i] = nearest(std::clamp(m_wanted.value[i] * inverse, 1.0f * Low, 1.0f * High));
    }

private:
    void weigh()
    {
        Lanes16 values, costs;
        for (std::size_t i = 0; i < m_count; ++i)
            values[i] = m_offered[i].value;
        for (std::size_t lane = 0; lane < LaneCount; lane += hn::Lanes(LaneTag()))
            store(costsOf(load(values, lane)), costs, lane);
        for (std::size_t i = 0; i < m_count; ++i)
            if (costs[i] < m_costs[Kept - 1])
                keep(m_offered[i], costs[i]);
        m_count = 0;
    }

    void keep(StoredScale scale, float cost)
    {
        std::size_t rank = Kept - 1;
        for (; rank > 0 && cost < m_costs[rank - 1]; --rank) {
            m_best[rank] = m_best[rank - 1];
            m_costs[rank] = m_costs[rank - 1];
        }
        m_best[rank] = scale;
        m_costs[rank] = cost;
    }

    HWY_INLINE Vec costsOf(Vec value) const
    {
        const Vec inverse = inverseOrZero(value);
        Vec cost = all(0.0f);
        for (std::size_t i = 0; i < Subs; ++i) {
            const Vec wanted = all(m_wanted.value[i]);
            const Vec multiple = nearest(clampTo(hn::Mul(wanted, inverse), Low, High));
            const Vec miss = hn::Sub(hn::Mul(multiple, value), wanted);
            cost = hn::Add(cost, hn::Mul(all(m_wanted.weight[i]), hn::Mul(miss, miss)));
        }
        return cost;
    }

    const Wanted<Subs> &m_wanted;
    Unit m_unit;
    StoredScale m_offered[LaneCount];
    std::size_t m_count = 0;
    StoredScale m_best[Kept];
    float m_costs[Kept];
};

/// Below 2^-14 a half has few digits left: there any multiple may be the one to choose.
inline bool isCoarse(float scale, Unit unit) { return std::fabs(scale) * unit.outOf < 0x1p-13f; }

} // namespace ql::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
