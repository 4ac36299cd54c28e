// SPDX-License-Identifier: GPL-3.0-or-later
// levelkernels.cpp in vectors: a run a lane, so that nothing goes from lane to lane.
#define HWY_WANT_AVX3_DL // counts the bits of a vector in one instruction
#include "core/quant/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/stats/levelkernels_simd.cpp"
#include <hwy/foreach_target.h>

#include "core/stats/levelkernels.h"
#include "core/stats/scanlanes-inl.h"

#ifndef QL_LEVEL_KERNELS_ONCE
#define QL_LEVEL_KERNELS_ONCE
namespace ql {

/// For each set of up to eight lanes, a bit a lane: these lanes, then any.
struct LaneOrders {
    std::uint8_t order[256][8] = {};

    constexpr LaneOrders()
    {
        for (std::size_t set = 0; set < 256; ++set) {
            std::size_t n = 0;
            for (std::uint8_t lane = 0; lane < 8; ++lane) {
                if (set >> lane & 1)
                    order[set][n++] = lane;
            }
        }
    }
};
alignas(64) inline constexpr LaneOrders LanesMovedTogether;

} // namespace ql
#endif

#if QL_SCAN_TARGET
HWY_BEFORE_NAMESPACE();
namespace ql::HWY_NAMESPACE::scan {
namespace {

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

// ---- strips; see sumStrip() of the reference

/// A strip's figures, or some runs', a lane each. Sums are of the weights' codes.
struct RangeVectors {
    VF32 min, max;
    VU32 zeros;
};

struct CodeSums {
    VF32 sum1, sum2; ///< of the distances from the center and of their squares
};

HWY_INLINE RangeVectors noWeights()
{
    const VF32 infinity = hn::BitCast(F32(), hn::Set(U32(), 0x7f800000u));
    return {infinity, hn::Neg(infinity), hn::Zero(U32())};
}

/// As plain loops over the codes.
template <std::size_t bits, bool hasMin>
HWY_INLINE CodeSums sumCodes(const LevelPlanes &planes, const LevelPowers &powers, std::size_t at, RangeVectors &range)
{
    CodeSums sums{hn::Zero(F32()), hn::Zero(F32())};
    Runs<bits, hasMin>(planes, at).forCodes(powers.type, [&](std::size_t code, VF32 value, VU32 times) HWY_ATTR {
        sums.sum1 = hn::MulAdd(asFloat(times), hn::Set(F32(), powers.power1[code]), sums.sum1);
        sums.sum2 = hn::MulAdd(asFloat(times), hn::Set(F32(), powers.power2[code]), sums.sum2);
        const auto none = hn::RebindMask(F32(), isZero(times));
        range.min = hn::IfThenElse(none, range.min, hn::Min(range.min, value));
        range.max = hn::IfThenElse(none, range.max, hn::Max(range.max, value));
        range.zeros = hn::Add(range.zeros, hn::IfThenElseZero(hn::RebindMask(U32(), isZero(value)), times));
    });
    return sums;
}

/// The same where levels are one apart: from the planes themselves, which are fewer than the codes.
template <std::size_t bits, bool hasMin>
class LinearRuns
{
public:
    HWY_INLINE LinearRuns(const LevelPlanes &planes, const LevelPowers &powers, std::size_t at)
        : m_used(hn::Load(U32(), planes.used + at)), m_first(static_cast<int>(powers.type.levels[0])),
          m_offset(m_first - powers.type.center), m_scale(hn::Load(F32(), planes.scale + at)),
          m_min(hasMin ? hn::Load(F32(), planes.min + at) : hn::Zero(F32()))
    {
        for (std::size_t bit = 0; bit < bits; ++bit)
            m_plane[bit] = hn::And(hn::Load(U32(), planes.planes[bit] + at), m_used);
    }

