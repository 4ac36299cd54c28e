// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/ggufmodel.h"

#include <string>

namespace ql {

/// Opens a GGUF file, and with it all shards of a split model whichever of them is named. Reads
/// headers only. Damage that leaves something to show becomes warnings; only what leaves nothing
/// to show is an error, with field and offset. Any thread.
Result<GgufModelPtr> openModel(const std::string &path);

} // namespace ql
