// SPDX-License-Identifier: GPL-3.0-or-later
// The strips and cells of scankernels.cpp in vectors: the same operations on the same 16 lanes in the
// same order, so the same bits. The other kernels are in scanvalues_simd.cpp.
#include "core/quant/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/stats/scankernels_simd.cpp"
#include <hwy/foreach_target.h>

#include "core/stats/scanlanes-inl.h"

#if QL_SCAN_TARGET
HWY_BEFORE_NAMESPACE();
namespace ql::HWY_NAMESPACE::scan {
namespace {

// ---- folding 16 lanes: 8 + 8, then 4 + 4, which leaves four

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

#if HWY_MAX_BYTES == 64
/// The folds of sixteen strips' 16 lanes at once, the same additions: i + i+8, i + i+4, i + i+2 and
/// i + i+1. leaf(strip) gives the lanes of a strip; each stage halves the vectors. 32 weights make
/// only two vectors, so that folding them strip by strip takes most of the time.
template <class Leaf, class Op>
HWY_INLINE VF32 foldEight(const Leaf &leaf, std::size_t first, Op op)
{
    // Strips first, first + 4, first + 8 and first + 12: the stages leave them a column each.
    const auto pair = [&](std::size_t strip) HWY_ATTR {
        const VF32 a = leaf(strip);
        const VF32 b = leaf(strip + 4);
        return op(hn::ConcatLowerLower(F32(), b, a), hn::ConcatUpperUpper(F32(), b, a));
    };
    const VF32 ab = pair(first);
    const VF32 ce = pair(first + 8);
    return op(VF32{_mm512_shuffle_f32x4(ab.raw, ce.raw, 0x88)}, VF32{_mm512_shuffle_f32x4(ab.raw, ce.raw, 0xdd)});
}

template <class Leaf, class Op>
HWY_INLINE VF32 foldSixteen(const Leaf &leaf, Op op)
{
    const VF32 a = foldEight(leaf, 0, op);
    const VF32 b = foldEight(leaf, 1, op);
    const VF32 ab = op(VF32{_mm512_shuffle_ps(a.raw, b.raw, 0x44)}, VF32{_mm512_shuffle_ps(a.raw, b.raw, 0xee)});
    const VF32 c = foldEight(leaf, 2, op);
    const VF32 e = foldEight(leaf, 3, op);
    const VF32 ce = op(VF32{_mm512_shuffle_ps(c.raw, e.raw, 0x44)}, VF32{_mm512_shuffle_ps(c.raw, e.raw, 0xee)});
    return op(VF32{_mm512_shuffle_ps(ab.raw, ce.raw, 0x88)}, VF32{_mm512_shuffle_ps(ab.raw, ce.raw, 0xdd)});
}

HWY_INLINE void sumSixteenStrips(const float *weights, std::size_t stripWeights, StripTable &table,
                                 std::size_t first, VF32 &sumSq, VF32 &min, VF32 &max)
{
    const auto over = [=](std::size_t strip, VF32 begin, auto take) HWY_ATTR {
        const float *from = weights + strip * stripWeights;
        for (std::size_t i = 0; i < stripWeights; i += Lanes)
            begin = take(begin, hn::LoadU(F32(), from + i));
        return begin;
    };
    const auto zero = hn::Zero(F32());
    const auto sum = foldSixteen([&](std::size_t strip) HWY_ATTR { return over(strip, zero, Plus()); }, Plus());
    const auto addSquare = [](VF32 total, VF32 x) HWY_ATTR { return hn::Add(total, hn::Mul(x, x)); };
    sumSq = foldSixteen([&](std::size_t strip) HWY_ATTR { return over(strip, zero, addSquare); }, Plus());
    const auto firstOf = [=](std::size_t strip) HWY_ATTR { return hn::LoadU(F32(), weights + strip * stripWeights); };
    min = foldSixteen([&](std::size_t strip) HWY_ATTR { return over(strip, firstOf(strip), Smaller()); }, Smaller());
    max = foldSixteen([&](std::size_t strip) HWY_ATTR { return over(strip, firstOf(strip), Larger()); }, Larger());
    hn::StoreU(sum, F32(), table.sum + first);
    hn::StoreU(sumSq, F32(), table.sumSq + first);
    hn::StoreU(hn::Max(keyOf(min), keyOf(max)), U32(), table.key + first);
    for (std::size_t strip = 0; strip < Lanes; ++strip) {
        std::size_t zeros = 0;
        for (std::size_t i = 0; i < stripWeights; i += Lanes)
            zeros += hn::CountTrue(F32(), hn::Eq(hn::LoadU(F32(), weights + strip * stripWeights + i), zero));
        table.zeros[first + strip] = static_cast<std::uint32_t>(zeros);
    }
}
#endif

HWY_INLINE bool areOrdinary(const StripTable &table, std::size_t first, hn::Vec<F32x4> sumSq,
                            std::size_t stripWeights)
{
    const F32x4 d;
    const auto inRange = hn::And(hn::Ge(sumSq, hn::Set(d, SmallestSquares)), hn::Le(sumSq, hn::Set(d, LargestSquares)));
    if (HWY_LIKELY(hn::AllTrue(d, inRange)))
        return true;
    for (std::size_t i = first; i < first + 4; ++i) {
        if (!isOrdinary(table.sumSq[i], table.zeros[i], stripWeights))
            return false;
    }
    return true;
}

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
    hn::StoreU(hn::Max(keyOf(min), keyOf(max)), U32x4(), table.key + first);
    range.min = hn::Min(range.min, min);
    range.max = hn::Max(range.max, max);
    return areOrdinary(table, first, sumSq, stripWeights);
}

HWY_ATTR void finishRange(const RangeLanes &lanes, TileRange &range)
{
    range.min = hn::GetLane(hn::MinOfLanes(F32x4(), lanes.min)) + 0.0f;
    range.max = hn::GetLane(hn::MaxOfLanes(F32x4(), lanes.max)) + 0.0f;
}

#if HWY_MAX_BYTES == 64
/// As sumFourStrips for sixteen short ones.
HWY_INLINE bool sumShortStrips(const float *weights, std::size_t stripWeights, StripTable &table,
                               std::size_t first, RangeLanes &range)
{
    VF32 sumSq, min, max;
    sumSixteenStrips(weights, stripWeights, table, first, sumSq, min, max);
    const hn::Half<F32> half;
    const hn::Half<decltype(half)> quarter;
    const auto smaller = hn::Min(hn::LowerHalf(half, min), hn::UpperHalf(half, min));
    const auto larger = hn::Max(hn::LowerHalf(half, max), hn::UpperHalf(half, max));
    range.min = hn::Min(range.min, hn::Min(hn::LowerHalf(quarter, smaller), hn::UpperHalf(quarter, smaller)));
    range.max = hn::Max(range.max, hn::Max(hn::LowerHalf(quarter, larger), hn::UpperHalf(quarter, larger)));
    const auto inRange = hn::And(hn::Ge(sumSq, hn::Set(F32(), SmallestSquares)), hn::Le(sumSq, hn::Set(F32(), LargestSquares)));
    if (HWY_LIKELY(hn::AllTrue(F32(), inRange)))
        return true;
    bool ordinary = true;
    for (std::size_t i = first; i < first + Lanes; i += 4)
        ordinary &= areOrdinary(table, i, hn::LoadU(F32x4(), table.sumSq + i), stripWeights);
    return ordinary;
}
#endif

/// The last n strips, that the reference summed up, to those before them.
void appendRest(const StripTable &rest, const TileRange &restRange, std::size_t n,
                StripTable &table, std::size_t first, TileRange &range)
{
    for (std::size_t i = 0; i < n; ++i) {
        table.sum[first + i] = rest.sum[i];
        table.sumSq[first + i] = rest.sumSq[i];
        table.key[first + i] = rest.key[i];
        table.zeros[first + i] = rest.zeros[i];
    }
    range.min = restRange.min < range.min ? restRange.min : range.min;
    range.max = restRange.max > range.max ? restRange.max : range.max;
}

HWY_ATTR bool sumStrips(const float *weights, std::size_t n, std::size_t stripWeights, StripTable &table,
                        TileRange &range)
{
    const std::size_t strips = n / stripWeights;
    const auto some = hn::Set(F32x4(), weights[0]);
    RangeLanes lanes{some, some};
    bool ordinary = true;
    std::size_t i = 0;
#if HWY_MAX_BYTES == 64
    constexpr std::size_t Short = 64;
    for (; stripWeights <= Short && i + Lanes <= strips; i += Lanes)
        ordinary &= sumShortStrips(weights + i * stripWeights, stripWeights, table, i, lanes);
#endif
    for (; i + 4 <= strips; i += 4)
        ordinary &= sumFourStrips(weights + i * stripWeights, stripWeights, table, i, lanes);
    finishRange(lanes, range);
    if (i < strips) {
        StripTable rest;
        TileRange restRange;
        ordinary &= referenceScanKernels().sumStrips(weights + i * stripWeights, n - i * stripWeights,
                                                     stripWeights, rest, restRange);
        appendRest(rest, restRange, strips - i, table, i, range);
    }
    sumTable(table, strips, range);
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

#if HWY_TARGET == HWY_AVX3
#define QL_SCAN_NAME "avx3"
#elif HWY_TARGET == HWY_AVX2
#define QL_SCAN_NAME "avx2"
#elif HWY_TARGET == HWY_SSE4
#define QL_SCAN_NAME "sse4"
#else
#define QL_SCAN_NAME "neon"
#endif
constexpr ScanKernels Kernels{QL_SCAN_NAME, sumStrips, addStrips, addValues, addSquashed,
                              countTimes, countTimesSquashed, countInside,
                              countInsideTimes, findBins, addPairs};
#undef QL_SCAN_NAME

} // namespace

const ScanKernels &scanKernelsOfTarget() { return Kernels; }

} // namespace ql::HWY_NAMESPACE::scan
HWY_AFTER_NAMESPACE();
#endif // QL_SCAN_TARGET

#if HWY_ONCE
#include "core/quant/simd_supported-inl.h"

namespace ql::detail {

std::span<const ScanKernels *const> simdScanKernels()
{
    static const auto found = supportedOf<const ScanKernels *>({
#if defined(__aarch64__)
        {HWY_NEON, &N_NEON::scan::scanKernelsOfTarget()},
#else
        {HWY_AVX3, &N_AVX3::scan::scanKernelsOfTarget()},
        {HWY_AVX2, &N_AVX2::scan::scanKernelsOfTarget()},
        {HWY_SSE4, &N_SSE4::scan::scanKernelsOfTarget()},
#endif
    });
    return found;
}

} // namespace ql::detail
#endif
