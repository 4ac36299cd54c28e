// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/ggufmodel.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace ql {

/// A key that both models have, with other values. Entries are indices into the models' metadata
/// (and so into the metadata of their summaries).
struct MetadataChange {
    std::size_t a = 0;
    std::size_t b = 0;
    /// Two arrays: the first index at which they differ; the shorter one's length where it is the
    /// other's beginning.
    std::optional<std::uint64_t> firstDifference;
};

/// What differs between the metadata of two models. Keys compare as raw bytes; the second of two
/// equal keys pairs with the other file's second. Another type is another value.
struct MetadataDiff {
    std::vector<std::size_t> onlyA;      ///< in A's order
    std::vector<std::size_t> onlyB;      ///< in B's order
    std::vector<MetadataChange> changed; ///< in A's order
    /// True if anything but split.* differs.
    bool differs = false;

    bool isEmpty() const { return onlyA.empty() && onlyB.empty() && changed.empty(); }
};

/// Compares arrays whole; reads the maps, so never on the GUI thread.
MetadataDiff diffMetadata(const GgufModel &a, const GgufModel &b);

/// True for split.no and its like: they say how a model was cut into files, not what it is.
bool isSplitKey(std::string_view rawKey);

} // namespace ql
