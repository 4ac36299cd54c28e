// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/tensorinfo.h"

#include <cstdint>
#include <optional>

namespace ql {

/// What a person looks at, the one thing all views share. A weight is (row, column) within the
/// selected tensor or expert; each file works out its own block from it.
struct Selection {
    std::optional<TensorIndex> tensor;
    std::optional<std::uint64_t> expert; ///< a slab of a merged tensor
    std::optional<std::uint64_t> row;
    std::optional<std::uint64_t> column;

    bool operator==(const Selection &) const = default;
};

} // namespace ql
