// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/comparefilterproxy.h"

#include <algorithm>

namespace ql {

CompareFilterProxy::CompareFilterProxy(CompareTableModel *model, QObject *parent)
    : QSortFilterProxyModel(parent), m_model(model)
{
    setDynamicSortFilter(true);
    setSourceModel(model);
}

void CompareFilterProxy::setText(const TextMatcher &text)
{
    m_text = text;
    invalidateFilter();
}

void CompareFilterProxy::setStates(std::set<PairState> states)
{
    m_states = std::move(states);
    invalidateFilter();
}

bool CompareFilterProxy::accepts(const ComparisonRow &row) const
{
    if (!m_states.empty() && !m_states.contains(row.state))
        return false;
    if (m_text.isEmpty())
        return true;
    const ComparisonTable &table = m_model->table();
    const TensorInfo *a = table.tensorA(row), *b = table.tensorB(row);
    return (a && m_text.matches(QString::fromStdString(a->name)))
        || (b && m_text.matches(QString::fromStdString(b->name)));
}

bool CompareFilterProxy::filterAcceptsRow(int row, const QModelIndex &parent) const
{
    if (!isFiltering())
        return true;
    const CompareRow what = m_model->rowAt(m_model->index(row, 0, parent));
    if (what.row)
        return what.expert || accepts(*what.row);
    return std::ranges::any_of(what.group->rows, [&](std::size_t i) { return accepts(m_model->table().row(i)); });
}

bool CompareFilterProxy::lessThan(const QModelIndex &left, const QModelIndex &right) const
{
    const CompareColumnSpec &column = compareColumns()[static_cast<std::size_t>(left.column())];
    const CompareKey a = column.sortKey(m_model->rowAt(left));
    const CompareKey b = column.sortKey(m_model->rowAt(right));
    if (a.known != b.known) // the unknown last, whichever way
        return a.known == (sortOrder() == Qt::AscendingOrder);
    return a.known && compareKeys(a, b) < 0;
}

} // namespace ql
