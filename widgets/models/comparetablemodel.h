// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/selection.h"
#include "widgets/models/comparecolumns.h"

#include <QAbstractItemModel>
#include <QTimer>

#include <vector>

namespace ql {

/// The rows of a comparison: pairs, or groups of pairs (roles, layers) with their totals; below a
/// pair of merged experts its experts. Results are told a few times a second, all at once.
class CompareTableModel final : public QAbstractItemModel
{
    Q_OBJECT

public:
    using Grouping = ComparisonTable::Grouping;

    explicit CompareTableModel(QObject *parent = nullptr);

    void setTable(ComparisonTable table);
    void clear();
    const ComparisonTable &table() const { return m_table; }
    void setResult(std::size_t row, const ComparisonPtr &result);
    void setFailure(std::size_t row, const std::string &why);
    std::size_t addByHand(const TensorPair &pair);
    void setGrouping(Grouping grouping);
    Grouping grouping() const { return m_grouping; }
    /// Tells what has come in since the last time; by itself every ToldEveryMs.
    void flush();

    CompareRow rowAt(const QModelIndex &index) const;
    /// The row of the table that an index shows, an expert's being its tensor's.
    std::optional<std::size_t> tableRowOf(const QModelIndex &index) const;
    QModelIndex indexOf(std::size_t tableRow, std::optional<std::uint64_t> expert = {}) const;
    /// What a click leads to: nothing for groups and for what is only in B.
    Selection selectionOf(const QModelIndex &index) const;
    /// The row that shows a selection: the pair itself, an expert's row if there is one.
    QModelIndex indexOf(const Selection &selection) const;

    QModelIndex index(int row, int column, const QModelIndex &parent = {}) const final;
    QModelIndex parent(const QModelIndex &child) const final;
    int rowCount(const QModelIndex &parent = {}) const final;
    int columnCount(const QModelIndex &parent = {}) const final;
    bool hasChildren(const QModelIndex &parent = {}) const final;
    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const final;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const final;

    static constexpr int ToldEveryMs = 200;

signals:
    /// After each flush: totals, maps and the scatter are out of date.
    void updated();

private:
    /// Where an index is: a group, a pair in a group, an expert of that pair.
    struct Place {
        std::size_t group = 0;
        std::optional<std::size_t> pair; ///< within the group
        std::optional<std::uint64_t> expert;
    };
    bool isGrouped() const { return m_grouping != Grouping::None; }
    Place placeOf(const QModelIndex &index) const;
    QModelIndex pairIndex(std::size_t group, std::size_t pair) const;
    const ComparisonRow &pairRow(const Place &place) const;
    void regroup();
    void recount();
    void tellAll(const QModelIndex &parent);
    QVariant barShare(const CompareRow &row) const;
    static QVariant chipOf(const CompareRow &row, CompareColumn column);

    ComparisonTable m_table;
    Grouping m_grouping = Grouping::None;
    std::vector<ComparisonGroup> m_groups; ///< one of all rows where nothing is grouped
    std::vector<ComparisonTotals> m_totals;
    QTimer m_telling;
};

} // namespace ql
