// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plot/scatterplot.h"

#include "widgets/plot/plotstyle.h"

#include <QEvent>
#include <QKeyEvent>

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

namespace ql {

namespace {

constexpr double PointSize = 8;
constexpr double RingSize = 14;
constexpr double ReachPixels = 14; ///< a point this near to the pointer is meant
constexpr double Margin = 0.06;
constexpr float FillAlpha = 0.75F;

QCPRange padded(double lo, double hi)
{
    const double extra = hi > lo ? (hi - lo) * Margin : std::max(std::abs(hi) * Margin, 0.5);
    return {lo - extra, hi + extra};
}

} // namespace

ScatterPlot::ScatterPlot(QWidget *parent) : PlotWidget(parent)
{
    setFocusPolicy(Qt::StrongFocus);
    m_plot->setFocusProxy(this);
    m_plot->setNoAntialiasingOnDrag(false);
    m_plot->setInteractions(QCP::iRangeDrag | QCP::iRangeZoom);
    m_plot->axisRect()->setMinimumMargins(QMargins(52, 8, 12, 0));
    connect(m_plot, &QCustomPlot::mouseMove, this, [this](QMouseEvent *event) {
        const auto point = nearest(event->position());
        m_plot->setCursor(point ? Qt::PointingHandCursor : Qt::ArrowCursor);
        emit pointHovered(point ? std::optional(m_points[*point].id) : std::nullopt);
    });
    connect(m_plot, &QCustomPlot::mousePress, this, [this](QMouseEvent *event) {
        const auto point = nearest(event->position());
        if (event->button() == Qt::LeftButton && point)
            emit pointActivated(m_points[*point].id);
    });
    connect(m_plot, &QCustomPlot::mouseDoubleClick, this, [this] {
        m_fits = true;
        schedule();
    });
    connect(m_plot, &QCustomPlot::mouseWheel, this, [this] { m_fits = false; });
    connect(m_plot, &QCustomPlot::mouseRelease, this, [this] { m_fits &= m_fitted == shownRanges(); });
}

void ScatterPlot::setPoints(std::vector<ScatterPoint> points)
{
    m_points = std::move(points);
    schedule();
}

void ScatterPlot::setAxes(const QString &x, const QString &y)
{
    m_fits |= x != m_xLabel || y != m_yLabel;
    m_xLabel = x;
    m_yLabel = y;
    schedule();
}

void ScatterPlot::setLogarithmicY(bool logarithmic)
{
    m_fits |= m_logY != logarithmic;
    m_logY = logarithmic;
    schedule();
}

void ScatterPlot::setSelected(std::optional<std::size_t> id)
{
    m_selected = id;
    schedule();
}

std::size_t ScatterPlot::hidden() const
{
    return static_cast<std::size_t>(std::ranges::count_if(m_points, [this](const ScatterPoint &p) { return !isShown(p); }));
}

void ScatterPlot::rebuild()
{
    const Theme theme = themeOf(this);
    stylePlot(*m_plot, theme);
    m_plot->xAxis->grid()->setVisible(true);
    m_plot->xAxis->setTicker(QSharedPointer<QCPAxisTicker>(new NumberTicker));
    m_plot->yAxis->setScaleType(m_logY ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
    m_plot->yAxis->setTicker(m_logY ? QSharedPointer<QCPAxisTicker>(new PowerTicker)
                                    : QSharedPointer<QCPAxisTicker>(new NumberTicker));
    m_plot->xAxis->setLabel(m_xLabel);
    m_plot->yAxis->setLabel(m_yLabel);
    rebuildGraphs();
    if (m_fits)
        fitAxes();
}

void ScatterPlot::rebuildGraphs()
{
    const Theme theme = themeOf(this);
    m_plot->clearGraphs();
    std::map<QRgb, QVector<QCPGraphData>> byColor;
    QVector<QCPGraphData> chosen;
    for (const ScatterPoint &point : m_points) {
        if (!isShown(point))
            continue;
        byColor[point.color.rgb()] << QCPGraphData(point.x, point.y);
        if (m_selected == point.id)
            chosen << QCPGraphData(point.x, point.y);
    }
    const auto add = [this](const QVector<QCPGraphData> &places, const QPen &pen, const QColor &fill, double size) {
        QCPGraph *graph = m_plot->addGraph();
        graph->setLineStyle(QCPGraph::lsNone);
        graph->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssCircle, pen, fill, size));
        graph->data()->set(places);
    };
    for (const auto &[color, places] : byColor) {
        QColor fill(color);
        fill.setAlphaF(FillAlpha);
        add(places, QPen(theme.panel, 1), fill, PointSize);
    }
    add(chosen, QPen(theme.text, 2), Qt::transparent, RingSize);
}

