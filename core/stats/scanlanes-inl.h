// SPDX-License-Identifier: GPL-3.0-or-later
// What the vector kernels of scans share: 16 logical lanes, whatever the vectors' width. Compiled once
// for every target, hence the guard that is flipped by hwy/foreach_target.h.
#if defined(QL_SCAN_LANES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef QL_SCAN_LANES_INL
#undef QL_SCAN_LANES_INL
#else
#define QL_SCAN_LANES_INL
#endif

#include "core/stats/scankernels.h"
#include "core/stats/signedkey.h"

#include <cmath>

#include <hwy/highway.h>

#undef QL_SCAN_TARGET
#if HWY_TARGET == HWY_EMU128 || HWY_TARGET == HWY_SCALAR
#define QL_SCAN_TARGET 0
#else
#define QL_SCAN_TARGET 1
#endif

#if QL_SCAN_TARGET
HWY_BEFORE_NAMESPACE();
namespace ql::HWY_NAMESPACE::scan {

namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t FloatWidth = HWY_MAX_BYTES / 4;
constexpr std::size_t FloatParts = Lanes / FloatWidth;
constexpr std::size_t DoubleWidth = HWY_MAX_BYTES / 8;
constexpr std::size_t DoubleParts = Lanes / DoubleWidth;

using F32 = hn::Simd<float, FloatWidth, 0>;
using U32 = hn::Simd<std::uint32_t, FloatWidth, 0>;
using I32 = hn::Simd<std::int32_t, FloatWidth, 0>;
using F64 = hn::Simd<double, DoubleWidth, 0>;
using HalfF32 = hn::Simd<float, DoubleWidth, 0>;
using HalfI32 = hn::Simd<std::int32_t, DoubleWidth, 0>;
using F32x4 = hn::Simd<float, 4, 0>;
using U32x4 = hn::Simd<std::uint32_t, 4, 0>;
using VF32 = hn::Vec<F32>;
using VU32 = hn::Vec<U32>;
using VF64 = hn::Vec<F64>;

/// 16 floats or doubles in as many vectors as it takes.
struct Floats {
    VF32 part[FloatParts];
};
struct Doubles {
    VF64 part[DoubleParts];
};

HWY_INLINE Floats loadFloats(const float *from)
{
    Floats result;
    for (std::size_t p = 0; p < FloatParts; ++p)
        result.part[p] = hn::LoadU(F32(), from + p * FloatWidth);
    return result;
}

HWY_INLINE Floats sameFloats(float value)
{
    Floats result;
    for (std::size_t p = 0; p < FloatParts; ++p)
        result.part[p] = hn::Set(F32(), value);
    return result;
}

HWY_INLINE Doubles loadDoubles(const double *from)
{
    Doubles result;
    for (std::size_t p = 0; p < DoubleParts; ++p)
        result.part[p] = hn::LoadU(F64(), from + p * DoubleWidth);
    return result;
}

HWY_INLINE void storeDoubles(const Doubles &values, double *to)
{
    for (std::size_t p = 0; p < DoubleParts; ++p)
        hn::StoreU(values.part[p], F64(), to + p * DoubleWidth);
}

HWY_INLINE VF64 widened(const float *from) { return hn::PromoteTo(F64(), hn::LoadU(HalfF32(), from)); }

// ---- folds

struct Plus {
    template <class V>
    HWY_INLINE V operator()(V a, V b) const
    {
        return hn::Add(a, b);
    }
};
struct Smaller {
    template <class V>
    HWY_INLINE V operator()(V a, V b) const
    {
        return hn::Min(a, b);
    }
};
struct Larger {
    template <class V>
    HWY_INLINE V operator()(V a, V b) const
    {
        return hn::Max(a, b);
    }
};

/// Four strips' four lanes each, folded 2 + 2 and 1 + 1: one lane a strip.
template <class D4, class V4, class Op>
HWY_INLINE V4 foldFourStrips(D4 d, V4 a, V4 b, V4 c, V4 e, Op op)
{
    const auto ab = op(hn::ConcatLowerLower(d, b, a), hn::ConcatUpperUpper(d, b, a));
    const auto ce = op(hn::ConcatLowerLower(d, e, c), hn::ConcatUpperUpper(d, e, c));
    return op(hn::ConcatEven(d, ce, ab), hn::ConcatOdd(d, ce, ab));
}

/// The fold of a table's floats, widened, in 16 lanes.
[[maybe_unused]] static HWY_NOINLINE HWY_ATTR double foldTable(const float *values, std::size_t n)
{
    alignas(64) double lanes[Lanes] = {};
    std::size_t i = 0;
    Doubles sum = loadDoubles(lanes);
    for (; i + Lanes <= n; i += Lanes) {
        for (std::size_t p = 0; p < DoubleParts; ++p)
            sum.part[p] = hn::Add(sum.part[p], widened(values + i + p * DoubleWidth));
    }
    storeDoubles(sum, lanes);
    for (std::size_t lane = 0; i < n; ++i, ++lane)
        lanes[lane] += static_cast<double>(values[i]);
    return foldLanes(lanes);
}

struct RangeLanes {
    hn::Vec<F32x4> min;
    hn::Vec<F32x4> max;
};

/// Sums and counts of a tile from those of its strips.
[[maybe_unused]] static HWY_NOINLINE HWY_ATTR void sumTable(const StripTable &table, std::size_t strips, TileRange &range)
{
    range.sum = foldTable(table.sum, strips);
    range.sumSq = foldTable(table.sumSq, strips);
    range.zeros = 0;
    for (std::size_t i = 0; i < strips; ++i)
        range.zeros += table.zeros[i];
}

/// signedKey of each lane.
template <class V>
HWY_INLINE auto keyOf(V x)
{
    const hn::RebindToUnsigned<hn::DFromV<V>> d;
    const auto bits = hn::BitCast(d, x);
    const auto sign = hn::Xor(hn::ShiftRight<31>(bits), hn::Set(d, 1u));
    return hn::Or(hn::ShiftLeft<1>(bits), sign);
}

// ---- the kernels that have a file of their own; see ScanKernels

void addValues(const float *weights, std::size_t n, double shift, double *centralLanes, const FloatBins &bins,
               std::uint16_t *fineSets);
void addSquashed(const float *weights, std::size_t n, double shift, double *centralLanes, const FloatBins &bins,
                 std::uint16_t *fineSets);
void countTimes(const float *values, const std::uint32_t *times, std::size_t n, const FloatBins &bins,
                std::uint16_t *fineSets);
void countTimesSquashed(const float *values, const std::uint32_t *times, std::size_t n, const FloatBins &bins,
                        std::uint16_t *fineSets);
void countInside(const float *weights, std::size_t n, const FloatBins &bins, std::uint32_t *sets, std::size_t stride,
                 Outside &outside);
void countInsideTimes(const float *values, const std::uint32_t *times, std::size_t n, const FloatBins &bins,
                      std::uint32_t *sets, std::size_t stride, Outside &outside);
void findBins(const float *weights, std::size_t n, const FloatBins &bins, std::uint32_t *found);
void addPairs(const float *a, const float *b, std::size_t n, double *pairLanes, ErrorRange &range);

// ---- bins

/// How many weights' bins are found at once.
constexpr std::size_t BinRun = 64;

/// A position is off by less than this: half a unit at most for the distance, for the factor and for
/// each rounding after it (the distance and the product reach 2^24, where floats lie a unit apart).
#if HWY_NATIVE_FMA
constexpr std::uint32_t Doubt = 4;
#else
constexpr std::uint32_t Doubt = 8;
#endif

struct BinVectors {
    VF32 lo;
    VF32 factor;
    VF32 doubt;
    VU32 zone; ///< the bits of a position, moved up by Doubt, that are all 0 near an edge
    int fraction;
};

HWY_INLINE BinVectors binVectors(const FloatBins &bins)
{
    const std::uint32_t zone = ((1u << bins.fraction) - 1) & ~(2 * Doubt - 1);
    return {hn::Set(F32(), bins.floatLo), hn::Set(F32(), bins.factor), hn::Set(F32(), static_cast<float>(Doubt)),
            hn::Set(U32(), zone), bins.fraction};
}

/// hn::NearestInt without its care for numbers that don't fit.
HWY_INLINE VU32 nearestInt(VF32 x)
{
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
    return hn::BitCast(U32(), hn::Vec<I32>{_mm512_cvtps_epi32(x.raw)});
#elif HWY_TARGET == HWY_AVX2
    return hn::BitCast(U32(), hn::Vec<I32>{_mm256_cvtps_epi32(x.raw)});
#elif HWY_TARGET == HWY_SSE4
    return hn::BitCast(U32(), hn::Vec<I32>{_mm_cvtps_epi32(x.raw)});
#else
    return hn::BitCast(U32(), hn::NearestInt(x));
#endif
}

/// The position of each weight moved up by Doubt.
HWY_INLINE VU32 positionOf(VF32 x, const BinVectors &vectors)
{
    return nearestInt(hn::MulAdd(hn::Sub(x, vectors.lo), vectors.factor, vectors.doubt));
}

/// The rule as written, for BinRun weights.
[[maybe_unused]] static HWY_NOINLINE HWY_ATTR void findBinsExactly(const float *weights, const FloatBins &bins,
                                                                   std::uint32_t *found)
{
    const auto last = hn::Set(HalfI32(), static_cast<std::int32_t>(bins.rule.bins() - 1));
    const hn::RebindToUnsigned<HalfI32> unsignedD;
    for (std::size_t i = 0; i < BinRun; i += DoubleWidth) {
        const auto distance = hn::Sub(widened(weights + i), hn::Set(F64(), bins.lo));
        const auto share = hn::Div(distance, hn::Set(F64(), bins.width));
        const auto bin = hn::DemoteTo(HalfI32(), hn::Mul(share, hn::Set(F64(), bins.bins)));
        hn::StoreU(hn::BitCast(unsignedD, hn::Min(bin, last)), unsignedD, found + i);
    }
}

/// Settles the doubtful ones of BinRun weights by the rule. Below the first edge and above the last there
/// is no other bin to doubt.
[[maybe_unused]] static HWY_NOINLINE HWY_ATTR void settleByRule(const float *weights, const FloatBins &bins,
                                                                std::uint32_t *found)
{
    const BinVectors vectors = binVectors(bins);
    const auto last = static_cast<std::uint32_t>(bins.rule.bins() - 1);
    for (std::size_t i = 0; i < BinRun; i += FloatWidth) {
        const auto position = positionOf(hn::LoadU(F32(), weights + i), vectors);
        const auto inZone = hn::Eq(hn::And(position, vectors.zone), hn::Zero(U32()));
        std::uint8_t bits[8] = {};
        hn::StoreMaskBits(U32(), inZone, bits);
        for (std::uint32_t left = bits[0] | bits[1] << 8; left != 0; left &= left - 1) {
            const std::size_t k = i + static_cast<std::size_t>(__builtin_ctz(left));
            if (found[k] > last)
                found[k] = last;
            else if (found[k] > 0)
                found[k] = static_cast<std::uint32_t>(bins.rule.binOf(static_cast<double>(weights[k])));
        }
    }
}

/// The bins of BinRun weights by their edges, of vectors with doubtful ones: in each lower bin that a weight
/// may be in, whether it has reached the next.
[[maybe_unused]] static HWY_NOINLINE HWY_ATTR void settleByEdges(const float *weights, const FloatBins &bins,
                                                                 std::uint32_t *found)
{
    const BinVectors vectors = binVectors(bins);
    const auto twice = hn::Set(U32(), 2 * Doubt);
    for (std::size_t i = 0; i < BinRun; i += FloatWidth) {
        const auto x = hn::LoadU(F32(), weights + i);
        const auto position = positionOf(x, vectors);
        if (hn::AllFalse(U32(), hn::Eq(hn::And(position, vectors.zone), hn::Zero(U32()))))
            continue; // as a rule one vector of a run is in doubt
        const auto lowest = hn::Sub(hn::Max(position, twice), twice);
        const auto lower = hn::BitCast(I32(), hn::ShiftRightSame(lowest, vectors.fraction));
        const auto edge = hn::GatherIndex(F32(), bins.edges, lower);
        const auto reached = hn::BitCast(I32(), hn::VecFromMask(F32(), hn::Ge(x, edge)));
        hn::StoreU(hn::BitCast(U32(), hn::Sub(lower, reached)), U32(), found + i);
    }
}

HWY_INLINE void settleBins(const float *weights, const FloatBins &bins, std::uint32_t *found)
{
    if (bins.edges)
        settleByEdges(weights, bins, found);
    else
        settleByRule(weights, bins, found);
}

/// The bins of a vector of weights, but for those in doubt; `doubts` has a lane of 0 where one is.
HWY_INLINE void findBinsOfVector(const float *weights, const BinVectors &vectors, std::uint32_t *found, VU32 &doubts)
{
    const auto position = positionOf(hn::LoadU(F32(), weights), vectors);
    doubts = hn::Min(doubts, hn::And(position, vectors.zone));
    hn::StoreU(hn::ShiftRightSame(position, vectors.fraction), U32(), found);
}

HWY_INLINE VU32 noDoubts() { return hn::Set(U32(), 0xffffffffu); }

HWY_INLINE bool anyDoubt(VU32 doubts) { return !hn::AllFalse(U32(), hn::Eq(doubts, hn::Zero(U32()))); }

/// The bins of BinRun weights.
HWY_INLINE void findRun(const float *weights, const FloatBins &bins, const BinVectors &vectors,
                        std::uint32_t *found)
{
    VU32 doubts = noDoubts();
    for (std::size_t i = 0; i < BinRun; i += FloatWidth)
        findBinsOfVector(weights + i, vectors, found + i, doubts);
    if (HWY_UNLIKELY(anyDoubt(doubts)))
        settleBins(weights, bins, found);
}

} // namespace ql::HWY_NAMESPACE::scan
HWY_AFTER_NAMESPACE();
#endif // QL_SCAN_TARGET

#endif // per-target guard
