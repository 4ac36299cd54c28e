// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/tensorinfo.h"

#include <cstddef>

// Which tensors a change of type is meant for.

namespace ql {

/// Dimensions up to the last that is not 1.
std::size_t usedDimensions(const TensorInfo &tensor);

bool isIntegerTensor(const TensorInfo &tensor);

/// 2-D and 3-D `.weight` tensors but norms and routers: what one type for the whole model is for.
bool isMainWeight(const TensorInfo &tensor);

/// Single rows that loaders want in plain floats, whatever anyone asks for: norms, biases,
/// rotation factors, attention sinks.
bool staysPlain(const TensorInfo &tensor);

} // namespace ql
