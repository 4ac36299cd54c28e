// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/ggmltype.h"
#include "core/model/ne.h"

#include <compare>
#include <cstdint>
#include <optional>
#include <string>

namespace ql {

/// A tensor's place in its model's table. Strong, so that it can't be mixed up with rows or experts.
struct TensorIndex {
    std::uint32_t value = 0;
    auto operator<=>(const TensorIndex &) const = default;
};

/// One row of the tensor table: what the file says, what follows from it, and what is wrong with it.
/// Owns its strings; safe to copy to any thread.
struct TensorInfo {
    std::string rawName; ///< the bytes in the file
    std::string name;    ///< escaped to UTF-8 for people and JSON; the second of two equal ones is NAME#2
    std::uint32_t typeId = 0;
    const TypeTraits *type = nullptr; ///< nullptr for unknown ids
    Ne ne;
    std::uint64_t offset = 0;         ///< relative to the data section, as stored
    std::uint32_t shard = 0;          ///< index into the model's shards
    std::optional<std::uint64_t> absoluteOffset; ///< in its shard's file
    std::optional<std::uint64_t> elements;
    std::optional<std::uint64_t> byteSize;
    std::optional<std::uint64_t> rowBytes;

    // What the name says; see tensorname.h.
    std::optional<std::uint32_t> layer;
    std::string role;
    std::optional<std::uint64_t> experts; ///< ne[2] of names with _exps
    std::optional<std::uint32_t> expert;  ///< the number in an old-style one-tensor-an-expert name

    /// Empty if the weights can be decoded, else a sentence that says why not, for the tensor's row.
    std::string problem;

    bool isDecodable() const { return problem.empty(); }
    std::string typeName() const { return typeLabel(typeId); }
    /// Bytes of one slab along ne[2]: an expert's share of a merged tensor.
    std::optional<std::uint64_t> slabBytes() const
    {
        if (!byteSize || ne[2] == 0)
            return std::nullopt;
        return *byteSize / ne[2];
    }
    /// 8 × bytes / weights, where both are known and there are weights.
    std::optional<double> bitsPerWeight() const
    {
        if (!byteSize || !elements || *elements == 0)
            return std::nullopt;
        return 8.0 * static_cast<double>(*byteSize) / static_cast<double>(*elements);
    }
};

} // namespace ql
