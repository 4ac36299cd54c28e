// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/plot/histogrambins.h"
#include "widgets/plot/qcp.h"
#include "widgets/theme.h"

namespace ql {

/// Axes, grid, background and fonts of a plot in a theme; again on every change of palette.
void stylePlot(QCustomPlot &plot, const Theme &theme);

/// Numbers in the window's locale, with just the decimals that the step needs.
class NumberTicker final : public QCPAxisTicker
{
protected:
    QVector<double> createTickVector(double tickStep, const QCPRange &range) override;
    QString getTickLabel(double tick, const QLocale &locale, QChar formatChar, int precision) override;

private:
    double m_step = 1;
};

/// Where a logarithmic axis is marked between lo and hi (both above 0): powers of ten, and twice and
/// five times each where only a few are in sight.
QVector<double> logarithmicTicks(double lo, double hi);
/// "10³", "20", "5·10⁶"
QString logarithmicTickText(double tick, const QLocale &locale);

/// 10⁰ 10¹ 10² … or 1 2 5 10 … over a short range
class PowerTicker final : public QCPAxisTickerLog
{
protected:
    QVector<double> createTickVector(double tickStep, const QCPRange &range) override;
    QString getTickLabel(double tick, const QLocale &locale, QChar formatChar, int precision) override;
};

/// An axis whose coordinates are SymLog::to(): 0 and ±10ⁿ at their places.
class SymLogTicker final : public QCPAxisTicker
{
public:
    explicit SymLogTicker(const SymLog &scale) : m_scale(scale) {}

protected:
    QVector<double> createTickVector(double tickStep, const QCPRange &range) override;
    QVector<double> createSubTickVector(int subTickCount, const QVector<double> &ticks) override;
    QString getTickLabel(double tick, const QLocale &locale, QChar formatChar, int precision) override;

private:
    SymLog m_scale;
};

/// A number on an axis whose ticks are `step` apart: "0", "-0.2", "1,500", "2e-7".
QString tickText(double value, double step, const QLocale &locale);

} // namespace ql