    HWY_INLINE CodeSums sums() const
    {
        VU32 sum1 = hn::Zero(U32());
        VU32 sum2 = sum1;
        // (… + 2^i x_i + …)^2: x_i is 0 or 1 and its own square.
        for (std::size_t i = bits; i-- > 0;) {
            const VU32 times = hn::PopulationCount(m_plane[i]);
            sum1 = hn::Add(hn::Add(sum1, sum1), times);
            VU32 pairs = hn::Zero(U32());
            for (std::size_t k = bits; k-- > i + 1;)
                pairs = hn::Add(hn::Add(pairs, pairs), hn::PopulationCount(hn::And(m_plane[i], m_plane[k])));
            // Pairs are in units of 2^(i + i + 1), here by twice that: k counts from i + 1.
            const VU32 all = hn::Add(times, hn::ShiftLeft<2>(pairs));
            sum2 = hn::Add(hn::ShiftLeft<2>(sum2), all);
        }
        // Of codes; now of codes + offset.
        const VF32 offset = hn::Set(F32(), static_cast<float>(m_offset));
        const VF32 all = hn::Mul(asFloat(weights()), offset);
        const VF32 first = asFloat(sum1);
        return {hn::Add(first, all), hn::Add(asFloat(sum2), hn::Mul(offset, hn::Add(hn::Add(first, first), all)))};
    }

    HWY_INLINE void addRange(RangeVectors &range) const
    {
        VU32 highest = m_used; // the weights with the most of the bits so far
        VU32 lowest = m_used;
        VU32 high = hn::Zero(U32());
        VU32 low = high;
        for (std::size_t bit = bits; bit-- > 0;) {
            const VU32 one = hn::Set(U32(), 1u << bit);
            const VU32 with = hn::And(highest, m_plane[bit]);
            const auto isWithout = isZero(with);
            highest = hn::IfThenElse(isWithout, highest, with);
            high = hn::IfThenElse(isWithout, high, hn::Or(high, one));
            const VU32 without = hn::AndNot(m_plane[bit], lowest);
            const auto isWith = isZero(without);
            lowest = hn::IfThenElse(isWith, lowest, without);
            low = hn::IfThenElse(isWith, hn::Or(low, one), low);
        }
        const VF32 a = valueOf(low);
        const VF32 b = valueOf(high);
        const auto unused = hn::RebindMask(F32(), isZero(m_used));
        range.min = hn::IfThenElse(unused, range.min, hn::Min(range.min, hn::Min(a, b)));
        range.max = hn::IfThenElse(unused, range.max, hn::Max(range.max, hn::Max(a, b)));
        range.zeros = hn::Add(range.zeros, zeros());
    }

private:
    HWY_INLINE VU32 weights() const { return hn::PopulationCount(m_used); }

    HWY_INLINE VF32 valueOf(VU32 code) const
    {
        const VF32 product = hn::Mul(hn::Add(asFloat(code), hn::Set(F32(), static_cast<float>(m_first))), m_scale);
        return hasMin ? hn::Add(product, m_min) : product;
    }

    /// At most one code's value is 0, or all are.
    HWY_INLINE VU32 zeros() const
    {
        const auto isFlat = isZero(m_scale);
        VU32 code = hn::Set(U32(), static_cast<std::uint32_t>(-m_first));
        if constexpr (hasMin) {
            // Where a product and the min cancel each other, their quotient is the whole number.
            const VF32 zero = hn::Zero(F32());
            const VF32 quotient = hn::Div(hn::Neg(m_min), hn::IfThenElse(isFlat, hn::Set(F32(), 1.0f), m_scale));
            const VF32 highest = hn::Set(F32(), static_cast<float>((1u << bits) - 1));
            code = nearestInt(hn::Min(hn::Max(quotient, zero), highest));
        }
        VU32 found = m_used;
        for (std::size_t bit = 0; bit < bits; ++bit) {
            const hn::RebindToSigned<U32> d;
            const auto sign = hn::ShiftRight<31>(hn::BitCast(d, hn::ShiftLeftSame(code, static_cast<int>(31 - bit))));
            found = hn::AndNot(hn::Xor(m_plane[bit], hn::BitCast(U32(), sign)), found);
        }
        const VU32 times = hn::PopulationCount(hn::IfThenElse(hn::RebindMask(U32(), isFlat), m_used, found));
        return hn::IfThenElseZero(hn::RebindMask(U32(), isZero(valueOf(code))), times);
    }

