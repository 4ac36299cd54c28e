// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/error.h"
#include "core/model/tensorview.h"
#include "core/quant/blockfields.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ql {

/// One block as the Block view shows it: a value, without a map behind it.
struct BlockViewData {
    BlockFields fields;
    std::vector<std::byte> bytes; ///< little-endian, as fields count their bits
    bool bigEndian = false;       ///< the file has these bytes in big-endian order

    std::string tensorName;
    std::string typeName;
    std::uint64_t rows = 0;    ///< of the tensor or expert that the numbers below count in
    std::uint64_t columns = 0;
    std::uint64_t blocksPerRow = 0;
    std::uint64_t row = 0;
    std::uint64_t block = 0;       ///< within its row
    std::uint64_t firstColumn = 0; ///< of its first weight
    std::uint64_t fileOffset = 0;  ///< of its first byte, in its shard's file
};
using BlockViewPtr = std::shared_ptr<const BlockViewData>;

/// Takes the block that holds weight (row, column) of the view apart. Errors: "out-of-range",
/// "file-changed".
Result<BlockViewPtr> readBlockView(const TensorView &view, std::uint64_t row, std::uint64_t column);

} // namespace ql
