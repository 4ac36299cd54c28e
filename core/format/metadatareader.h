// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/format/bytereader.h"
#include "core/format/findings.h"
#include "core/format/ggufheader.h"
#include "core/model/metadata.h"

#include <memory>
#include <vector>

namespace ql {

/// Reads all key-value pairs, leaving the reader behind the last. Arrays are walked over, not
/// copied. An error where a pair's end can't be found: nothing behind it can be located.
Result<std::vector<MetadataEntry>> readMetadata(ByteReader &reader,
                                                const std::shared_ptr<const MappedFile> &file,
                                                const GgufHeader &header, Findings &findings);

/// Absolute offsets of an entry's value type and value.
std::uint64_t valueTypeOffset(const MetadataEntry &entry, bool v1);
std::uint64_t valueOffset(const MetadataEntry &entry, bool v1);

} // namespace ql
