// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/format/ggufwriter.h"

#include <optional>

namespace ql {

/// What keeps a file from being written; nothing if all is well.
std::optional<Error> whyNotWritable(const std::vector<GgufEntry> &metadata);
std::optional<Error> whyNotWritable(const std::vector<GgufTensor> &tensors);
/// general.alignment, 32 where it is missing.
Result<std::uint64_t> alignmentOf(const std::vector<GgufEntry> &metadata);

} // namespace ql
