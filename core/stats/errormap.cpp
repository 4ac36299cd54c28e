// SPDX-License-Identifier: GPL-3.0-or-later
// Maps of errors: which cell a row of the comparison belongs to, and what it says there.
#include "core/stats/comparisontable.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

namespace ql {

namespace {

constexpr double Unknown = std::numeric_limits<double>::quiet_NaN();

/// What has come together in one cell.
struct Cell {
    ErrorSums sums;
    bool hasErrors = false;
    bool hasSame = false;
    std::optional<ErrorMap::Target> target;

    void add(const ComparisonRow &row, std::size_t place, std::optional<std::uint64_t> expert)
    {
        const auto errors = row.errors(expert);
        if (row.state == PairState::Same)
            hasSame = true;
        else if (row.state == PairState::Differs && errors) {
            hasErrors = true;
            sums.merge(*errors);
        } else {
            return;
        }
        if (!target)
            target = ErrorMap::Target{place, expert};
    }
    double value(ErrorFigure figure) const
    {
        if (!hasErrors && !hasSame)
            return Unknown;
        return errorFigure(sums, !hasErrors, figure).value_or(Unknown);
    }
};

using Cells = std::map<std::pair<std::size_t, std::size_t>, Cell>;

void fillFrom(ErrorMap &map, const Cells &cells, ErrorFigure figure)
{
    map.values.assign(map.rows.size() * map.columns.size(), Unknown);
    map.targets.resize(map.values.size());
    for (const auto &[place, cell] : cells) {
        const std::size_t at = map.at(place.first, place.second);
        map.values[at] = cell.value(figure);
        map.targets[at] = cell.target.value_or(ErrorMap::Target());
    }
}

using Layer = std::optional<std::uint32_t>;

std::vector<Layer> layersOf(const ComparisonTable &table, const std::string *role)
{
    std::set<Layer> layers;
    for (const ComparisonRow &row : table.rows()) {
        const TensorInfo &info = table.tensor(row);
        if (row.isPair() && !row.isReplaced && (!role || info.role == *role))
            layers.insert(info.layer);
    }
    return {layers.begin(), layers.end()};
}

std::string nameOf(const Layer &layer) { return layer ? std::to_string(*layer) : "–"; }

template <class T>
std::size_t placeOf(const std::vector<T> &list, const T &wanted)
{
    return static_cast<std::size_t>(std::ranges::find(list, wanted) - list.begin());
}

bool hasExperts(const ComparisonTable &table, const ComparisonRow &row)
{
    return row.isPair() && !row.isReplaced && (row.experts > 0 || row.pair.expertA || table.tensor(row).expert);
}

/// Every expert that a row knows an error of, with the slab to ask the row for.
template <class Visit>
void forEachExpert(const ComparisonTable &table, const ComparisonRow &row, const Visit &visit)
{
    if (row.pair.expertA)
        visit(*row.pair.expertA, std::nullopt);
    else if (table.tensor(row).expert)
        visit(*table.tensor(row).expert, std::nullopt);
    else
        for (std::uint64_t expert = 0; expert < row.experts; ++expert)
            visit(expert, std::optional(expert));
}

} // namespace

ErrorMap mapOfRoles(const ComparisonTable &table, ErrorFigure figure)
{
    ErrorMap map;
    const std::vector<Layer> layers = layersOf(table, nullptr);
    for (const Layer &layer : layers)
        map.columns.push_back(nameOf(layer));
    std::map<std::string, std::size_t> places;
    Cells cells;
    for (std::size_t i = 0; i < table.rows().size(); ++i) {
        const ComparisonRow &row = table.row(i);
        if (!row.isPair() || row.isReplaced)
            continue;
        const TensorInfo &info = table.tensor(row);
        const auto [place, isNew] = places.emplace(info.role, map.rows.size());
        if (isNew)
            map.rows.push_back(info.role);
        cells[{place->second, placeOf(layers, info.layer)}].add(row, i, {});
    }
    fillFrom(map, cells, figure);
    return map;
}

ErrorMap mapOfExperts(const ComparisonTable &table, std::string_view role, ErrorFigure figure)
{
    ErrorMap map;
    const std::string wanted(role);
    std::set<Layer> found;
    std::uint64_t experts = 0;
    for (const ComparisonRow &row : table.rows()) {
        if (table.tensor(row).role != wanted || !hasExperts(table, row))
            continue;
        found.insert(table.tensor(row).layer);
        forEachExpert(table, row, [&](std::uint64_t expert, auto) { experts = std::max(experts, expert + 1); });
    }
    const std::vector<Layer> layers(found.begin(), found.end());
    for (const Layer &layer : layers)
        map.rows.push_back(nameOf(layer));
    for (std::uint64_t expert = 0; expert < experts; ++expert)
        map.columns.push_back(std::to_string(expert));
    Cells cells;
    for (std::size_t i = 0; i < table.rows().size(); ++i) {
        const ComparisonRow &row = table.row(i);
        if (table.tensor(row).role != wanted || !hasExperts(table, row))
            continue;
        const std::size_t layer = placeOf(layers, table.tensor(row).layer);
        forEachExpert(table, row, [&](std::uint64_t expert, std::optional<std::uint64_t> slab) {
            cells[{layer, static_cast<std::size_t>(expert)}].add(row, i, slab);
        });
    }
    fillFrom(map, cells, figure);
    return map;
}

std::vector<std::string> expertRoles(const ComparisonTable &table)
{
    std::vector<std::string> roles;
    for (const ComparisonRow &row : table.rows()) {
        const std::string &role = table.tensor(row).role;
        if (hasExperts(table, row) && std::ranges::find(roles, role) == roles.end())
            roles.push_back(role);
    }
    return roles;
}

} // namespace ql
