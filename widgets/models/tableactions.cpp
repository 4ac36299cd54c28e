// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/tableactions.h"

#include "widgets/models/itemroles.h"

#include <QAbstractItemView>
#include <QAction>
#include <QClipboard>
#include <QCoreApplication>
#include <QFileDialog>
#include <QGuiApplication>
#include <QFileInfo>
#include <QHeaderView>
#include <QJsonArray>
#include <QJsonDocument>
#include <QMessageBox>
#include <QRegularExpression>
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

/// Text that a spreadsheet would run as a formula gets an apostrophe in front.
QString defused(QString text)
{
    static const QString formula = QStringLiteral("=+-@\t\r");
    if (!text.isEmpty() && formula.contains(text.front()) && !isNumber(text))
        text.prepend(QLatin1Char('\''));
    return text;
}

QString csvCell(const QString &cell)
{
    QString text = defused(cell);
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

/// A JSON number as it stands: all digits of a 64-bit count are kept.
bool isJsonNumber(const QString &text)
{
    static const QRegularExpression number(QStringLiteral("^-?(0|[1-9][0-9]*)([.][0-9]+)?([eE][+-]?[0-9]+)?$"));
    return number.match(text).hasMatch();
}

QString jsonString(const QString &text)
{
    const QByteArray array = QJsonDocument(QJsonArray{text}).toJson(QJsonDocument::Compact);
    return QString::fromUtf8(array.mid(1, array.size() - 2));
}

QString jsonCell(const QString &text)
{
    if (text.isEmpty())
        return QStringLiteral("null");
    return isJsonNumber(text) ? text : jsonString(text);
}

/// For people who read it in an issue: fractions with six digits, no locale.
QString markdownCell(QString text)
{
    if (isJsonNumber(text) && (text.contains(QLatin1Char('.')) || text.contains(QLatin1Char('e'))))
        return QString::number(text.toDouble(), 'g', 6);
    text.replace(QLatin1Char('\\'), QLatin1String("\\\\")).replace(QLatin1Char('|'), QLatin1String("\\|"));
    return text.replace(QLatin1Char('\n'), QLatin1Char(' ')).replace(QLatin1Char('\r'), QLatin1Char(' '));
}

bool isRightAligned(const QAbstractItemModel &model, int column)
{
    return model.headerData(column, Qt::Horizontal, Qt::TextAlignmentRole).toInt() & Qt::AlignRight;
}

QString markdownLine(const std::vector<int> &columns, const std::function<QString(int)> &cell)
{
    QString text = QStringLiteral("|");
    for (const int column : columns)
        text += QLatin1Char(' ') + cell(column) + QStringLiteral(" |");
    return text + QLatin1Char('\n');
}

QString markdownHead(const QAbstractItemModel &model, const std::vector<int> &columns)
{
    return markdownLine(columns, [&](int c) { return markdownCell(headerText(model, c)); })
        + markdownLine(columns, [&](int c) { return isRightAligned(model, c) ? QStringLiteral("--:") : QStringLiteral("---"); });
}

QByteArray rowsAs(const QString &path, const QAbstractItemView &view, const RowFilter &wants)
{
    const QString suffix = QFileInfo(path).suffix().toLower();
    if (suffix == QLatin1String("json"))
        return rowsAsJson(view, wants);
    if (suffix == QLatin1String("tsv"))
        return rowsAsTsv(view, wants);
    return suffix == QLatin1String("md") ? rowsAsMarkdown(view, wants) : rowsAsCsv(view, wants);
}

void askForFile(QAbstractItemView *view, const QString &suggestedName, const RowFilter &wants)
{
    auto *dialog = new QFileDialog(view, tr("Export table"), suggestedName);
    dialog->setNameFilters({tr("CSV files (*.csv)"), tr("TSV files (*.tsv)"), tr("JSON files (*.json)"), tr("Markdown files (*.md)")});
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QStringLiteral("csv"));
    dialog->selectFile(suggestedName);
    QObject::connect(dialog, &QFileDialog::filterSelected, dialog, [dialog](const QString &filter) {
        dialog->setDefaultSuffix(filter.section(QStringLiteral("*."), 1).chopped(1));
    });
    QObject::connect(dialog, &QFileDialog::fileSelected, view, [view, wants](const QString &path) {
        const QString problem = writeFile(path, rowsAs(path, *view, wants));
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

QByteArray rowsAsTsv(const QAbstractItemView &view, const RowFilter &wants)
{
    const std::vector<int> columns = shownColumns(view);
    const QChar tab = QLatin1Char('\t');
    QString text = line(columns, tab, [&](int c) { return tsvCell(headerText(*view.model(), c)); }) + QLatin1Char('\n');
    walk(*view.model(), view.rootIndex(), [&](const QModelIndex &row) {
        if (!wants || wants(row))
            text += line(columns, tab, [&](int c) { return tsvCell(defused(cellText(row.siblingAtColumn(c)))); }) + QLatin1Char('\n');
    });
    return text.toUtf8();
}

QByteArray rowsAsJson(const QAbstractItemView &view, const RowFilter &wants)
{
    const std::vector<int> columns = shownColumns(view);
    QStringList rows;
    walk(*view.model(), view.rootIndex(), [&](const QModelIndex &row) {
        if (wants && !wants(row))
            return;
        QStringList cells;
        for (const int c : columns)
            cells << jsonString(headerText(*view.model(), c)) + QStringLiteral(": ") + jsonCell(cellText(row.siblingAtColumn(c)));
        rows << QStringLiteral("  {") + cells.join(QStringLiteral(", ")) + QLatin1Char('}');
    });
    return (QStringLiteral("[\n") + rows.join(QStringLiteral(",\n")) + QStringLiteral("\n]\n")).toUtf8();
}

QByteArray rowsAsMarkdown(const QAbstractItemView &view, const RowFilter &wants)
{
    const std::vector<int> columns = shownColumns(view);
    QString text = markdownHead(*view.model(), columns);
    walk(*view.model(), view.rootIndex(), [&](const QModelIndex &row) {
        if (!wants || wants(row))
            text += markdownLine(columns, [&](int c) { return markdownCell(cellText(row.siblingAtColumn(c))); });
    });
    return text.toUtf8();
}

QString selectedRowsAsMarkdown(const QAbstractItemView &view)
{
    if (!view.selectionModel())
        return {};
    const std::vector<int> columns = shownColumns(view);
    QString text = markdownHead(*view.model(), columns);
    for (const QModelIndex &row : selectedInOrder(*view.selectionModel()))
        text += markdownLine(columns, [&](int c) { return markdownCell(cellText(row.siblingAtColumn(c))); });
    return text;
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
    auto *markdown = new QAction(tr("Copy rows as Markdown"), view);
    markdown->setObjectName(QStringLiteral("copyRowsMarkdown"));
    QObject::connect(markdown, &QAction::triggered, view, [view] {
        QGuiApplication::clipboard()->setText(selectedRowsAsMarkdown(*view));
    });
    view->addAction(markdown);
    return copy;
}

QAction *addExportAction(QAbstractItemView *view, const QString &suggestedName,
                         const RowFilter &wants)
{
    auto *action = new QAction(tr("Export table…"), view);
    action->setObjectName(QStringLiteral("exportTable"));
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
