// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/output/storedbytes.h"

#include "core/format/mappedfile.h"
#include "core/model/checkedmath.h"

#include <algorithm>

namespace ql {

Result<std::span<const std::byte>> storedBytes(const GgufModel &model, TensorIndex tensor)
{
    const TensorInfo &info = model.tensor(tensor);
    const auto file = model.shards()[info.shard].file->bytes();
    const auto no = [&](const std::string &why) {
        return failure("no-bytes", "tensor '" + info.name + "': " + why, info.name, info.absoluteOffset);
    };
    // An unknown type may have a size, the gap to the next offset, but that can include padding.
    const bool sized = info.type && info.type->isSized() && info.byteSize && info.absoluteOffset;
    if (!sized)
        return no(info.problem.empty() ? "its size is not known" : info.problem);
    const auto end = checkedAdd(*info.absoluteOffset, *info.byteSize);
    if (*info.byteSize > 0 && (!end || *end > file.size()))
        return no("the file ends before its data does");
    return *info.byteSize ? file.subspan(*info.absoluteOffset, *info.byteSize) : file.first(0);
}

namespace {

/// Of a type whose size isn't known: all up to the next tensor.
std::optional<std::span<const std::byte>> bytesUpToTheNext(const GgufModel &model, TensorIndex tensor)
{
    const TensorInfo &info = model.tensor(tensor);
    const auto file = model.shards()[info.shard].file->bytes();
    if (!info.byteSize || !info.absoluteOffset || *info.byteSize == 0)
        return std::nullopt;
    const auto end = checkedAdd(*info.absoluteOffset, *info.byteSize);
    if (!end || *end > file.size())
        return std::nullopt;
    return file.subspan(*info.absoluteOffset, *info.byteSize);
}

std::optional<std::span<const std::byte>> bytesToCompare(const GgufModel &model, TensorIndex tensor)
{
    if (const auto bytes = storedBytes(model, tensor))
        return *bytes;
    return bytesUpToTheNext(model, tensor);
}

} // namespace

bool sameStoredBytes(const GgufModel &a, TensorIndex inA, const GgufModel &b, TensorIndex inB)
{
    const TensorInfo &ta = a.tensor(inA), &tb = b.tensor(inB);
    const bool sameKind = ta.typeId == tb.typeId && ta.ne == tb.ne
        && a.shards()[ta.shard].bigEndian == b.shards()[tb.shard].bigEndian;
    const auto bytesA = bytesToCompare(a, inA), bytesB = bytesToCompare(b, inB);
    return sameKind && bytesA && bytesB && std::ranges::equal(*bytesA, *bytesB);
}

bool forEachSlice(const ShardInfo &shard, std::span<const std::byte> bytes, std::stop_token stop,
                  const std::function<bool(std::span<const std::byte>)> &take)
{
    constexpr std::size_t Slice = 4u << 20;
    for (std::size_t at = 0; at < bytes.size(); at += Slice) {
        const auto slice = bytes.subspan(at, std::min(Slice, bytes.size() - at));
        if (stop.stop_requested() || shard.file->faulted() || !take(slice))
            return false;
        shard.file->dontNeed(slice);
    }
    return !stop.stop_requested() && !shard.file->faulted();
}

Result<void> writeStored(const GgufModel &model, TensorIndex tensor, ByteSink &sink, std::stop_token stop,
                         const ProgressFn &progress)
{
    const auto bytes = storedBytes(model, tensor);
    if (!bytes)
        return tl::unexpected(bytes.error());
    Result<void> written;
    std::uint64_t done = 0;
    const bool complete = forEachSlice(
        model.shards()[model.tensor(tensor).shard], *bytes, stop, [&](std::span<const std::byte> slice) {
            written = sink.write(slice);
            done += slice.size();
            if (progress)
                progress({done, bytes->size()});
            return written.has_value();
        });
    // First: writing from a page that is gone fails as a bad address, which says nothing of the cause.
    if (model.changedOnDisk())
        return tl::unexpected(model.changedError());
    if (!written)
        return written;
    if (!complete)
        return failure(StoppedCode, "stopped");
    return {};
}

} // namespace ql
