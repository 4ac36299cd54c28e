// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/quant/blockfields_builder.h"

#include <cmath>
#include <limits>

namespace ql::detail {

namespace {

/// The value of an IEEE number from its three fields; a double holds it whatever the width.
double ieeeValue(std::uint64_t sign, std::uint64_t exponent, std::uint64_t mantissa,
                 int exponentBits, int mantissaBits)
{
    const int bias = (1 << (exponentBits - 1)) - 1;
    const double direction = sign ? -1.0 : 1.0;
    if (exponent == (1u << exponentBits) - 1)
        return mantissa ? std::numeric_limits<double>::quiet_NaN()
                        : direction * std::numeric_limits<double>::infinity();
    const bool subnormal = exponent == 0;
    const std::uint64_t significand = mantissa | (subnormal ? 0 : std::uint64_t{1} << mantissaBits);
    const int power = (subnormal ? 1 : static_cast<int>(exponent)) - bias - mantissaBits;
    return direction * std::ldexp(static_cast<double>(significand), power);
}

std::string exponentText(std::uint64_t exponent, int exponentBits)
{
    const int bias = (1 << (exponentBits - 1)) - 1;
    const std::string stored = " (" + std::to_string(exponent) + ")";
    if (exponent == (1u << exponentBits) - 1)
        return "all ones" + stored;
    return "2^" + std::to_string((exponent == 0 ? 1 : static_cast<int>(exponent)) - bias) + stored;
}

template <int ExponentBits, int MantissaBits>
void readFloat(FieldBuilder &b)
{
    const BitRange mantissaAt = bitsAt(0, 0, MantissaBits);
    const BitRange exponentAt = bitsAt(0, MantissaBits, ExponentBits);
    const BitRange signAt = bitsAt(0, MantissaBits + ExponentBits, 1);
    const std::uint64_t mantissa = b.read({mantissaAt});
    const std::uint64_t exponent = b.read({exponentAt});
    const std::uint64_t sign = b.read({signAt});
    const Field signField = b.add("sign", "sign", sign ? -1.0f : 1.0f, sign ? "-" : "+", {signAt});
    const Field exponentField = b.add("exponent", "scale", static_cast<float>(exponent),
                                      exponentText(exponent, ExponentBits), {exponentAt});
    const Field mantissaField = b.add("mantissa", "quant", static_cast<float>(mantissa),
                                      std::to_string(mantissa), {mantissaAt});
    b.setExactValue(mantissaField, static_cast<double>(mantissa));
    const double value = ieeeValue(sign, exponent, mantissa, ExponentBits, MantissaBits);
    b.weight(static_cast<float>(value), {signField, exponentField, mantissaField});
}

template <class Integer>
void readInteger(FieldBuilder &b)
{
    const BitRange all = bitsAt(0, 0, 8 * sizeof(Integer));
    const auto value = static_cast<Integer>(b.read({all}));
    const Field field =
        b.add("value", "value", static_cast<float>(value), std::to_string(value), {all});
    b.setExactValue(field, static_cast<double>(value));
    b.weight(static_cast<float>(value), {field});
}

constexpr FieldReader Readers[] = {
    {GgmlType::F32, "w = sign * 2^exponent * (1 + mantissa / 2^23)", readFloat<8, 23>},
    {GgmlType::F16, "w = sign * 2^exponent * (1 + mantissa / 2^10)", readFloat<5, 10>},
    {GgmlType::BF16, "w = sign * 2^exponent * (1 + mantissa / 2^7)", readFloat<8, 7>},
    {GgmlType::F64, "w = sign * 2^exponent * (1 + mantissa / 2^52)", readFloat<11, 52>},
    {GgmlType::I8, "w = value", readInteger<std::int8_t>},
    {GgmlType::I16, "w = value", readInteger<std::int16_t>},
    {GgmlType::I32, "w = value", readInteger<std::int32_t>},
    {GgmlType::I64, "w = value", readInteger<std::int64_t>},
};

} // namespace

std::span<const FieldReader> plainFieldReaders() { return Readers; }

} // namespace ql::detail
