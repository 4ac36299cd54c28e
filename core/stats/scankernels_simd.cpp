// SPDX-License-Identifier: GPL-3.0-or-later
// The loops of scankernels.cpp in vectors: the same operations on the same 16 lanes in the same
// order, so the same bits.
#include "core/quant/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/stats/scankernels_simd.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#include "core/stats/scankernels.h"
#include "core/stats/signedkey.h"

#include <cmath>

#undef QL_SCAN_TARGET
#if HWY_TARGET == HWY_EMU128 || HWY_TARGET == HWY_SCALAR
#define QL_SCAN_TARGET 0
#else
#define QL_SCAN_TARGET 1
#endif

#if QL_SCAN_TARGET
HWY_BEFORE_NAMESPACE();
namespace ql::HWY_NAMESPACE {
namespace {

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

HWY_INLINE VU32 keyOf(VF32 x)
{
    const auto bits = hn::BitCast(U32(), x);
    const auto sign = hn::Xor(hn::ShiftRight<31>(bits), hn::Set(U32(), 1u));
    return hn::Or(hn::ShiftLeft<1>(bits), sign);
}

// ---- folding 16 lanes: 8 + 8, then 4 + 4, which leaves four

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

/// The fold of the parts of 16 lanes to four lanes.
template <class D, class V, class Op>
HWY_INLINE auto foldToFour(D d, const V *part, Op op)
{
#if HWY_MAX_BYTES == 64
    const hn::Half<D> half;
    const hn::Half<decltype(half)> quarter;
    const auto eight = op(hn::LowerHalf(half, part[0]), hn::UpperHalf(half, part[0]));
    return op(hn::LowerHalf(quarter, eight), hn::UpperHalf(quarter, eight));
#elif HWY_MAX_BYTES == 32
    const hn::Half<D> half;
    const auto eight = op(part[0], part[1]);
    return op(hn::LowerHalf(half, eight), hn::UpperHalf(half, eight));
#else
    (void)d;
    return op(op(part[0], part[2]), op(part[1], part[3]));
#endif
}

/// Four strips' four lanes each, folded 2 + 2 and 1 + 1: one lane a strip.
template <class D4, class V4, class Op>
HWY_INLINE V4 foldFourStrips(D4 d, V4 a, V4 b, V4 c, V4 e, Op op)
{
    const auto ab = op(hn::ConcatLowerLower(d, b, a), hn::ConcatUpperUpper(d, b, a));
    const auto ce = op(hn::ConcatLowerLower(d, e, c), hn::ConcatUpperUpper(d, e, c));
    return op(hn::ConcatEven(d, ce, ab), hn::ConcatOdd(d, ce, ab));
}

// ---- strips

struct StripLanes {
    hn::Vec<F32x4> sum;
    hn::Vec<F32x4> sumSq;
    hn::Vec<F32x4> min;
    hn::Vec<F32x4> max;
    std::uint32_t zeros;
};

HWY_INLINE StripLanes sumStrip(const float *weights, std::size_t n)
{
    Floats sum = sameFloats(0.0f);
    Floats sumSq = sum;
    Floats min = loadFloats(weights);
    Floats max = min;
    std::size_t zeros = 0;
    for (std::size_t i = 0; i < n; i += Lanes) {
        for (std::size_t p = 0; p < FloatParts; ++p) {
            const auto x = hn::LoadU(F32(), weights + i + p * FloatWidth);
            sum.part[p] = hn::Add(sum.part[p], x);
            sumSq.part[p] = hn::Add(sumSq.part[p], hn::Mul(x, x));
            min.part[p] = hn::Min(min.part[p], x);
            max.part[p] = hn::Max(max.part[p], x);
            zeros += hn::CountTrue(F32(), hn::Eq(x, hn::Zero(F32())));
        }
    }
    return {foldToFour(F32(), sum.part, Plus()), foldToFour(F32(), sumSq.part, Plus()),
            foldToFour(F32(), min.part, Smaller()), foldToFour(F32(), max.part, Larger()),
            static_cast<std::uint32_t>(zeros)};
}

HWY_INLINE bool areOrdinary(const StripTable &table, std::size_t first, hn::Vec<F32x4> sumSq,
                            std::size_t stripWeights)
{
    const F32x4 d;
    const auto inRange = hn::And(hn::Ge(sumSq, hn::Set(d, 0x1p-100f)), hn::Le(sumSq, hn::Set(d, 0x1p120f)));
    if (HWY_LIKELY(hn::AllTrue(d, inRange)))
        return true;
    for (std::size_t i = first; i < first + 4; ++i) {
        const bool allZero = table.sumSq[i] == 0 && table.zeros[i] == stripWeights;
        if (!allZero && !(table.sumSq[i] >= 0x1p-100f && table.sumSq[i] <= 0x1p120f))
            return false;
    }
    return true;
}

HWY_INLINE hn::Vec<U32x4> keyOf4(hn::Vec<F32x4> x)
{
    const auto bits = hn::BitCast(U32x4(), x);
    const auto sign = hn::Xor(hn::ShiftRight<31>(bits), hn::Set(U32x4(), 1u));
    return hn::Or(hn::ShiftLeft<1>(bits), sign);
}

struct RangeLanes {
    hn::Vec<F32x4> min;
    hn::Vec<F32x4> max;
};

/// Strips first … first + 3.
HWY_INLINE bool sumFourStrips(const float *weights, std::size_t stripWeights, StripTable &table,
                              std::size_t first, RangeLanes &range)
{
    StripLanes s[4];
    for (std::size_t i = 0; i < 4; ++i) {
        s[i] = sumStrip(weights + i * stripWeights, stripWeights);
        table.zeros[first + i] = s[i].zeros;
    }
    const F32x4 d;
    const auto sum = foldFourStrips(d, s[0].sum, s[1].sum, s[2].sum, s[3].sum, Plus());
    const auto sumSq = foldFourStrips(d, s[0].sumSq, s[1].sumSq, s[2].sumSq, s[3].sumSq, Plus());
    const auto min = foldFourStrips(d, s[0].min, s[1].min, s[2].min, s[3].min, Smaller());
    const auto max = foldFourStrips(d, s[0].max, s[1].max, s[2].max, s[3].max, Larger());
    hn::StoreU(sum, d, table.sum + first);
    hn::StoreU(sumSq, d, table.sumSq + first);
    hn::StoreU(hn::Max(keyOf4(min), keyOf4(max)), U32x4(), table.key + first);
    range.min = hn::Min(range.min, min);
    range.max = hn::Max(range.max, max);
    return areOrdinary(table, first, sumSq, stripWeights);
}

HWY_ATTR double foldTable(const float *values, std::size_t n)
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

HWY_ATTR void finishRange(const RangeLanes &lanes, TileRange &range)
{
    range.min = hn::GetLane(hn::MinOfLanes(F32x4(), lanes.min)) + 0.0f;
    range.max = hn::GetLane(hn::MaxOfLanes(F32x4(), lanes.max)) + 0.0f;
}

HWY_ATTR bool sumStrips(const float *weights, std::size_t n, std::size_t stripWeights, StripTable &table,
                        TileRange &range)
{
    const std::size_t strips = n / stripWeights;
    const auto some = hn::Set(F32x4(), weights[0]);
    RangeLanes lanes{some, some};
    bool ordinary = true;
    std::size_t i = 0;
    for (; i + 4 <= strips; i += 4)
        ordinary &= sumFourStrips(weights + i * stripWeights, stripWeights, table, i, lanes);
    finishRange(lanes, range);
    if (i < strips) {
        StripTable rest;
        TileRange restRange;
        ordinary &= referenceScanKernels().sumStrips(weights + i * stripWeights, n - i * stripWeights,
                                                     stripWeights, rest, restRange);
        for (std::size_t k = 0; i + k < strips; ++k) {
            table.sum[i + k] = rest.sum[k];
            table.sumSq[i + k] = rest.sumSq[k];
            table.key[i + k] = rest.key[k];
            table.zeros[i + k] = rest.zeros[k];
        }
        range.min = restRange.min < range.min ? restRange.min : range.min;
        range.max = restRange.max > range.max ? restRange.max : range.max;
    }
    range.sum = foldTable(table.sum, strips);
    range.sumSq = foldTable(table.sumSq, strips);
    range.zeros = 0;
    for (std::size_t k = 0; k < strips; ++k)
        range.zeros += table.zeros[k];
    return ordinary;
}

// ---- cells

HWY_INLINE void addWidened(double *to, const float *from)
{
    for (std::size_t p = 0; p < FloatWidth; p += DoubleWidth)
        hn::StoreU(hn::Add(hn::LoadU(F64(), to + p), widened(from + p)), F64(), to + p);
}

HWY_INLINE void keepLarger(std::uint32_t *kept, VU32 keys)
{
    hn::StoreU(hn::Max(hn::LoadU(U32(), kept), keys), U32(), kept);
}

HWY_INLINE void keepLarger(float *kept, VF32 values)
{
    hn::StoreU(hn::Max(hn::LoadU(F32(), kept), values), F32(), kept);
}

HWY_INLINE void addTo(std::uint32_t *sum, VU32 values)
{
    hn::StoreU(hn::Add(hn::LoadU(U32(), sum), values), U32(), sum);
}

HWY_INLINE void addScales(const float *scales, const CellRow &cells)
{
    const auto d = hn::LoadU(F32(), scales);
    const auto finite = hn::Le(d, hn::Set(F32(), 3.4028234663852886e38f)); // false for NaN as well
    alignas(64) float kept[FloatWidth];
    hn::Store(hn::IfThenElseZero(finite, d), F32(), kept);
    addWidened(cells.scaleSum, kept);
    keepLarger(cells.maxScale, hn::Load(F32(), kept));
    addTo(cells.scales, hn::BitCast(U32(), hn::IfThenElseZero(finite, hn::BitCast(F32(), hn::Set(U32(), 1u)))));
}

HWY_ATTR void addStrips(const StripTable &table, std::size_t first, std::size_t n,
                        std::size_t stripWeights, bool withScales, const CellRow &cells)
{
    const auto share = hn::Set(F32(), 1.0f / static_cast<float>(stripWeights));
    const auto weights = hn::Set(U32(), static_cast<std::uint32_t>(stripWeights));
    std::size_t i = 0;
    for (; i + FloatWidth <= n; i += FloatWidth) {
        const CellRow at = cells.from(i);
        const std::size_t strip = first + i;
        const auto sum = hn::LoadU(F32(), table.sum + strip);
        const auto sumSq = hn::LoadU(F32(), table.sumSq + strip);
        addWidened(at.sum, table.sum + strip);
        addWidened(at.sumSq, table.sumSq + strip);
        keepLarger(at.maxRms, hn::Sqrt(hn::Mul(sumSq, share)));
        keepLarger(at.absKey, hn::LoadU(U32(), table.key + strip));
        keepLarger(at.meanKey, keyOf(hn::Mul(sum, share)));
        addTo(at.finite, weights);
        addTo(at.zeros, hn::LoadU(U32(), table.zeros + strip));
        if (withScales)
            addScales(table.scale + strip, at);
    }
    if (i < n)
        referenceScanKernels().addStrips(table, first + i, n - i, stripWeights, withScales, cells.from(i));
}

// ---- bins

/// Adding this rounds a float below 2^22 to an integer, which then stands in its low bits.
constexpr float Rounder = 0x1.8p23f;

struct BinVectors {
    VF32 lo;
    VF32 factor;
    VF32 sure; ///< how far from the middle of a bin a position may be
};

HWY_INLINE BinVectors binVectors(const FloatBins &bins)
{
    return {hn::Set(F32(), bins.floatLo), hn::Set(F32(), bins.factor), hn::Set(F32(), 0.5f - bins.margin)};
}

/// The rule as written, for 16 weights.
HWY_NOINLINE HWY_ATTR void findBinsExactly(const float *weights, const FloatBins &bins, std::uint32_t *found)
{
    const auto last = hn::Set(HalfI32(), static_cast<std::int32_t>(bins.rule.bins() - 1));
    const hn::RebindToUnsigned<HalfI32> unsignedD;
    for (std::size_t i = 0; i < Lanes; i += DoubleWidth) {
        const auto distance = hn::Sub(widened(weights + i), hn::Set(F64(), bins.lo));
        const auto share = hn::Div(distance, hn::Set(F64(), bins.width));
        const auto bin = hn::DemoteTo(HalfI32(), hn::Mul(share, hn::Set(F64(), bins.bins)));
        hn::StoreU(hn::BitCast(unsignedD, hn::Min(bin, last)), unsignedD, found + i);
    }
}

/// The bins of 16 weights, in the low 16 bits; whatever stands above is to be cut off.
HWY_INLINE void find16Bins(const float *weights, const FloatBins &bins, const BinVectors &vectors,
                           std::uint32_t *found)
{
    bool sure = true;
    for (std::size_t p = 0; p < FloatParts; ++p) {
        const auto x = hn::LoadU(F32(), weights + p * FloatWidth);
        // Half a bin down, so that rounding to the nearest is rounding down.
        const auto position = hn::Sub(hn::Mul(hn::Sub(x, vectors.lo), vectors.factor), hn::Set(F32(), 0.5f));
        const auto rounded = hn::Add(position, hn::Set(F32(), Rounder));
        const auto offset = hn::Sub(position, hn::Sub(rounded, hn::Set(F32(), Rounder)));
        sure &= hn::AllFalse(F32(), hn::Gt(hn::Abs(offset), vectors.sure));
        hn::StoreU(hn::BitCast(U32(), rounded), U32(), found + p * FloatWidth);
    }
    if (HWY_UNLIKELY(!sure))
        findBinsExactly(weights, bins, found);
}

HWY_ATTR void findBins(const float *weights, std::size_t n, const FloatBins &bins, std::uint32_t *found)
{
    const BinVectors vectors = binVectors(bins);
    const bool many = bins.margin == 1.0f; // perhaps more than 16 bits hold
    std::size_t i = 0;
    for (; i + Lanes <= n; i += Lanes) {
        if (many) {
            findBinsExactly(weights + i, bins, found + i);
            continue;
        }
        find16Bins(weights + i, bins, vectors, found + i);
        for (std::size_t k = 0; k < Lanes; k += FloatWidth)
            hn::StoreU(hn::And(hn::LoadU(U32(), found + i + k), hn::Set(U32(), 0xffffu)), U32(), found + i + k);
    }
    if (i < n)
        referenceScanKernels().findBins(weights + i, n - i, bins, found + i);
}

// ---- central sums and bins together: the vectors' ports and those of the counters overlap

/// How far the bins are found ahead of the counting: what has just been stored as a vector is slow
/// to load in parts. Counting takes a cycle a store; moments and bins cost little beside it.
constexpr std::size_t Ahead = 64;

HWY_INLINE std::uint16_t &counterOf(std::uint16_t *set, std::uint32_t found) { return set[found & 0xffffu]; }

HWY_INLINE void count16(const std::uint32_t *found, std::uint16_t *fineSets)
{
    #pragma GCC unroll 16
    for (std::size_t k = 0; k < Lanes; ++k)
        ++counterOf(fineSets + k % FineSets * FineBins, found[k]);
}

struct CentralVectors {
    Doubles s1, s2, s3, s4, abs;
};

HWY_INLINE void addCentral(const float *weights, VF64 shift, CentralVectors &sums)
{
    for (std::size_t p = 0; p < DoubleParts; ++p) {
        const auto x = widened(weights + p * DoubleWidth);
        const auto d = hn::Sub(x, shift);
        const auto d2 = hn::Mul(d, d);
        sums.s1.part[p] = hn::Add(sums.s1.part[p], d);
        sums.s2.part[p] = hn::Add(sums.s2.part[p], d2);
        sums.s3.part[p] = hn::Add(sums.s3.part[p], hn::Mul(d2, d));
        sums.s4.part[p] = hn::Add(sums.s4.part[p], hn::Mul(d2, d2));
        sums.abs.part[p] = hn::Add(sums.abs.part[p], hn::Abs(x));
    }
}

HWY_ATTR void addValues(const float *weights, std::size_t n, double shift, double *centralLanes,
                        const FloatBins &bins, std::uint16_t *fineSets)
{
    CentralVectors sums{loadDoubles(centralLanes), loadDoubles(centralLanes + Lanes),
                        loadDoubles(centralLanes + 2 * Lanes), loadDoubles(centralLanes + 3 * Lanes),
                        loadDoubles(centralLanes + 4 * Lanes)};
    const auto about = hn::Set(F64(), shift);
    const BinVectors vectors = binVectors(bins);
    alignas(64) std::uint32_t found[2 * Ahead]; // a ring
    const auto place = [&found](std::size_t i) { return found + i % (2 * Ahead); };
    const std::size_t whole = n / Lanes * Lanes;
    const std::size_t ahead = HWY_MIN(Ahead, whole);
    for (std::size_t i = 0; i < ahead; i += Lanes)
        find16Bins(weights + i, bins, vectors, place(i));
    for (std::size_t i = 0; i < whole - ahead; i += Lanes) {
        addCentral(weights + i, about, sums);
        count16(place(i), fineSets);
        find16Bins(weights + i + ahead, bins, vectors, place(i + ahead));
    }
    for (std::size_t i = whole - ahead; i < whole; i += Lanes) {
        addCentral(weights + i, about, sums);
        count16(place(i), fineSets);
    }
    storeDoubles(sums.s1, centralLanes);
    storeDoubles(sums.s2, centralLanes + Lanes);
    storeDoubles(sums.s3, centralLanes + 2 * Lanes);
    storeDoubles(sums.s4, centralLanes + 3 * Lanes);
    storeDoubles(sums.abs, centralLanes + 4 * Lanes);
    if (whole < n)
        referenceScanKernels().addValues(weights + whole, n - whole, shift, centralLanes, bins, fineSets);
}

// ---- pairs

HWY_ATTR void addPairs(const float *a, const float *b, std::size_t n, double *pairLanes, ErrorRange &range)
{
    Doubles sqError = loadDoubles(pairLanes);
    Doubles absError = loadDoubles(pairLanes + Lanes);
    Doubles sqA = loadDoubles(pairLanes + 2 * Lanes);
    Doubles sqB = loadDoubles(pairLanes + 3 * Lanes);
    Doubles ab = loadDoubles(pairLanes + 4 * Lanes);
    auto min = hn::Set(F64(), range.min);
    auto max = hn::Set(F64(), range.max);
    std::size_t i = 0;
    for (; i + Lanes <= n; i += Lanes) {
        for (std::size_t p = 0; p < DoubleParts; ++p) {
            const auto x = widened(a + i + p * DoubleWidth);
            const auto y = widened(b + i + p * DoubleWidth);
            const auto error = hn::Sub(x, y);
            sqError.part[p] = hn::Add(sqError.part[p], hn::Mul(error, error));
            absError.part[p] = hn::Add(absError.part[p], hn::Abs(error));
            sqA.part[p] = hn::Add(sqA.part[p], hn::Mul(x, x));
            sqB.part[p] = hn::Add(sqB.part[p], hn::Mul(y, y));
            ab.part[p] = hn::Add(ab.part[p], hn::Mul(x, y));
            min = hn::Min(min, error);
            max = hn::Max(max, error);
        }
    }
    storeDoubles(sqError, pairLanes);
    storeDoubles(absError, pairLanes + Lanes);
    storeDoubles(sqA, pairLanes + 2 * Lanes);
    storeDoubles(sqB, pairLanes + 3 * Lanes);
    storeDoubles(ab, pairLanes + 4 * Lanes);
    range.min = hn::GetLane(hn::MinOfLanes(F64(), min));
    range.max = hn::GetLane(hn::MaxOfLanes(F64(), max));
    if (i < n)
        referenceScanKernels().addPairs(a + i, b + i, n - i, pairLanes, range);
}

#if HWY_TARGET == HWY_AVX3
#define QL_SCAN_NAME "avx3"
#elif HWY_TARGET == HWY_AVX2
#define QL_SCAN_NAME "avx2"
#elif HWY_TARGET == HWY_SSE4
#define QL_SCAN_NAME "sse4"
#else
#define QL_SCAN_NAME "neon"
#endif
constexpr ScanKernels Kernels{QL_SCAN_NAME, sumStrips, addStrips, addValues, findBins, addPairs};
#undef QL_SCAN_NAME

} // namespace

const ScanKernels &scanKernelsOfTarget() { return Kernels; }

} // namespace ql::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif // QL_SCAN_TARGET

#if HWY_ONCE
#include <hwy/targets.h>

#include <array>
#include <vector>

namespace ql::detail {

std::span<const ScanKernels *const> simdScanKernels()
{
    static const std::vector<const ScanKernels *> found = [] {
        struct Row {
            std::int64_t target;
            const ScanKernels *kernels;
        };
        const Row rows[] = {
#if defined(__aarch64__)
            {HWY_NEON, &N_NEON::scanKernelsOfTarget()},
#else
            {HWY_AVX3, &N_AVX3::scanKernelsOfTarget()},
            {HWY_AVX2, &N_AVX2::scanKernelsOfTarget()},
            {HWY_SSE4, &N_SSE4::scanKernelsOfTarget()},
#endif
        };
        std::vector<const ScanKernels *> result;
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
