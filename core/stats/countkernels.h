// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/ggmltype.h"
#include "core/stats/increment.h"
#include "core/stats/scankernels.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

// The inner loops of a scan that counts bit patterns of weights of two bytes.

namespace ql {

/// How many bit patterns a weight of two bytes can have.
inline constexpr std::size_t Patterns = 65536;
/// Weights counted at once: one cache line, one strip of the heat map.
inline constexpr std::size_t LineWeights = 32;
/// Bytes that are fetched before they are counted: the hardware does not look beyond a page.
inline constexpr std::size_t CountAhead = 4096;

inline std::uint16_t patternAt(const std::byte *weights, std::size_t i)
{
    std::uint16_t pattern;
    std::memcpy(&pattern, weights + 2 * i, sizeof pattern);
    return pattern;
}

/// Where the counters of four weights in turn lie: in one table, which is best for most weights for it
/// fits the first-level cache, or in four, so that where most weights are equal they wait less for each
/// other.
enum class CountIn { OneTable, FourTables };

/// Counters from one table to the next, no multiple of 4 KiB: loads and stores that far apart wait for
/// each other.
inline constexpr std::size_t TableStride = Patterns + 96;
inline constexpr std::size_t CountTables = 4;

/// Counts LineWeights weights, at best a store a cycle.
template <CountIn where>
[[gnu::always_inline]] inline void countLine(const std::byte *weights, std::uint32_t *counts)
{
    constexpr std::size_t Step = where == CountIn::FourTables ? TableStride : 0;
    __builtin_prefetch(weights + CountAhead);
#pragma GCC unroll 8
    for (std::size_t i = 0; i < LineWeights; i += 4) {
        std::size_t a = patternAt(weights, i);
        std::size_t b = patternAt(weights, i + 1);
        std::size_t c = patternAt(weights, i + 2);
        std::size_t d = patternAt(weights, i + 3);
        asm("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d)); // all four before the first store
        increment(counts[a]);
        increment(counts[Step + b]);
        increment(counts[2 * Step + c]);
        increment(counts[3 * Step + d]);
    }
}

/// Counts the patterns of n weights and sums up their strips of 32, of which there are whole ones, at
/// most a table full. The table gets the reference's bits (scankernels.h). False where a strip is not
/// ordinary: then the weights are counted all the same, but the table is not to be used.
using CountStripsFn = bool (*)(const std::byte *weights, std::size_t n, std::uint32_t *counts, CountIn where,
                               StripTable &table);

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
