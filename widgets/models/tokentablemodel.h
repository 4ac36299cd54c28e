// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/tokentable.h"
#include "widgets/models/arraytablemodel.h"

#include <QAbstractTableModel>

namespace ql {

/// The vocabulary of a tokenizer: id, token, type, score. Costs nothing a row until it is shown.
class TokenTableModel final : public QAbstractTableModel
{
    Q_OBJECT

public:
    enum Columns { IdColumn, TokenColumn, TypeColumn, ScoreColumn, ColumnCount };

    explicit TokenTableModel(QObject *parent = nullptr);

    void setTable(TokenTablePtr table);
    const TokenTablePtr &table() const { return m_table; }
    /// Ids that pass a filter, rising; null: all.
    void setRows(RowSet rows);
    std::uint32_t idAt(int row) const;
    /// The row of an id, or -1.
    int rowOf(std::uint64_t id) const;

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    /// Column -1: by id.
    void sort(int column, Qt::SortOrder order = Qt::AscendingOrder) override;

private:
    QVariant textOf(std::uint32_t id, int column, bool isPlain) const;
    void putInOrder();

    TokenTablePtr m_table;
    RowSet m_filtered; ///< rising
    RowSet m_rows;     ///< as shown; null: all, by id
    int m_sortColumn = -1;
    Qt::SortOrder m_sortOrder = Qt::AscendingOrder;
};

/// "control", or "type 7" for numbers without a name; "" where the file has none.
QString tokenTypeText(const TokenTable &table, std::uint32_t id);

/// Ids with a meaning of their own: name, id, token.
class SpecialTokensModel final : public QAbstractTableModel
{
    Q_OBJECT

public:
    enum Columns { NameColumn, IdColumn, TokenColumn, ColumnCount };

    explicit SpecialTokensModel(QObject *parent = nullptr);

    void setTable(TokenTablePtr table);
    const SpecialToken &specialAt(int row) const { return m_table->specials[std::size_t(row)]; }

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    TokenTablePtr m_table;
};

} // namespace ql
