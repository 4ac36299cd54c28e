// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compareheattext.h"

#include "core/model/ggmltype.h"
#include "widgets/formatting.h"
#include "widgets/heatmaptext.h"

#include <QCoreApplication>

#include <array>
#include <charconv>
#include <cmath>
#include <string>

namespace ql {

namespace {

constexpr double WholePercentFrom = 0.0995; // "10 %" and up need no decimals

QString tr(const char *text)
{
    return QCoreApplication::translate("CompareHeat", text);
}

QString placeText(const Comparison &c, const CompareTitles &titles, const WeightPlace &place,
                  const QLocale &locale)
{
    const TypeTraits *type = findType(titles.typeIdA);
    const bool isOneBlock = c.heatA->hasScale && type && type->blockSize == c.heatA->cellWeights;
    return cellPlace(isOneBlock ? *c.heatA : *c.heatError, place, locale); // the error has no blocks
}

QString errorText(const Comparison &c, const CompareTitles &titles, Measure measure, Pooling pooling,
                  std::size_t cell, const QLocale &locale)
{
    const Measure shown = errorMeasure(measure);
    const auto &values = c.heatError->values(shown, pooling);
    const double error = cell < values.size() ? std::fabs(double(values[cell])) : NAN;
    const QString name = shown == Measure::AbsMax ? tr("max error") : tr("error");
    if (!std::isfinite(error))
        return name + QLatin1Char(' ') + noValue();
    const QString share = relativeError(error, rmsOfA(c, titles), locale);
    const QString text = name + QLatin1Char(' ') + formatNumber(error, locale);
    return share.isEmpty() ? text : text + QStringLiteral(" (%1)").arg(share);
}

void appendNumber(std::string &text, const std::vector<float> &values, std::size_t cell)
{
    text += ',';
    if (cell >= values.size() || !std::isfinite(values[cell]))
        return;
    std::array<char, 32> digits;
    text.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), values[cell]).ptr);
}

std::string csvHeader(Measure measure)
{
    const std::string name = measureName(measure).toStdString();
    const std::string error = measureName(errorMeasure(measure)).toStdString();
    return "first row,first weight,A " + name + ",B " + name + ",error " + error + '\n';
}

} // namespace

Measure errorMeasure(Measure measure)
{
    return measure == Measure::AbsMax ? Measure::AbsMax : Measure::Rms;
}

std::optional<double> rmsOfA(const Comparison &comparison, const CompareTitles &titles)
{
    if (std::isfinite(titles.rmsA) && titles.rmsA > 0)
        return titles.rmsA;
    const ErrorSums &sums = comparison.sums;
    if (sums.compared() == 0 || !(sums.sumSqA > 0))
        return std::nullopt;
    return std::sqrt(sums.sumSqA / static_cast<double>(sums.compared()));
}

QString compareSideText(std::uint32_t typeId, double bpw, const QLocale &locale)
{
    const QString type = QString::fromStdString(typeLabel(typeId));
    return bpw > 0 ? type + QStringLiteral(" · ") + formatBitsPerWeight(bpw, locale) : type;
}

QString relativeError(double error, std::optional<double> rmsA, const QLocale &locale)
{
    if (!rmsA || !std::isfinite(error))
        return {};
    const double share = error / *rmsA;
    return share >= WholePercentFrom ? tr("%1 %").arg(locale.toString(share * 100, 'f', 0))
                                     : formatPercent(share, locale);
}

QString compareHeatReadout(const Comparison &comparison, const CompareTitles &titles, Measure measure,
                           Pooling pooling, const WeightPlace &place, const QLocale &locale)
{
    if (!comparison.heatA || !comparison.heatB || !comparison.heatError)
        return {};
    const auto cell = cellAt(*comparison.heatError, place);
    if (!cell)
        return {};
    const QStringList parts{
        placeText(comparison, titles, place, locale),
        tr("A %1").arg(cellValue(*comparison.heatA, measure, pooling, place, locale)),
        tr("B %1").arg(cellValue(*comparison.heatB, measure, pooling, place, locale)),
        errorText(comparison, titles, measure, pooling, *cell, locale),
    };
    return parts.join(QStringLiteral(" · "));
}

QString compareHeatCsv(const Comparison &comparison, Measure measure, Pooling pooling)
{
    if (!comparison.heatA || !comparison.heatB || !comparison.heatError)
        return {};
    const HeatMap &grid = *comparison.heatError;
    const auto &a = comparison.heatA->values(measure, pooling);
    const auto &b = comparison.heatB->values(measure, pooling);
    const auto &error = grid.values(errorMeasure(measure), pooling);
    std::string text = csvHeader(measure);
    for (std::size_t row = 0; row < grid.rows; ++row)
        for (std::size_t column = 0; column < grid.columns; ++column) {
            const std::size_t cell = grid.index(row, column);
            text += std::to_string(grid.window.firstRow + row * grid.rowsPerCell) + ','
                + std::to_string(grid.window.firstColumn + column * grid.weightsPerCell);
            appendNumber(text, a, cell);
            appendNumber(text, b, cell);
            appendNumber(text, error, cell);
            text += '\n';
        }
    return QString::fromStdString(text);
}

} // namespace ql
