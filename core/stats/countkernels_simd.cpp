// SPDX-License-Identifier: GPL-3.0-or-later
// Counts patterns and sums up strips in one go: counting is bound by its stores, a weight each, which
// leaves the vector units free. A vector has a float a strip, so that no sum is folded across
// a vector: the additions are those of scankernels.cpp in the same order, so the same bits.
#include "core/quant/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/stats/countkernels_simd.cpp"
#include <hwy/foreach_target.h>

#include "core/stats/countkernels.h"
#include "core/stats/scanlanes-inl.h"

#undef QL_COUNT_TARGET
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
#define QL_COUNT_TARGET 1
#else
#define QL_COUNT_TARGET 0
#endif

#if QL_COUNT_TARGET
HWY_BEFORE_NAMESPACE();
namespace ql::HWY_NAMESPACE::counting {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using scan::keyOf;

/// Strips summed up side by side: one a float of a vector.
constexpr std::size_t Side = HWY_MAX_BYTES / 4;
/// 16 bytes of patterns, of which vectors are put together.
constexpr std::size_t PieceBytes = 16;
constexpr std::size_t LineBytes = 2 * LineWeights;

using F32 = hn::Simd<float, Side, 0>;
using U32 = hn::Simd<std::uint32_t, Side, 0>;
using U16 = hn::Simd<std::uint16_t, 2 * Side, 0>;
using I16 = hn::Simd<std::int16_t, 2 * Side, 0>;
using HalfU16 = hn::Simd<std::uint16_t, Side, 0>;
using VF32 = hn::Vec<F32>;
using VU32 = hn::Vec<U32>;
using VU16 = hn::Vec<U16>;

/// The patterns of `Side` strips, turned so that those of one place in a strip lie side by side.
struct Turned {
    alignas(64) std::uint16_t patterns[Side * LineWeights];

