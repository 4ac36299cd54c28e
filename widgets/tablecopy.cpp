// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/tablecopy.h"

#include <QAbstractItemView>
#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QItemSelectionModel>
#include <QRegularExpression>

#include <algorithm>
#include <map>
#include <set>

namespace ql {

namespace {

QString cellText(const QAbstractItemModel &model, const QModelIndex &index, int role)
{
    const QVariant exact = model.data(index, role);
    return exact.isValid() ? exact.toString() : model.data(index, Qt::DisplayRole).toString();
}

QString tsvCell(QString text)
{
    static const QRegularExpression breaks(QStringLiteral("[\\t\\r\\n]+"));
    return text.replace(breaks, QStringLiteral(" "));
}

QString csvCell(QString text)
{
    bool isNumber = false;
    text.toDouble(&isNumber);
    if (!isNumber && !text.isEmpty() && QStringLiteral("=+-@").contains(text.at(0)))
        text.prepend(QLatin1Char('\''));
    static const QRegularExpression special(QStringLiteral("[\",\\r\\n]"));
    if (!text.contains(special))
        return text;
    return QLatin1Char('"') + text.replace(QLatin1Char('"'), QStringLiteral("\"\"")) + QLatin1Char('"');
}

template<typename Cell>
QString tableAs(const QAbstractItemModel &model, int role, QLatin1Char separator, Cell cell)
{
    QString text;
    for (int row = -1; row < model.rowCount(); ++row) {
        QStringList cells;
        for (int column = 0; column < model.columnCount(); ++column)
            cells << cell(row < 0 ? model.headerData(column, Qt::Horizontal).toString()
                                  : cellText(model, model.index(row, column), role));
        text += cells.join(separator) + QLatin1Char('\n');
    }
    return text;
}

/// Rows of a tree in the order of the screen: compared by their path of row numbers.
std::vector<int> pathOf(QModelIndex index)
{
    std::vector<int> path;
    for (; index.isValid(); index = index.parent())
        path.insert(path.begin(), index.row());
    return path;
}

} // namespace

QString selectionAsTsv(const QItemSelectionModel &selection, int role)
{
    std::map<std::vector<int>, std::map<int, QString>> rows;
    std::set<int> columns;
    const auto indexes = selection.selectedIndexes();
    for (const QModelIndex &index : indexes) {
        rows[pathOf(index)][index.column()] = tsvCell(cellText(*selection.model(), index, role));
        columns.insert(index.column());
    }
    QString text;
    for (const auto &[path, cells] : rows) {
        QStringList line;
        for (const int column : columns) {
            const auto found = cells.find(column);
            line << (found == cells.end() ? QString() : found->second);
        }
        text += line.join(QLatin1Char('\t')) + QLatin1Char('\n');
    }
    return text;
}

QString tableAsTsv(const QAbstractItemModel &model, int role)
{
    return tableAs(model, role, QLatin1Char('\t'), tsvCell);
}

QString tableAsCsv(const QAbstractItemModel &model, int role)
{
    return tableAs(model, role, QLatin1Char(','), csvCell);
}

void installCopyAction(QAbstractItemView *view, int role)
{
    auto *copy = new QAction(QObject::tr("Copy"), view);
    copy->setShortcut(QKeySequence::Copy);
    copy->setShortcutContext(Qt::WidgetShortcut);
    QObject::connect(copy, &QAction::triggered, view, [view, role] {
        const QString text = selectionAsTsv(*view->selectionModel(), role);
        if (!text.isEmpty())
            QGuiApplication::clipboard()->setText(text);
    });
    view->addAction(copy);
    view->setContextMenuPolicy(Qt::ActionsContextMenu);
}

} // namespace ql
