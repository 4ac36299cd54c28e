// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/ggufmodel.h"

#include <cstdint>
#include <optional>

namespace ql {

/// Bytes a token takes in an f16 key-value cache: the sum over layers of
/// head_count_kv[l] × (key_length + value_length) × 2, a missing length being
/// embedding_length / head_count. Nothing where attention is not causal or a key is missing.
std::optional<std::uint64_t> kvBytesPerTokenF16(const GgufModel &model);

} // namespace ql
