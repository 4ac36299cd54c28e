// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plot/plotwidget.h"

#include "widgets/plot/plotstyle.h"

#include <QEvent>
#include <QPicture>
#include <QVBoxLayout>

namespace ql {

namespace {

constexpr int NamedRoom = 48; ///< pixels between the axes; with fewer the axes go without their names
constexpr int LeastRoom = 20; ///< with fewer nothing is drawn: with less than none, it would be upside down

bool leaves(int room, const QCustomPlot &plot, const QSize &size)
{
    const QMargins margins = plot.axisRect()->margins();
    return size.height() - margins.top() - margins.bottom() >= room
        && size.width() - margins.left() - margins.right() >= room;
}

/// QCustomPlot draws onto its own painter; through a picture it reaches any other, as vectors.
QPicture pictureOf(QCustomPlot &plot, const QSize &size)
{
    QPicture picture;
    QCPPainter onto(&picture);
    plot.toPainter(&onto, size.width(), size.height());
    return picture;
}

} // namespace

PlotWidget::PlotWidget(QWidget *parent) : QWidget(parent), m_plot(new QCustomPlot(this))
{
    m_plot->setContextMenuPolicy(Qt::NoContextMenu);
    m_plot->setAttribute(Qt::WA_NoMousePropagation, false); // it keeps right-clicks from the menu, which is ours
    m_plot->setMouseTracking(true);
    m_plot->setPlottingHint(QCP::phImmediateRefresh, false); // painted with the rest of the window, once
    m_plot->setMinimumSize(1, 1); // QCustomPlot complains of layers of no size
    QSizePolicy policy = m_plot->sizePolicy();
    policy.setRetainSizeWhenHidden(true); // keeps its place while there is no room
    m_plot->setSizePolicy(policy);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_plot);
}

void PlotWidget::schedule()
{
    m_dirty = true;
    if (m_scheduled || !isVisible())
        return;
    m_scheduled = true;
    QMetaObject::invokeMethod(this, &PlotWidget::updateNow, Qt::QueuedConnection);
}

void PlotWidget::updateNow()
{
    m_scheduled = false;
    if (!m_dirty)
        return;
    m_dirty = false;
    rebuildFor(size());
    m_plot->setVisible(leaves(LeastRoom, *m_plot, size()));
}

void PlotWidget::rebuildFor(const QSize &size)
{
    m_plot->yAxis->setTickLabels(true);
    rebuild();
    m_plot->replot(); // queued by schedule() already
    if (leaves(NamedRoom, *m_plot, size))
        return;
    for (QCPAxis *axis : {m_plot->xAxis, m_plot->yAxis})
        axis->setLabel({});
    m_plot->replot();
    m_plot->yAxis->setTickLabels(leaves(NamedRoom, *m_plot, size)); // else they lie on each other
    m_plot->replot();
}

QRect PlotWidget::plotArea() const
{
    return m_plot->isHidden() ? QRect() : m_plot->axisRect()->rect();
}

void PlotWidget::draw(QPainter &painter, const QSize &size)
{
    rebuildFor(size);
    painter.fillRect(QRect(QPoint(0, 0), size), themeOf(this).panel);
    if (leaves(LeastRoom, *m_plot, size))
        painter.drawPicture(0, 0, pictureOf(*m_plot, size));
    schedule(); // the widget may have another size
}

void PlotWidget::changeEvent(QEvent *event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        schedule();
}

void PlotWidget::showEvent(QShowEvent *event)
{
    QWidget::showEvent(event);
    if (m_dirty)
        schedule();
}

void PlotWidget::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    schedule();
}

} // namespace ql
