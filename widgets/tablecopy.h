// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

class QAbstractItemModel;
class QAbstractItemView;
class QItemSelectionModel;

namespace ql {

/// The selected cells as tab-separated text, a line a row, in the order of the view; columns without
/// a selected cell are left out. `role` gives the text where the model has it (full precision), the
/// display role where it has not. Tabs and line breaks inside a cell become spaces.
QString selectionAsTsv(const QItemSelectionModel &selection, int role);

/// The same with all columns' titles as a first line.
QString tableAsTsv(const QAbstractItemModel &model, int role);
/// RFC 4180, with titles; cells that a spreadsheet would run as a formula get a leading quote mark.
QString tableAsCsv(const QAbstractItemModel &model, int role);

/// Ctrl+C copies the selection, and so does the view's context menu (through its actions).
void installCopyAction(QAbstractItemView *view, int role);

} // namespace ql
