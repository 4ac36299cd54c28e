// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/blocks.h"
#include "core/quant/blockfields_builder.h"

#include <cstddef>

namespace ql::detail {

namespace {

/// Some bytes of a TQ1_0 block that hold `digits` ternary digits each, digit-major.
struct DigitRun {
    std::size_t firstByte;
    std::size_t bytes;
    std::size_t digits;
};

constexpr DigitRun DigitRuns[] = {
    {offsetof(BlockTQ1_0, qs), 32, 5},
    {offsetof(BlockTQ1_0, qs) + 32, 16, 5},
    {offsetof(BlockTQ1_0, qh), 4, 4},
};

unsigned ternaryDigit(unsigned byte, std::size_t n)
{
    constexpr std::array<unsigned, 5> Powers{1, 3, 9, 27, 81};
    const unsigned fraction = (byte * Powers[n]) % 256;
    return (fraction * 3) >> 8;
}

void readTQ1_0(FieldBuilder &b)
{
    const Field d = b.half("d", "d", offsetof(BlockTQ1_0, d));
    std::size_t w = 0;
    for (const DigitRun &run : DigitRuns) {
        for (std::size_t i = 0; i < run.digits * run.bytes; ++i, ++w) {
            const BitRange bits = byteAt(run.firstByte + i % run.bytes);
            const std::size_t n = i / run.bytes;
            const unsigned digit = ternaryDigit(static_cast<unsigned>(b.read({bits})), n);
            const Field q =
                b.add(indexed("q", w), "quant", static_cast<float>(digit),
                      std::to_string(digit) + " (digit " + std::to_string(n) + ")", {bits});
            b.weight((q.value - 1) * d.value, {d, q});
        }
    }
}

void readTQ2_0(FieldBuilder &b)
{
    const Field d = b.half("d", "d", offsetof(BlockTQ2_0, d));
    for (std::size_t w = 0; w < 256; ++w) {
        const std::size_t byte = offsetof(BlockTQ2_0, qs) + 32 * (w / 128) + w % 32;
        const Field q = b.code("q", "quant", w, {bitsAt(byte, 2 * (w % 128 / 32), 2)});
        b.weight((q.value - 1) * d.value, {d, q});
    }
}

constexpr FieldReader Readers[] = {
    {GgmlType::TQ1_0, "w = (q - 1) * d, q = (((byte * 3^n) mod 256) * 3) >> 8", readTQ1_0},
    {GgmlType::TQ2_0, "w = (q - 1) * d", readTQ2_0},
};

} // namespace

std::span<const FieldReader> ternaryFieldReaders() { return Readers; }

} // namespace ql::detail
