// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plot/plotwidget.h"

#include "widgets/plot/plotstyle.h"

#include <QEvent>
#include <QPicture>
#include <QVBoxLayout>

namespace ql {

namespace {

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
    rebuild();
    m_plot->replot(); // queued by schedule() already
}

void PlotWidget::draw(QPainter &painter, const QSize &size)
{
    m_dirty = true;
    updateNow();
    painter.fillRect(QRect(QPoint(0, 0), size), themeOf(this).panel);
    painter.drawPicture(0, 0, pictureOf(*m_plot, size));
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
