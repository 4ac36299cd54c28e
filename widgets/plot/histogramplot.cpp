// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plot/histogramplot.h"

#include "widgets/formatting.h"
#include "widgets/plot/histogramoverlay.h"
#include "widgets/plot/plotstyle.h"

#include <QEvent>

#include <array>

namespace ql {

namespace {

constexpr double PixelsPerBin = 2;
constexpr std::size_t FewestBins = 32;
constexpr double LowestCount = 0.6; ///< the bottom of a logarithmic axis: one weight stands above it
constexpr double Headroom = 1.6;
constexpr float FillAlphaA = 0.16F;
constexpr float FillAlphaB = 0.13F;

ValueRange hull(const ValueRange &a, const ValueRange &b)
{
    return {std::min(a.lo, b.lo), std::max(a.hi, b.hi)};
}

} // namespace

const Figures *HistogramSource::figures() const
{
    if (!stats)
        return nullptr;
    if (!expert)
        return &stats->figures;
    return *expert < stats->experts.size() ? &stats->experts[*expert] : nullptr;
}

HistogramPlot::HistogramPlot(QWidget *parent) : PlotWidget(parent)
{
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Histogram"));
    buildPlot();
    connectMouse();
}

void HistogramPlot::buildPlot()
{
    m_plot->setObjectName(QStringLiteral("histogramCanvas"));
    m_plot->setFocusProxy(this);
    m_plot->setNoAntialiasingOnDrag(false);
    // Segment by segment: a comb of 400 teeth stroked as one path takes 65 ms.
    m_plot->setPlottingHint(QCP::phFastPolylines);
    // B first: A's outline lies above its fill.
    for (int i = 0; i < 2; ++i) {
        QCPGraph *graph = m_plot->addGraph();
        graph->setLineStyle(QCPGraph::lsStepLeft);
        // Steps are crisper without, and a comb of 400 teeth costs half the time.
        graph->setAntialiased(false);
        graph->setAntialiasedFill(false);
    }
    m_overlay = new HistogramOverlay(m_plot);
    QCPAxisRect *rect = m_plot->axisRect();
    rect->setMinimumMargins(QMargins(46, HistogramOverlay::Lanes * HistogramOverlay::labelHeight() + 3, 10, 0));
    m_plot->yAxis->setLabel(tr("weights per bin"));
}

void HistogramPlot::setSources(const HistogramSource &a, const HistogramSource &b, bool keepsRange)
{
    const bool steady = keepsRange && m_a.figures() && a.figures();
    const bool follows = !steady || visibleRange() == initialRange();
    const ValueRange before = initialRange();
    m_a = a;
    m_b = b;
    m_steady = steady ? before : ValueRange{};
    if (follows)
        m_range = initialRange();
    if (!steady) {
        setBrush(std::nullopt);
        m_hoveredAt.reset();
    }
    if (const Figures *figures = m_a.figures() ? m_a.figures() : m_b.figures())
        m_scale = SymLog(symLogThreshold(*figures));
    schedule();
}

void HistogramPlot::setLogarithmicY(bool logarithmic)
{
    m_logY = logarithmic;
    schedule();
}

void HistogramPlot::setSymLogX(bool symLog)
{
    m_symLog = symLog;
    m_range = initialRange();
    schedule();
}

void HistogramPlot::setFullRange(bool full)
{
    m_full = full;
    m_range = initialRange();
    schedule();
}

void HistogramPlot::setMarks(PlotMarks marks)
{
    m_marks = marks;
    schedule();
}

ValueRange HistogramPlot::wholeRange() const
{
    const Figures *a = m_a.figures(), *b = m_b.figures();
    if (!a && !b)
        return {0, 1};
    if (!a || !b)
        return fullRange(a ? *a : *b);
    return hull(fullRange(*a), fullRange(*b));
}

ValueRange HistogramPlot::initialRange() const
{
    const Figures *a = m_a.figures(), *b = m_b.figures();
    if (m_full || m_symLog || (!a && !b)) // outliers are what a symmetric logarithm is for
        return m_steady.size() > 0 ? hull(wholeRange(), m_steady) : wholeRange();
    ValueRange range = firstRange(a ? *a : *b);
    if (a && b)
        range = hull(range, firstRange(*b));
    return m_steady.size() > 0 ? hull(range, m_steady) : range;
}

ValueRange HistogramPlot::visibleRange() const
{
    return m_range;
}

void HistogramPlot::setVisibleRange(const ValueRange &range)
{
    if (range == m_range || !(range.size() > 0))
        return;
    m_range = range;
    schedule();
    emit visibleRangeChanged();
}

void HistogramPlot::rebuild()
{
    stylePlot(*m_plot, themeOf(this));
    m_overlay->setTheme(themeOf(this));
    rebuildBins();
    rebuildAxes();
    rebuildMarks();
    refreshHover();
}

void HistogramPlot::rebuildBins()
{
    m_binsA = m_binsB = {};
    const Figures *a = m_a.figures(), *b = m_b.figures();
    const Figures *first = a ? a : b;
    if (!first)
        return;
    const auto bins = std::max(FewestBins, static_cast<std::size_t>(m_plot->width() / PixelsPerBin));
    std::vector<double> edges;
    if (m_symLog) {
        edges = equalEdges({toAxis(m_range.lo), toAxis(m_range.hi)}, bins);
        for (double &edge : edges)
            edge = m_scale.from(edge);
    } else {
        const DrawnBins own = grouped(binsFor(*first, m_range), m_range, bins);
        edges = own.isEmpty() ? equalEdges(m_range, bins) : own.edges;
        if (b)
            edges = extended(edges, m_range);
        if (a && !own.isEmpty() && edges.size() == own.edges.size())
            m_binsA = own; // whole bins: exact counts
    }
    if (a && m_binsA.isEmpty())
        m_binsA = respread(*a, edges);
    if (b)
        m_binsB = respread(*b, edges);
}

void HistogramPlot::fillGraph(int index, const DrawnBins &bins, double share)
{
    QVector<QCPGraphData> points;
    points.reserve(static_cast<qsizetype>(bins.edges.size()) + 1);
    const double floor = m_logY ? LowestCount / 10 : 0;
    for (std::size_t i = 0; i < bins.counts.size(); ++i)
        points << QCPGraphData(toAxis(bins.edges[i]), std::max(floor, bins.counts[i] / share));
    if (!bins.isEmpty()) // a step needs its end, and closes down to the axis
        points << QCPGraphData(toAxis(bins.edges.back()), floor);
    m_plot->graph(index)->data()->set(points, true);
}

void HistogramPlot::rebuildAxes()
{
    const Theme theme = themeOf(this);
    fillGraph(0, m_binsB, m_b.sampledShare());
    fillGraph(1, m_binsA, m_a.sampledShare());
    const std::array<std::tuple<QColor, QColor, float>, 2> looks{
        {{theme.b, theme.b, FillAlphaB}, {theme.accent, theme.accent, FillAlphaA}}};
    for (int i = 0; i < 2; ++i) {
        auto [line, fill, alpha] = looks[static_cast<std::size_t>(i)];
        fill.setAlphaF(alpha);
        m_plot->graph(i)->setPen(QPen(line, 1));
        m_plot->graph(i)->setBrush(fill);
    }

    const double most = std::max({1.0, m_binsA.largest() / m_a.sampledShare(),
                                  m_binsB.largest() / m_b.sampledShare()});
    m_plot->yAxis->setScaleType(m_logY ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
    m_plot->yAxis->setTicker(m_logY ? QSharedPointer<QCPAxisTicker>(new PowerTicker)
                                    : QSharedPointer<QCPAxisTicker>(new NumberTicker));
    m_plot->yAxis->setRange(m_logY ? LowestCount : 0, m_logY ? most * Headroom : most * 1.04);
    m_plot->xAxis->setTicker(m_symLog ? QSharedPointer<QCPAxisTicker>(new SymLogTicker(m_scale))
                                      : QSharedPointer<QCPAxisTicker>(new NumberTicker));
    m_plot->xAxis->setRange(toAxis(m_range.lo), toAxis(m_range.hi));
    m_plot->xAxis->setLabel(m_symLog ? tr("weight (logarithmic beyond ±%1; bins widen with it)")
                                           .arg(formatNumber(m_scale.threshold()))
                                     : tr("weight"));
}

void HistogramPlot::rebuildMarks()
{
    std::vector<PlotMark> marks;
    const Figures *figures = m_a.figures() ? m_a.figures() : m_b.figures();
    const auto add = [&](std::optional<double> value, const QString &label) {
        if (value)
            marks.push_back({toAxis(*value), label});
    };
    const auto mean = figures ? figures->moments.meanValue() : std::nullopt;
    const auto sigma = figures ? figures->moments.std() : std::nullopt;
    if (mean && (m_marks == PlotMarks::Spread || m_marks == PlotMarks::All)) {
        add(mean, tr("mean"));
        if (sigma && *sigma > 0) {
            add(*mean - 2 * *sigma, QStringLiteral("-2σ"));
            add(*mean + 2 * *sigma, QStringLiteral("+2σ"));
        }
        if (m_range.contains(0))
            add(0.0, QStringLiteral("0"));
    }
    if (figures && (m_marks == PlotMarks::Percentiles || m_marks == PlotMarks::All)) {
        constexpr std::array<std::size_t, 7> Order{3, 0, 6, 1, 5, 2, 4}; // median, then the tails
        for (const std::size_t i : Order)
            add(figures->percentiles[i], PercentilePoints[i] == 50 ? tr("median")
                    : tr("%1 %").arg(QLocale().toString(PercentilePoints[i])));
    }
    m_overlay->setMarks(std::move(marks));
    std::optional<ValueRange> brush;
    if (m_brush)
        brush = ValueRange{toAxis(m_brush->lo), toAxis(m_brush->hi)};
    m_overlay->setBrush(brush);

    const Outside out = figures ? outside(*figures, m_range) : Outside{};
    m_overlay->setEdges(out.below ? tr("◂ %1 beyond").arg(formatCount(out.below)) : QString(),
                        out.above ? tr("%1 beyond ▸").arg(formatCount(out.above)) : QString());
}

std::vector<QString> HistogramPlot::drawnLabels() const
{
    return m_overlay->drawnLabels();
}

double HistogramPlot::pixelOf(double value) const
{
    return m_plot->xAxis->coordToPixel(toAxis(value));
}

double HistogramPlot::valueAt(double pixel) const
{
    return fromAxis(m_plot->xAxis->pixelToCoord(pixel));
}

QString HistogramPlot::csv()
{
    updateNow();
    QString text = m_binsB.isEmpty() ? QStringLiteral("from,to,count\n")
                                     : QStringLiteral("from,to,count_a,count_b\n");
    const DrawnBins &bins = m_binsA.isEmpty() ? m_binsB : m_binsA;
    for (std::size_t i = 0; i < bins.counts.size(); ++i) {
        text += exactNumber(bins.edges[i]) + QLatin1Char(',') + exactNumber(bins.edges[i + 1])
            + QLatin1Char(',') + exactNumber(bins.counts[i]);
        if (i < m_binsB.counts.size() && !m_binsA.isEmpty())
            text += QLatin1Char(',') + exactNumber(m_binsB.counts[i]);
        text += QLatin1Char('\n');
    }
    return text;
}

} // namespace ql