    VU32 m_used;
    VU32 m_plane[bits];
    int m_first;
    int m_offset;
    VF32 m_scale;
    VF32 m_min;
};

struct StripSumVectors {
    VF64 sum, sumSq;
};

template <std::size_t part, bool hasMin>
HWY_INLINE void addRunTo(StripSumVectors &strips, const CodeSums &sums, VF32 scale, VF32 min, VF32 weights, int center)
{
    const VF64 a = widenedPart<part>(scale);
    const VF64 sum1 = hn::Mul(a, widenedPart<part>(sums.sum1));
    const VF64 sum2 = hn::Mul(hn::Mul(a, a), widenedPart<part>(sums.sum2));
    if constexpr (hasMin) {
        const VF64 middle = hn::Add(hn::Mul(hn::Set(F64(), center), a), widenedPart<part>(min));
        const VF64 all = hn::Mul(middle, widenedPart<part>(weights));
        strips.sum = hn::Add(strips.sum, hn::Add(sum1, all));
        strips.sumSq = hn::Add(strips.sumSq, hn::Add(sum2, hn::Mul(middle, hn::Add(hn::Add(sum1, sum1), all))));
    } else {
        strips.sum = hn::Add(strips.sum, sum1);
        strips.sumSq = hn::Add(strips.sumSq, sum2);
    }
}

/// Whether the strips of lanes [0, n) are.
HWY_INLINE bool areOrdinary(VF32 sumSq, VU32 zeros, std::size_t weights, std::size_t n)
{
    const auto inRange = hn::And(hn::Ge(sumSq, hn::Set(F32(), SmallestSquares)),
                                 hn::Le(sumSq, hn::Set(F32(), LargestSquares)));
    if (HWY_LIKELY(hn::AllTrue(F32(), inRange)))
        return true;
    const auto allZeros = hn::Eq(zeros, hn::Set(U32(), static_cast<std::uint32_t>(weights)));
    const auto isNone = hn::And(isZero(sumSq), hn::RebindMask(F32(), allZeros));
    const auto isUnused = hn::Not(hn::FirstN(F32(), n));
    return hn::AllTrue(F32(), hn::Or(hn::Or(inRange, isNone), isUnused));
}

template <std::size_t bits, bool hasMin, bool isLinear>
HWY_ATTR bool sumStripsOf(const LevelPlanes &planes, const LevelPowers &powers, StripTable &table, TileRange &range)
{
    const LevelType &type = powers.type;
    RangeVectors total = noWeights();
    bool ordinary = true;
    for (std::size_t block = 0; block < planes.blocks; block += FloatWidth) {
        RangeVectors strips = noWeights();
        StripSumVectors low{hn::Zero(F64()), hn::Zero(F64())};
        StripSumVectors high = low;
        const std::size_t first = block / Lanes * Lanes * type.runs + block % Lanes;
        for (std::size_t run = 0; run < type.runs; ++run) {
            const std::size_t at = first + run * Lanes;
            CodeSums sums;
            if constexpr (isLinear) {
                const LinearRuns<bits, hasMin> runs(planes, powers, at);
                runs.addRange(strips);
                sums = runs.sums();
            } else {
                sums = sumCodes<bits, hasMin>(planes, powers, at, strips);
            }
            const VF32 scale = hn::Load(F32(), planes.scale + at);
            const VF32 min = hasMin ? hn::Load(F32(), planes.min + at) : hn::Zero(F32());
            const VF32 weights = asFloat(hn::PopulationCount(hn::Load(U32(), planes.used + at)));
            addRunTo<0, hasMin>(low, sums, scale, min, weights, type.center);
            addRunTo<1, hasMin>(high, sums, scale, min, weights, type.center);
        }
        strips.min = hn::Add(strips.min, hn::Zero(F32())); // no -0
        strips.max = hn::Add(strips.max, hn::Zero(F32()));
        const VF32 sumSq = narrowed(low.sumSq, high.sumSq);
        hn::Store(narrowed(low.sum, high.sum), F32(), table.sum + block);
        hn::Store(sumSq, F32(), table.sumSq + block);
        hn::Store(hn::Max(keyOf(strips.min), keyOf(strips.max)), U32(), table.key + block);
        hn::Store(strips.zeros, U32(), table.zeros + block);
        total.min = hn::Min(total.min, strips.min);
        total.max = hn::Max(total.max, strips.max);
        total.zeros = hn::Add(total.zeros, strips.zeros);
        ordinary &= areOrdinary(sumSq, strips.zeros, type.blockWeights(), planes.blocks - block);
    }
    range.min = hn::GetLane(hn::MinOfLanes(F32(), total.min));
    range.max = hn::GetLane(hn::MaxOfLanes(F32(), total.max));
    range.zeros = hn::GetLane(hn::SumOfLanes(U32(), total.zeros));
    range.sum = foldTable(table.sum, planes.blocks);
    range.sumSq = foldTable(table.sumSq, planes.blocks);
    return ordinary;
}

// ---- power sums; see addRun() and powersOf() of the reference

HWY_INLINE VF32 addWhere(hn::Mask<F32> lanes, VF32 sum, VF32 x)
{
#if HWY_MAX_BYTES == 64
    return hn::IfThenElse(lanes, hn::Add(sum, x), sum); // one instruction
#else
    return hn::Add(sum, hn::IfThenElseZero(lanes, x));
#endif
}

template <bool hasMin>
struct PowerVectors {
    VF32 sum1, sum2, sum3, sum4, high3, high4;
    VF32 magnitude; ///< or, with mins, how many weights are below 0
    VF32 negative1;

