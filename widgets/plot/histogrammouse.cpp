// SPDX-License-Identifier: GPL-3.0-or-later
// The half of HistogramPlot that listens to mouse and keys.
#include "widgets/plot/histogramoverlay.h"
#include "widgets/plot/histogramplot.h"

#include <QKeyEvent>

namespace ql {

namespace {
constexpr double WheelStep = 1.25;
constexpr double LeastDrag = 3;
} // namespace

void HistogramPlot::connectMouse()
{
    connect(m_plot, &QCustomPlot::mousePress, this, &HistogramPlot::pressed);
    connect(m_plot, &QCustomPlot::mouseMove, this, &HistogramPlot::moved);
    connect(m_plot, &QCustomPlot::mouseRelease, this, &HistogramPlot::released);
    connect(m_plot, &QCustomPlot::mouseWheel, this, [this](QWheelEvent *event) {
        zoom(event->position().x(), std::pow(WheelStep, event->angleDelta().y() / 120.0));
    });
    connect(m_plot, &QCustomPlot::mouseDoubleClick, this, [this](QMouseEvent *event) {
        if (event->button() == Qt::LeftButton)
            setVisibleRange(initialRange());
    });
}

void HistogramPlot::pressed(QMouseEvent *event)
{
    setFocus(Qt::MouseFocusReason);
    if (event->button() != Qt::LeftButton || !m_plot->axisRect()->rect().contains(event->pos()))
        return;
    hover(std::nullopt); // until the drag is over
    m_pressedAt = event->position();
    m_dragsBrush = m_brushing || (event->modifiers() & Qt::ShiftModifier);
}

void HistogramPlot::moved(QMouseEvent *event)
{
    if (!m_pressedAt || !(event->buttons() & Qt::LeftButton)) {
        hover(event->position());
        return;
    }
    const double from = m_pressedAt->x(), to = event->position().x();
    if (m_dragsBrush) {
        if (std::fabs(to - from) >= LeastDrag)
            setBrush(ValueRange{valueAt(std::min(from, to)), valueAt(std::max(from, to))});
        return;
    }
    const double shift = m_plot->xAxis->pixelToCoord(from) - m_plot->xAxis->pixelToCoord(to);
    m_pressedAt = event->position();
    setVisibleRange({fromAxis(toAxis(m_range.lo) + shift), fromAxis(toAxis(m_range.hi) + shift)});
    updateNow(); // the next move is measured against the axis as it is now
}

void HistogramPlot::released()
{
    m_pressedAt.reset();
}

void HistogramPlot::zoom(double centrePixel, double factor)
{
    if (!m_a.figures() && !m_b.figures())
        return;
    const double lo = toAxis(m_range.lo), hi = toAxis(m_range.hi);
    const double centre = std::clamp(m_plot->xAxis->pixelToCoord(centrePixel), lo, hi);
    const ValueRange whole = wholeRange();
    const double most = 1.2 * std::max(toAxis(whole.hi) - toAxis(whole.lo), hi - lo);
    const double size = std::clamp((hi - lo) / factor, (hi - lo) * 1e-3, most);
    // Closer than a fine bin there is nothing to see.
    if (factor > 1 && size < (toAxis(whole.hi) - toAxis(whole.lo)) * 1e-6)
        return;
    const double left = centre - (centre - lo) / (hi - lo) * size;
    setVisibleRange({fromAxis(left), fromAxis(left + size)});
}

void HistogramPlot::hover(const std::optional<QPointF> &at)
{
    m_hoveredAt = at;
    refreshHover();
    m_overlay->layer()->replot(); // buffered apart from the bins: cheap at every move
}

/// The pointer may rest while the bins change under it.
void HistogramPlot::refreshHover()
{
    const DrawnBins &bins = m_binsA.isEmpty() ? m_binsB : m_binsA;
    std::optional<std::size_t> bin;
    if (m_hoveredAt && !bins.isEmpty() && m_plot->axisRect()->rect().contains(m_hoveredAt->toPoint())) {
        const std::size_t found = bins.at(valueAt(m_hoveredAt->x()));
        if (found < bins.counts.size())
            bin = found;
    }
    std::optional<ValueRange> band;
    if (bin)
        band = ValueRange{toAxis(bins.edges[*bin]), toAxis(bins.edges[*bin + 1])};
    m_overlay->setHover(band);
    emit binHovered(bin);
}

void HistogramPlot::leaveEvent(QEvent *event)
{
    hover(std::nullopt);
    PlotWidget::leaveEvent(event);
}

void HistogramPlot::setBrush(const std::optional<ValueRange> &range)
{
    const Figures *figures = m_a.figures() ? m_a.figures() : m_b.figures();
    std::optional<ValueRange> grown;
    if (range && figures)
        grown = brushed(*figures, *range).range;
    if (grown == m_brush)
        return;
    m_brush = grown;
    schedule();
    emit rangeBrushed(m_brush);
}

void HistogramPlot::clearBrush()
{
    setBrush(std::nullopt);
}

void HistogramPlot::keyPressEvent(QKeyEvent *event)
{
    const double centre = m_plot->axisRect()->center().x();
    const double step = m_range.size() / 10;
    switch (event->key()) {
    case Qt::Key_Plus:
    case Qt::Key_Equal: zoom(centre, WheelStep); break;
    case Qt::Key_Minus: zoom(centre, 1 / WheelStep); break;
    case Qt::Key_0:
    case Qt::Key_Home: setVisibleRange(initialRange()); break;
    case Qt::Key_Left: setVisibleRange({m_range.lo - step, m_range.hi - step}); break;
    case Qt::Key_Right: setVisibleRange({m_range.lo + step, m_range.hi + step}); break;
    case Qt::Key_Escape:
        if (m_brush) {
            clearBrush();
            break;
        }
        [[fallthrough]];
    default: QWidget::keyPressEvent(event);
    }
}

} // namespace ql
