// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/stats/comparisontable.h"

#include <QString>

#include <optional>
#include <span>
#include <string_view>

namespace ql {

/// What one row of the Compare table is about: a group with its totals, a pair, or one expert of a
/// pair. Borrowed from the model for as long as a call takes.
struct CompareRow {
    const ComparisonGroup *group = nullptr;
    const ComparisonTotals *totals = nullptr; ///< of the group
    const ComparisonTable *table = nullptr;
    const ComparisonRow *row = nullptr; ///< nothing for groups
    std::optional<std::uint64_t> expert;
};

enum class CompareColumn {
    Name, TypeA, TypeB, RelativeRmse, BitsDelta, Sqnr, Cosine, Rmse, MaxError, BytesA, BytesB, Weights, Status,
};

/// A number, or a text as people count ("blk.9" before "blk.10"). Unknown ones come last either way.
struct CompareKey {
    bool known = false;
    double number = 0;
    std::string_view text;
};
int compareKeys(const CompareKey &a, const CompareKey &b);

struct CompareColumnSpec {
    enum class Look { Name, Chip, Bar, Number, Text };

    CompareColumn column;
    const char *key;   ///< for files and saved states; never translated
    const char *title; ///< context CompareColumns
    const char *toolTip;
    Look look;
    int width;
    QString (*text)(const CompareRow &);  ///< for people, in their locale
    QString (*plain)(const CompareRow &); ///< for files and the clipboard: whole, no locale
    CompareKey (*sortKey)(const CompareRow &);
};

/// All columns in the order of CompareColumn.
std::span<const CompareColumnSpec> compareColumns();

/// "same", "differs", "only in B" …
QString pairStateText(PairState state);
/// "blk.3.ffn_up_exps.weight[5]"; "A / B" where the names differ.
QString compareName(const CompareRow &row);
std::optional<double> compareFigure(const CompareRow &row, ErrorFigure figure);
std::optional<std::uint32_t> compareType(const CompareRow &row, bool ofB);

} // namespace ql
