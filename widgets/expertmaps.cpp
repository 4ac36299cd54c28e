// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/expertmaps.h"

#include "widgets/formatting.h"

#include <QObject>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace ql {

namespace {

/// Lowest and highest finite value; 0 and 1 where there is none.
std::pair<double, double> rangeOf(const std::vector<double> &values)
{
    double lo = std::numeric_limits<double>::infinity();
    double hi = -lo;
    for (const double value : values)
        if (std::isfinite(value)) {
            lo = std::min(lo, value);
            hi = std::max(hi, value);
        }
    return lo <= hi ? std::pair(lo, hi) : std::pair(0.0, 1.0);
}

void markOdd(CellMapData &cells, std::span<const ExpertTablePtr> tables, const std::string &role, ExpertFigure figure)
{
    cells.marked.resize(cells.values.size());
    for (const ExpertTablePtr &table : tables) {
        const int row = table && table->role == role ? rowOf(cells, table->layer) : -1;
        if (row < 0)
            continue;
        for (const OddExpert &odd : findOddExperts(*table, figure)) {
            const std::uint64_t number = table->experts[odd.index].ref.number;
            if (number < static_cast<std::uint64_t>(cells.columns))
                cells.marked[static_cast<std::size_t>(row * cells.columns) + number] = true;
        }
    }
}

} // namespace

QString toText(std::string_view utf8) { return QString::fromUtf8(utf8.data(), static_cast<qsizetype>(utf8.size())); }

QString layerText(const std::optional<std::uint32_t> &layer)
{
    return layer ? QObject::tr("layer %1").arg(*layer) : QObject::tr("no layer");
}

CellMapData expertMapCells(std::span<const ExpertGroup> groups, std::span<const ExpertTablePtr> tables,
                           const std::string &role, ExpertFigure figure)
{
    const ExpertMap map = makeExpertMap(groups, tables, role, figure);
    CellMapData cells;
    cells.rows = static_cast<int>(map.layers.size());
    cells.columns = static_cast<int>(map.experts);
    cells.values = map.values;
    cells.rowNumbers.assign(map.layers.begin(), map.layers.end());
    cells.columnNumbers.resize(map.experts);
    std::iota(cells.columnNumbers.begin(), cells.columnNumbers.end(), std::uint64_t{0});
    cells.rowTitle = QObject::tr("layer");
    cells.columnTitle = QObject::tr("expert");
    cells.title = toText(expertFigureName(figure));
    std::tie(cells.lo, cells.hi) = rangeOf(map.values);
    if (figure == ExpertFigure::Mean) {
        cells.colors = ColorMap::Signed;
        cells.hi = std::max(std::abs(cells.lo), std::abs(cells.hi));
        cells.lo = -cells.hi;
    }
    markOdd(cells, tables, role, figure);
    return cells;
}

bool hasValues(const CellMapData &cells)
{
    return !std::ranges::all_of(cells.values, [](double value) { return std::isnan(value); });
}

int rowOf(const CellMapData &cells, std::optional<std::uint32_t> layer)
{
    const auto row = layer ? std::ranges::find(cells.rowNumbers, *layer) : cells.rowNumbers.end();
    return row != cells.rowNumbers.end() ? static_cast<int>(row - cells.rowNumbers.begin()) : -1;
}

CellMapData cosineCells(const CosineMatrixPtr &matrix)
{
    CellMapData cells;
    if (matrix) {
        cells.rows = cells.columns = static_cast<int>(matrix->size());
        cells.values = matrix->cosines;
        cells.rowNumbers = cells.columnNumbers = matrix->numbers;
        cells.marked.resize(cells.values.size());
        for (const NearDuplicate &pair : findNearDuplicates(*matrix)) {
            cells.marked[pair.first * matrix->size() + pair.second] = true;
            cells.marked[pair.second * matrix->size() + pair.first] = true;
        }
    }
    cells.rowTitle = cells.columnTitle = QObject::tr("expert");
    cells.title = QObject::tr("cosine");
    cells.emptyText =
        QObject::tr("How alike the experts of this layer are: compute the cosine between each two of them.");
    cells.colors = ColorMap::Signed;
    cells.lo = -1;
    cells.hi = 1;
    return cells;
}

QString expertText(const ExpertTable &table, const ExpertSummary &expert, ExpertFigure figure)
{
    QStringList parts{layerText(table.layer), QObject::tr("expert %1").arg(expert.ref.number),
                      toText(expertFigureName(figure)) + QLatin1Char(' ') + formatNumber(expert.figure(figure))};
    const RobustScores robust = robustScores(table.column(figure));
    const auto index = static_cast<std::size_t>(&expert - table.experts.data());
    if (robust.scores[index])
        parts << QObject::tr("%1 spreads off").arg(formatNumber(*robust.scores[index]));
    if (expert.routerNorm && figure != ExpertFigure::RouterNorm)
        parts << QObject::tr("router row norm %1").arg(formatNumber(*expert.routerNorm));
    return parts.join(QStringLiteral(" \u00b7 "));
}

} // namespace ql
