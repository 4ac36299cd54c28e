// SPDX-License-Identifier: GPL-3.0-or-later
// Sixteen weights at a time, whatever the vectors' width: what all kernels are written in. Compiled
// once for every target, hence the guard that is flipped by hwy/foreach_target.h.
#if defined(QL_SIMD_WIDE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef QL_SIMD_WIDE_INL
#undef QL_SIMD_WIDE_INL
#else
#define QL_SIMD_WIDE_INL
#endif

#include "core/quant/half.h"
#include "core/quant/simd_levels.h"

#include <cstddef>
#include <cstdint>
#include <cstring>

#include <hwy/highway.h>

// The emulated target compiles nothing of ours.
#undef QL_SIMD_TARGET
#if HWY_TARGET == HWY_EMU128 || HWY_TARGET == HWY_SCALAR
#define QL_SIMD_TARGET 0
#else
#define QL_SIMD_TARGET 1
#endif

// AVX-512 looks up 16 floats by the low four bits of each lane in one instruction.
#undef QL_LOOKUP16
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
#define QL_LOOKUP16 1
#else
#define QL_LOOKUP16 0
#endif

#undef QL_NATIVE_HALF
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
#define QL_NATIVE_HALF 1
#else
#define QL_NATIVE_HALF 0
#endif

#if QL_SIMD_TARGET
HWY_BEFORE_NAMESPACE();
namespace ql::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t Lanes = HWY_MAX_BYTES / 4; ///< floats a vector: 4, 8 or 16
constexpr std::size_t Parts = 16 / Lanes;        ///< vectors for 16 weights
constexpr std::size_t CodeLanes = HWY_MAX_BYTES < 32 ? HWY_MAX_BYTES : 32; ///< bytes a vector of codes

using F32 = hn::Simd<float, Lanes, 0>;
using I32 = hn::Simd<std::int32_t, Lanes, 0>;
using U32 = hn::Simd<std::uint32_t, Lanes, 0>;
using U8x16 = hn::Simd<std::uint8_t, 16, 0>;
using U8 = hn::Simd<std::uint8_t, CodeLanes, 0>;
using Vector = hn::Vec<F32>;
using Word = hn::Vec<U32>;
using Bytes16 = hn::Vec<U8x16>;
using Codes = hn::Vec<U8>;

/// Sixteen floats.
struct Floats {
    Vector part[Parts];
};

HWY_INLINE Vector broadcast(float value) { return hn::Set(F32(), value); }
HWY_INLINE Word sameWord(std::uint32_t value) { return hn::Set(U32(), value); }

HWY_INLINE void store(const Floats &weights, float *HWY_RESTRICT out)
{
    for (std::size_t i = 0; i < Parts; ++i)
        hn::StoreU(weights.part[i], F32(), out + i * Lanes);
}

HWY_INLINE Floats loadFloats(const float *values)
{
    Floats floats;
    for (std::size_t i = 0; i < Parts; ++i)
        floats.part[i] = hn::LoadU(F32(), values + i * Lanes);
    return floats;
}

/// Sixteen small integers as they lie in memory. Code is std::int8_t, std::uint8_t, std::int16_t …
template <class Code>
HWY_INLINE Floats floatsFrom(const Code *codes)
{
    using Narrow = hn::Rebind<Code, I32>;
    Floats floats;
    for (std::size_t i = 0; i < Parts; ++i) {
        const auto narrow = hn::LoadU(Narrow(), codes + i * Lanes);
        floats.part[i] = hn::ConvertTo(F32(), hn::PromoteTo(I32(), narrow));
    }
    return floats;
}

