// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plot/plotstyle.h"

#include "widgets/formatting.h"

namespace ql {

namespace {
constexpr int TickFontPx = 11;
constexpr int SymLogTicks = 9;
constexpr int MostPowers = 10;     ///< about as many powers of ten are marked on a long axis
constexpr double FewDecades = 2.5; ///< below that, twice and five times a power are marked too
constexpr int PlainPowers = 4;     ///< 2 × 10³ and below are written out

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
    if (step < 1e-4 || largest >= 1e6) { // as many digits as tell one tick from the next
        const int digits = static_cast<int>(std::ceil(std::log10(largest / step))) + 1;
        return locale.toString(value, 'g', std::clamp(digits, 3, 15));
    }
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

QVector<double> logarithmicTicks(double lo, double hi)
{
    QVector<double> ticks;
    if (!(lo > 0) || !(hi > lo))
        return ticks;
    const int first = static_cast<int>(std::floor(std::log10(lo)));
    const int last = static_cast<int>(std::ceil(std::log10(hi)));
    const int every = std::max(1, (last - first) / MostPowers);
    const bool isShort = std::log10(hi / lo) < FewDecades;
    for (int exponent = first; exponent <= last; exponent += every) {
        for (const int factor : {1, 2, 5}) {
            const double tick = factor * std::pow(10.0, exponent);
            if (tick >= lo * (1 - 1e-9) && tick <= hi * (1 + 1e-9) && (factor == 1 || isShort))
                ticks << tick;
        }
    }
    return ticks;
}

QString logarithmicTickText(double tick, const QLocale &locale)
{
    const int exponent = static_cast<int>(std::floor(std::log10(tick) + 1e-9));
    const int factor = static_cast<int>(std::lround(tick / std::pow(10.0, exponent)));
    if (factor == 1)
        return formatPowerOfTen(exponent);
    if (exponent >= 0 && exponent < PlainPowers)
        return locale.toString(tick, 'f', 0);
    return QStringLiteral("%1·%2").arg(factor).arg(formatPowerOfTen(exponent));
}

QVector<double> PowerTicker::createTickVector(double, const QCPRange &range)
{
    return logarithmicTicks(range.lower, range.upper);
}

QString PowerTicker::getTickLabel(double tick, const QLocale &, QChar, int)
{
    return logarithmicTickText(tick, QLocale());
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
