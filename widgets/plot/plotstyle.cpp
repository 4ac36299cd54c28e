// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plot/plotstyle.h"

#include "widgets/formatting.h"

namespace ql {

namespace {
constexpr int TickFontPx = 11;
constexpr int SymLogTicks = 9;

void styleAxis(QCPAxis *axis, const Theme &theme)
{
    axis->setBasePen(QPen(theme.line, 1));
    axis->setTickPen(QPen(theme.line, 1));
    axis->setSubTickPen(Qt::NoPen);
    axis->setTickLabelColor(theme.muted);
    axis->setTickLabelFont(Theme::fixedFont(TickFontPx));
    axis->setLabelColor(theme.muted);
    axis->setLabelFont(Theme::textFont(TickFontPx));
    axis->setTickLength(0, 3);
    axis->setTickLabelPadding(4);
    axis->setLabelPadding(5);
    axis->grid()->setPen(QPen(theme.grid, 1));
    axis->grid()->setSubGridVisible(false);
    axis->grid()->setZeroLinePen(QPen(theme.grid, 1));
}
} // namespace

void stylePlot(QCustomPlot &plot, const Theme &theme)
{
    plot.setBackground(theme.panel);
    for (QCPAxis *axis : {plot.xAxis, plot.yAxis})
        styleAxis(axis, theme);
    plot.xAxis->grid()->setVisible(false);
    plot.yAxis->setBasePen(Qt::NoPen);
    plot.yAxis->setTickPen(Qt::NoPen);
}

QString tickText(double value, double step, const QLocale &locale)
{
    if (std::fabs(value) < step * 1e-6)
        return locale.toString(0);
    const double largest = std::max(std::fabs(value), step);
    if (step < 1e-4 || largest >= 1e6)
        return locale.toString(value, 'g', 3);
    int decimals = 0; // as many as the step has
    for (double scaled = step; decimals < 8 && std::fabs(scaled - std::round(scaled)) > 1e-6; scaled *= 10)
        ++decimals;
    return locale.toString(value, 'f', decimals);
}

QVector<double> NumberTicker::createTickVector(double tickStep, const QCPRange &range)
{
    m_step = tickStep;
    return QCPAxisTicker::createTickVector(tickStep, range);
}

QString NumberTicker::getTickLabel(double tick, const QLocale &, QChar, int)
{
    return tickText(tick, m_step, QLocale());
}

QString PowerTicker::getTickLabel(double tick, const QLocale &, QChar, int)
{
    return formatPowerOfTen(static_cast<int>(std::lround(std::log10(tick))));
}

QVector<double> SymLogTicker::createTickVector(double, const QCPRange &range)
{
    const ValueRange values{m_scale.from(range.lower), m_scale.from(range.upper)};
    QVector<double> places;
    for (const double tick : m_scale.ticks(values, SymLogTicks))
        places << m_scale.to(tick);
    return places;
}

QVector<double> SymLogTicker::createSubTickVector(int, const QVector<double> &)
{
    return {};
}

QString SymLogTicker::getTickLabel(double tick, const QLocale &, QChar, int)
{
    if (tick == 0)
        return QStringLiteral("0");
    const int exponent = static_cast<int>(std::lround(std::log10(std::fabs(m_scale.from(tick)))));
    return (tick < 0 ? QStringLiteral("-") : QString()) + formatPowerOfTen(exponent);
}

} // namespace ql
