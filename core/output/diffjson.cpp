// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/output/diffjson.h"

#include "core/output/infojson.h"
#include "core/output/storedbytes.h"
#include "core/stats/comparisontable.h"

#include <algorithm>

namespace ql {

namespace {

using Half = TensorPair::Half;

/// [i0, i1, …] of a flattened index.
Json placeJson(std::uint64_t flat, const Ne &shape)
{
    Json place = Json::array();
    for (const std::uint64_t dim : shape.dims()) {
        place.push_back(dim ? flat % dim : 0);
        flat = dim ? flat / dim : 0;
    }
    return place;
}

void addErrors(Json &json, const ErrorSums &sums, bool identical, const Ne &shape)
{
    const bool any = sums.compared() > 0;
    json["nonfinite"] = sums.nonfinite;
    json["rmse"] = jsonNumber(sums.rmse());
    json["relative_rmse"] = identical ? Json(0) : jsonNumber(sums.relativeRmse());
    json["max_abs_error"] = any ? jsonNumber(std::optional(sums.maxAbsError)) : Json();
    json["max_at"] = any && !identical ? placeJson(sums.maxAt, shape) : Json();
    json["mean_abs_error"] = jsonNumber(sums.meanAbsError());
    json["cosine"] = identical ? Json() : jsonNumber(sums.cosine());
    json["sqnr_db"] = identical ? Json() : jsonNumber(sums.sqnrDb());
}

Json expertsJson(const Comparison &comparison, const Ne &shape)
{
    Json list = Json::array();
    for (const ErrorSums &sums : comparison.experts) {
        Json entry = Json::object();
        addErrors(entry, sums, comparison.identical, Ne{shape[0], shape[1]});
        list.push_back(std::move(entry));
    }
    return list;
}

Json pairJson(const GgufModel &a, const GgufModel &b, const ComparedPair &compared)
{
    const TensorPair &pair = compared.pair;
    const TensorInfo &ta = a.tensor(pair.a), &tb = b.tensor(pair.b);
    const Ne shape = pairShape(a, b, pair);
    Json json = {{"name", ta.name}};
    if (tb.name != ta.name)
        json["name_b"] = tb.name;
    if (!pairPart(pair).empty())
        json["part"] = pairPart(pair);
    json["type_a"] = ta.typeName();
    json["type_b"] = tb.typeName();
    json["shape"] = shapeJson(shape);
    const PairBytes bytes = pairBytes(a, b, pair);
    json["bytes_a"] = bytes.a;
    json["bytes_b"] = bytes.b;
    if (!compared.outcome) {
        json["identical"] = false;
        json["error"] = compared.outcome.error().message;
        return json;
    }
    const Comparison &comparison = **compared.outcome;
    json["identical"] = comparison.identical;
    addErrors(json, comparison.sums, comparison.identical, shape);
    if (comparison.experts.size() > 1)
        json["experts"] = expertsJson(comparison, shape);
    return json;
}

Json metadataDiffJson(const GgufModel &a, const GgufModel &b, const MetadataDiff &diff)
{
    Json onlyA = Json::array(), onlyB = Json::array(), changed = Json::array();
    for (const std::size_t i : diff.onlyA)
        onlyA.push_back(a.metadata()[i].key);
    for (const std::size_t i : diff.onlyB)
        onlyB.push_back(b.metadata()[i].key);
    for (const MetadataChange &change : diff.changed) {
        Json entry = {{"key", a.metadata()[change.a].key},
                      {"a", metadataValueJson(a.metadata()[change.a].value, ShownElements)},
                      {"b", metadataValueJson(b.metadata()[change.b].value, ShownElements)}};
        if (change.firstDifference)
            entry["first_difference"] = *change.firstDifference;
        changed.push_back(std::move(entry));
    }
    return {{"only_a", std::move(onlyA)}, {"only_b", std::move(onlyB)}, {"changed", std::move(changed)}};
}

Json unpairedJson(const GgufModel &model, const std::vector<Unpaired> &unpaired)
{
    Json list = Json::array();
    for (const Unpaired &one : unpaired) {
        Json entry = {{"name", model.tensor(one.tensor).name}};
        if (!one.hint.empty())
            entry["hint"] = one.hint;
        list.push_back(std::move(entry));
    }
    return list;
}

Json mismatchedJson(const GgufModel &a, const GgufModel &b, const std::vector<TensorPair> &mismatched)
{
    Json list = Json::array();
    for (const TensorPair &pair : mismatched) {
        list.push_back({{"name", a.tensor(pair.a).name},
                        {"shape_a", shapeJson(a.tensor(pair.a).ne)},
                        {"shape_b", shapeJson(b.tensor(pair.b).ne)}});
    }
    return list;
}

Json totalsJson(const DiffTotals &totals)
{
    return {{"compared", totals.compared},
            {"identical", totals.identical},
            {"rmse", jsonNumber(totals.sums.rmse())},
            {"relative_rmse", jsonNumber(totals.sums.relativeRmse())},
            {"cosine", jsonNumber(totals.sums.cosine())},
            {"sqnr_db", jsonNumber(totals.sums.sqnrDb())},
            {"bytes_a", totals.bytesA},
            {"bytes_b", totals.bytesB}};
}

} // namespace

Ne pairShape(const GgufModel &a, const GgufModel &b, const TensorPair &pair)
{
    // The side that is whole has the shape compared; where both are, A's.
    if (pair.expertA || pair.halfA != Half::Whole)
        return b.tensor(pair.b).ne;
    return a.tensor(pair.a).ne;
}

PairBytes pairBytes(const GgufModel &a, const GgufModel &b, const TensorPair &pair)
{
    return {partBytes(a.tensor(pair.a), pair.expertA, pair.halfA), partBytes(b.tensor(pair.b), pair.expertB, pair.halfB)};
}

std::string_view pairPart(const TensorPair &pair)
{
    constexpr std::string_view Names[] = {"", "gate", "up"};
    const Half half = pair.halfA != Half::Whole ? pair.halfA : pair.halfB;
    return Names[static_cast<std::size_t>(half)];
}

DiffTotals totalsOf(const GgufModel &a, const GgufModel &b, const ModelDiff &diff)
{
    DiffTotals totals;
    for (const ComparedPair &compared : diff.pairs) {
        ++totals.compared;
        const PairBytes bytes = pairBytes(a, b, compared.pair);
        totals.bytesA += bytes.a;
        totals.bytesB += bytes.b;
        if (!compared.outcome)
            ++totals.failed;
        else if ((*compared.outcome)->identical)
            ++totals.identical;
        else
            totals.sums.merge((*compared.outcome)->sums);
    }
    return totals;
}

Json diffJson(const GgufModel &a, const GgufModel &b, const ModelDiff &diff)
{
    Json tensors = Json::array();
    for (const ComparedPair &pair : diff.pairs)
        tensors.push_back(pairJson(a, b, pair));
    return {{"metadata", metadataDiffJson(a, b, diff.metadata)},
            {"tensors", std::move(tensors)},
            {"only_a", unpairedJson(a, diff.onlyA)},
            {"only_b", unpairedJson(b, diff.onlyB)},
            {"mismatched", mismatchedJson(a, b, diff.mismatched)},
            {"totals", totalsJson(totalsOf(a, b, diff))}};
}

} // namespace ql
