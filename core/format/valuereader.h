// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/format/bytereader.h"
#include "core/model/metadata.h"

#include <optional>

namespace ql {

/// A value of any type but array, integers widened, strings copied; nothing if the bytes end first.
std::optional<MetadataValue> readScalar(ByteReader &reader, ValueType type);
/// 0, 0.0, "" … of a type: what stands in for an element that can't be read any more.
MetadataValue zeroValue(ValueType type);

} // namespace ql
