// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/stats/whatiftable.h"
#include "widgets/models/itemroles.h"

#include <QAbstractTableModel>

#include <optional>

namespace ql {

/// The What-if table for views: a row a tensor, and for each candidate its size, bits per weight
/// and errors. GUI thread.
class WhatIfModel final : public QAbstractTableModel
{
    Q_OBJECT

public:
    enum Columns { TensorColumn, PresentColumn, ChoiceColumn, FirstValueColumn };
    /// The columns of each candidate, in this order; the last two of all are Seen and Note.
    enum Measure { Size, Bits, RelativeRmse, Sqnr, MeasureCount };

    explicit WhatIfModel(QObject *parent = nullptr);

    void setTable(WhatIfTable table);
    const WhatIfTable &table() const { return m_table; }
    /// A row that has come; none of another order's.
    void setRow(const WhatIfRowPtr &row);
    /// Places in the row's values; false where it has no such value.
    bool choose(int row, std::size_t value);
    bool chooseForBudget(std::uint64_t fileBytes);
    /// By type: a candidate, or with nothing the present type.
    void choose(const std::vector<int> &rows, std::optional<GgmlType> type);

    int candidateCount() const { return static_cast<int>(m_table.order().candidates.size()); }
    int seenColumn() const { return FirstValueColumn + candidateCount() * MeasureCount; }
    int noteColumn() const { return seenColumn() + 1; }
    static int columnOf(int candidate, Measure measure)
    {
        return FirstValueColumn + candidate * MeasureCount + measure;
    }
    /// Place in a row's values that a column belongs to: 0 for the present type's, nothing for others.
    std::optional<std::size_t> valueOf(int column) const;
    /// Nothing for columns that are no candidate's.
    std::optional<Measure> measureOf(int column) const;
    TensorIndex tensorAt(int row) const { return m_table.order().tensors[static_cast<std::size_t>(row)]; }

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

signals:
    void choiceChanged();

private:
    struct Cell; ///< what data() looks at
    QVariant displayed(const Cell &cell) const;
    QVariant plain(const Cell &cell) const;
    QVariant sortKey(const Cell &cell) const;
    QVariant toolTip(const Cell &cell) const;
    QVariant typeId(const Cell &cell) const;
    QString note(const Cell &cell) const;
    bool isChosen(const Cell &cell) const;
    QString title(int column, bool plain) const;
    void choiceOfAllChanged();

    WhatIfTable m_table;
};

/// "Size", "bpw", "rel. RMSE", "SQNR dB".
QString measureTitle(WhatIfModel::Measure measure);

} // namespace ql
