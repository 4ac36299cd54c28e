// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/quant/blockview.h"

#include "core/format/mappedfile.h"
#include "core/quant/dequantize.h"

namespace ql {

namespace {

std::vector<std::byte> littleEndianBytes(const TensorView &view, std::span<const std::byte> block)
{
    std::vector<std::byte> bytes(block.begin(), block.end());
    if (view.bigEndian())
        swapBlocks(view.type().type, block.data(), bytes.data(), 1);
    return bytes;
}

std::uint64_t fileOffsetOf(const TensorView &view, std::span<const std::byte> block)
{
    const ShardInfo &shard = view.model().shards()[view.model().tensor(view.tensor()).shard];
    return static_cast<std::uint64_t>(block.data() - shard.file->bytes().data());
}

std::string outOfRangeMessage(const TensorView &view, std::uint64_t row, std::uint64_t column)
{
    return "row " + std::to_string(row) + ", column " + std::to_string(column) + " is outside of "
           + std::to_string(view.rows()) + " rows of " + std::to_string(view.columns())
           + " weights";
}

} // namespace

Result<BlockViewPtr> readBlockView(const TensorView &view, std::uint64_t row, std::uint64_t column)
{
    const std::string &name = view.model().tensor(view.tensor()).name;
    if (row >= view.rows() || column >= view.columns())
        return failure("out-of-range", outOfRangeMessage(view, row, column), name);

    const std::uint64_t block = column / view.type().blockSize;
    const auto stored = view.blockRange(row * view.blocksPerRow() + block, 1);
    auto data = std::make_shared<BlockViewData>();
    data->bytes = littleEndianBytes(view, stored);
    data->fields = readBlockFields(view.type().type, data->bytes);
    data->bigEndian = view.bigEndian();
    data->tensorName = name;
    data->typeName = view.type().name;
    data->rows = view.rows();
    data->columns = view.columns();
    data->blocksPerRow = view.blocksPerRow();
    data->row = row;
    data->block = block;
    data->firstColumn = block * view.type().blockSize;
    data->fileOffset = fileOffsetOf(view, stored);
    if (view.model().changedOnDisk())
        return tl::unexpected(view.model().changedError());
    return data;
}

} // namespace ql
