// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/format/ggufwriter.h"

namespace ql {

/// Writes a metadata array's element type, count and elements as a version 3 little-endian file has
/// them, whatever the file it comes from. Copies nothing but pieces that have to be turned round.
Result<void> encodeArray(const MetadataArray &array, const GgufWriter::Sink &sink);

} // namespace ql
