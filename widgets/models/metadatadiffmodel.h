// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/stats/metadatacomparison.h"
#include "widgets/models/itemroles.h"
#include "widgets/models/textmatcher.h"

#include <QAbstractTableModel>
#include <QSortFilterProxyModel>

namespace ql {

/// Keys that two files don't have alike, side by side. GUI thread.
class MetadataDiffModel final : public QAbstractTableModel
{
    Q_OBJECT

public:
    enum Columns { KeyColumn, KindColumn, AColumn, BColumn, ColumnCount };

    explicit MetadataDiffModel(QObject *parent = nullptr);

    void setComparison(MetadataComparisonPtr comparison);
    const MetadataDifference &at(int row) const { return m_comparison->rows[static_cast<std::size_t>(row)]; }

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    MetadataComparisonPtr m_comparison;
};

/// "changed", "changed from [12]", "only in A", "only in B".
QString metadataKindText(const MetadataDifference &difference);

/// Rows whose key or values match.
class MetadataDiffProxy final : public QSortFilterProxyModel
{
    Q_OBJECT

public:
    explicit MetadataDiffProxy(MetadataDiffModel *model);
    void setText(const TextMatcher &text);

protected:
    bool filterAcceptsRow(int row, const QModelIndex &parent) const override;

private:
    MetadataDiffModel *m_model;
    TextMatcher m_text;
};

} // namespace ql
