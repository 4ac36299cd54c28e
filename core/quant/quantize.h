// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/ggmltype.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace ql {

/// Encodes nBlocks × blockSize finite floats as little-endian blocks. Deterministic. The caller
/// has refused NaN and Inf; a scale that does not fit binary16 becomes Inf (see scaleOverflows).
using QuantizeFn = void (*)(const float *weights, std::byte *blocks, std::size_t nBlocks);

/// The encoder of a type, or nullptr where we have none (types that need an importance matrix).
QuantizeFn quantizer(GgmlType type);
/// All types with an encoder, in the order menus show them: most bits first.
std::span<const GgmlType> quantizableTypes();

/// True if encoding `weights` (whole blocks) would store a scale of Inf or NaN.
bool scaleOverflows(GgmlType type, std::span<const std::byte> blocks);

} // namespace ql
