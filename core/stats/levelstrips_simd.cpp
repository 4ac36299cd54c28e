// SPDX-License-Identifier: GPL-3.0-or-later
// The strips and counts of levelkernels.cpp in vectors.
#define HWY_WANT_AVX3_DL // counts the bits of a vector in one instruction
#include "core/quant/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/stats/levelstrips_simd.cpp"
#include <hwy/foreach_target.h>

#include "core/stats/levelruns-inl.h"

#if QL_SCAN_TARGET
HWY_BEFORE_NAMESPACE();
namespace ql::HWY_NAMESPACE::scan {
namespace {

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
        ordinary &= areOrdinary(sumSq, strips.zeros, type.blockWeights(), planes.blocks - block);
    }
    range.min = hn::GetLane(hn::MinOfLanes(F32(), total.min));
    range.max = hn::GetLane(hn::MaxOfLanes(F32(), total.max));
    sumTable(table, planes.blocks, range);
    return ordinary;
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

} // namespace

bool sumLevelStrips(const LevelPlanes &planes, const LevelPowers &powers, StripTable &table, TileRange &range)
{
    return withShape(powers.type, [&](auto bits, auto hasMin) {
        constexpr auto Bits = decltype(bits)::value;
        constexpr bool HasMin = decltype(hasMin)::value;
        return powers.isLinear ? sumStripsOf<Bits, HasMin, true>(planes, powers, table, range)
                               : sumStripsOf<Bits, HasMin, false>(planes, powers, table, range);
    });
}

void countCodes(const LevelPlanes &planes, const LevelType &type, std::size_t vector, std::uint8_t *counts)
{
    type.bits == 5 ? countOf<5>(planes, vector, counts) : countOf<4>(planes, vector, counts);
}

} // namespace ql::HWY_NAMESPACE::scan
HWY_AFTER_NAMESPACE();
#endif // QL_SCAN_TARGET
