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

/// Counts one of four shares of a run and finds the bins of a share of the next.
template <std::size_t sets, std::size_t share>
HWY_INLINE void countAndFind(const std::uint32_t *found, std::uint16_t *fineSets, const float *nextWeights,
                             const BinVectors &vectors, std::uint32_t *nextFound, VU32 &doubts)
{
    constexpr std::size_t N = BinRun / 4;
    #pragma GCC unroll 64
    for (std::size_t k = 0; k < N; ++k)
        increment(fineSets[k % sets * FineStride + found[share * N + k]]);
    for (std::size_t k = share * N; k < (share + 1) * N; k += FloatWidth)
        findBinsOfVector(nextWeights + k, vectors, nextFound + k, doubts);
}

// ---- values that occur several times: a word holds a bin and, above it, how often

HWY_INLINE VU32 packed(VU32 bins, const std::uint32_t *times)
{
    return hn::Or(bins, hn::ShiftLeft<16>(hn::LoadU(U32(), times)));
}

HWY_INLINE void findPacked(const float *values, const std::uint32_t *times, const BinVectors &vectors,
                           std::uint32_t *words, VU32 &doubts)
{
    const auto position = positionOf(hn::LoadU(F32(), values), vectors);
    doubts = hn::Min(doubts, hn::And(position, vectors.zone));
    hn::StoreU(packed(hn::ShiftRightSame(position, vectors.fraction), times), U32(), words);
}

[[maybe_unused]] HWY_NOINLINE HWY_ATTR void settlePacked(const float *values, const std::uint32_t *times,
                                                         const FloatBins &bins, std::uint32_t *words)
{
    alignas(64) std::uint32_t found[BinRun];
    for (std::size_t i = 0; i < BinRun; i += FloatWidth)
        hn::Store(hn::And(hn::LoadU(U32(), words + i), hn::Set(U32(), 0xffffu)), U32(), found + i);
    settleBins(values, bins, found);
    for (std::size_t i = 0; i < BinRun; i += FloatWidth)
        hn::StoreU(packed(hn::Load(U32(), found + i), times + i), U32(), words + i);
}

