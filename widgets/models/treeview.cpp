// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/treeview.h"

#include "widgets/models/celldelegate.h"
#include "widgets/theme.h"

#include <QHeaderView>
#include <QPainter>
#include <QTableView>

namespace ql {

namespace {

void calm(QAbstractItemView *view)
{
    view->setFrameShape(QFrame::NoFrame);
    view->setSelectionBehavior(QAbstractItemView::SelectRows);
    view->setSelectionMode(QAbstractItemView::ExtendedSelection);
    view->setEditTriggers(QAbstractItemView::NoEditTriggers);
    view->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    view->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    view->setMouseTracking(true);
    view->setCornerWidget(new QWidget(view)); // else the style draws a frame there
}

void calm(QHeaderView *header)
{
    header->setHighlightSections(false);
    header->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    header->setSectionsMovable(true);
    header->setStretchLastSection(false);
    header->setResizeContentsPrecision(50);
}

QPolygonF chevron(const QPointF &center, bool isOpen)
{
    constexpr double Long = 3.5;
    constexpr double Short = 1.8;
    QPolygonF line{{-Short, -Long}, {Short, 0}, {-Short, Long}};
    if (isOpen)
        line = QPolygonF{{-Long, -Short}, {0, Short}, {Long, -Short}};
    return line.translated(center);
}

} // namespace

TreeView::TreeView(QWidget *parent) : QTreeView(parent)
{
    calm(this);
    calm(header());
    setUniformRowHeights(true);
    setIndentation(14);
    setExpandsOnDoubleClick(true);
    header()->setSortIndicatorClearable(true);
    header()->setFirstSectionMovable(false);
}

void TreeView::drawBranches(QPainter *painter, const QRect &rect, const QModelIndex &index) const
{
    if (selectionModel() && selectionModel()->isRowSelected(index.row(), index.parent()))
        painter->fillRect(rect, themeOf(this).selection);
    if (!model()->hasChildren(index))
        return;
    const QPointF center(rect.right() - indentation() / 2.0 + 2.5, rect.center().y() + 0.5);
    QPen pen(themeOf(this).muted, 1.4);
    pen.setJoinStyle(Qt::MiterJoin);
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(pen);
    painter->drawPolyline(chevron(center, isExpanded(index)));
    painter->restore();
}

QTableView *makeTableView(QWidget *parent)
{
    auto *view = new QTableView(parent);
    calm(view);
    calm(view->horizontalHeader());
    view->horizontalHeader()->setFixedHeight(TableHeaderHeight);
    view->setShowGrid(false);
    view->setWordWrap(false);
    view->setCornerButtonEnabled(false);
    view->verticalHeader()->hide();
    view->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    view->verticalHeader()->setDefaultSectionSize(CellDelegate::RowHeight);
    view->verticalHeader()->setMinimumSectionSize(CellDelegate::RowHeight);
    view->setTabKeyNavigation(false);
    return view;
}

} // namespace ql
