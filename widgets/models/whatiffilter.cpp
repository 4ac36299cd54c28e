// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/whatiffilter.h"

#include "widgets/models/itemroles.h"
#include "widgets/models/whatifmodel.h"

namespace ql {

WhatIfFilter::WhatIfFilter(QObject *parent)
    : QSortFilterProxyModel(parent)
{
    setDynamicSortFilter(false); // rows stay where they are while a person chooses in them
}

void WhatIfFilter::setMatcher(const TextMatcher &matcher)
{
    m_matcher = matcher;
    invalidateRowsFilter();
}

bool WhatIfFilter::filterAcceptsRow(int row, const QModelIndex &parent) const
{
    if (m_matcher.isEmpty())
        return true;
    return m_matcher.matches(sourceModel()->index(row, WhatIfModel::TensorColumn, parent).data(PlainRole).toString());
}

bool WhatIfFilter::lessThan(const QModelIndex &left, const QModelIndex &right) const
{
    const QVariant a = left.data(SortRole);
    const QVariant b = right.data(SortRole);
    if (a.isValid() != b.isValid())
        return (sortOrder() == Qt::AscendingOrder) == a.isValid();
    return a.toDouble() < b.toDouble();
}

} // namespace ql
