// SPDX-License-Identifier: GPL-3.0-or-later
// The lists of levelkernels.cpp in vectors; strips and counts are in levelstrips_simd.cpp.
#define HWY_WANT_AVX3_DL // counts the bits of a vector in one instruction
#include "core/quant/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/stats/levelkernels_simd.cpp"
#include <hwy/foreach_target.h>

#include "core/stats/levelruns-inl.h"

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
constexpr LevelKernels Kernels{"avx3", sumLevelStrips, list, countCodes};
#elif HWY_TARGET == HWY_AVX2
constexpr LevelKernels Kernels{"avx2", sumLevelStrips, list, countCodes};
#elif HWY_TARGET == HWY_SSE4
constexpr LevelKernels Kernels{"sse4", sumLevelStrips, list, countCodes};
#else
constexpr LevelKernels Kernels{"neon", sumLevelStrips, list, countCodes};
#endif

} // namespace

const LevelKernels &levelKernelsOfTarget() { return Kernels; }

} // namespace ql::HWY_NAMESPACE::scan
HWY_AFTER_NAMESPACE();
#endif // QL_SCAN_TARGET

#if HWY_ONCE
#include "core/quant/simd_supported-inl.h"

namespace ql::detail {

std::span<const LevelKernels *const> simdLevelKernels()
{
    static const auto found = supportedOf<const LevelKernels *>({
#if defined(__aarch64__)
        {HWY_NEON, &N_NEON::scan::levelKernelsOfTarget()},
#else
        {HWY_AVX3_DL, &N_AVX3_DL::scan::levelKernelsOfTarget()},
        {HWY_AVX3, &N_AVX3::scan::levelKernelsOfTarget()},
        {HWY_AVX2, &N_AVX2::scan::levelKernelsOfTarget()},
        {HWY_SSE4, &N_SSE4::scan::levelKernelsOfTarget()},
#endif
    });
    return found;
}

} // namespace ql::detail
#endif
