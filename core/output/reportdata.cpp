// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/output/reportdata.h"

#include "core/model/modelsummary.h"
#include "core/model/tensorname.h"
#include "core/model/valuetext.h"
#include "core/output/humannumbers.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace ql {

namespace {

constexpr std::size_t MostExperts = 20;

std::string lastPart(const std::string &path)
{
    const auto slash = path.find_last_of('/');
    return escapeBytes(slash == std::string::npos ? path : path.substr(slash + 1));
}

std::string typesText(const ModelTotals &totals)
{
    std::string text;
    for (const TypeTotal &type : totals.byType)
        text += (text.empty() ? "" : ", ") + typeLabel(type.typeId) + " × " + grouped(type.tensors);
    return text;
}

ReportFile fileOf(const GgufModel &model)
{
    ReportFile file;
    file.name = lastPart(model.path());
    file.path = escapeBytes(model.path());
    file.title = escapeBytes(model.metadataString("general.name").value_or(""));
    file.architecture = escapeBytes(model.metadataString("general.architecture").value_or(""));
    for (const ShardInfo &shard : model.shards())
        file.size += shard.size;
    const ModelTotals totals = totalsOf(model.tensors());
    file.tensors = totals.tensors;
    file.parameters = totals.parameters;
    file.bitsPerWeight = totals.bitsPerWeight;
    file.types = typesText(totals);
    return file;
}

std::string rowName(const GgufModel &a, const GgufModel &b, const TensorPair &pair)
{
    const std::string &nameA = a.tensor(pair.a).name, &nameB = b.tensor(pair.b).name;
    std::string name = nameA == nameB ? nameA : nameA + " / " + nameB;
    if (pair.expertA || pair.expertB)
        name += " (expert " + std::to_string(pair.expertA.value_or(pair.expertB.value_or(0))) + ")";
    if (!pairPart(pair).empty())
        name += " (" + std::string(pairPart(pair)) + ")";
    return name;
}

ReportRow rowOf(const GgufModel &a, const GgufModel &b, const ComparedPair &compared)
{
    const TensorPair &pair = compared.pair;
    const TensorInfo &ta = a.tensor(pair.a), &tb = b.tensor(pair.b);
    const Ne shape = pairShape(a, b, pair);
    const PairBytes bytes = pairBytes(a, b, pair);
    ReportRow row;
    row.name = row.figures.name = rowName(a, b, pair);
    row.typeA = ta.typeName();
    row.typeB = tb.typeName();
    row.shape = shapeText(shape);
    row.role = ta.role;
    row.layer = ta.layer;
    if (!compared.outcome) {
        row.problem = compared.outcome.error().message;
        return row;
    }
    const Comparison &comparison = **compared.outcome;
    row.identical = comparison.identical;
    row.figures.pairs = 1;
    row.figures.identical = comparison.identical;
    row.figures.weights = shape.elements().value_or(0);
    row.figures.bytesA = bytes.a;
    row.figures.bytesB = bytes.b;
    if (!comparison.identical)
        row.figures.sums = comparison.sums;
    return row;
}

void add(ReportGroup &group, const ReportRow &row)
{
    group.pairs += row.figures.pairs;
    group.identical += row.figures.identical;
    group.weights += row.figures.weights;
    group.bytesA += row.figures.bytesA;
    group.bytesB += row.figures.bytesB;
    group.sums.merge(row.figures.sums);
}

/// Without figures last, identical before them, else the larger error first; by name where equal.
bool isWorse(const ReportGroup &a, const ReportGroup &b)
{
    const auto rank = [](const ReportGroup &g) {
        return std::tuple(g.pairs == 0, g.identical == g.pairs, -g.error().value_or(-1.0));
    };
    if (rank(a) != rank(b))
        return rank(a) < rank(b);
    return compareNatural(a.name, b.name) < 0;
}

template <class Key>
std::map<Key, ReportGroup> groupBy(const std::vector<ReportRow> &rows, std::optional<Key> (*key)(const ReportRow &))
{
    std::map<Key, ReportGroup> groups;
    for (const ReportRow &row : rows) {
        const auto k = key(row);
        if (k && row.problem.empty())
            add(groups[*k], row);
    }
    return groups;
}

void addGroups(ReportData &data)
{
    using Role = std::optional<std::string>;
    using Layer = std::optional<std::uint32_t>;
    for (auto &[role, group] : groupBy<std::string>(data.rows, [](const ReportRow &row) { return Role(row.role); })) {
        data.roles.push_back(std::move(group));
        data.roles.back().name = role;
    }
    std::ranges::sort(data.roles, isWorse);
    for (auto &[layer, group] : groupBy<std::uint32_t>(data.rows, [](const ReportRow &row) { return Layer(row.layer); })) {
        data.layers.push_back(std::move(group));
        data.layers.back().name = std::to_string(layer);
        data.gridLayers.push_back(layer);
    }
}

void addGrid(ReportData &data)
{
    std::map<std::pair<std::uint32_t, std::string>, ReportGroup> cells;
    for (const ReportRow &row : data.rows)
        if (row.layer && row.problem.empty())
            add(cells[{*row.layer, row.role}], row);
    for (const std::uint32_t layer : data.gridLayers) {
        auto &line = data.grid.emplace_back();
        for (const ReportGroup &role : data.roles) {
            const auto cell = cells.find({layer, role.name});
            line.push_back(cell == cells.end() ? std::nullopt : cell->second.error());
        }
    }
}

void addExperts(ReportData &data, const GgufModel &a, const GgufModel &b, const ModelDiff &diff)
{
    for (const ComparedPair &compared : diff.pairs) {
        if (!compared.outcome || (*compared.outcome)->identical || (*compared.outcome)->experts.size() < 2)
            continue;
        const auto &experts = (*compared.outcome)->experts;
        for (std::size_t k = 0; k < experts.size(); ++k)
            data.experts.push_back({rowName(a, b, compared.pair), k, experts[k]});
    }
    std::ranges::stable_sort(data.experts, [](const ReportExpert &x, const ReportExpert &y) {
        return x.sums.relativeRmse().value_or(-1) > y.sums.relativeRmse().value_or(-1);
    });
    data.experts.resize(std::min(data.experts.size(), MostExperts));
}

void addMetadata(ReportData &data, const GgufModel &a, const GgufModel &b, const MetadataDiff &diff)
{
    const auto text = [](const MetadataEntry &entry) { return valuePreview(entry.value); };
    for (const MetadataChange &change : diff.changed) {
        const MetadataEntry &ea = a.metadata()[change.a], &eb = b.metadata()[change.b];
        data.metadata.push_back({ea.key, text(ea), text(eb), change.firstDifference});
    }
    for (const std::size_t i : diff.onlyA)
        data.metadata.push_back({a.metadata()[i].key, text(a.metadata()[i]), "", {}});
    for (const std::size_t i : diff.onlyB)
        data.metadata.push_back({b.metadata()[i].key, "", text(b.metadata()[i]), {}});
}

void addUnpaired(std::vector<ReportUnpaired> &list, const GgufModel &model, const std::vector<Unpaired> &unpaired)
{
    for (const Unpaired &one : unpaired) {
        const TensorInfo &tensor = model.tensor(one.tensor);
        list.push_back({tensor.name, tensor.typeName() + " " + shapeText(tensor.ne), one.hint});
    }
}

} // namespace