/// The same from a register; the bytes are signed.
HWY_INLINE Floats floatsFrom(Bytes16 bytes)
{
    const auto codes = hn::BitCast(hn::RebindToSigned<U8x16>(), bytes);
#if HWY_MAX_BYTES == 64
    return {{hn::ConvertTo(F32(), hn::PromoteTo(I32(), codes))}};
#elif HWY_MAX_BYTES == 32
    const hn::Half<hn::RebindToSigned<U8x16>> half;
    return {{hn::ConvertTo(F32(), hn::PromoteTo(I32(), hn::LowerHalf(half, codes))),
             hn::ConvertTo(F32(), hn::PromoteTo(I32(), hn::UpperHalf(half, codes)))}};
#else
    const hn::RebindToSigned<U8x16> full;
    const hn::Rebind<std::int16_t, hn::Half<decltype(full)>> words;
    const auto low = hn::PromoteTo(words, hn::LowerHalf(codes));
    const auto high = hn::PromoteTo(words, hn::UpperHalf(hn::Half<decltype(full)>(), codes));
    const hn::Half<decltype(words)> half;
    return {{hn::ConvertTo(F32(), hn::PromoteTo(I32(), hn::LowerHalf(half, low))),
             hn::ConvertTo(F32(), hn::PromoteTo(I32(), hn::UpperHalf(half, low))),
             hn::ConvertTo(F32(), hn::PromoteTo(I32(), hn::LowerHalf(half, high))),
             hn::ConvertTo(F32(), hn::PromoteTo(I32(), hn::UpperHalf(half, high)))}};
#endif
}

// ---- what becomes of sixteen codes: the formulas

/// q * d
struct Times {
    Vector d;
    HWY_INLINE Floats operator()(Floats q) const
    {
        for (std::size_t i = 0; i < Parts; ++i)
            q.part[i] = hn::Mul(q.part[i], d);
        return q;
    }
};

/// q * d + m: a multiplication, then an addition, never fused.
struct TimesPlus {
    Vector d;
    Vector m;
    HWY_INLINE Floats operator()(Floats q) const
    {
        for (std::size_t i = 0; i < Parts; ++i)
            q.part[i] = hn::Add(hn::Mul(q.part[i], d), m);
        return q;
    }
};

/// scale * q - min
struct TimesMinus {
    Vector scale;
    Vector min;
    HWY_INLINE Floats operator()(Floats q) const
    {
        for (std::size_t i = 0; i < Parts; ++i)
            q.part[i] = hn::Sub(hn::Mul(q.part[i], scale), min);
        return q;
    }
};

// ---- scales

/// An array that must lie in memory: read from there, a scale is spread over a vector, or 16 bytes
/// made integers, by the load itself. Compilers see through the array and shuffle registers instead,
/// and the shuffles are what the kernels have least to spare of (a quarter of Q4_K's time).
template <class Value, std::size_t N>
HWY_INLINE void keepInMemory(Value (&values)[N])
{
#if defined(__GNUC__)
    asm volatile("" : "+m"(values));
#else
    (void)values;
#endif
}

template <class Value>
HWY_INLINE Value loadAs(const std::uint8_t *bytes)
{
    Value value;
    std::memcpy(&value, bytes, sizeof value);
    return value;
}

/// Halves in the low 16 bits of each lane; other bits are ignored. NaNs remain NaNs, with other bits than
/// the decoders'. No subnormal float on the way, as there would be if the bits were moved first and multiplied
/// then: arithmetic with one takes processors more than a hundred cycles, and the scales of K types are often
/// subnormal halves.
HWY_INLINE Vector fromHalf(Word halves)
{
    const Word magnitude = hn::And(halves, sameWord(0x7fffu));
    const Word bits = hn::ShiftLeft<13>(magnitude);
    const Vector aboveNormal = hn::BitCast(F32(), hn::Add(bits, sameWord(113u << 23)));
    const Word subnormal = hn::BitCast(U32(), hn::Sub(aboveNormal, broadcast(0x1p-14f)));
    const auto isSubnormal = hn::Lt(hn::BitCast(I32(), magnitude), hn::Set(I32(), 0x400));
    const Word normal = hn::Add(bits, sameWord(112u << 23));
    const Word finite = hn::IfThenElse(hn::RebindMask(U32(), isSubnormal), subnormal, normal);
    const auto endless = hn::Gt(hn::BitCast(I32(), magnitude), hn::Set(I32(), 0x7bff));
    const Word exponent = hn::IfThenElseZero(hn::RebindMask(U32(), endless), sameWord(0x7f800000u));
    const Word sign = hn::ShiftLeft<16>(hn::And(halves, sameWord(0x8000u)));
    return hn::BitCast(F32(), hn::Or(finite, hn::Or(exponent, sign)));
}

