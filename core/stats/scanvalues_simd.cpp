// SPDX-License-Identifier: GPL-3.0-or-later
// Central sums, bins and pairs of scankernels.cpp in vectors.
#include "core/quant/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/stats/scanvalues_simd.cpp"
#include <hwy/foreach_target.h>

#include "core/stats/scanlanes-inl.h"

#if QL_SCAN_TARGET
HWY_BEFORE_NAMESPACE();
namespace ql::HWY_NAMESPACE::scan {

void findBins(const float *weights, std::size_t n, const FloatBins &bins, std::uint32_t *found)
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

namespace {

// ---- central sums and bins together: the vectors' ports and those of the counters overlap

/// How far the bins are found ahead of the counting: what has just been stored as a vector is slow
/// to load in parts. Counting takes a cycle a store; moments and bins cost little beside it.
constexpr std::size_t Ahead = 64;

HWY_INLINE std::uint16_t &counterOf(std::uint16_t *set, std::uint32_t found) { return set[found & 0xffffu]; }

template <std::size_t sets>
HWY_INLINE void count16(const std::uint32_t *found, std::uint16_t *fineSets)
{
    #pragma GCC unroll 16
    for (std::size_t k = 0; k < Lanes; ++k)
        ++counterOf(fineSets + k % sets * FineStride, found[k]);
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

template <std::size_t sets>
HWY_ATTR void addValuesTo(const float *weights, std::size_t n, double shift, double *centralLanes,
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
        count16<sets>(place(i), fineSets);
        find16Bins(weights + i + ahead, bins, vectors, place(i + ahead));
    }
    for (std::size_t i = whole - ahead; i < whole; i += Lanes) {
        addCentral(weights + i, about, sums);
        count16<sets>(place(i), fineSets);
    }
    storeDoubles(sums.s1, centralLanes);
    storeDoubles(sums.s2, centralLanes + Lanes);
    storeDoubles(sums.s3, centralLanes + 2 * Lanes);
    storeDoubles(sums.s4, centralLanes + 3 * Lanes);
    storeDoubles(sums.abs, centralLanes + 4 * Lanes);
    if (whole < n)
        (sets == Lanes ? referenceScanKernels().addSquashed : referenceScanKernels().addValues)(
            weights + whole, n - whole, shift, centralLanes, bins, fineSets);
}

/// 16 weights moved into the bins' range; those outside are counted.
HWY_INLINE void clamp16(const float *weights, VF32 low, VF32 high, float *moved, Outside &outside)
{
    for (std::size_t p = 0; p < Lanes; p += FloatWidth) {
        const auto x = hn::LoadU(F32(), weights + p);
        outside.below += static_cast<std::uint32_t>(hn::CountTrue(F32(), hn::Lt(x, low)));
        outside.above += static_cast<std::uint32_t>(hn::CountTrue(F32(), hn::Gt(x, high)));
        hn::StoreU(hn::Min(hn::Max(x, low), high), F32(), moved + p);
    }
}

} // namespace

void addValues(const float *weights, std::size_t n, double shift, double *centralLanes, const FloatBins &bins,
               std::uint16_t *fineSets)
{
    addValuesTo<FineSets>(weights, n, shift, centralLanes, bins, fineSets);
}

void addSquashed(const float *weights, std::size_t n, double shift, double *centralLanes, const FloatBins &bins,
                 std::uint16_t *fineSets)
{
    addValuesTo<Lanes>(weights, n, shift, centralLanes, bins, fineSets);
}

void countInside(const float *weights, std::size_t n, const FloatBins &bins, std::uint32_t *sets, std::size_t stride,
                 Outside &outside)
{
    const BinVectors vectors = binVectors(bins);
    const auto low = hn::Set(F32(), bins.floatLo);
    const auto high = hn::Set(F32(), bins.floatHi);
    alignas(64) float moved[Ahead];
    alignas(64) std::uint32_t found[Ahead];
    Outside more;
    const std::size_t whole = bins.bins > 65536 ? 0 : n / Ahead * Ahead;
    for (std::size_t i = 0; i < whole; i += Ahead) {
        for (std::size_t k = 0; k < Ahead; k += Lanes) {
            clamp16(weights + i + k, low, high, moved + k, more);
            find16Bins(moved + k, bins, vectors, found + k);
        }
        #pragma GCC unroll 16
        for (std::size_t k = 0; k < Ahead; ++k)
            ++sets[k % CoreSets * stride + (found[k] & 0xffffu)];
    }
    // What was moved has been counted in the first and the last bin.
    sets[0] -= more.below;
    sets[bins.rule.bins() - 1] -= more.above;
    outside.below += more.below;
    outside.above += more.above;
    if (whole < n)
        referenceScanKernels().countInside(weights + whole, n - whole, bins, sets, stride, outside);
}

void addPairs(const float *a, const float *b, std::size_t n, double *pairLanes, ErrorRange &range)
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

} // namespace ql::HWY_NAMESPACE::scan
HWY_AFTER_NAMESPACE();
#endif // QL_SCAN_TARGET
