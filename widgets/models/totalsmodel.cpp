// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/totalsmodel.h"

#include "widgets/formatting.h"

#include <algorithm>
#include <map>

namespace ql {

std::vector<GroupTotal> totalsByType(const ModelSummary &model)
{
    std::vector<GroupTotal> totals;
    for (const TypeTotal &type : model.totals.byType) {
        const TypeTraits *traits = findType(type.typeId);
        totals.push_back({QString::fromStdString(typeLabel(type.typeId)), type.typeId, type.tensors,
                          type.parameters, type.bytes, traits && traits->isSized()});
    }
    return totals;
}

std::vector<GroupTotal> totalsByRole(const ModelSummary &model, std::size_t most)
{
    std::map<std::string, GroupTotal> byRole;
    for (const TensorInfo &tensor : model.tensors) {
        GroupTotal &total = byRole[tensor.role];
        const bool isSized = tensor.elements && tensor.byteSize;
        total.isSized = isSized || (total.tensors > 0 && total.isSized);
        ++total.tensors;
        if (!isSized)
            continue;
        total.parameters += *tensor.elements;
        total.bytes += *tensor.byteSize;
    }
    std::vector<GroupTotal> totals;
    for (auto &[role, total] : byRole) {
        total.label = QString::fromStdString(role);
        totals.push_back(total);
    }
    std::stable_sort(totals.begin(), totals.end(),
                     [](const GroupTotal &a, const GroupTotal &b) { return a.bytes > b.bytes; });
    if (totals.size() <= most)
        return totals;
    GroupTotal others;
    others.label = TotalsModel::tr("%1 others").arg(totals.size() - most);
    for (std::size_t i = most; i < totals.size(); ++i) {
        others.tensors += totals[i].tensors;
        others.parameters += totals[i].parameters;
        others.bytes += totals[i].bytes;
    }
    totals.resize(most);
    totals.push_back(others);
    return totals;
}

TotalsModel::TotalsModel(const QString &title, const QString &key, QObject *parent)
    : QAbstractTableModel(parent), m_title(title), m_key(key)
{
}

void TotalsModel::setTotals(std::vector<GroupTotal> totals)
{
    beginResetModel();
    m_totals = std::move(totals);
    m_bytes = 0;
    for (const GroupTotal &total : m_totals)
        m_bytes += static_cast<double>(total.bytes);
    endResetModel();
}

int TotalsModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_totals.size());
}

int TotalsModel::columnCount(const QModelIndex &) const { return ColumnCount; }

double TotalsModel::shareOf(const GroupTotal &total) const
{
    return m_bytes > 0 ? static_cast<double>(total.bytes) / m_bytes : 0.0;
}

QVariant TotalsModel::textOf(const GroupTotal &total, int column) const
{
    if (!total.isSized && column > TensorsColumn)
        return noValue();
    switch (column) {
    case LabelColumn: return total.label;
    case TensorsColumn: return formatCount(total.tensors);
    case WeightsColumn: return formatCompact(total.parameters);
    case BytesColumn: return formatBytes(total.bytes);
    case ShareColumn: return formatPercent(shareOf(total));
    default: return {};
    }
}

QVariant TotalsModel::plainOf(const GroupTotal &total, int column) const
{
    switch (column) {
    case LabelColumn: return total.label;
    case TensorsColumn: return QString::number(total.tensors);
    case WeightsColumn: return QString::number(total.parameters);
    case BytesColumn: return QString::number(total.bytes);
    case ShareColumn: return exactNumber(shareOf(total));
    default: return {};
    }
}

QVariant TotalsModel::sortKeyOf(const GroupTotal &total, int column) const
{
    switch (column) {
    case LabelColumn: return total.label;
    case TensorsColumn: return static_cast<double>(total.tensors);
    case WeightsColumn: return static_cast<double>(total.parameters);
    default: return static_cast<double>(total.bytes);
    }
}

QVariant TotalsModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid())
        return {};
    const GroupTotal &total = m_totals[static_cast<std::size_t>(index.row())];
    const bool isLabel = index.column() == LabelColumn;
    switch (role) {
    case Qt::DisplayRole: return textOf(total, index.column());
    case PlainRole: return plainOf(total, index.column());
    case SortRole: return sortKeyOf(total, index.column());
    case Qt::TextAlignmentRole:
        return static_cast<int>((isLabel ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    case TypeIdRole: return isLabel && total.typeId ? QVariant(*total.typeId) : QVariant();
    case Qt::ToolTipRole:
        return index.column() == BytesColumn ? QVariant(formatBytesLong(total.bytes))
               : index.column() == WeightsColumn
                   ? QVariant(formatWeightCount(total.parameters))
                   : QVariant();
    default: return {};
    }
}

QVariant TotalsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount)
        return {};
    const QString titles[ColumnCount] = {m_title, tr("tensors"), tr("weights"), tr("size"),
                                         tr("share")};
    static constexpr const char *keys[ColumnCount] = {"", "tensors", "weights", "bytes", "share"};
    if (role == Qt::DisplayRole)
        return titles[section];
    if (role == PlainRole)
        return section == LabelColumn ? m_key : QString::fromLatin1(keys[section]);
    if (role == Qt::TextAlignmentRole)
        return static_cast<int>((section == LabelColumn ? Qt::AlignLeft : Qt::AlignRight)
                                | Qt::AlignVCenter);
    return {};
}

} // namespace ql
