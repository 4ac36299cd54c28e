// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/format/bytereader.h"
#include "core/format/findings.h"
#include "core/format/ggufheader.h"
#include "core/model/tensorinfo.h"

#include <vector>

namespace ql {

/// Absolute offsets of a tensor info's fields, to point at in warnings.
struct TensorPlace {
    std::uint64_t name = 0;
    std::uint64_t nDims = 0;
    std::uint64_t type = 0;
    std::uint64_t nDimsStored = 0; ///< what the file says; Ne keeps eight at most

    std::uint64_t dimensions() const { return nDims + 4; }
    std::uint64_t offset() const { return type + 4; }
};

/// The tensor infos of one file as they stand there, with names parsed and made unique.
struct TensorTable {
    std::vector<TensorInfo> infos;
    std::vector<TensorPlace> places;
    bool complete = true;   ///< false: the file ends inside it, or it is damaged; said in the findings
    std::uint64_t end = 0;  ///< absolute, behind the last info that could be read
};

/// Sets rawName, name, type, ne, offset, elements and what the name says. An error only where the
/// very first info is so damaged that nothing can be shown.
Result<TensorTable> readTensorTable(ByteReader &reader, const GgufHeader &header,
                                    Findings &findings);

/// Gives equal names their "#2", "#3" …; names are escaped already. Returns the indices of the rows
/// that had to be renamed, each with the row that has the name first.
struct RenamedTensor {
    std::size_t index = 0;
    std::size_t first = 0;
};
std::vector<RenamedTensor> makeNamesUnique(std::vector<TensorInfo> &tensors);

} // namespace ql
