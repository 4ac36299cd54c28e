// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/arraytablemodel.h"

#include "widgets/formatting.h"
#include "widgets/models/tooltip.h"

namespace ql {

ArrayTableModel::ArrayTableModel(QObject *parent) : QAbstractTableModel(parent) {}

void ArrayTableModel::setListing(ArrayListingPtr listing)
{
    beginResetModel();
    m_listing = std::move(listing);
    m_rows = nullptr;
    endResetModel();
}

void ArrayTableModel::setRows(RowSet rows)
{
    beginResetModel();
    m_rows = std::move(rows);
    endResetModel();
}

std::uint32_t ArrayTableModel::elementAt(int row) const
{
    return m_rows ? (*m_rows)[static_cast<std::size_t>(row)] : static_cast<std::uint32_t>(row);
}

int ArrayTableModel::rowCount(const QModelIndex &parent) const
{
    if (parent.isValid() || !m_listing)
        return 0;
    return static_cast<int>(m_rows ? m_rows->size() : m_listing->size());
}

int ArrayTableModel::columnCount(const QModelIndex &) const { return ColumnCount; }

QVariant ArrayTableModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid())
        return {};
    const bool isIndex = index.column() == IndexColumn;
    if (role == Qt::TextAlignmentRole)
        return static_cast<int>((isIndex ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    if (role == MutedRole)
        return isIndex;
    const std::uint32_t element = elementAt(index.row());
    if (isIndex)
        return role == Qt::DisplayRole ? formatCount(element)
               : role == PlainRole     ? QVariant(element)
                                       : QVariant();
    if (element >= m_listing->size())
        return {};
    if (role == Qt::DisplayRole || role == PlainRole)
        return QString::fromUtf8(m_listing->text(element));
    if (role == Qt::ToolTipRole)
        return plainToolTip(QString::fromUtf8(m_listing->text(element)));
    return {};
}

QVariant ArrayTableModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount)
        return {};
    const bool isIndex = section == IndexColumn;
    if (role == PlainRole)
        return isIndex ? QStringLiteral("index") : QStringLiteral("value");
    if (role == Qt::DisplayRole)
        return isIndex ? tr("index") : tr("value");
    if (role == Qt::TextAlignmentRole)
        return static_cast<int>((isIndex ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    return {};
}

} // namespace ql
