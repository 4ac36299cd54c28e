// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/ggufmodel.h"

#include <optional>

namespace ql {

/// Why not all of a split model is there: a shard that is missing or can't be read, or others that a
/// renamed shard doesn't lead to. Nothing for a whole model. For what must not pass a part for it.
std::optional<Error> incompleteError(const GgufModel &model);

} // namespace ql
