// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/ggufmodel.h"
#include "core/output/bytesink.h"
#include "core/parallel/progress.h"

#include <cstddef>
#include <functional>
#include <span>
#include <stop_token>

namespace ql {

/// A tensor's bytes as the file holds them, whether or not they can be decoded; an error
/// ("no-bytes") where their size is unknown or the file ends before they do. In the model's map.
Result<std::span<const std::byte>> storedBytes(const GgufModel &model, TensorIndex tensor);

/// True where two tensors have the same type, shape, byte order and bytes, decodable or not.
bool sameStoredBytes(const GgufModel &a, TensorIndex inA, const GgufModel &b, TensorIndex inB);

/// Hands on bytes of a shard's map a few MB at a time and lets go of the pages behind it. False when
/// stopped, when `take` says so, or when the file shrinks meanwhile.
bool forEachSlice(const ShardInfo &shard, std::span<const std::byte> bytes, std::stop_token stop,
                  const std::function<bool(std::span<const std::byte>)> &take);

/// Writes a whole tensor as it is stored. Progress in bytes. Errors: "no-bytes", "stopped",
/// "file-changed", those of the sink.
Result<void> writeStored(const GgufModel &model, TensorIndex tensor, ByteSink &sink,
                         std::stop_token stop = {}, const ProgressFn &progress = {});

} // namespace ql
