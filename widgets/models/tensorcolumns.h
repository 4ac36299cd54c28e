// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/stats/moments.h"
#include "widgets/models/tensortree.h"

#include <QString>

#include <span>
#include <string_view>
#include <vector>

namespace ql {

/// What a comparison says about one tensor of A.
struct TensorComparison {
    std::optional<std::uint32_t> typeB; ///< nothing: not in B
    bool identical = false;             ///< the same bytes
    std::optional<double> relativeRmse;
    std::vector<std::optional<double>> experts; ///< relative RMSE a slab, if known
};

/// What one row of the tensor table is about: a group, a tensor, or one expert of a tensor.
/// Borrowed from the model, for as long as a call takes.
struct TensorRow {
    const TensorNode *node = nullptr;
    const TensorInfo *tensor = nullptr; ///< nothing for groups
    std::optional<std::uint32_t> slab;
    bool fullNames = false;
    bool isOldExpert = false; ///< one tensor an expert, below its role
    const Moments *moments = nullptr;
    const TensorComparison *comparison = nullptr;
};

enum class TensorColumn {
    Name, Type, TypeB, Error, Shape, Weights, Bytes, BitsPerWeight, Offset, Shard,
    Rms, Std, AbsMax, Kurtosis, ZeroShare, NonFinite, Problem,
};

/// How rows are put in order: by the numbers, then by the text as people count ("blk.9" before
/// "blk.10"). Rows that know nothing come last whichever way the column is sorted.
struct SortKey {
    bool known = false;
    double number = 0;
    double second = 0;
    std::string_view text;
};
int compareKeys(const SortKey &a, const SortKey &b);

/// One column: a row of a table.
struct TensorColumnSpec {
    enum class Look { Name, Chip, Bar, Number, Text };
    enum class When { Always, Optional, Split, Scanned, Compared, Problems };

    TensorColumn column;
    const char *key;   ///< for files and saved states; never translated
    const char *title; ///< context TensorColumns
    const char *toolTip;
    Look look;
    When when;
    QString (*text)(const TensorRow &);  ///< for people, in their locale
    QString (*plain)(const TensorRow &); ///< for files and the clipboard: whole, no locale
    SortKey (*sortKey)(const TensorRow &);
};

/// All columns in the order of TensorColumn.
std::span<const TensorColumnSpec> tensorColumns();

std::optional<std::uint64_t> weightsOf(const TensorRow &row);
std::optional<std::uint64_t> bytesOf(const TensorRow &row);
std::optional<std::uint32_t> typeIdOf(const TensorRow &row);
std::optional<double> errorOf(const TensorRow &row);

} // namespace ql
