// SPDX-License-Identifier: GPL-3.0-or-later
// Central sums, bins and pairs of scankernels.cpp in vectors.
#include "core/quant/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/stats/scanvalues_simd.cpp"
#include <hwy/foreach_target.h>

#include "core/stats/increment.h"
#include "core/stats/scanlanes-inl.h"

#if QL_SCAN_TARGET
HWY_BEFORE_NAMESPACE();
namespace ql::HWY_NAMESPACE::scan {

void findBins(const float *weights, std::size_t n, const FloatBins &bins, std::uint32_t *found)
{
    const BinVectors vectors = binVectors(bins);
    std::size_t i = 0;
    for (; i + BinRun <= n; i += BinRun) {
        if (bins.isFixed())
            findRun(weights + i, bins, vectors, found + i);
        else
            findBinsExactly(weights + i, bins, found + i);
    }
    if (i < n)
        referenceScanKernels().findBins(weights + i, n - i, bins, found + i);
}

namespace {

// ---- central sums and bins together: the vectors' ports and those of the counters overlap. Bins are
// found a run ahead of the counting: what has just been stored as a vector is slow to load in parts.

struct CentralVectors {
    VF64 s1, s2, s3, s4, abs;
};

HWY_INLINE CentralVectors loadCentral(const double *lanes)
{
    return {hn::LoadU(F64(), lanes), hn::LoadU(F64(), lanes + Lanes), hn::LoadU(F64(), lanes + 2 * Lanes),
            hn::LoadU(F64(), lanes + 3 * Lanes), hn::LoadU(F64(), lanes + 4 * Lanes)};
}

HWY_INLINE void storeCentral(const CentralVectors &sums, double *lanes)
{
    hn::StoreU(sums.s1, F64(), lanes);
    hn::StoreU(sums.s2, F64(), lanes + Lanes);
    hn::StoreU(sums.s3, F64(), lanes + 2 * Lanes);
    hn::StoreU(sums.s4, F64(), lanes + 3 * Lanes);
    hn::StoreU(sums.abs, F64(), lanes + 4 * Lanes);
}

HWY_INLINE void addCentral(const float *weights, VF64 shift, CentralVectors &sums)
{
    const auto x = widened(weights);
    const auto d = hn::Sub(x, shift);
    const auto d2 = hn::Mul(d, d);
    sums.s1 = hn::Add(sums.s1, d);
    sums.s2 = hn::Add(sums.s2, d2);
    sums.s3 = hn::Add(sums.s3, hn::Mul(d2, d));
    sums.s4 = hn::Add(sums.s4, hn::Mul(d2, d2));
    sums.abs = hn::Add(sums.abs, hn::Abs(x));
}

/// Counts weights [first, last) of a run and finds the bins of the same ones of the next.
template <std::size_t sets, std::size_t n>
HWY_INLINE void countAndFind(std::size_t first, const std::uint32_t *found, std::uint16_t *fineSets,
                             const float *nextWeights, const BinVectors &vectors, std::uint32_t *nextFound,
                             VU32 &doubts)
{
    #pragma GCC unroll 64
    for (std::size_t k = 0; k < n; ++k)
        increment(fineSets[k % sets * FineStride + found[first + k]]);
    for (std::size_t k = first; k < first + n; k += FloatWidth)
        findBinsOfVector(nextWeights + k, vectors, nextFound + k, doubts);
}

#if HWY_MAX_BYTES == 64
/// The lanes' sums while weights are added: here they stay in registers.
struct CentralLanesInUse {
    CentralVectors part[DoubleParts];
    double *lanes;

    HWY_INLINE explicit CentralLanesInUse(double *from) : part{loadCentral(from), loadCentral(from + DoubleWidth)}, lanes(from) {}
    HWY_INLINE void store() const
    {
        storeCentral(part[0], lanes);
        storeCentral(part[1], lanes + DoubleWidth);
    }
    /// One of four shares of a run.
    template <std::size_t share>
    HWY_INLINE void addShare(const float *weights, VF64 shift)
    {
        addCentral(weights + share * Lanes, shift, part[0]);
        addCentral(weights + share * Lanes + DoubleWidth, shift, part[1]);
    }
};
#else
/// Here all of them would take more registers than there are: some of the lanes at a time.
struct CentralLanesInUse {
    double *lanes;

    HWY_INLINE explicit CentralLanesInUse(double *from) : lanes(from) {}
    HWY_INLINE void store() const {}
    template <std::size_t share>
    HWY_INLINE void addShare(const float *weights, VF64 shift)
    {
        for (std::size_t lane = share * Lanes / 4; lane < (share + 1) * Lanes / 4; lane += DoubleWidth) {
            CentralVectors sums = loadCentral(lanes + lane);
            for (std::size_t k = 0; k < BinRun; k += Lanes)
                addCentral(weights + k + lane, shift, sums);
            storeCentral(sums, lanes + lane);
        }
    }
};
#endif

template <std::size_t sets>
HWY_INLINE void addRun(const float *weights, VF64 shift, CentralLanesInUse &sums, const std::uint32_t *found,
                       std::uint16_t *fineSets, const float *nextWeights, const BinVectors &vectors,
                       std::uint32_t *nextFound, VU32 &doubts)
{
    constexpr std::size_t Share = BinRun / 4;
    static_assert(Share % Lanes == 0);
    const auto count = [&](std::size_t first) HWY_ATTR {
        countAndFind<sets, Share>(first, found, fineSets, nextWeights, vectors, nextFound, doubts);
    };
    sums.addShare<0>(weights, shift);
    count(0);
    sums.addShare<1>(weights, shift);
    count(Share);
    sums.addShare<2>(weights, shift);
    count(2 * Share);
    sums.addShare<3>(weights, shift);
    count(3 * Share);
}

template <std::size_t sets>
HWY_ATTR void addValuesTo(const float *weights, std::size_t n, double shift, double *centralLanes,
                        const FloatBins &bins, std::uint16_t *fineSets)
{
    const auto about = hn::Set(F64(), shift);
    const BinVectors vectors = binVectors(bins);
    CentralLanesInUse sums(centralLanes);
    alignas(64) std::uint32_t found[2][BinRun];
    const std::size_t whole = bins.isFixed() ? n / BinRun * BinRun : 0;
    if (whole > 0)
        findRun(weights, bins, vectors, found[0]);
    for (std::size_t i = 0; i < whole; i += BinRun) {
        const std::uint32_t *const now = found[i / BinRun % 2];
        std::uint32_t *const next = found[(i / BinRun + 1) % 2];
        const float *const ahead = weights + (i + BinRun < whole ? i + BinRun : i); // the last finds its own again
        VU32 doubts = noDoubts();
        addRun<sets>(weights + i, about, sums, now, fineSets, ahead, vectors, next, doubts);
        if (HWY_UNLIKELY(anyDoubt(doubts)))
            settleBins(ahead, bins, next);
    }
    sums.store();
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
    alignas(64) float moved[BinRun];
    alignas(64) std::uint32_t found[BinRun];
    Outside more;
    const std::size_t whole = bins.isFixed() ? n / BinRun * BinRun : 0;
    for (std::size_t i = 0; i < whole; i += BinRun) {
        for (std::size_t k = 0; k < BinRun; k += Lanes)
            clamp16(weights + i + k, low, high, moved + k, more);
        findRun(moved, bins, vectors, found);
        #pragma GCC unroll 16
        for (std::size_t k = 0; k < BinRun; ++k)
            increment(sets[k % CoreSets * stride + found[k]]);
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