std::optional<double> ReportGroup::error() const
{
    if (pairs == 0)
        return std::nullopt;
    return pairs == identical ? 0.0 : sums.relativeRmse();
}

std::optional<double> ReportGroup::bits(std::uint64_t bytes) const
{
    if (weights == 0)
        return std::nullopt;
    return 8.0 * static_cast<double>(bytes) / static_cast<double>(weights);
}

ReportData reportData(const GgufModel &a, const GgufModel &b, const ModelDiff &diff)
{
    ReportData data;
    data.files = {fileOf(a), fileOf(b)};
    for (const ComparedPair &pair : diff.pairs) {
        data.rows.push_back(rowOf(a, b, pair));
        add(data.total, data.rows.back());
        data.failed += !data.rows.back().problem.empty();
    }
    addGroups(data);
    addGrid(data);
    std::ranges::stable_sort(data.rows,
                             [](const ReportRow &x, const ReportRow &y) { return isWorse(x.figures, y.figures); });
    addExperts(data, a, b, diff);
    addMetadata(data, a, b, diff.metadata);
    addUnpaired(data.unpaired[0], a, diff.onlyA);
    addUnpaired(data.unpaired[1], b, diff.onlyB);
    for (const TensorPair &pair : diff.mismatched)
        data.mismatched.push_back({rowName(a, b, pair), shapeText(a.tensor(pair.a).ne), shapeText(b.tensor(pair.b).ne)});
    return data;
}

} // namespace ql
