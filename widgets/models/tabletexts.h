// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

class QAbstractItemView;
class QAction;

namespace ql {

// A table as text to paste: all rows shown (those of a flat table), the columns that are not hidden, whole
// values without locale (PlainRole, else the text shown).

/// An array of objects by the columns' names for files. All values are texts; empty ones are null.
QString rowsAsJson(const QAbstractItemView &view);
/// Nothing in a cell is markup: code spans, or character references where a cell could end one.
QString rowsAsMarkdown(const QAbstractItemView &view);

/// "Copy table as JSON" and "… as Markdown", added to the view.
void addCopyTextActions(QAbstractItemView *view);

} // namespace ql
