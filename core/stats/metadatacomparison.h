// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/error.h"
#include "core/model/ggufmodel.h"
#include "core/stats/metadatadiff.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace ql {

/// A line of a text, or an element of an array, as the two files have it.
struct DiffLine {
    enum class Kind {
        Same,
        OnlyA,
        OnlyB,
        Gap ///< lines that are the same were left out here: `text` is empty, `count` of them
    };
    Kind kind = Kind::Same;
    std::string text;           ///< escaped
    std::uint64_t numberA = 0;  ///< from 1; of arrays the index, from 0. Of what A has
    std::uint64_t numberB = 0;
    std::uint64_t count = 0;
    bool operator==(const DiffLine &) const = default;
};

/// The lines of two texts as one list: what both have, what only one has. Exact as long as the parts that
/// differ are small enough (MaxDiffCells); beyond that all of A's part and then all of B's.
std::vector<DiffLine> diffLines(std::string_view a, std::string_view b);
inline constexpr std::size_t MaxDiffCells = 4u << 20;
/// The same with long runs of equal lines cut out, `context` of them left around what differs.
std::vector<DiffLine> withoutLongRuns(const std::vector<DiffLine> &lines, std::size_t context);

/// A key that the two files don't have alike, as values: what a view shows.
struct MetadataDifference {
    enum class Kind { Changed, OnlyA, OnlyB };
    Kind kind = Kind::Changed;
    std::string key;   ///< escaped
    std::string typeA; ///< "u32", "string × 32,000" without grouping; "" where the key is missing
    std::string typeB;
    std::string previewA; ///< one line, escaped
    std::string previewB;
    std::optional<std::uint64_t> firstDifference; ///< of two arrays
    bool isArray = false;        ///< `lines` are elements
    std::vector<DiffLine> lines; ///< the whole of it, long equal runs left out
};

struct MetadataComparison {
    std::vector<MetadataDifference> rows; ///< changed ones in A's order, then A's own, then B's own
    std::size_t same = 0;                 ///< keys that both have alike
};
using MetadataComparisonPtr = std::shared_ptr<const MetadataComparison>;

/// Compares all metadata, arrays whole, and takes apart what differs. Reads the maps: never on the GUI
/// thread. Errors: "stopped", "file-changed".
Result<MetadataComparisonPtr> compareMetadata(const GgufModel &a, const GgufModel &b, std::stop_token stop = {});

} // namespace ql
