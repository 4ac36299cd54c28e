// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/arraylisting.h"
#include "widgets/models/itemroles.h"

#include <QAbstractTableModel>

#include <cstdint>
#include <memory>
#include <vector>

namespace ql {

/// Which elements of a list pass a filter, rising; null where all do.
using RowSet = std::shared_ptr<const std::vector<std::uint32_t>>;

/// The elements of one array, a row each: index and value. Costs nothing a row until it is shown.
class ArrayTableModel final : public QAbstractTableModel
{
    Q_OBJECT

public:
    enum Columns { IndexColumn, ValueColumn, ColumnCount };

    explicit ArrayTableModel(QObject *parent = nullptr);

    /// Null: nothing. Forgets the filter.
    void setListing(ArrayListingPtr listing);
    const ArrayListingPtr &listing() const { return m_listing; }
    void setRows(RowSet rows);
    /// The element of a row.
    std::uint32_t elementAt(int row) const;

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    ArrayListingPtr m_listing;
    RowSet m_rows;
};

} // namespace ql
