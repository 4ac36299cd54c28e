// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/models/textmatcher.h"

#include <QSortFilterProxyModel>

namespace ql {

/// Rows of the What-if table whose tensor's name matches; sorts by number, unknown ones last.
class WhatIfFilter final : public QSortFilterProxyModel
{
    Q_OBJECT

public:
    explicit WhatIfFilter(QObject *parent = nullptr);

    void setMatcher(const TextMatcher &matcher);

protected:
    bool filterAcceptsRow(int row, const QModelIndex &parent) const override;
    bool lessThan(const QModelIndex &left, const QModelIndex &right) const override;

private:
    TextMatcher m_matcher;
};

} // namespace ql
