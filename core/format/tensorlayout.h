// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/format/findings.h"
#include "core/format/tensortable.h"
#include "core/model/metadata.h"

#include <cstdint>
#include <vector>

namespace ql {

/// What general.alignment says, and whether the data can be found by it.
struct Alignment {
    std::uint64_t value = 32;
    bool usable = true;
};

Alignment readAlignment(const std::vector<MetadataEntry> &metadata, bool v1, Findings &findings);

/// The next multiple; nothing beyond 64 bits.
std::optional<std::uint64_t> alignUp(std::uint64_t value, std::uint64_t alignment);

/// Where one file's data lies.
struct DataSection {
    std::uint64_t fileSize = 0;
    std::uint64_t start = 0;
    Alignment alignment;
    bool bigEndian = false;
};

/// Sets rowBytes and byteSize from type and shape where both are known and fit 64 bits.
void computeSizes(TensorTable &table, Findings &findings);
/// Sets absoluteOffset, sizes that only follow from the neighbours' offsets, and `problem`; finds
/// overlaps, gaps, data beyond the end of the file, bytes nobody owns.
void checkLayout(TensorTable &table, const DataSection &data, Findings &findings);

} // namespace ql