/// The halves in the low 16 bits of each lane, as the decoders convert them.
HWY_INLINE Vector fromLowHalf(Word words)
{
#if QL_NATIVE_HALF
    const hn::Rebind<std::uint16_t, F32> narrow;
    const hn::Rebind<hwy::float16_t, F32> halves;
    return hn::PromoteTo(F32(), hn::BitCast(halves, hn::TruncateTo(narrow, words)));
#else
    return fromHalf(words);
#endif
}

/// The half at `bytes` in all lanes.
HWY_INLINE Vector broadcastHalf(const std::uint8_t *bytes)
{
    const auto half = loadAs<std::uint16_t>(bytes);
#if QL_NATIVE_HALF
    const hn::Rebind<std::uint16_t, F32> words;
    const hn::Rebind<hwy::float16_t, F32> halves;
    return hn::PromoteTo(F32(), hn::BitCast(halves, hn::Set(words, half)));
#else
    return hn::Set(F32(), halfToFloat(half));
#endif
}

/// The two halves at `bytes` in turn: d, dmin, d, dmin …
HWY_INLINE Vector broadcastHalfPair(const std::uint8_t *bytes)
{
#if QL_NATIVE_HALF
    const hn::Rebind<hwy::float16_t, F32> halves;
    const auto pairs = hn::Set(hn::Simd<std::uint32_t, Lanes / 2, 0>(), loadAs<std::uint32_t>(bytes));
    return hn::PromoteTo(F32(), hn::BitCast(halves, pairs));
#else
    const std::uint64_t low = std::bit_cast<std::uint32_t>(halfToFloat(loadAs<std::uint16_t>(bytes)));
    const std::uint64_t high = std::bit_cast<std::uint32_t>(halfToFloat(loadAs<std::uint16_t>(bytes + 2)));
    return hn::BitCast(F32(), hn::Set(hn::Simd<std::uint64_t, Lanes / 2, 0>(), low | high << 32));
#endif
}

/// Q4_K and Q5_K: d * scale and dmin * min of the eight sub-blocks in turn, from the two halves at
/// `dAndDmin` and 12 packed bytes.
HWY_INLINE void loadScaleMinsK4(const std::uint8_t *dAndDmin, const std::uint8_t *packed,
                                float (&scaleMins)[16])
{
    const auto a = loadAs<std::uint32_t>(packed);
    const auto b = loadAs<std::uint32_t>(packed + 4);
    const auto c = loadAs<std::uint32_t>(packed + 8);
    const std::uint64_t scalesHigh = (c & 0x0f0f0f0fu) | ((a >> 2) & 0x30303030u);
    const std::uint64_t minsHigh = ((c >> 4) & 0x0f0f0f0fu) | ((b >> 2) & 0x30303030u);
    const hn::Simd<std::uint64_t, 2, 0> words;
    const auto scales = hn::BitCast(U8x16(), hn::Set(words, (a & 0x3f3f3f3fu) | scalesHigh << 32));
    const auto mins = hn::BitCast(U8x16(), hn::Set(words, (b & 0x3f3f3f3fu) | minsHigh << 32));
    const Times formula{broadcastHalfPair(dAndDmin)};
    store(formula(floatsFrom(hn::InterleaveLower(U8x16(), scales, mins))), scaleMins);
    keepInMemory(scaleMins);
}

// ---- codes of 2 or 4 bits that pick one of up to 16 levels