    HWY_INLINE PowerVectors() { sum1 = sum2 = sum3 = sum4 = high3 = high4 = magnitude = negative1 = hn::Zero(F32()); }

    /// Whole numbers below 2^24: rounding has no say.
    template <bool hasHigh>
    HWY_INLINE void add(const LevelPowers &powers, std::size_t code, VF32 value, VF32 times)
    {
        const VF32 product = hn::Mul(times, hn::Set(F32(), powers.power1[code]));
        sum1 = hn::Add(sum1, product);
        sum2 = hn::MulAdd(times, hn::Set(F32(), powers.power2[code]), sum2);
        sum3 = hn::MulAdd(times, hn::Set(F32(), powers.power3[code]), sum3);
        sum4 = hn::MulAdd(times, hn::Set(F32(), powers.power4[code]), sum4);
        if constexpr (hasHigh) {
            high3 = hn::MulAdd(times, hn::Set(F32(), powers.high3[code]), high3);
            high4 = hn::MulAdd(times, hn::Set(F32(), powers.high4[code]), high4);
        }
        if constexpr (hasMin) {
            const auto isNegative = hn::Lt(value, hn::Zero(F32()));
            magnitude = addWhere(isNegative, magnitude, times);
            negative1 = addWhere(isNegative, negative1, product);
        } else {
            magnitude = hn::MulAdd(times, hn::Set(F32(), powers.magnitude[code]), magnitude);
        }
    }
};

HWY_INLINE void addTo(double *sum, VF64 value) { hn::StoreU(hn::Add(hn::LoadU(F64(), sum), value), F64(), sum); }

HWY_INLINE VF64 times(double factor, VF64 x) { return hn::Mul(hn::Set(F64(), factor), x); }

/// Half of a register's runs.
template <bool hasMin>
struct HalfRuns {
    VF64 a, middle, weights;
    VF64 sum1, sum2, sum3, sum4; ///< of distances from the center

    template <std::size_t part, bool hasHigh>
    HWY_INLINE void load(const PowerVectors<hasMin> &powers, VF32 scale, VF32 min, VF32 allWeights, int center)
    {
        const auto withHigh = [](VF32 low, VF32 high) HWY_ATTR {
            const VF64 sum = widenedPart<part>(low);
            return hasHigh ? hn::Add(sum, times(LevelPowers::HighUnit, widenedPart<part>(high))) : sum;
        };
        a = widenedPart<part>(scale);
        middle = times(center, a);
        if constexpr (hasMin)
            middle = hn::Add(middle, widenedPart<part>(min));
        weights = widenedPart<part>(allWeights);
        sum1 = widenedPart<part>(powers.sum1);
        sum2 = widenedPart<part>(powers.sum2);
        sum3 = withHigh(powers.sum3, powers.high3);
        sum4 = withHigh(powers.sum4, powers.high4);
    }

