// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/format/tensorlayout.h"

namespace ql {

/// What follows from the order of the tensors' offsets: sizes of types that have none of their own,
/// contradictions with the type table, overlaps, gaps, bytes behind the last tensor.
void resolveNeighbours(TensorTable &table, const DataSection &data, Findings &findings);

} // namespace ql
