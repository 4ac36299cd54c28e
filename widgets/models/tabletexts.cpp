// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/tabletexts.h"

#include "widgets/models/itemroles.h"
#include "widgets/models/tableactions.h"

#include <QAbstractItemView>
#include <QAction>
#include <QClipboard>
#include <QCoreApplication>
#include <QGuiApplication>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

namespace ql {

namespace {

QString tr(const char *text) { return QCoreApplication::translate("TableTexts", text); }

QString plain(const QVariant &whole, const QVariant &shown) { return (whole.isValid() ? whole : shown).toString(); }

QString cellText(const QAbstractItemModel &model, int row, int column)
{
    const QModelIndex index = model.index(row, column);
    return plain(index.data(PlainRole), index.data(Qt::DisplayRole));
}

QString columnName(const QAbstractItemModel &model, int column)
{
    return plain(model.headerData(column, Qt::Horizontal, PlainRole), model.headerData(column, Qt::Horizontal));
}

QString markdownCell(QString text)
{
    text.replace(QLatin1Char('\n'), QLatin1Char(' '));
    if (text.isEmpty())
        return text;
    static const QString breaking = QStringLiteral("`|\\");
    const bool fits = !text.startsWith(QLatin1Char(' ')) && !text.endsWith(QLatin1Char(' '))
        && std::none_of(text.cbegin(), text.cend(), [](QChar c) { return breaking.contains(c); });
    if (fits)
        return QLatin1Char('`') + text + QLatin1Char('`');
    QString out;
    for (const QChar c : text)
        out += c.unicode() < 128 && !c.isLetterOrNumber() && c != QLatin1Char(' ') ? QStringLiteral("&#%1;").arg(c.unicode())
                                                                                   : QString(c);
    return out;
}

void addAction(QAbstractItemView *view, const char *name, const QString &text, QString (*make)(const QAbstractItemView &))
{
    auto *action = new QAction(text, view);
    action->setObjectName(QLatin1String(name));
    QObject::connect(action, &QAction::triggered, view, [view, make] { QGuiApplication::clipboard()->setText(make(*view)); });
    view->addAction(action);
}

} // namespace

QString rowsAsJson(const QAbstractItemView &view)
{
    QJsonArray rows;
    const QAbstractItemModel &model = *view.model();
    for (int row = 0; row < model.rowCount(); ++row) {
        QJsonObject object;
        for (const int column : shownColumns(view)) {
            const QString text = cellText(model, row, column);
            object.insert(columnName(model, column), text.isEmpty() ? QJsonValue() : QJsonValue(text));
        }
        rows.append(object);
    }
    return QString::fromUtf8(QJsonDocument(rows).toJson());
}

QString rowsAsMarkdown(const QAbstractItemView &view)
{
    const QAbstractItemModel &model = *view.model();
    QString head = QStringLiteral("|"), line = QStringLiteral("|"), body;
    for (const int column : shownColumns(view)) {
        head += QLatin1Char(' ') + columnName(model, column) + QStringLiteral(" |");
        line += QStringLiteral(" --- |");
    }
    for (int row = 0; row < model.rowCount(); ++row) {
        body += QLatin1Char('|');
        for (const int column : shownColumns(view))
            body += QLatin1Char(' ') + markdownCell(cellText(model, row, column)) + QStringLiteral(" |");
        body += QLatin1Char('\n');
    }
    return head + QLatin1Char('\n') + line + QLatin1Char('\n') + body;
}

void addCopyTextActions(QAbstractItemView *view)
{
    addAction(view, "copyJson", tr("Copy table as JSON"), rowsAsJson);
    addAction(view, "copyMarkdown", tr("Copy table as Markdown"), rowsAsMarkdown);
}

} // namespace ql
