// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/format/bytereader.h"
#include "core/model/metadata.h"

#include <cstdint>
#include <vector>

namespace ql {

/// Bytes of one value of a fixed-size type; 0 for strings, arrays and unknown types.
std::uint32_t valueBytes(ValueType type);
bool isKnownValueType(std::uint32_t id);

/// What can stop a walk over an array.
enum class WalkProblem {
    None,
    PastEnd,         ///< the elements would run past the end of the file
    UnknownElement,  ///< an element type whose size nobody knows
    TooManyElements, ///< more variable-size elements than the budget allows
};

/// A walk over an array's elements, without recursion and without a copy.
struct ArrayWalk {
    WalkProblem problem = WalkProblem::None;
    std::uint32_t badElementType = 0; ///< with UnknownElement
    std::uint64_t depth = 1;          ///< arrays within arrays, this one included
    std::vector<std::uint64_t> checkpoints; ///< offset of every 64th element where sizes vary
};

constexpr std::uint64_t CheckpointStride = 64;
/// Variable-size elements one file may hold in all. Real vocabularies have under a million; the
/// limit keeps a sparse file of zeros from being walked for hours.
constexpr std::uint64_t MaxWalkedElements = std::uint64_t(1) << 28;

/// Moves the reader from the first element of an array past its last. Elements of fixed size cost
/// nothing; strings cost a look at each length. budget is lowered by the elements walked.
ArrayWalk walkArray(ByteReader &reader, ValueType elementType, std::uint64_t count,
                    std::uint64_t &budget);

} // namespace ql
