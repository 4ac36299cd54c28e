// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plot/errorplot.h"

#include "widgets/plot/plotstyle.h"

#include <QEvent>

#include <algorithm>

namespace ql {

namespace {

constexpr double PixelsPerBin = 2;
constexpr std::size_t FewestBins = 32;
constexpr double LowestCount = 0.6;
constexpr double Headroom = 1.6;
constexpr float FillAlpha = 0.22F;
constexpr int LeastLabelledHeight = 130; ///< a lower plot has no room for the words beside it
constexpr double ErrorColor = 0.62; ///< where on the error's colour scale: an orange apart from B's

} // namespace

ValueRange firstErrorRange(const Histogram &histogram)
{
    const auto lo = percentile(histogram, PercentilePoints.front()), hi = percentile(histogram, PercentilePoints.back());
    if (!lo || !hi || !histogram.lo || !histogram.hi)
        return {-1, 1};
    const double span = *hi - *lo;
    ValueRange range{std::max(*histogram.lo, *lo - span), std::min(*histogram.hi, *hi + span)};
    range.lo = std::min(range.lo, 0.0);
    range.hi = std::max(range.hi, 0.0);
    if (!(range.size() > 0)) // one error everywhere
        range = {range.lo - 1, range.hi + 1};
    return range;
}

ErrorPlot::ErrorPlot(QWidget *parent) : PlotWidget(parent)
{
    m_plot->setPlottingHint(QCP::phFastPolylines);
    QCPGraph *graph = m_plot->addGraph();
    graph->setLineStyle(QCPGraph::lsStepLeft);
    graph->setAntialiased(false);
    graph->setAntialiasedFill(false);
    m_plot->axisRect()->setMinimumMargins(QMargins(46, 6, 10, 0));
    m_plot->xAxis->setLabel(tr("error A − B, in units of the weights"));
    connectMouse();
}

void ErrorPlot::connectMouse()
{
    const auto errorAt = [this](const QMouseEvent *event) { return m_plot->xAxis->pixelToCoord(event->position().x()); };
    connect(m_plot, &QCustomPlot::mousePress, this, [this, errorAt](QMouseEvent *event) {
        if (event->button() == Qt::LeftButton)
            m_dragged = errorAt(event);
    });
    connect(m_plot, &QCustomPlot::mouseRelease, this, [this] { m_dragged.reset(); });
    connect(m_plot, &QCustomPlot::mouseMove, this, [this, errorAt](QMouseEvent *event) {
        if (m_dragged) {
            const double by = *m_dragged - errorAt(event);
            setVisibleRange({m_range.lo + by, m_range.hi + by});
            return updateNow();
        }
        const std::size_t bin = m_bins.isEmpty() ? 0 : m_bins.at(errorAt(event));
        emit binHovered(bin < m_bins.counts.size() ? std::optional(bin) : std::nullopt);
    });
    connect(m_plot, &QCustomPlot::mouseWheel, this, [this](QWheelEvent *event) {
        zoom(event->position().x(), std::pow(0.8, event->angleDelta().y() / 120.0));
    });
    connect(m_plot, &QCustomPlot::mouseDoubleClick, this, [this] {
        if (m_histogram)
            setVisibleRange(firstErrorRange(*m_histogram));
    });
}

void ErrorPlot::zoom(double pixel, double factor)
{
    const double centre = m_plot->xAxis->pixelToCoord(pixel);
    setVisibleRange({centre + (m_range.lo - centre) * factor, centre + (m_range.hi - centre) * factor});
}

void ErrorPlot::setHistogram(const std::shared_ptr<const Histogram> &histogram)
{
    m_histogram = histogram;
    m_dragged.reset();
    m_range = histogram ? firstErrorRange(*histogram) : ValueRange{0, 1};
    schedule();
    emit visibleRangeChanged();
}

void ErrorPlot::setLogarithmicY(bool logarithmic)
{
    m_logY = logarithmic;
    schedule();
}

void ErrorPlot::setVisibleRange(const ValueRange &range)
{
    if (range == m_range || !(range.size() > 0))
        return;
    m_range = range;
    schedule();
    emit visibleRangeChanged();
}

void ErrorPlot::rebuild()
{
    const Theme theme = themeOf(this);
    stylePlot(*m_plot, theme);
    const auto most = std::max(FewestBins, static_cast<std::size_t>(m_plot->width() / PixelsPerBin));
    m_bins = m_histogram ? grouped(*m_histogram, m_range, most) : DrawnBins();
    fillGraph();
    QColor color(theme.colorAt(ColorMap::Error, ErrorColor));
    m_plot->graph(0)->setPen(QPen(color, 1));
    color.setAlphaF(FillAlpha);
    m_plot->graph(0)->setBrush(color);
    m_plot->yAxis->setLabel(height() < LeastLabelledHeight ? QString() : tr("weights per bin"));
    const double top = std::max(1.0, m_bins.largest());
    m_plot->yAxis->setScaleType(m_logY ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
    m_plot->yAxis->setTicker(m_logY ? QSharedPointer<QCPAxisTicker>(new PowerTicker)
                                    : QSharedPointer<QCPAxisTicker>(new NumberTicker));
    m_plot->yAxis->setRange(m_logY ? LowestCount : 0, m_logY ? top * Headroom : top * 1.04);
    m_plot->xAxis->setTicker(QSharedPointer<QCPAxisTicker>(new NumberTicker));
    m_plot->xAxis->setRange(m_range.lo, m_range.hi);
}

void ErrorPlot::fillGraph()
{
    const double floor = m_logY ? LowestCount / 10 : 0;
    QVector<QCPGraphData> points;
    for (std::size_t i = 0; i < m_bins.counts.size(); ++i)
        points << QCPGraphData(m_bins.edges[i], std::max(floor, m_bins.counts[i]));
    if (!m_bins.isEmpty()) // a step needs its end, and closes down to the axis
        points << QCPGraphData(m_bins.edges.back(), floor);
    m_plot->graph(0)->data()->set(points, true);
}

double ErrorPlot::pixelOf(double error) const { return m_plot->xAxis->coordToPixel(error); }

void ErrorPlot::leaveEvent(QEvent *)
{
    emit binHovered(std::nullopt);
}

} // namespace ql
