// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/heatmaptext.h"

#include "widgets/formatting.h"

#include <QCoreApplication>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>

namespace ql {

namespace {

QString tr(const char *text)
{
    return QCoreApplication::translate("HeatMap", text);
}

struct MeasureText {
    Measure measure;
    const char *name;
    const char *help;
};

constexpr std::array<MeasureText, 5> Measures{{
    {Measure::Rms, QT_TRANSLATE_NOOP("HeatMap", "RMS"),
     QT_TRANSLATE_NOOP("HeatMap", "sqrt(mean(w²)) of the finite weights of a cell")},
    {Measure::AbsMax, QT_TRANSLATE_NOOP("HeatMap", "absmax"),
     QT_TRANSLATE_NOOP("HeatMap", "largest |w| of a cell; the readout keeps its sign")},
    {Measure::Mean, QT_TRANSLATE_NOOP("HeatMap", "mean"),
     QT_TRANSLATE_NOOP("HeatMap", "mean of the finite weights of a cell, blue below and red above zero")},
    {Measure::ZeroShare, QT_TRANSLATE_NOOP("HeatMap", "zero share"),
     QT_TRANSLATE_NOOP("HeatMap", "share of weights that are exactly zero")},
    {Measure::Scale, QT_TRANSLATE_NOOP("HeatMap", "scale |d|"),
     QT_TRANSLATE_NOOP("HeatMap", "the block's stored scale; types without blocks have none")},
}};

const MeasureText &textOf(Measure measure)
{
    return *std::find_if(Measures.begin(), Measures.end(),
                         [measure](const auto &row) { return row.measure == measure; });
}

/// "17" or "16–17"
QString range(std::uint64_t first, std::uint64_t last, const QLocale &locale)
{
    if (first >= last)
        return formatCount(first, locale);
    return formatCount(first, locale) + QStringLiteral("–") + formatCount(last, locale);
}

/// The cell along one axis that holds `at`: its first and last index.
struct Extent {
    std::uint64_t first;
    std::uint64_t last;
};

Extent extentOf(std::uint64_t at, std::uint64_t origin, std::uint64_t size, std::uint64_t total)
{
    const std::uint64_t first = origin + (at - origin) / size * size;
    return {first, std::min(first + size, total) - 1};
}

void appendNumber(std::string &text, float value)
{
    if (!std::isfinite(value))
        return;
    std::array<char, 32> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    text.append(digits.data(), end);
}

} // namespace

QString measureName(Measure measure)
{
    return tr(textOf(measure).name);
}

QString measureHelp(Measure measure)
{
    return tr(textOf(measure).help);
}

QString pooledMeasureName(const HeatMap &map, Measure measure, Pooling pooling)
{
    if (!map.isPooled() || measure == Measure::ZeroShare || measure == Measure::AbsMax)
        return measureName(measure);
    const QString name = measureName(measure);
    return pooling == Pooling::Max ? tr("max %1").arg(name) : tr("pooled %1").arg(name);
}

QString measureValue(Measure measure, double value, const QLocale &locale)
{
    return measure == Measure::ZeroShare ? formatPercent(value, locale) : formatNumber(value, locale);
}

QString scaleLabel(Measure measure, double value, double step, const QLocale &locale)
{
    constexpr int UsualDigits = 4;
    const double ratio = std::fabs(value) / step;
    if (measure == Measure::ZeroShare || !(step > 0) || !std::isfinite(ratio) || ratio < 1000)
        return measureValue(measure, value, locale);
    const int digits = static_cast<int>(std::ceil(std::log10(ratio))) + 1;
    return locale.toString(value, 'g', std::clamp(digits, UsualDigits, 9));
}

std::optional<std::size_t> cellAt(const HeatMap &map, const WeightPlace &place)
{
    const HeatMapWindow &w = map.window;
    if (place.row < w.firstRow || place.row - w.firstRow >= w.rows || place.column < w.firstColumn
        || place.column - w.firstColumn >= w.columns)
        return std::nullopt;
    const auto row = static_cast<std::size_t>((place.row - w.firstRow) / map.rowsPerCell);
    const auto column = static_cast<std::size_t>((place.column - w.firstColumn) / map.weightsPerCell);
    if (row >= map.rows || column >= map.columns)
        return std::nullopt;
    return map.index(row, column);
}

QString cellPlace(const HeatMap &map, const WeightPlace &place, const QLocale &locale)
{
    const Extent rows = extentOf(place.row, map.window.firstRow, map.rowsPerCell, map.tensorRows);
    const Extent weights
        = extentOf(place.column, map.window.firstColumn, map.weightsPerCell, map.tensorColumns);
    QString text = (rows.first == rows.last ? tr("row %1") : tr("rows %1"))
                       .arg(range(rows.first, rows.last, locale));
    const QString columns = tr("weights %1").arg(range(weights.first, weights.last, locale));
    if (!map.hasScale) // plain types have no blocks
        return text + QStringLiteral(" · ") + columns;
    const std::uint64_t first = weights.first / map.cellWeights, last = weights.last / map.cellWeights;
    text += QStringLiteral(" · ")
        + (first == last ? tr("block %1") : tr("blocks %1")).arg(range(first, last, locale));
    return text + QStringLiteral(" (%1)").arg(columns);
}

QString cellValue(const HeatMap &map, Measure measure, Pooling pooling, const WeightPlace &place,
                  const QLocale &locale)
{
    const auto cell = cellAt(map, place);
    if (!cell)
        return {};
    const auto &values = map.values(measure, pooling);
    const bool known = *cell < values.size() && std::isfinite(values[*cell]);
    const std::uint32_t bad = *cell < map.nonFinite.size() ? map.nonFinite[*cell] : 0;
    QStringList parts;
    if (known)
        parts << pooledMeasureName(map, measure, pooling) + QLatin1Char(' ')
                + measureValue(measure, values[*cell], locale);
    if (bad > 0)
        parts << tr("%1 NaN or Inf").arg(formatCount(bad, locale));
    if (parts.isEmpty())
        parts << (map.sampledShare < 1 ? tr("not sampled") : tr("no finite weight"));
    return parts.join(QStringLiteral(" · "));
}

QString heatMapReadout(const HeatMap &map, Measure measure, Pooling pooling, const WeightPlace &place,
                       const QLocale &locale)
{
    const QString value = cellValue(map, measure, pooling, place, locale);
    return value.isEmpty() ? value : cellPlace(map, place, locale) + QStringLiteral(" · ") + value;
}

QString heatMapCsv(const HeatMap &map, Measure measure, Pooling pooling)
{
    const auto &values = map.values(measure, pooling);
    std::string text = "first row / first weight";
    for (std::size_t column = 0; column < map.columns; ++column)
        text += ',' + std::to_string(map.window.firstColumn + column * map.weightsPerCell);
    text += '\n';
    for (std::size_t row = 0; row < map.rows; ++row) {
        text += std::to_string(map.window.firstRow + row * map.rowsPerCell);
        for (std::size_t column = 0; column < map.columns; ++column) {
            text += ',';
            if (const std::size_t i = map.index(row, column); i < values.size())
                appendNumber(text, values[i]);
        }
        text += '\n';
    }
    return QString::fromStdString(text);
}

} // namespace ql
