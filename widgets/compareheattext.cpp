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

QString placeText(const PairHeat &maps, const CompareTitles &titles, const WeightPlace &place,
                  const QLocale &locale)
{
    const TypeTraits *type = findType(titles.typeIdA);
    const bool isOneBlock = maps.a->hasScale && type && type->blockSize == maps.a->cellWeights;
    return cellPlace(isOneBlock ? *maps.a : *maps.error, place, locale); // the error has no blocks
}

QString errorText(const HeatMap &map, std::optional<double> rmsA, Measure measure, Pooling pooling,
                  std::size_t cell, const QLocale &locale)
{
    const Measure shown = errorMeasure(measure);
    const auto &values = map.values(shown, pooling);
    const double error = cell < values.size() ? std::fabs(double(values[cell])) : NAN;
    const QString name = shown == Measure::AbsMax ? tr("max error") : tr("error");
    if (!std::isfinite(error))
        return name + QLatin1Char(' ') + noValue();
    const QString share = relativeError(error, rmsA, locale);
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

PairHeat PairHeat::of(const Comparison &comparison)
{
    const auto pointer = [](const std::optional<HeatMap> &map) { return map ? &*map : nullptr; };
    return {pointer(comparison.heatA), pointer(comparison.heatB), pointer(comparison.heatError)};
}

bool PairHeat::holds(const WeightPlace &place) const { return *this && cellAt(*error, place).has_value(); }

QString compareHeatReadout(const Comparison &comparison, const CompareTitles &titles, Measure measure,
                           Pooling pooling, const WeightPlace &place, const QLocale &locale)
{
    return compareHeatReadout(PairHeat::of(comparison), rmsOfA(comparison, titles), titles, measure, pooling,
                              place, locale);
}

QString compareHeatReadout(const PairHeat &maps, std::optional<double> rmsA, const CompareTitles &titles,
                           Measure measure, Pooling pooling, const WeightPlace &place, const QLocale &locale)
{
    if (!maps.holds(place))
        return {};
    const QStringList parts{
        placeText(maps, titles, place, locale),
        tr("A %1").arg(cellValue(*maps.a, measure, pooling, place, locale)),
        tr("B %1").arg(cellValue(*maps.b, measure, pooling, place, locale)),
        errorText(*maps.error, rmsA, measure, pooling, *cellAt(*maps.error, place), locale),
    };
    return parts.join(QStringLiteral(" · "));
}

QString compareErrorTitle(const Comparison &comparison, const CompareTitles &titles)
{
    if (rmsOfA(comparison, titles))
        return tr("relative to RMS of A");
    return comparison.sums.compared() == 0 ? tr("no pair of finite weights") : tr("A is all zero");
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
