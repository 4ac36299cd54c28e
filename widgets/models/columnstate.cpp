// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/columnstate.h"

#include "widgets/models/itemroles.h"

#include <QAbstractItemModel>
#include <QHeaderView>
#include <QJsonArray>

#include <algorithm>

namespace ql {

namespace {

constexpr int MinWidth = 24;
constexpr int MaxWidth = 2000;

void restoreOrder(QHeaderView &header, const QJsonArray &order)
{
    int position = 0;
    for (const QJsonValue &key : order) {
        const int column = columnOf(header, key.toString());
        if (column >= 0)
            header.moveSection(header.visualIndex(column), position++);
    }
}

void restoreWidths(QHeaderView &header, const QJsonObject &widths)
{
    for (auto it = widths.begin(); it != widths.end(); ++it) {
        const int column = columnOf(header, it.key());
        if (column >= 0 && it->isDouble())
            header.resizeSection(column, std::clamp(it->toInt(), MinWidth, MaxWidth));
    }
}

} // namespace

QString columnKey(const QHeaderView &header, int column)
{
    return header.model()->headerData(column, Qt::Horizontal, PlainRole).toString();
}

int columnOf(const QHeaderView &header, const QString &key)
{
    for (int column = 0; !key.isEmpty() && column < header.count(); ++column) {
        if (columnKey(header, column) == key)
            return column;
    }
    return -1;
}

QJsonObject columnState(const QHeaderView &header)
{
    QJsonObject widths;
    QJsonArray order;
    for (int position = 0; position < header.count(); ++position) {
        const int column = header.logicalIndex(position);
        order.append(columnKey(header, column));
        if (!header.isSectionHidden(column))
            widths.insert(columnKey(header, column), header.sectionSize(column));
    }
    QJsonObject state{{QStringLiteral("order"), order}, {QStringLiteral("widths"), widths}};
    if (header.sortIndicatorSection() >= 0 && header.sortIndicatorSection() < header.count()) {
        state.insert(QStringLiteral("sort"), columnKey(header, header.sortIndicatorSection()));
        state.insert(QStringLiteral("descending"),
                     header.sortIndicatorOrder() == Qt::DescendingOrder);
    }
    return state;
}

void restoreColumnState(QHeaderView &header, const QJsonObject &state)
{
    restoreOrder(header, state.value(QLatin1String("order")).toArray());
    restoreWidths(header, state.value(QLatin1String("widths")).toObject());
    const int sort = columnOf(header, state.value(QLatin1String("sort")).toString());
    header.setSortIndicator(sort, state.value(QLatin1String("descending")).toBool()
                                      ? Qt::DescendingOrder
                                      : Qt::AscendingOrder);
}

} // namespace ql
