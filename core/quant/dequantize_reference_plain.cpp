// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/quant/dequantize_reference.h"
#include "core/quant/half.h"

#include <cstdint>

namespace ql::reference {

namespace {

template <class Value, class Out, class Convert>
void decodeEach(const std::byte *values, Out *out, std::size_t n, Convert convert)
{
    for (std::size_t i = 0; i < n; ++i) {
        Value value;
        std::memcpy(&value, values + i * sizeof(Value), sizeof(Value));
        out[i] = convert(value);
    }
}

/// One conversion, rounded to nearest even.
template <class Value, class Out>
void decodeByCast(const std::byte *values, Out *out, std::size_t n)
{
    decodeEach<Value>(values, out, n, [](Value value) { return static_cast<Out>(value); });
}

} // namespace

void decodeF32(const std::byte *values, float *out, std::size_t n)
{
    if (n != 0) // memcpy wants real pointers even for nothing
        std::memcpy(out, values, n * sizeof(float));
}

void decodeF16(const std::byte *values, float *out, std::size_t n)
{
    decodeEach<std::uint16_t>(values, out, n, halfToFloat);
}

void decodeBF16(const std::byte *values, float *out, std::size_t n)
{
    decodeEach<std::uint16_t>(values, out, n, bf16ToFloat);
}

void decodeF64(const std::byte *values, float *out, std::size_t n)
{
    decodeByCast<double>(values, out, n);
}

void decodeI8(const std::byte *values, float *out, std::size_t n)
{
    decodeByCast<std::int8_t>(values, out, n);
}

void decodeI16(const std::byte *values, float *out, std::size_t n)
{
    decodeByCast<std::int16_t>(values, out, n);
}

void decodeI32(const std::byte *values, float *out, std::size_t n)
{
    decodeByCast<std::int32_t>(values, out, n);
}

void decodeI64(const std::byte *values, float *out, std::size_t n)
{
    decodeByCast<std::int64_t>(values, out, n);
}

void decodeF64(const std::byte *values, double *out, std::size_t n)
{
    if (n != 0)
        std::memcpy(out, values, n * sizeof(double));
}

void decodeI64(const std::byte *values, double *out, std::size_t n)
{
    decodeByCast<std::int64_t>(values, out, n);
}

} // namespace ql::reference
