// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/expertstats.h"

#include "core/output/table.h"

#include <charconv>
#include <cmath>

namespace ql {

namespace {

std::string number(double value)
{
    char text[40];
    return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

} // namespace

std::string expertHistogramsCsv(const ExpertTable &table)
{
    Table csv;
    csv.columns = {"lo", "hi"};
    for (const ExpertSummary &expert : table.experts)
        csv.columns.push_back(std::to_string(expert.ref.number));
    const auto addLine = [&](std::string lo, std::string hi, const auto &countOf) {
        auto &cells = csv.rows.emplace_back();
        cells.push_back(TableCell::number(std::move(lo)));
        cells.push_back(TableCell::number(std::move(hi)));
        for (const ExpertSummary &expert : table.experts)
            cells.push_back(TableCell::number(std::to_string(countOf(expert))));
    };
    const double width = (table.hi - table.lo) / static_cast<double>(ExpertSummary::Bins);
    const auto edge = [&](std::size_t bar) {
        return number(bar == ExpertSummary::Bins ? table.hi : table.lo + static_cast<double>(bar) * width);
    };
    addLine({}, edge(0), [](const ExpertSummary &expert) { return expert.below; });
    for (std::size_t bar = 0; bar < ExpertSummary::Bins; ++bar)
        addLine(edge(bar), edge(bar + 1), [bar](const ExpertSummary &expert) {
            return bar < expert.counts.size() ? expert.counts[bar] : 0;
        });
    addLine(edge(ExpertSummary::Bins), {}, [](const ExpertSummary &expert) { return expert.above; });
    return tableToCsv(csv);
}

std::string expertMapCsv(const ExpertMap &map)
{
    Table csv;
    csv.columns = {"layer"};
    for (std::size_t column = 0; column < map.experts; ++column)
        csv.columns.push_back(std::to_string(column));
    for (std::size_t row = 0; row < map.layers.size(); ++row) {
        auto &cells = csv.rows.emplace_back();
        cells.push_back(TableCell::number(std::to_string(map.layers[row])));
        for (std::size_t column = 0; column < map.experts; ++column) {
            const double value = map.value(row, column);
            cells.push_back(TableCell::number(std::isnan(value) ? std::string() : number(value)));
        }
    }
    return tableToCsv(csv);
}

} // namespace ql
