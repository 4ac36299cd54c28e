// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/tensorinfo.h"
#include "core/output/json.h"
#include "core/stats/tensorstats.h"

namespace ql {

/// A tensor's entry in `stats --json`. `expert` is the slab it was asked for, if one.
Json statsJson(const TensorInfo &tensor, std::optional<std::uint64_t> expert, const TensorStats &stats,
               std::size_t bins);

/// The entry of a tensor without figures: name, type, shape and "error".
Json statsErrorJson(const TensorInfo &tensor, std::optional<std::uint64_t> expert, const Error &error);

} // namespace ql
