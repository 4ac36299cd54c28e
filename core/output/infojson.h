// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/modelsummary.h"
#include "core/output/json.h"

namespace ql {

/// How many elements of an array `info` shows without --full.
inline constexpr std::uint64_t ShownElements = 8;

/// A metadata value as JSON: whole strings, at most maxElements of each array, nested arrays nested.
Json metadataValueJson(const MetadataValue &value, std::uint64_t maxElements);

/// The document of `info --json`. Reads array elements from the model's map.
Json infoJson(const GgufModel &model, const ModelSummary &summary, bool full);

Json shapeJson(const Ne &ne);

} // namespace ql
