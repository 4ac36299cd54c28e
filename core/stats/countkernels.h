// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/ggmltype.h"
#include "core/stats/scankernels.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

// The inner loops of a scan that counts bit patterns of weights of two bytes.

namespace ql {

/// Weights counted at once: one cache line, one strip of the heat map.
inline constexpr std::size_t LineWeights = 32;
/// Bytes that are fetched before they are counted: the next tile, which is on the next page.
inline constexpr std::size_t CountAhead = 8192;

inline std::uint16_t patternAt(const std::byte *weights, std::size_t i)
{
    std::uint16_t pattern;
    std::memcpy(&pattern, weights + 2 * i, sizeof pattern);
    return pattern;
}

/// GCC would make it one instruction that reads, adds and writes: slower among other work.
inline void increment(std::uint16_t *counter)
{
    std::uint32_t count = *counter;
    asm("" : "+r"(count));
    *counter = static_cast<std::uint16_t>(count + 1);
}

/// Counts LineWeights weights, at best a store a cycle.
[[gnu::always_inline]] inline void countLine(const std::byte *weights, std::uint16_t *counts)
{
    __builtin_prefetch(weights + CountAhead);
#pragma GCC unroll 8
    for (std::size_t i = 0; i < LineWeights; i += 4) {
        std::uint16_t *a = counts + patternAt(weights, i);
        std::uint16_t *b = counts + patternAt(weights, i + 1);
        std::uint16_t *c = counts + patternAt(weights, i + 2);
        std::uint16_t *d = counts + patternAt(weights, i + 3);
        asm("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d)); // all four before the first store
        increment(a);
        increment(b);
        increment(c);
        increment(d);
    }
}

/// Counts the patterns of n weights and sums up their strips of 32, of which there are whole ones, at
/// most a table full. The table gets the reference's bits (scankernels.h). False where a strip is not
/// ordinary: then the weights are counted all the same, but the table is not to be used.
using CountStripsFn = bool (*)(const std::byte *weights, std::size_t n, std::uint16_t *counts, StripTable &table);

/// The one that goes with the decoders in use. Null where vectors are too short for it to pay: then
/// strips are summed up as for any other type.
CountStripsFn countStripsOf(GgmlType type);

namespace detail {
struct CountKernels {
    std::string_view name;
    CountStripsFn f16 = nullptr;
    CountStripsFn bf16 = nullptr;
};
/// Those this machine can run.
std::span<const CountKernels *const> countKernels();
} // namespace detail

} // namespace ql
