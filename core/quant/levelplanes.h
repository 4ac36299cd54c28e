// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/ggmltype.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

// Blocks whose codes have few bits, so that a run of weights with one scale takes few values. Taken apart
// into bit planes, the weights with a certain code are a few logical operations and a count of bits, for
// sixteen blocks at once.

namespace ql {

/// Such a type. A weight is level * scale, or level * scale + min, rounded after each step.
struct LevelType {
    static constexpr std::size_t MostCodes = 32;

    GgmlType type{};
    std::uint32_t bits = 0;       ///< of a code
    std::uint32_t runs = 0;       ///< in a block
    std::uint32_t runWeights = 0; ///< that share a scale and a min: 16 or 32
    bool hasMin = false;
    int center = 0; ///< about the middle of the levels
    std::array<float, MostCodes> levels{}; ///< what a code stands for

    std::uint32_t blockWeights() const { return runs * runWeights; }
    /// Whether a run has fewer values than weights.
    bool hasFewValues() const { return codes() < runWeights; }
    std::size_t codes() const { return std::size_t{1} << bits; }
};

/// nullptr for all other types.
const LevelType *levelType(GgmlType type);

/// The scale that its stored bits stand for, in the types that store one of at most 16 bits for each run: Q4_0,
/// Q5_0, IQ4_NL, MXFP4 and NVFP4, whose blocks begin with them.
float scaleOfBits(GgmlType type, std::uint16_t bits);

/// Some blocks of such a type, a run a lane: lane i of vector v belongs to run v % runs of block
/// v / runs * 16 + i. The blocks of a tile have room.
struct LevelPlanes {
    static constexpr std::size_t MaxBits = 5;
    static constexpr std::size_t Lanes = 16;
    static constexpr std::size_t MaxRuns = 256;

    std::size_t blocks = 0;
    /// Bit i of a code, a bit a weight, in an order that is the same for all planes of a run and known to
    /// nobody else.
    alignas(64) std::uint32_t planes[MaxBits][MaxRuns];
    alignas(64) std::uint32_t used[MaxRuns]; ///< the bits that belong to weights; 0 for lanes without a block
    alignas(64) float scale[MaxRuns];
    alignas(64) float min[MaxRuns]; ///< where the type has one

    /// Vectors of 16 lanes that hold blocks.
    std::size_t vectors(const LevelType &type) const { return (blocks + Lanes - 1) / Lanes * type.runs; }
};

/// Takes n consecutive little-endian blocks apart: at most 4,096 weights. `blocks` may have any alignment.
using SplitLevelsFn = void (*)(const std::byte *blocks, std::size_t n, LevelPlanes &planes);

/// The splitter that goes with the decoder in use; nullptr for types without levels.
SplitLevelsFn levelSplitter(GgmlType type);
SplitLevelsFn referenceLevelSplitter(GgmlType type);

namespace detail {

/// One type's splitter.
struct LevelSplitter {
    GgmlType type;
    SplitLevelsFn split;
};
/// Some of those of one target that this machine can run.
struct LevelSplitters {
    std::string_view name; ///< as the decoders', "avx2"
    std::span<const LevelSplitter> splitters;
};
std::span<const LevelSplitters> simdLevelSplitters();

} // namespace detail

} // namespace ql