    template <std::size_t part>
    HWY_INLINE void addMagnitudes(const PowerVectors<hasMin> &powers, double *lanes) const
    {
        if constexpr (hasMin) {
            const VF64 below = hn::Add(hn::Mul(a, widenedPart<part>(powers.negative1)),
                                       hn::Mul(middle, widenedPart<part>(powers.magnitude)));
            const VF64 sum = hn::Add(hn::Mul(a, sum1), hn::Mul(middle, weights));
            addTo(lanes + 4 * Lanes, hn::Sub(sum, hn::Add(below, below)));
        } else {
            addTo(lanes + 4 * Lanes, hn::Mul(hn::Abs(a), widenedPart<part>(powers.magnitude)));
        }
    }

    /// As wouldCancel().
    HWY_INLINE auto wouldCancel(VF64 shift) const
    {
        const auto isFar = hn::Gt(hn::Abs(hn::Sub(middle, shift)), times(LevelKernels::FarLevels, hn::Abs(a)));
        const VF64 few = times(LevelKernels::NearSquares, hn::Mul(hn::Mul(a, a), weights));
        const auto isNear = hn::Lt(centralSums(shift).sum2, few);
        return hn::And(hn::Gt(weights, hn::Zero(F64())), hn::Or(isFar, isNear));
    }

    HWY_INLINE void moveCenter(VF64 by)
    {
        const auto minus = [=](VF64 x, VF64 y) HWY_ATTR { return hn::Sub(x, hn::Mul(by, y)); };
        sum4 = minus(sum4, minus(times(4, sum3), minus(times(6, sum2), minus(times(4, sum1), weights))));
        sum3 = minus(sum3, minus(times(3, sum2), minus(times(3, sum1), weights)));
        sum2 = minus(sum2, minus(times(2, sum1), weights));
        sum1 = minus(sum1, weights);
        middle = hn::Add(middle, hn::Mul(by, a));
    }

    struct Sums {
        VF64 sum1, sum2, sum3, sum4;
    };

    HWY_INLINE Sums centralSums(VF64 shift) const
    {
        const VF64 b = hn::Sub(middle, shift);
        const VF64 a2 = hn::Mul(a, a);
        const VF64 first = hn::Mul(a, sum1);
        const VF64 second = hn::Mul(a2, sum2);
        const VF64 third = hn::Mul(hn::Mul(a2, a), sum3);
        const VF64 fourth = hn::Mul(hn::Mul(a2, a2), sum4);
        const VF64 all = hn::Mul(b, weights);
        // x + b · y, rounded after each step.
        const auto plus = [=](VF64 x, VF64 y) HWY_ATTR { return hn::Add(x, hn::Mul(b, y)); };
        return {hn::Add(first, all), plus(second, hn::Add(hn::Add(first, first), all)),
                plus(third, plus(times(3, second), hn::Add(times(3, first), all))),
                plus(fourth, plus(times(4, third), plus(times(6, second), hn::Add(times(4, first), all))))};
    }

