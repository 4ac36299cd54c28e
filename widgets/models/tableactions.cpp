// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/tableactions.h"

#include "widgets/models/itemroles.h"

#include <QAbstractItemView>
#include <QAction>
#include <QClipboard>
#include <QCoreApplication>
#include <QFileDialog>
#include <QGuiApplication>
#include <QHeaderView>
#include <QMessageBox>
#include <QSaveFile>
#include <QTableView>
#include <QTreeView>

#include <algorithm>

namespace ql {

namespace {

QString tr(const char *text) { return QCoreApplication::translate("TableActions", text); }

const QHeaderView *headerOf(const QAbstractItemView &view)
{
    if (const auto *tree = qobject_cast<const QTreeView *>(&view))
        return tree->header();
    if (const auto *table = qobject_cast<const QTableView *>(&view))
        return table->horizontalHeader();
    return nullptr;
}

QString headerText(const QAbstractItemModel &model, int column)
{
    const QVariant plain = model.headerData(column, Qt::Horizontal, PlainRole);
    return (plain.isValid() ? plain : model.headerData(column, Qt::Horizontal)).toString();
}

QString cellText(const QModelIndex &index)
{
    const QVariant plain = index.data(PlainRole);
    return (plain.isValid() ? plain : index.data(Qt::DisplayRole)).toString();
}

bool isNumber(const QString &text)
{
    bool ok = false;
    text.toDouble(&ok);
    return ok;
}

QString tsvCell(QString text)
{
    return text.replace(QLatin1Char('\t'), QLatin1Char(' '))
        .replace(QLatin1Char('\n'), QLatin1Char(' '))
        .replace(QLatin1Char('\r'), QLatin1Char(' '));
}

QString csvCell(QString text)
{
    static const QString formula = QStringLiteral("=+-@\t\r");
    if (!text.isEmpty() && formula.contains(text.front()) && !isNumber(text))
        text.prepend(QLatin1Char('\''));
    static const QString special = QStringLiteral(",\"\r\n");
    const bool mustQuote = std::any_of(text.cbegin(), text.cend(),
                                       [](QChar c) { return special.contains(c); });
    if (!mustQuote)
        return text;
    text.replace(QLatin1Char('"'), QLatin1String("\"\""));
    return QLatin1Char('"') + text + QLatin1Char('"');
}

/// One line of cells, made by `cell` from each column.
template <class Cell>
QString line(const std::vector<int> &columns, QChar separator, const Cell &cell)
{
    QString text;
    for (const int column : columns) {
        if (column != columns.front())
            text += separator;
        text += cell(column);
    }
    return text;
}

/// The rows of a view's model, each before those below it.
void walk(const QAbstractItemModel &model, const QModelIndex &parent,
          const std::function<void(const QModelIndex &)> &visit)
{
    for (int row = 0; row < model.rowCount(parent); ++row) {
        const QModelIndex index = model.index(row, 0, parent);
        visit(index);
        walk(model, index, visit);
    }
}

/// Rows from the root down, to put a tree's selection in the order a person sees.
std::vector<int> pathOf(QModelIndex index)
{
    std::vector<int> path;
    for (; index.isValid(); index = index.parent())
        path.insert(path.begin(), index.row());
    return path;
}

std::vector<QModelIndex> selectedInOrder(const QItemSelectionModel &selection)
{
    std::vector<std::pair<std::vector<int>, QModelIndex>> rows;
    for (const QModelIndex &index : selection.selectedRows())
        rows.emplace_back(pathOf(index), index);
    std::sort(rows.begin(), rows.end(),
              [](const auto &a, const auto &b) { return a.first < b.first; });
    std::vector<QModelIndex> ordered;
    for (const auto &[path, index] : rows)
        ordered.push_back(index);
    return ordered;
}

void askForFile(QAbstractItemView *view, const QString &suggestedName, const RowFilter &wants)
{
    auto *dialog = new QFileDialog(view, tr("Export table"), suggestedName, tr("CSV files (*.csv)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QStringLiteral("csv"));
    QObject::connect(dialog, &QFileDialog::fileSelected, view, [view, wants](const QString &path) {
        const QString problem = writeFile(path, rowsAsCsv(*view, wants));
        if (problem.isEmpty())
            return;
        auto *box = new QMessageBox(QMessageBox::Warning, tr("Export table"), problem,
                                    QMessageBox::Ok, view);
        box->setAttribute(Qt::WA_DeleteOnClose);
        box->open();
    });
    dialog->open();
}

} // namespace

std::vector<int> shownColumns(const QAbstractItemView &view)
{
    std::vector<int> columns;
    const QHeaderView *header = headerOf(view);
    for (int i = 0; header && i < header->count(); ++i) {
        if (!header->isSectionHidden(header->logicalIndex(i)))
            columns.push_back(header->logicalIndex(i));
    }
    return columns;
}

QString selectedRowsAsTsv(const QAbstractItemView &view)
{
    if (!view.selectionModel())
        return {};
    const std::vector<int> columns = shownColumns(view);
    const QChar tab = QLatin1Char('\t');
    QString text = line(columns, tab, [&](int c) { return headerText(*view.model(), c); });
    for (const QModelIndex &row : selectedInOrder(*view.selectionModel())) {
        text += QLatin1Char('\n');
        text += line(columns, tab, [&](int c) { return tsvCell(cellText(row.siblingAtColumn(c))); });
    }
    return text + QLatin1Char('\n');
}

QByteArray rowsAsCsv(const QAbstractItemView &view, const RowFilter &wants)
{
    const std::vector<int> columns = shownColumns(view);
    const QChar comma = QLatin1Char(',');
    QString text = line(columns, comma, [&](int c) { return csvCell(headerText(*view.model(), c)); });
    text += QLatin1String("\r\n");
    walk(*view.model(), view.rootIndex(), [&](const QModelIndex &row) {
        if (wants && !wants(row))
            return;
        text += line(columns, comma,
                     [&](int c) { return csvCell(cellText(row.siblingAtColumn(c))); });
        text += QLatin1String("\r\n");
    });
    return text.toUtf8();
}

QString writeFile(const QString &path, const QByteArray &bytes)
{
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size() || !file.commit())
        return tr("%1 was not written: %2").arg(path, file.errorString());
    return {};
}

QAction *addCopyAction(QAbstractItemView *view)
{
    auto *copy = new QAction(tr("Copy rows"), view);
    copy->setObjectName(QStringLiteral("copyRows"));
    copy->setShortcut(QKeySequence::Copy);
    copy->setShortcutContext(Qt::WidgetShortcut);
    QObject::connect(copy, &QAction::triggered, view, [view] {
        QGuiApplication::clipboard()->setText(selectedRowsAsTsv(*view));
    });
    view->addAction(copy);
    return copy;
}

QAction *addExportAction(QAbstractItemView *view, const QString &suggestedName,
                         const RowFilter &wants)
{
    auto *action = new QAction(tr("Export table as CSV…"), view);
    action->setObjectName(QStringLiteral("exportCsv"));
    QObject::connect(action, &QAction::triggered, view,
                     [=] { askForFile(view, suggestedName, wants); });
    view->addAction(action);
    return action;
}

void useActionsAsContextMenu(QAbstractItemView *view)
{
    view->setContextMenuPolicy(Qt::ActionsContextMenu);
}

} // namespace ql
