// SPDX-License-Identifier: GPL-3.0-or-later
// Types without blocks: floats and integers of all widths.
#include "core/quant/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/quant/dequantize_simd_plain.cpp"
#include <hwy/foreach_target.h>

#include "core/quant/simd_loops-inl.h"

#if QL_SIMD_TARGET
HWY_BEFORE_NAMESPACE();
namespace ql::HWY_NAMESPACE {
namespace {

/// decode16 for each 16 values; the last ones go through it in a padded copy.
template <auto decode16, class Value>
HWY_ATTR void decodeValues(const std::byte *values, float *out, std::size_t n)
{
    const auto *bytes = reinterpret_cast<const std::uint8_t *>(values);
    std::size_t i = 0;
    for (; i + 16 <= n; i += 16)
        decode16(bytes + i * sizeof(Value), out + i);
    if (i == n)
        return;
    std::uint8_t last[16 * sizeof(Value)] = {};
    float decoded[16];
    std::memcpy(last, bytes + i * sizeof(Value), (n - i) * sizeof(Value));
    decode16(last, decoded);
    std::memcpy(out + i, decoded, (n - i) * sizeof(float));
}

HWY_INLINE void decodeF32(const std::uint8_t *values, float *HWY_RESTRICT out)
{
    std::memcpy(out, values, 16 * sizeof(float));
}

#if QL_NATIVE_HALF
HWY_INLINE void decodeF16(const std::uint8_t *values, float *HWY_RESTRICT out)
{
    const hn::Rebind<std::uint16_t, F32> words;
    const hn::Rebind<hwy::float16_t, F32> halves;
    for (std::size_t i = 0; i < 16; i += Lanes) {
        const auto bits = hn::BitCast(words, hn::LoadU(hn::Repartition<std::uint8_t, decltype(words)>(),
                                                       values + 2 * i));
        hn::StoreU(hn::PromoteTo(F32(), hn::BitCast(halves, bits)), F32(), out + i);
    }
}
#else
/// By integers: a half's exponent and mantissa moved to a float's places, with the exponent's bias
/// made up. A subnormal becomes 2^-14 and its value, less 2^-14, which is exact and, unlike a
/// multiplication, no subnormal to the processor. Inf and NaN get all exponent bits, NaN the quiet one.
HWY_INLINE Vector floatsFromHalves(hn::Vec<U32> halves)
{
    const auto set = [](std::uint32_t value) HWY_ATTR { return hn::Set(U32(), value); };
    const auto above = [](hn::Vec<U32> value, int limit) HWY_ATTR {
        const auto greater = hn::Gt(hn::BitCast(I32(), value), hn::Set(I32(), limit));
        return hn::BitCast(U32(), hn::VecFromMask(I32(), greater));
    };
    const auto magnitude = hn::ShiftLeft<13>(hn::And(halves, set(0x7fff)));
    const auto sign = hn::ShiftLeft<16>(hn::And(halves, set(0x8000)));
    const auto normal = hn::Add(magnitude, set(112u << 23));
    const auto base = hn::BitCast(F32(), hn::Add(magnitude, set(113u << 23)));
    const auto subnormal = hn::BitCast(U32(), hn::Sub(base, hn::Set(F32(), 0x1p-14f)));
    const auto isNormal = above(magnitude, (1 << 23) - 1);
    const auto value = hn::Or(hn::And(isNormal, normal), hn::AndNot(isNormal, subnormal));
    const auto filled = hn::Or(hn::And(above(magnitude, (31 << 23) - 1), set(0x7f800000)),
                               hn::And(above(magnitude, 31 << 23), set(0x00400000)));
    return hn::BitCast(F32(), hn::Or(hn::Or(value, sign), filled));
}

HWY_INLINE void decodeF16(const std::uint8_t *values, float *HWY_RESTRICT out)
{
    const hn::Rebind<std::uint16_t, U32> words;
    for (std::size_t i = 0; i < 16; i += Lanes) {
        const auto bits = hn::BitCast(words, hn::LoadU(hn::Repartition<std::uint8_t, decltype(words)>(),
                                                       values + 2 * i));
        hn::StoreU(floatsFromHalves(hn::PromoteTo(U32(), bits)), F32(), out + i);
    }
}
#endif

HWY_INLINE void decodeBF16(const std::uint8_t *values, float *HWY_RESTRICT out)
{
    const hn::Rebind<std::uint16_t, U32> words;
    for (std::size_t i = 0; i < 16; i += Lanes) {
        const auto bits = hn::BitCast(words, hn::LoadU(hn::Repartition<std::uint8_t, decltype(words)>(),
                                                       values + 2 * i));
        const auto wide = hn::ShiftLeft<16>(hn::PromoteTo(U32(), bits));
        hn::StoreU(hn::BitCast(F32(), wide), F32(), out + i);
    }
}

HWY_INLINE void decodeI8(const std::uint8_t *values, float *HWY_RESTRICT out)
{
    store(floatsFrom(reinterpret_cast<const std::int8_t *>(values)), out);
}

HWY_INLINE void decodeI16(const std::uint8_t *values, float *HWY_RESTRICT out)
{
    const hn::Rebind<std::int16_t, I32> words;
    for (std::size_t i = 0; i < 16; i += Lanes) {
        const auto bits = hn::BitCast(words, hn::LoadU(hn::Repartition<std::uint8_t, decltype(words)>(),
                                                       values + 2 * i));
        hn::StoreU(hn::ConvertTo(F32(), hn::PromoteTo(I32(), bits)), F32(), out + i);
    }
}

HWY_INLINE void decodeI32(const std::uint8_t *values, float *HWY_RESTRICT out)
{
    for (std::size_t i = 0; i < 16; i += Lanes) {
        const auto bytes = hn::LoadU(hn::Repartition<std::uint8_t, I32>(), values + 4 * i);
        hn::StoreU(hn::ConvertTo(F32(), hn::BitCast(I32(), bytes)), F32(), out + i);
    }
}

/// One conversion from 64 bits; by way of double it would round twice. Compilers turn the loop into
/// vcvtqq2ps where there is one.
HWY_INLINE void decodeI64(const std::uint8_t *values, float *HWY_RESTRICT out)
{
    for (std::size_t i = 0; i < 16; ++i)
        out[i] = static_cast<float>(loadAs<std::int64_t>(values + 8 * i));
}

HWY_INLINE void decodeF64(const std::uint8_t *values, float *HWY_RESTRICT out)
{
    using F64 = hn::Simd<double, Lanes / 2, 0>;
    for (std::size_t i = 0; i < 16; i += Lanes / 2) {
        const auto bytes = hn::LoadU(hn::Repartition<std::uint8_t, F64>(), values + 8 * i);
        const hn::Rebind<float, F64> narrow;
        hn::StoreU(hn::DemoteTo(narrow, hn::BitCast(F64(), bytes)), narrow, out + i);
    }
}

constexpr SimdKernel Kernels[] = {
    {GgmlType::F32, decodeValues<decodeF32, float>},
    {GgmlType::F16, decodeValues<decodeF16, std::uint16_t>},
    {GgmlType::I8, decodeValues<decodeI8, std::int8_t>},
    {GgmlType::I16, decodeValues<decodeI16, std::int16_t>},
    {GgmlType::I32, decodeValues<decodeI32, std::int32_t>},
    {GgmlType::I64, decodeValues<decodeI64, std::int64_t>},
    {GgmlType::F64, decodeValues<decodeF64, double>},
    {GgmlType::BF16, decodeValues<decodeBF16, std::uint16_t>},
};

} // namespace
} // namespace ql::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif // QL_SIMD_TARGET

#if HWY_ONCE
namespace ql {

std::span<const SimdKernels> simdPlainKernels()
{
    static constexpr SimdKernels Rows[] = {QL_SIMD_ROWS};
    return Rows;
}

} // namespace ql
#endif