    HWY_INLINE void addCentral(VF64 shift, double *lanes) const
    {
        const Sums sums = centralSums(shift);
        addTo(lanes, sums.sum1);
        addTo(lanes + Lanes, sums.sum2);
        addTo(lanes + 2 * Lanes, sums.sum3);
        addTo(lanes + 3 * Lanes, sums.sum4);
    }
};

/// As levelsTo().
HWY_INLINE VF32 levelsTo(VF64 shift, VF64 lowMiddle, VF64 highMiddle, VF32 scale)
{
    const VF32 distance = narrowed(hn::Sub(shift, lowMiddle), hn::Sub(shift, highMiddle));
    const auto isFlat = isZero(scale);
    const VF32 levels = hn::Round(hn::Div(distance, hn::IfThenElse(isFlat, hn::Set(F32(), 1.0f), scale)));
    const VF32 most = hn::Set(F32(), 128.0f);
    return hn::IfThenZeroElse(isFlat, hn::Min(hn::Max(levels, hn::Neg(most)), most));
}

/// As the function of that name.
HWY_INLINE bool areExact(VF32 scale, VF32 min, float highestLevel)
{
    const VF32 a = hn::Abs(scale);
    const VF32 b = hn::Abs(min);
    const VF32 bound = hn::Mul(hn::Add(hn::Mul(a, hn::Set(F32(), highestLevel)), b), hn::Set(F32(), 1 + 0x1p-20f));
    const VU32 exponent = hn::And(hn::BitCast(U32(), bound), hn::Set(U32(), 0x7f800000u));
    const VF32 above = hn::BitCast(F32(), hn::Add(exponent, hn::Set(U32(), 0x00800000u)));
    const auto isMultiple = [&](VF32 x) HWY_ATTR { return hn::Eq(hn::Sub(above, hn::Sub(above, x)), x); };
    return hn::AllTrue(F32(), hn::And(isMultiple(a), isMultiple(b)));
}

// ---- lists

#if HWY_MAX_BYTES == 64
template <class V>
HWY_INLINE V movedTogether(V x, hn::Mask<U32> lanes)
{
    return hn::Compress(x, hn::RebindMask(hn::DFromV<V>(), lanes));
}
#else
/// hn::Compress, of which GCC 12 copies the table for every call.
template <class V>
HWY_INLINE V movedTogether(V x, hn::Mask<U32> lanes)
{
    std::uint8_t bits[8] = {};
    hn::StoreMaskBits(U32(), lanes, bits);
    const hn::Rebind<std::uint8_t, U32> bytes;
    const auto order = hn::PromoteTo(I32(), hn::LoadU(bytes, LanesMovedTogether.order[bits[0]]));
    return hn::TableLookupLanes(x, hn::IndicesFromVec(hn::DFromV<V>(), order));
}
#endif

/// Stores the lanes that occur, one after the other; returns how many these are.
HWY_INLINE std::size_t compressTo(VF32 value, VU32 times, float *values, std::uint32_t *counts)
{
    const auto some = hn::Ne(times, hn::Zero(U32()));
    hn::StoreU(movedTogether(value, some), F32(), values);
    hn::StoreU(movedTogether(times, some), U32(), counts);
    return hn::CountTrue(U32(), some);
}

/// The central sums of a vector of runs.
template <std::size_t bits, bool hasMin, bool hasHigh>
HWY_INLINE void addSums(const LevelPlanes &planes, const LevelType &type, std::size_t vector,
                        const PowerVectors<hasMin> (&sums)[Lanes / FloatWidth], double shift, double *centralLanes)
{
    constexpr std::size_t Parts = Lanes / FloatWidth;
    const VF64 about = hn::Set(F64(), shift);
    HalfRuns<hasMin> low[Parts], high[Parts];
    bool movesCenter = false;
    for (std::size_t part = 0; part < Parts; ++part) {
        const std::size_t at = vector * Lanes + part * FloatWidth;
        const VF32 scale = hn::Load(F32(), planes.scale + at);
        const VF32 min = hasMin ? hn::Load(F32(), planes.min + at) : hn::Zero(F32());
        const VF32 weights = asFloat(hn::PopulationCount(hn::Load(U32(), planes.used + at)));
        double *const lanes = centralLanes + part * FloatWidth;
        low[part].template load<0, hasHigh>(sums[part], scale, min, weights, type.center);
        high[part].template load<1, hasHigh>(sums[part], scale, min, weights, type.center);
        low[part].template addMagnitudes<0>(sums[part], lanes);
        high[part].template addMagnitudes<1>(sums[part], lanes + DoubleWidth);
        movesCenter |= !hn::AllFalse(F64(), hn::Or(low[part].wouldCancel(about), high[part].wouldCancel(about)));
    }
    for (std::size_t part = 0; part < Parts; ++part) {
        if (HWY_UNLIKELY(movesCenter)) {
            const VF32 scale = hn::Load(F32(), planes.scale + vector * Lanes + part * FloatWidth);
            const VF32 by = levelsTo(about, low[part].middle, high[part].middle, scale);
            low[part].moveCenter(widenedPart<0>(by));
            high[part].moveCenter(widenedPart<1>(by));
        }
        double *const lanes = centralLanes + part * FloatWidth;
        low[part].addCentral(about, lanes);
        high[part].addCentral(about, lanes + DoubleWidth);
    }
}

template <std::size_t bits, bool hasMin, bool hasHigh>
HWY_ATTR ListedRuns listOf(const LevelPlanes &planes, const LevelPowers &powers, std::size_t vector, double shift,
                           double *centralLanes, float *values, std::uint32_t *times)
{
    const LevelType &type = powers.type;
    constexpr std::size_t Parts = Lanes / FloatWidth;
    ListedRuns listed{0, true};
    PowerVectors<hasMin> sums[Parts];
    const auto put = [&](VF32 value, VU32 count) HWY_ATTR {
        listed.values += compressTo(value, count, values + listed.values, times + listed.values);
    };
    // Vectors of fewer lanes go to a table first: the lanes of a code come one after the other.
    alignas(64) float found[1 << bits][Lanes];
    alignas(64) std::uint32_t counts[1 << bits][Lanes];
    for (std::size_t part = 0; part < Parts; ++part) {
        const std::size_t lane = part * FloatWidth;
        const Runs<bits, hasMin> runs(planes, vector * Lanes + lane);
        runs.forCodes(type, [&](std::size_t code, VF32 value, VU32 count) HWY_ATTR {
            sums[part].template add<hasHigh>(powers, code, value, asFloat(count));
            if constexpr (Parts == 1) {
                put(value, count);
            } else {
                hn::Store(value, F32(), found[code] + lane);
                hn::Store(count, U32(), counts[code] + lane);
            }
        });
        if constexpr (hasMin)
            listed.areSummed &= areExact(runs.scale(), runs.min(), type.levels[(1u << bits) - 1]);
    }
    for (std::size_t code = 0; Parts > 1 && code < std::size_t{1} << bits; ++code) {
        for (std::size_t lane = 0; lane < Lanes; lane += FloatWidth)
            put(hn::Load(F32(), found[code] + lane), hn::Load(U32(), counts[code] + lane));
    }
    if (listed.areSummed)
        addSums<bits, hasMin, hasHigh>(planes, powers.type, vector, sums, shift, centralLanes);
    return listed;
}

// ---- counts

/// Four counts of each lane, in a word.
HWY_INLINE VU32 packed(const VU32 *counts)
{
    const VU32 low = hn::Or(counts[0], hn::ShiftLeft<8>(counts[1]));
    const VU32 high = hn::Or(counts[2], hn::ShiftLeft<8>(counts[3]));
    return hn::Or(low, hn::ShiftLeft<16>(high));
}

/// Stores the four words of each lane next to each other, those of lanes `stride` bytes apart.
HWY_INLINE void storeTransposed(const VU32 (&words)[4], std::uint8_t *counts, std::size_t stride)
{
    const hn::Repartition<std::uint64_t, U32> pairs;
    const auto pair = [&](VU32 x) HWY_ATTR { return hn::BitCast(pairs, x); };
    const auto low01 = pair(hn::InterleaveLower(U32(), words[0], words[1]));
    const auto high01 = pair(hn::InterleaveUpper(U32(), words[0], words[1]));
    const auto low23 = pair(hn::InterleaveLower(U32(), words[2], words[3]));
    const auto high23 = pair(hn::InterleaveUpper(U32(), words[2], words[3]));
    // Of each four lanes that make 16 bytes of a vector, the first, the second …
    alignas(64) std::uint8_t lanes[4][4 * FloatWidth];
    const auto put = [&](std::size_t i, auto x) HWY_ATTR { hn::Store(hn::BitCast(U32(), x), U32(), reinterpret_cast<std::uint32_t *>(lanes[i])); };
    put(0, hn::InterleaveLower(pairs, low01, low23));
    put(1, hn::InterleaveUpper(pairs, low01, low23));
    put(2, hn::InterleaveLower(pairs, high01, high23));
    put(3, hn::InterleaveUpper(pairs, high01, high23));
    const hn::Simd<std::uint8_t, 16, 0> d;
    for (std::size_t lane = 0; lane < FloatWidth; ++lane)
        hn::StoreU(hn::Load(d, lanes[lane % 4] + lane / 4 * 16), d, counts + stride * lane);
}

template <std::size_t bits>
HWY_ATTR void countOf(const LevelPlanes &planes, std::size_t vector, std::uint8_t *counts)
{
    constexpr std::size_t Codes = std::size_t{1} << bits;
    for (std::size_t lane = 0; lane < Lanes; lane += FloatWidth) {
        VU32 times[Codes];
        Runs<bits, false>(planes, vector * Lanes + lane).forCounts([&](std::size_t code, VU32 n) HWY_ATTR { times[code] = n; });
        for (std::size_t code = 0; code < Codes; code += 16) {
            const VU32 *const some = times + code;
            const VU32 words[4] = {packed(some), packed(some + 4), packed(some + 8), packed(some + 12)};
            storeTransposed(words, counts + Codes * lane + code, Codes);
        }
    }
}

void count(const LevelPlanes &planes, const LevelType &type, std::size_t vector, std::uint8_t *counts)
{
    type.bits == 5 ? countOf<5>(planes, vector, counts) : countOf<4>(planes, vector, counts);
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
        return call(std::integral_constant<std::size_t, 5>(), No());
    default:
        return type.hasMin ? call(std::integral_constant<std::size_t, 4>(), Yes())
                           : call(std::integral_constant<std::size_t, 4>(), No());
    }
}

bool sumStrips(const LevelPlanes &planes, const LevelPowers &powers, StripTable &table, TileRange &range)
{
    return withShape(powers.type, [&](auto bits, auto hasMin) {
        constexpr auto Bits = decltype(bits)::value;
        constexpr bool HasMin = decltype(hasMin)::value;
        return powers.isLinear ? sumStripsOf<Bits, HasMin, true>(planes, powers, table, range)
                               : sumStripsOf<Bits, HasMin, false>(planes, powers, table, range);
    });
}

ListedRuns list(const LevelPlanes &planes, const LevelPowers &powers, std::size_t vector, double shift,
                double *centralLanes, float *values, std::uint32_t *times)
{
    return withShape(powers.type, [&](auto bits, auto hasMin) {
        constexpr auto Bits = decltype(bits)::value;
        constexpr bool HasMin = decltype(hasMin)::value;
        if constexpr (Bits == 4 && !HasMin) {
            if (powers.hasHigh)
                return listOf<Bits, HasMin, true>(planes, powers, vector, shift, centralLanes, values, times);
        }
        return listOf<Bits, HasMin, false>(planes, powers, vector, shift, centralLanes, values, times);
    });
}

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
constexpr LevelKernels Kernels{"avx3", sumStrips, list, count};
#elif HWY_TARGET == HWY_AVX2
constexpr LevelKernels Kernels{"avx2", sumStrips, list, count};
#elif HWY_TARGET == HWY_SSE4
constexpr LevelKernels Kernels{"sse4", sumStrips, list, count};
#else
constexpr LevelKernels Kernels{"neon", sumStrips, list, count};
#endif

} // namespace

