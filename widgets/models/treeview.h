// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTreeView>

class QTableView;

namespace ql {

/// A tree in the window's look: flat rows of one height, small chevrons, columns that scroll.
class TreeView final : public QTreeView
{
    Q_OBJECT

public:
    explicit TreeView(QWidget *parent = nullptr);

protected:
    void drawBranches(QPainter *painter, const QRect &rect,
                      const QModelIndex &index) const override;
};

/// Of the header of a plain table.
constexpr int TableHeaderHeight = 30;

/// The same look for a plain table of any number of rows.
QTableView *makeTableView(QWidget *parent);

} // namespace ql
