// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QModelIndexList>
#include <QString>

#include <functional>
#include <vector>

class QAbstractItemView;
class QAction;

namespace ql {

/// Columns of a view that are not hidden, in the order a person sees them.
std::vector<int> shownColumns(const QAbstractItemView &view);

/// Selected rows as tab-separated text with a line of column names: whole values, no locale
/// (PlainRole, else the text shown).
QString selectedRowsAsTsv(const QAbstractItemView &view);

/// All rows that `wants` accepts (null: all), in the order shown, as CSV: RFC 4180, UTF-8, no
/// locale. Text that a spreadsheet would run as a formula gets an apostrophe in front.
using RowFilter = std::function<bool(const QModelIndex &)>;
QByteArray rowsAsCsv(const QAbstractItemView &view, const RowFilter &wants = {});
/// The same with tabs; tabs and line ends within a cell become spaces.
QByteArray rowsAsTsv(const QAbstractItemView &view, const RowFilter &wants = {});
/// The same as an array of objects; numbers stay numbers with all their digits, what is not known is null.
QByteArray rowsAsJson(const QAbstractItemView &view, const RowFilter &wants = {});
/// The same as a table to paste into an issue or a model card.
QByteArray rowsAsMarkdown(const QAbstractItemView &view, const RowFilter &wants = {});
QString selectedRowsAsMarkdown(const QAbstractItemView &view);

/// Writes whole or not at all; an empty text on success, else what went wrong.
QString writeFile(const QString &path, const QByteArray &bytes);

/// Copy of the selected rows on Ctrl+C, and one as Markdown; added to the view.
QAction *addCopyAction(QAbstractItemView *view);
/// "Export table…" as CSV, JSON or Markdown, added to the view; asks for a name without blocking the window.
QAction *addExportAction(QAbstractItemView *view, const QString &suggestedName,
                         const RowFilter &wants = {});
/// Shows the view's actions on a right click.
void useActionsAsContextMenu(QAbstractItemView *view);

} // namespace ql