    VU16 load(std::size_t vector) const { return hn::Load(U16(), patterns + 2 * Side * vector); }
    void store(VU16 values, std::size_t vector) { hn::Store(values, U16(), patterns + 2 * Side * vector); }
};

/// The vector of the pieces at from, from + step, from + 2 · step …
template <class D>
HWY_INLINE hn::Vec<D> gathered(D d, const std::byte *from, std::size_t step)
{
    if constexpr (hn::MaxLanes(d) * sizeof(hn::TFromD<D>) == PieceBytes) {
        const hn::Repartition<std::uint8_t, D> bytes;
        return hn::BitCast(d, hn::LoadU(bytes, reinterpret_cast<const std::uint8_t *>(from)));
    } else {
        constexpr std::size_t Pieces = hn::MaxLanes(d) * sizeof(hn::TFromD<D>) / PieceBytes;
        const hn::Half<D> half;
        return hn::Combine(d, gathered(half, from + Pieces / 2 * step, step), gathered(half, from, step));
    }
}

template <class V>
HWY_INLINE void interleave(V *rows, std::size_t n)
{
    const hn::DFromV<V> d;
    V result[8];
    for (std::size_t i = 0; i < n / 2; ++i) {
        result[2 * i] = hn::InterleaveLower(d, rows[i], rows[i + n / 2]);
        result[2 * i + 1] = hn::InterleaveUpper(d, rows[i], rows[i + n / 2]);
    }
    for (std::size_t i = 0; i < n; ++i)
        rows[i] = result[i];
}

/// Vector m holds the weights 2m (in the low halves) and 2m + 1 of a strip each 32 bits.
struct Bf16 {
    /// A quarter of the strips: weights 8 · quarter and the seven after.
    static HWY_INLINE void turn(const std::byte *strips, std::size_t quarter, Turned &turned)
    {
        VU32 rows[4];
        for (std::size_t i = 0; i < 4; ++i)
            rows[i] = gathered(U32(), strips + i * LineBytes + PieceBytes * quarter, 4 * LineBytes);
        interleave(rows, 4);
        interleave(rows, 4);
        for (std::size_t i = 0; i < 4; ++i)
            turned.store(hn::BitCast(U16(), rows[i]), 4 * quarter + i);
    }
    static HWY_INLINE VF32 weights(const Turned &turned, std::size_t i)
    {
        const auto both = hn::BitCast(U32(), turned.load(i / 2));
        const auto bits = i % 2 ? hn::And(both, hn::Set(U32(), 0xffff0000u)) : hn::ShiftLeft<16>(both);
        return hn::BitCast(F32(), bits);
    }
    /// The float that belongs to the greater of the two patterns of a strip.
    template <class D>
    static HWY_INLINE VF32 greatest(D d, hn::Vec<D> patterns)
    {
        const auto other = hn::BitCast(d, hn::ShiftRight<16>(hn::BitCast(U32(), patterns)));
        const auto greater = hn::BitCast(U32(), hn::Max(patterns, other));
        return hn::BitCast(F32(), hn::ShiftLeft<16>(greater));
    }
};

/// Vector 8h + k holds the weights 16h + k of all strips, then the weights 16h + k + 8.
struct F16 {
    static HWY_INLINE void turn(const std::byte *strips, std::size_t quarter, Turned &turned)
    {
        if (quarter % 2)
            return;
        VU16 rows[8];
        for (std::size_t i = 0; i < 8; ++i)
            rows[i] = row(strips + i * LineBytes + PieceBytes * quarter);
        interleave(rows, 8);
        interleave(rows, 8);
        interleave(rows, 8);
        for (std::size_t i = 0; i < 8; ++i)
            turned.store(rows[i], 4 * quarter + i);
    }
    static HWY_INLINE VF32 weights(const Turned &turned, std::size_t i)
    {
        const std::uint16_t *from = turned.patterns + 2 * Side * (i / 16 * 8 + i % 8) + Side * (i % 16 / 8);
        return widened(hn::Load(HalfU16(), from));
    }
    template <class D>
    static HWY_INLINE VF32 greatest(D d, hn::Vec<D> patterns)
    {
        const hn::Half<D> half;
        return widened(hn::BitCast(HalfU16(), hn::Max(hn::LowerHalf(half, patterns), hn::UpperHalf(half, patterns))));
    }

private:
    /// Two pieces of every eighth strip, first all first ones.
    static HWY_INLINE VU16 row(const std::byte *from)
    {
        const hn::Half<U16> half;
        return hn::Combine(U16(), gathered(half, from + PieceBytes, 8 * LineBytes), gathered(half, from, 8 * LineBytes));
    }
    static HWY_INLINE VF32 widened(hn::Vec<HalfU16> patterns)
    {
        const hn::Simd<hwy::float16_t, Side, 0> halves;
        return hn::PromoteTo(F32(), hn::BitCast(halves, patterns));
    }
};

struct Sums {
    VF32 sum;
    VF32 sumSq;
};

HWY_INLINE Sums operator+(Sums a, Sums b) { return {hn::Add(a.sum, b.sum), hn::Add(a.sumSq, b.sumSq)}; }

/// Lane i of sixteen: weights i and i + 16.
template <class Type>
HWY_INLINE Sums laneOf(const Turned &turned, std::size_t i)
{
    const auto x = Type::weights(turned, i);
    const auto y = Type::weights(turned, i + Lanes);
    return {hn::Add(x, y), hn::Add(hn::Mul(x, x), hn::Mul(y, y))};
}

/// Lane i of the four that are left once 16 are folded twice.
template <class Type>
HWY_INLINE Sums quarterOf(const Turned &turned, std::size_t i)
{
    const Sums even = laneOf<Type>(turned, i) + laneOf<Type>(turned, i + 8);
    return even + (laneOf<Type>(turned, i + 4) + laneOf<Type>(turned, i + 12));
}

/// The weight of each strip that is the largest by magnitude, then by sign, as its key: as signed
/// integers the patterns of the positive ones sort by magnitude above all others, as unsigned ones
/// those of the negative.
template <class Type>
HWY_INLINE VU32 keysOf(const Turned &turned)
{
    auto positive = hn::BitCast(I16(), turned.load(0));
    auto negative = turned.load(0);
    for (std::size_t i = 1; i < 16; ++i) {
        const auto patterns = turned.load(i);
        positive = hn::Max(positive, hn::BitCast(I16(), patterns));
        negative = hn::Max(negative, patterns);
    }
    return hn::Max(keyOf(Type::greatest(I16(), positive)), keyOf(Type::greatest(U16(), negative)));
}

/// `Side` strips; count(i) is called for i = 0 … 7 in between. False where one may not be ordinary.
template <class Type, class Count>
HWY_INLINE bool sumSide(const std::byte *strips, StripTable &table, std::size_t first, const Count &count)
{
    Turned turned;
    for (std::size_t quarter = 0; quarter < 4; ++quarter) {
        Type::turn(strips, quarter, turned);
        count(quarter);
    }
    const Sums a = quarterOf<Type>(turned, 0);
    count(4);
    const Sums ac = a + quarterOf<Type>(turned, 2);
    count(5);
    const Sums b = quarterOf<Type>(turned, 1);
    count(6);
    const Sums bd = b + quarterOf<Type>(turned, 3);
    count(7);
    const Sums all = ac + bd;
    hn::StoreU(hn::Add(all.sum, hn::Zero(F32())), F32(), table.sum + first); // the reference has no -0
    hn::StoreU(all.sumSq, F32(), table.sumSq + first);
    hn::StoreU(keysOf<Type>(turned), U32(), table.key + first);
    const auto inRange = hn::And(hn::Ge(all.sumSq, hn::Set(F32(), SmallestSquares)), hn::Le(all.sumSq, hn::Set(F32(), LargestSquares)));
    return hn::AllTrue(F32(), inRange);
}

/// Grows with every zero counted.
template <CountIn where>
HWY_INLINE std::uint32_t zerosOf(const std::uint32_t *counts)
{
    constexpr std::size_t MinusZero = 0x8000;
    std::uint32_t zeros = 0;
    for (std::size_t table = 0; table < (where == CountIn::OneTable ? 1 : CountTables); ++table)
        zeros += counts[table * TableStride] + counts[table * TableStride + MinusZero];
    return zeros;
}

/// Of one strip.
HWY_INLINE std::uint32_t zerosIn(const std::byte *strip)
{
    std::size_t zeros = 0;
    for (std::size_t i = 0; i < LineBytes; i += HWY_MAX_BYTES) {
        const hn::Repartition<std::uint8_t, U16> bytes;
        const auto raw = hn::LoadU(bytes, reinterpret_cast<const std::uint8_t *>(strip + i));
        const auto patterns = hn::BitCast(U16(), raw);
        zeros += hn::CountTrue(U16(), hn::Eq(hn::Add(patterns, patterns), hn::Zero(U16())));
    }
    return static_cast<std::uint32_t>(zeros);
}

HWY_INLINE bool areOrdinary(const StripTable &table, std::size_t strips)
{
    bool ordinary = true;
    for (std::size_t i = 0; i < strips; ++i)
        ordinary &= isOrdinary(table.sumSq[i], table.zeros[i], LineWeights);
    return ordinary;
}

/// The last few strips, filled up.
template <class Type>
HWY_INLINE void sumRest(const std::byte *weights, std::size_t strips, StripTable &table, std::size_t first)
{
    std::byte filled[Side * LineBytes] = {};
    std::memcpy(filled, weights, strips * LineBytes);
    sumSide<Type>(filled, table, first, [](std::size_t) {});
}

template <class Type, CountIn where>
HWY_ATTR bool countStripsIn(const std::byte *weights, std::size_t n, std::uint32_t *counts, StripTable &table)
{
    const std::size_t strips = n / LineWeights;
    const std::uint32_t zerosBefore = zerosOf<where>(counts);
    bool ordinary = true;
    std::size_t strip = 0;
    for (; strip + Side <= strips; strip += Side) {
        const std::byte *from = weights + strip * LineBytes;
        ordinary &= sumSide<Type>(from, table, strip, [&](std::size_t i) HWY_ATTR {
            for (std::size_t line = 0; line < Side / 8; ++line)
                countLine<where>(from + (i * Side / 8 + line) * LineBytes, counts);
        });
    }
    if (strip < strips) {
        sumRest<Type>(weights + strip * LineBytes, strips - strip, table, strip);
        ordinary = false; // perhaps
        for (std::size_t i = strip; i < strips; ++i)
            countLine<where>(weights + i * LineBytes, counts);
    }
    const bool anyZeros = zerosOf<where>(counts) != zerosBefore;
    for (std::size_t i = 0; i < strips; ++i)
        table.zeros[i] = anyZeros ? zerosIn(weights + i * LineBytes) : 0;
    return ordinary || areOrdinary(table, strips);
}

template <class Type>
HWY_ATTR bool countStrips(const std::byte *weights, std::size_t n, std::uint32_t *counts, CountIn where,
                          StripTable &table)
{
    return where == CountIn::OneTable ? countStripsIn<Type, CountIn::OneTable>(weights, n, counts, table)
                                      : countStripsIn<Type, CountIn::FourTables>(weights, n, counts, table);
}

#if HWY_TARGET == HWY_AVX3
constexpr detail::CountKernels Kernels{"avx3", countStrips<F16>, countStrips<Bf16>};
#else
constexpr detail::CountKernels Kernels{"avx2", countStrips<F16>, countStrips<Bf16>};
#endif

} // namespace

const detail::CountKernels &kernelsOfTarget() { return Kernels; }

} // namespace ql::HWY_NAMESPACE::counting
HWY_AFTER_NAMESPACE();
#endif // QL_COUNT_TARGET

#if HWY_ONCE
#include "core/quant/kernels.h"

#include <hwy/targets.h>

#include <vector>

namespace ql {

std::span<const detail::CountKernels *const> detail::countKernels()
{
    static const std::vector<const CountKernels *> found = [] {
        std::vector<const CountKernels *> result;
#if defined(__x86_64__)
        if (hwy::SupportedTargets() & HWY_AVX3)
            result.push_back(&N_AVX3::counting::kernelsOfTarget());
        if (hwy::SupportedTargets() & HWY_AVX2)
            result.push_back(&N_AVX2::counting::kernelsOfTarget());
#endif
        return result;
    }();
    return found;
}

CountStripsFn countStripsOf(GgmlType type)
{
    const std::string_view wanted = activeImplementation(type);
    for (const detail::CountKernels *kernels : detail::countKernels()) {
        if (kernels->name == wanted)
            return type == GgmlType::BF16 ? kernels->bf16 : kernels->f16;
    }
    return nullptr;
}

} // namespace ql
#endif // HWY_ONCE
