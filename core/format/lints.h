// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/format/findings.h"
#include "core/model/ggufmodel.h"

#include <vector>

namespace ql {

/// Things that can be read but don't fit together: a missing architecture, expert counts, token
/// arrays of different lengths. Looks at lengths and scalars only, so it costs nothing.
void lintModel(const std::vector<ShardInfo> &shards, const std::vector<MetadataEntry> &metadata,
               const std::vector<TensorInfo> &tensors, Findings &findings);

} // namespace ql