/// Sixteen bytes of packed codes, ready to be picked from.
#if QL_LOOKUP16
struct Packed16 {
    hn::Vec<I32> lanes;
};

HWY_INLINE Packed16 packed16(Bytes16 bytes) { return {hn::PromoteTo(I32(), bytes)}; }
#else
struct Packed16 {
    Bytes16 bytes;
};

HWY_INLINE Packed16 packed16(Bytes16 bytes) { return {bytes}; }
#endif

HWY_INLINE Packed16 loadPacked16(const std::uint8_t *bytes)
{
    return packed16(hn::LoadU(U8x16(), bytes));
}

/// formula(level of code) for the `Bits` bits of each byte from bit `Shift` up. With AVX-512 the
/// formula is worked out for the 16 levels and then looked up; the low four bits of a lane choose,
/// so the levels of 2-bit codes repeat every four.
template <int Bits, int Shift, class Formula>
HWY_INLINE void storeLevels(Packed16 packed, const Levels &levels, const Formula &formula,
                            float *HWY_RESTRICT out)
{
#if QL_LOOKUP16
    const Vector table = formula(Floats{{hn::Load(F32(), levels.asFloat)}}).part[0];
    const auto index = hn::ShiftRight<Shift>(packed.lanes);
    hn::StoreU(hn::TableLookupLanes(table, hn::Indices512<float>{index.raw}), F32(), out);
#else
    const auto codes = hn::And(hn::ShiftRight<Shift>(packed.bytes),
                               hn::Set(U8x16(), static_cast<std::uint8_t>((1 << Bits) - 1)));
    const auto table = hn::Load(U8x16(), levels.asByte);
    store(formula(floatsFrom(hn::TableLookupBytes(table, codes))), out);
#endif
}

// ---- codes worked out as signed bytes, CodeLanes at a time

HWY_INLINE Codes loadCodes(const std::uint8_t *bytes) { return hn::LoadU(U8(), bytes); }
HWY_INLINE Codes sameCodes(int value) { return hn::Set(U8(), static_cast<std::uint8_t>(value)); }

/// Shifts each byte right; what comes in from the neighbour is cut off by `mask`.
template <int Shift>
HWY_INLINE Codes shiftRightAnd(Codes codes, int mask)
{
    const hn::Repartition<std::uint16_t, U8> words;
    const auto shifted = hn::BitCast(U8(), hn::ShiftRight<Shift>(hn::BitCast(words, codes)));
    return hn::And(shifted, sameCodes(mask));
}

template <int Shift>
HWY_INLINE Codes shiftLeftAnd(Codes codes, int mask)
{
    const hn::Repartition<std::uint16_t, U8> words;
    const auto shifted = hn::BitCast(U8(), hn::ShiftLeft<Shift>(hn::BitCast(words, codes)));
    return hn::And(shifted, sameCodes(mask));
}

/// Stores CodeLanes weights; formulaAt(i) is the formula of the i-th 16 codes.
template <class FormulaAt>
HWY_INLINE void storeCodes(Codes codes, const FormulaAt &formulaAt, std::size_t first,
                           float *HWY_RESTRICT out)
{
#if HWY_MAX_BYTES >= 32
    const hn::Half<U8> half;
    store(formulaAt(first)(floatsFrom(hn::LowerHalf(half, codes))), out);
    store(formulaAt(first + 1)(floatsFrom(hn::UpperHalf(half, codes))), out + 16);
#else
    store(formulaAt(first)(floatsFrom(codes)), out);
#endif
}

/// The same formula for all codes.
template <class Formula>
struct Always {
    Formula formula;
    HWY_INLINE const Formula &operator()(std::size_t) const { return formula; }
};

/// A scale for every 16 codes.
struct ScaleFor16 {
    const float *scales;
    HWY_INLINE Times operator()(std::size_t i) const { return {broadcast(scales[i])}; }
};

} // namespace ql::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif // QL_SIMD_TARGET

#endif // per-target guard
