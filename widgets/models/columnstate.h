// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QJsonObject>

#include <set>

class QHeaderView;

namespace ql {

/// Widths, order and sorting of a header, by the columns' names in files (PlainRole), so that a
/// state outlives a new column.
QJsonObject columnState(const QHeaderView &header);
/// Restores what it knows of; names and numbers it doesn't understand are left alone.
void restoreColumnState(QHeaderView &header, const QJsonObject &state);

/// The name of a column in files.
QString columnKey(const QHeaderView &header, int column);
/// The column of a name, or -1.
int columnOf(const QHeaderView &header, const QString &key);

} // namespace ql