std::array<double, 4> ScatterPlot::shownRanges() const
{
    const QCPRange x = m_plot->xAxis->range(), y = m_plot->yAxis->range();
    return {x.lower, x.upper, y.lower, y.upper};
}

void ScatterPlot::fitAxes()
{
    double x0 = std::numeric_limits<double>::infinity(), x1 = -x0, y0 = x0, y1 = -x0;
    for (const ScatterPoint &point : m_points) {
        if (!isShown(point))
            continue;
        x0 = std::min(x0, point.x);
        x1 = std::max(x1, point.x);
        y0 = std::min(y0, point.y);
        y1 = std::max(y1, point.y);
    }
    if (x0 > x1)
        x0 = y0 = 0, x1 = y1 = 1;
    m_plot->xAxis->setRange(padded(x0, x1));
    if (m_logY)
        m_plot->yAxis->setRange(std::max(y0, 1e-300) / 1.4, std::max(y1, 1e-300) * 1.4);
    else
        m_plot->yAxis->setRange(std::min(y0, 0.0), std::max(y1, 1e-300) * (1 + Margin));
    m_fitted = shownRanges();
}

QPointF ScatterPlot::pixelOf(const ScatterPoint &point) const
{
    return {m_plot->xAxis->coordToPixel(point.x), m_plot->yAxis->coordToPixel(point.y)};
}

std::optional<std::size_t> ScatterPlot::nearest(const QPointF &place) const
{
    std::optional<std::size_t> best;
    double least = ReachPixels * ReachPixels;
    for (std::size_t i = 0; i < m_points.size(); ++i) {
        if (!isShown(m_points[i]))
            continue;
        const QPointF away = pixelOf(m_points[i]) - place;
        const double distance = QPointF::dotProduct(away, away);
        if (distance <= least) {
            least = distance;
            best = i;
        }
    }
    return best;
}

std::optional<std::size_t> ScatterPlot::pointAt(const QPointF &place) const
{
    const auto point = nearest(place);
    return point ? std::optional(m_points[*point].id) : std::nullopt;
}

/// To the next point from left to right.
void ScatterPlot::step(int by)
{
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < m_points.size(); ++i)
        if (isShown(m_points[i]))
            order.push_back(i);
    if (order.empty())
        return;
    std::ranges::stable_sort(order, {}, [this](std::size_t i) { return std::pair(m_points[i].x, m_points[i].y); });
    const auto at = std::ranges::find_if(order, [this](std::size_t i) { return m_selected == m_points[i].id; });
    const auto count = static_cast<std::ptrdiff_t>(order.size());
    std::ptrdiff_t next = at == order.end() ? 0 : at - order.begin() + by;
    next = std::clamp<std::ptrdiff_t>(next, 0, count - 1);
    const std::size_t id = m_points[order[static_cast<std::size_t>(next)]].id;
    setSelected(id);
    emit pointHovered(id);
    emit pointActivated(id);
}

void ScatterPlot::keyPressEvent(QKeyEvent *event)
{
    switch (event->key()) {
    case Qt::Key_Left:
    case Qt::Key_Down: return step(-1);
    case Qt::Key_Right:
    case Qt::Key_Up: return step(1);
    default: QWidget::keyPressEvent(event);
    }
}

} // namespace ql
