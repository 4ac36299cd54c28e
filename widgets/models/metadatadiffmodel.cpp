// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/metadatadiffmodel.h"

#include "widgets/formatting.h"
#include "widgets/models/tooltip.h"

namespace ql {

namespace {

QString valueText(const std::string &type, const std::string &preview)
{
    return type.empty() ? noValue() : QString::fromStdString(preview);
}

} // namespace

QString metadataKindText(const MetadataDifference &difference)
{
    switch (difference.kind) {
    case MetadataDifference::Kind::OnlyA: return MetadataDiffModel::tr("only in A");
    case MetadataDifference::Kind::OnlyB: return MetadataDiffModel::tr("only in B");
    case MetadataDifference::Kind::Changed: break;
    }
    if (difference.firstDifference)
        return MetadataDiffModel::tr("changed from [%1]").arg(formatCount(*difference.firstDifference));
    return MetadataDiffModel::tr("changed");
}

MetadataDiffModel::MetadataDiffModel(QObject *parent) : QAbstractTableModel(parent) {}

void MetadataDiffModel::setComparison(MetadataComparisonPtr comparison)
{
    beginResetModel();
    m_comparison = std::move(comparison);
    endResetModel();
}

int MetadataDiffModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() || !m_comparison ? 0 : static_cast<int>(m_comparison->rows.size());
}

int MetadataDiffModel::columnCount(const QModelIndex &) const { return ColumnCount; }

QVariant MetadataDiffModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid())
        return {};
    const MetadataDifference &row = at(index.row());
    const bool isMissing = (index.column() == AColumn && row.typeA.empty()) || (index.column() == BColumn && row.typeB.empty());
    if (role == MutedRole)
        return isMissing || index.column() == KindColumn;
    if (role == PlainRole && isMissing)
        return QString();
    if (role != Qt::DisplayRole && role != PlainRole && role != SortRole && role != Qt::ToolTipRole)
        return {};
    QString text;
    switch (index.column()) {
    case KeyColumn: text = QString::fromStdString(row.key); break;
    case KindColumn: text = metadataKindText(row); break;
    case AColumn: text = valueText(row.typeA, row.previewA); break;
    default: text = valueText(row.typeB, row.previewB); break;
    }
    return role == Qt::ToolTipRole ? QVariant(plainToolTip(text)) : QVariant(text);
}

QVariant MetadataDiffModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount)
        return {};
    const QString titles[ColumnCount] = {tr("key"), tr("what"), tr("A"), tr("B")};
    static constexpr const char *keys[ColumnCount] = {"key", "what", "a", "b"};
    if (role == Qt::DisplayRole)
        return titles[section];
    if (role == PlainRole)
        return QString::fromLatin1(keys[section]);
    if (role == Qt::TextAlignmentRole)
        return static_cast<int>(Qt::AlignLeft | Qt::AlignVCenter);
    return {};
}

MetadataDiffProxy::MetadataDiffProxy(MetadataDiffModel *model) : QSortFilterProxyModel(model), m_model(model)
{
    setSourceModel(model);
    setSortRole(SortRole);
    setSortCaseSensitivity(Qt::CaseInsensitive);
}

void MetadataDiffProxy::setText(const TextMatcher &text)
{
    m_text = text;
    invalidateFilter();
}

bool MetadataDiffProxy::filterAcceptsRow(int row, const QModelIndex &) const
{
    const MetadataDifference &difference = m_model->at(row);
    const auto matches = [this](const std::string &text) { return m_text.matches(QString::fromStdString(text)); };
    return m_text.isEmpty() || matches(difference.key) || matches(difference.previewA) || matches(difference.previewB);
}

} // namespace ql