const LevelKernels &levelKernelsOfTarget() { return Kernels; }

} // namespace ql::HWY_NAMESPACE::scan
HWY_AFTER_NAMESPACE();
#endif // QL_SCAN_TARGET

#if HWY_ONCE
#include <hwy/targets.h>

#include <vector>

namespace ql::detail {

std::span<const LevelKernels *const> simdLevelKernels()
{
    static const std::vector<const LevelKernels *> found = [] {
        struct Row {
            std::int64_t target;
            const LevelKernels *kernels;
        };
        const Row rows[] = {
#if defined(__aarch64__)
            {HWY_NEON, &N_NEON::scan::levelKernelsOfTarget()},
#else
            {HWY_AVX3_DL, &N_AVX3_DL::scan::levelKernelsOfTarget()},
            {HWY_AVX3, &N_AVX3::scan::levelKernelsOfTarget()},
            {HWY_AVX2, &N_AVX2::scan::levelKernelsOfTarget()},
            {HWY_SSE4, &N_SSE4::scan::levelKernelsOfTarget()},
#endif
        };
        std::vector<const LevelKernels *> result;
        for (const Row &row : rows) {
            if (row.target & hwy::SupportedTargets())
                result.push_back(row.kernels);
        }
        return result;
    }();
    return found;
}

} // namespace ql::detail
#endif
