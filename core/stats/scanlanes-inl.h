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

HWY_INLINE VU32 keyOf(VF32 x)
{
    const auto bits = hn::BitCast(U32(), x);
    const auto sign = hn::Xor(hn::ShiftRight<31>(bits), hn::Set(U32(), 1u));
    return hn::Or(hn::ShiftLeft<1>(bits), sign);
}

// ---- the kernels that have a file of their own; see ScanKernels

void addValues(const float *weights, std::size_t n, double shift, double *centralLanes, const FloatBins &bins,
               std::uint16_t *fineSets);
void addSquashed(const float *weights, std::size_t n, double shift, double *centralLanes, const FloatBins &bins,
                 std::uint16_t *fineSets);
void countInside(const float *weights, std::size_t n, const FloatBins &bins, std::uint32_t *sets, std::size_t stride,
                 Outside &outside);
void findBins(const float *weights, std::size_t n, const FloatBins &bins, std::uint32_t *found);
void addPairs(const float *a, const float *b, std::size_t n, double *pairLanes, ErrorRange &range);

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
[[maybe_unused]] static HWY_NOINLINE HWY_ATTR void findBinsExactly(const float *weights, const FloatBins &bins, std::uint32_t *found)
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

} // namespace ql::HWY_NAMESPACE::scan
HWY_AFTER_NAMESPACE();
#endif // QL_SCAN_TARGET

#endif // per-target guard