/// As countAndFind. Values in a row stand for one code in runs of much the same scale and often fall into one
/// bin; those far from each other need not wait for each other.
template <std::size_t sets, std::size_t share>
HWY_INLINE void countPackedAndFind(const std::uint32_t *words, std::uint16_t *fineSets, const float *nextValues,
                                   const std::uint32_t *nextTimes, const BinVectors &vectors, std::uint32_t *nextWords,
                                   VU32 &doubts)
{
    constexpr std::size_t N = BinRun / 4;
    #pragma GCC unroll 64
    for (std::size_t k = 0; k < N; ++k) {
        const std::uint32_t word = words[k % 4 * N + share * 4 + k / 4];
        increase(fineSets[k % sets * FineStride + (word & 0xffff)], word >> 16);
    }
    for (std::size_t k = share * N; k < (share + 1) * N; k += FloatWidth)
        findPacked(nextValues + k, nextTimes + k, vectors, nextWords + k, doubts);
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
    sums.addShare<0>(weights, shift);
    countAndFind<sets, 0>(found, fineSets, nextWeights, vectors, nextFound, doubts);
    sums.addShare<1>(weights, shift);
    countAndFind<sets, 1>(found, fineSets, nextWeights, vectors, nextFound, doubts);
    sums.addShare<2>(weights, shift);
    countAndFind<sets, 2>(found, fineSets, nextWeights, vectors, nextFound, doubts);
    sums.addShare<3>(weights, shift);
    countAndFind<sets, 3>(found, fineSets, nextWeights, vectors, nextFound, doubts);
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

template <std::size_t sets>
HWY_ATTR void countTimesIn(const float *values, const std::uint32_t *times, std::size_t n, const FloatBins &bins,
                           std::uint16_t *fineSets)
{
    const BinVectors vectors = binVectors(bins);
    alignas(64) std::uint32_t words[2][BinRun];
    const std::size_t whole = bins.isFixed() ? n / BinRun * BinRun : 0;
    VU32 doubts = noDoubts();
    for (std::size_t i = 0; whole > 0 && i < BinRun; i += FloatWidth)
        findPacked(values + i, times + i, vectors, words[0] + i, doubts);
    if (anyDoubt(doubts))
        settlePacked(values, times, bins, words[0]);
    for (std::size_t i = 0; i < whole; i += BinRun) {
        const std::uint32_t *const now = words[i / BinRun % 2];
        std::uint32_t *const next = words[(i / BinRun + 1) % 2];
        const std::size_t ahead = i + BinRun < whole ? i + BinRun : i; // the last finds its own again
        doubts = noDoubts();
        countPackedAndFind<sets, 0>(now, fineSets, values + ahead, times + ahead, vectors, next, doubts);
        countPackedAndFind<sets, 1>(now, fineSets, values + ahead, times + ahead, vectors, next, doubts);
        countPackedAndFind<sets, 2>(now, fineSets, values + ahead, times + ahead, vectors, next, doubts);
        countPackedAndFind<sets, 3>(now, fineSets, values + ahead, times + ahead, vectors, next, doubts);
        if (HWY_UNLIKELY(anyDoubt(doubts)))
            settlePacked(values + ahead, times + ahead, bins, next);
    }
    if (whole < n)
        (sets == Lanes ? referenceScanKernels().countTimesSquashed : referenceScanKernels().countTimes)(
            values + whole, times + whole, n - whole, bins, fineSets);
}

/// Weights one by one.
struct Single {
    template <class Counter>
    HWY_INLINE void count(std::size_t, Counter &counter) const
    {
        increment(counter);
    }
    HWY_INLINE VU32 counts(std::size_t) const { return hn::Set(U32(), 1u); }
    HWY_INLINE Single from(std::size_t) const { return {}; }
};

/// Values and how often each of them occurs.
struct Counted {
    const std::uint32_t *times;

    template <class Counter>
    HWY_INLINE void count(std::size_t at, Counter &counter) const
    {
        increase(counter, times[at]);
    }
    HWY_INLINE VU32 counts(std::size_t at) const { return hn::LoadU(U32(), times + at); }
    HWY_INLINE Counted from(std::size_t at) const { return {times + at}; }
};

/// Weights below and above a range, a count a lane.
struct OutsideLanes {
    VU32 below, above;
};

/// 16 weights moved into the bins' range; those outside are counted.
template <class Times>
HWY_INLINE void clamp16(const float *weights, const Times &times, VF32 low, VF32 high, float *moved, OutsideLanes &outside)
{
    for (std::size_t p = 0; p < Lanes; p += FloatWidth) {
        const auto x = hn::LoadU(F32(), weights + p);
        const auto count = times.counts(p);
        outside.below = hn::Add(outside.below, hn::IfThenElseZero(hn::RebindMask(U32(), hn::Lt(x, low)), count));
        outside.above = hn::Add(outside.above, hn::IfThenElseZero(hn::RebindMask(U32(), hn::Gt(x, high)), count));
        hn::StoreU(hn::Min(hn::Max(x, low), high), F32(), moved + p);
    }
}

/// The runs among n weights; returns how many weights these are.
template <class Times>
HWY_INLINE std::size_t countRunsInside(const float *weights, const Times &times, std::size_t n, const FloatBins &bins,
                                       std::uint32_t *sets, std::size_t stride, Outside &outside)
{
    const BinVectors vectors = binVectors(bins);
    const auto low = hn::Set(F32(), bins.floatLo);
    const auto high = hn::Set(F32(), bins.floatHi);
    alignas(64) float moved[BinRun];
    alignas(64) std::uint32_t found[BinRun];
    OutsideLanes lanes{hn::Zero(U32()), hn::Zero(U32())};
    const std::size_t whole = bins.isFixed() ? n / BinRun * BinRun : 0;
    for (std::size_t i = 0; i < whole; i += BinRun) {
        for (std::size_t k = 0; k < BinRun; k += Lanes)
            clamp16(weights + i + k, times.from(i + k), low, high, moved + k, lanes);
        findRun(moved, bins, vectors, found);
        #pragma GCC unroll 16
        for (std::size_t k = 0; k < BinRun; ++k)
            times.count(i + k, sets[k % CoreSets * stride + found[k]]);
    }
    const std::uint32_t below = hn::GetLane(hn::SumOfLanes(U32(), lanes.below));
    const std::uint32_t above = hn::GetLane(hn::SumOfLanes(U32(), lanes.above));
    // What was moved has been counted in the first and the last bin.
    sets[0] -= below;
    sets[bins.rule.bins() - 1] -= above;
    outside.below += below;
    outside.above += above;
    return whole;
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

void countTimes(const float *values, const std::uint32_t *times, std::size_t n, const FloatBins &bins,
                std::uint16_t *fineSets)
{
    countTimesIn<FineSets>(values, times, n, bins, fineSets);
}

void countTimesSquashed(const float *values, const std::uint32_t *times, std::size_t n, const FloatBins &bins,
                        std::uint16_t *fineSets)
{
    countTimesIn<Lanes>(values, times, n, bins, fineSets);
}

void countInside(const float *weights, std::size_t n, const FloatBins &bins, std::uint32_t *sets, std::size_t stride,
                 Outside &outside)
{
    const std::size_t whole = countRunsInside(weights, Single(), n, bins, sets, stride, outside);
    if (whole < n)
        referenceScanKernels().countInside(weights + whole, n - whole, bins, sets, stride, outside);
}

void countInsideTimes(const float *values, const std::uint32_t *times, std::size_t n, const FloatBins &bins,
                      std::uint32_t *sets, std::size_t stride, Outside &outside)
{
    const std::size_t whole = countRunsInside(values, Counted{times}, n, bins, sets, stride, outside);
    if (whole < n)
        referenceScanKernels().countInsideTimes(values + whole, times + whole, n - whole, bins, sets, stride, outside);
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
