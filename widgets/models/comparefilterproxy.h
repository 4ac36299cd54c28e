// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/models/comparetablemodel.h"
#include "widgets/models/textmatcher.h"

#include <QSortFilterProxyModel>

#include <set>

namespace ql {

/// Sorts by a column's own key (what is not known comes last whichever way) and filters by names
/// and states. Experts go with their tensor, groups with what is left in them.
class CompareFilterProxy final : public QSortFilterProxyModel
{
    Q_OBJECT

public:
    explicit CompareFilterProxy(CompareTableModel *model, QObject *parent = nullptr);

    void setText(const TextMatcher &text);
    /// Empty: all.
    void setStates(std::set<PairState> states);
    bool isFiltering() const { return !m_text.isEmpty() || !m_states.empty(); }
    bool accepts(const ComparisonRow &row) const;

protected:
    bool filterAcceptsRow(int row, const QModelIndex &parent) const override;
    bool lessThan(const QModelIndex &left, const QModelIndex &right) const override;

private:
    CompareTableModel *m_model;
    TextMatcher m_text;
    std::set<PairState> m_states;
};

} // namespace ql
