// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/comparisontable.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace ql {

namespace {

using Half = TensorPair::Half;

std::string shapeText(const Ne &ne)
{
    std::string text = "[";
    for (const std::uint64_t dim : ne.dims())
        text += (text.size() > 1 ? ", " : "") + std::to_string(dim);
    return text + "]";
}

bool sameShape(const Ne &a, const Ne &b)
{
    for (std::size_t i = 0; i < Ne::MaxDims; ++i)
        if (a[i] != b[i])
            return false;
    return true;
}

std::uint64_t partWeights(const TensorInfo &tensor, std::optional<std::uint64_t> expert, Half half)
{
    const std::uint64_t slabs = expert ? std::max<std::uint64_t>(1, tensor.ne[2]) : 1;
    return tensor.elements.value_or(0) / slabs / (half == Half::Whole ? 1 : 2);
}

std::optional<double> bits(std::uint64_t bytes, std::uint64_t weights)
{
    return weights ? std::optional(8.0 * static_cast<double>(bytes) / static_cast<double>(weights)) : std::nullopt;
}

std::string partName(const TensorInfo &tensor, std::optional<std::uint64_t> expert)
{
    return tensor.name + (expert ? ", expert " + std::to_string(*expert) : "");
}

} // namespace

std::uint64_t partBytes(const TensorInfo &tensor, std::optional<std::uint64_t> expert, Half half)
{
    const std::uint64_t slabs = expert ? std::max<std::uint64_t>(1, tensor.ne[2]) : 1;
    return tensor.byteSize.value_or(0) / slabs / (half == Half::Whole ? 1 : 2);
}

Ne partShape(const TensorInfo &tensor, std::optional<std::uint64_t> expert)
{
    return expert ? Ne{tensor.ne[0], tensor.ne[1]} : tensor.ne;
}

std::string_view errorFigureName(ErrorFigure figure)
{
    constexpr std::array<std::string_view, ErrorFigures> Names{"relative RMSE", "RMSE", "max |error|",
                                                               "mean |error|", "cosine", "SQNR"};
    return Names[static_cast<std::size_t>(figure)];
}

std::optional<double> errorFigure(const ErrorSums &sums, bool identical, ErrorFigure figure)
{
    const bool isError = figure != ErrorFigure::Cosine && figure != ErrorFigure::Sqnr;
    if (identical)
        return isError ? std::optional(0.0) : std::nullopt;
    switch (figure) {
    case ErrorFigure::RelativeRmse: return sums.relativeRmse();
    case ErrorFigure::Rmse: return sums.rmse();
    case ErrorFigure::MaxAbsError: return sums.compared() ? std::optional(sums.maxAbsError) : std::nullopt;
    case ErrorFigure::MeanAbsError: return sums.meanAbsError();
    case ErrorFigure::Cosine: return sums.cosine();
    case ErrorFigure::Sqnr: return sums.sqnrDb();
    }
    return std::nullopt;
}

std::optional<double> errorFigure(const ComparisonRow &row, std::optional<std::uint64_t> expert, ErrorFigure figure)
{
    if (row.state == PairState::Same)
        return errorFigure(ErrorSums(), true, figure);
    const auto sums = row.errors(expert);
    return sums ? errorFigure(*sums, false, figure) : std::nullopt;
}

std::optional<ErrorSums> ComparisonRow::errors(std::optional<std::uint64_t> expert) const
{
    if (!result)
        return std::nullopt;
    if (!expert)
        return result->sums;
    return *expert < result->experts.size() ? std::optional(result->experts[*expert]) : std::nullopt;
}

std::optional<double> ComparisonRow::bitsA() const { return a ? bits(bytesA, weights) : std::nullopt; }
std::optional<double> ComparisonRow::bitsB() const { return b ? bits(bytesB, weights) : std::nullopt; }

std::optional<double> ComparisonRow::bitsDelta() const
{
    const auto inA = bitsA(), inB = bitsB();
    return isPair() && inA && inB ? std::optional(*inB - *inA) : std::nullopt;
}

std::optional<double> ComparisonTotals::bitsA() const { return bits(bytesA, weights); }
std::optional<double> ComparisonTotals::bitsB() const { return bits(bytesB, weights); }

ComparisonTable::ComparisonTable(ModelSummaryPtr a, ModelSummaryPtr b, const Pairing &pairing)
    : m_a(std::move(a)), m_b(std::move(b))
{
    for (const TensorPair &pair : pairing.pairs) {
        ComparisonRow row;
        row.a = pair.a;
        row.b = pair.b;
        row.pair = pair;
        fill(row);
        m_rows.push_back(std::move(row));
    }
    for (const TensorPair &pair : pairing.mismatched)
        addMismatch(pair);
    for (const Unpaired &one : pairing.onlyA)
        addAlone(PairState::OnlyA, one);
    for (const Unpaired &one : pairing.onlyB)
        addAlone(PairState::OnlyB, one);
}

void ComparisonTable::addMismatch(const TensorPair &pair)
{
    ComparisonRow row;
    row.a = pair.a;
    row.b = pair.b;
    row.pair = pair;
    row.state = PairState::ShapesDiffer;
    row.note = shapeText(tensorA(row)->ne) + " / " + shapeText(tensorB(row)->ne);
    fill(row);
    m_rows.push_back(std::move(row));
}

void ComparisonTable::addAlone(PairState state, const Unpaired &one)
{
    ComparisonRow row;
    (state == PairState::OnlyA ? row.a : row.b) = one.tensor;
    row.state = state;
    row.note = one.hint;
    fill(row);
    m_rows.push_back(std::move(row));
}

/// Sizes, and how many experts can have errors of their own.
void ComparisonTable::fill(ComparisonRow &row) const
{
    const TensorInfo *a = tensorA(row), *b = tensorB(row);
    if (a) {
        row.bytesA = partBytes(*a, row.pair.expertA, row.pair.halfA);
        row.weights = partWeights(*a, row.pair.expertA, row.pair.halfA);
    }
    if (b)
        row.bytesB = partBytes(*b, row.pair.expertB, row.pair.halfB);
    if (b && !a)
        row.weights = partWeights(*b, row.pair.expertB, row.pair.halfB);
    const bool isWhole = !row.pair.expertA && !row.pair.expertB;
    if (row.isPair() && a && isWhole)
        row.experts = a->experts.value_or(0);
}

const TensorInfo *ComparisonTable::tensorA(const ComparisonRow &row) const
{
    return row.a ? &m_a->tensors[row.a->value] : nullptr;
}

const TensorInfo *ComparisonTable::tensorB(const ComparisonRow &row) const
{
    return row.b ? &m_b->tensors[row.b->value] : nullptr;
}

const TensorInfo &ComparisonTable::tensor(const ComparisonRow &row) const
{
    const TensorInfo *a = tensorA(row);
    return a ? *a : *tensorB(row);
}

void ComparisonTable::setResult(std::size_t pair, const ComparisonPtr &result)
{
    if (pair >= m_rows.size() || !m_rows[pair].isPair())
        return;
    ComparisonRow &row = m_rows[pair];
    row.state = result->identical ? PairState::Same : PairState::Differs;
    row.result = result;
    const double error = errorFigure(row, {}, ErrorFigure::RelativeRmse).value_or(0);
    if (std::isfinite(error))
        m_largest = std::max(m_largest, error);
}

void ComparisonTable::setFailure(std::size_t pair, const std::string &why)
{
    if (pair >= m_rows.size() || !m_rows[pair].isPair())
        return;
    m_rows[pair].state = PairState::Failed;
    m_rows[pair].note = why;
}

void ComparisonTable::replaceRowsOf(const TensorPair &pair)
{
    const auto takes = [](std::optional<std::uint64_t> taken, std::optional<std::uint64_t> had) {
        return !taken || taken == had; // an expert made a pair of leaves the rest of its tensor as it was
    };
    std::vector<std::pair<PairState, TensorIndex>> alone;
    for (ComparisonRow &row : m_rows) {
        const bool hasA = row.a == pair.a && takes(pair.expertA, row.pair.expertA);
        const bool hasB = row.b == pair.b && takes(pair.expertB, row.pair.expertB);
        if (row.isReplaced || (!hasA && !hasB))
            continue;
        row.isReplaced = true;
        if (row.a && !hasA)
            alone.emplace_back(PairState::OnlyA, *row.a);
        if (row.b && !hasB)
            alone.emplace_back(PairState::OnlyB, *row.b);
    }
    for (const auto &[state, tensor] : alone) {
        const auto has = [&](const ComparisonRow &row) {
            return !row.isReplaced && (state == PairState::OnlyA ? row.a : row.b) == tensor;
        };
        if (std::ranges::none_of(m_rows, has))
            addAlone(state, {tensor, "its partner was paired by hand"});
    }
}

std::size_t ComparisonTable::addByHand(const TensorPair &pair)
{
    replaceRowsOf(pair);
    ComparisonRow row;
    row.a = pair.a;
    row.b = pair.b;
    row.pair = pair;
    row.byHand = true;
    fill(row);
    m_rows.push_back(std::move(row));
    return m_rows.size() - 1;
}

std::optional<std::size_t> ComparisonTable::rowByHand(const TensorPair &pair) const
{
    for (std::size_t i = m_rows.size(); i-- > 0;)
        if (m_rows[i].byHand && !m_rows[i].isReplaced && m_rows[i].pair == pair)
            return i;
    return std::nullopt;
}

ComparisonTotals ComparisonTable::totals() const
{
    std::vector<std::size_t> all(m_rows.size());
    for (std::size_t i = 0; i < all.size(); ++i)
        all[i] = i;
    return totals(all);
}

ComparisonTotals ComparisonTable::totals(const std::vector<std::size_t> &rows) const
{
    ComparisonTotals totals;
    for (const std::size_t i : rows) {
        const ComparisonRow &row = m_rows[i];
        if (row.isReplaced)
            continue;
        switch (row.state) {
        case PairState::Waiting: ++totals.waiting; break;
        case PairState::Same: ++totals.same; break;
        case PairState::Differs: ++totals.differ; break;
        case PairState::Failed: ++totals.failed; continue;
        case PairState::ShapesDiffer: ++totals.shapesDiffer; continue;
        case PairState::OnlyA:
        case PairState::OnlyB: ++totals.unpaired; continue;
        }
        totals.weights += row.weights;
        totals.bytesA += row.bytesA;
        totals.bytesB += row.bytesB;
        if (row.state == PairState::Differs)
            totals.sums.merge(row.result->sums);
    }
    return totals;
}

std::vector<ComparisonGroup> ComparisonTable::groups(Grouping grouping) const
{
    std::vector<ComparisonGroup> groups;
    std::map<std::string, std::size_t> places;
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        if (m_rows[i].isReplaced)
            continue;
        const TensorInfo &info = tensor(m_rows[i]);
        const bool byLayer = grouping == Grouping::Layer;
        const std::string label = !byLayer ? info.role
                                  : info.layer ? "layer " + std::to_string(*info.layer)
                                               : "outside layers";
        const auto [place, isNew] = places.emplace(label, groups.size());
        if (isNew)
            groups.push_back({label, byLayer ? info.layer : std::nullopt, {}});
        groups[place->second].rows.push_back(i);
    }
    if (grouping == Grouping::Layer)
        std::ranges::stable_sort(groups, {}, &ComparisonGroup::layer); // nothing comes first
    return groups;
}

Result<TensorPair> pairByHand(const ModelSummary &a, const ModelSummary &b, const TensorPair &wanted)
{
    const TensorInfo &ta = a.tensors[wanted.a.value], &tb = b.tensors[wanted.b.value];
    const Ne shapeA = partShape(ta, wanted.expertA), shapeB = partShape(tb, wanted.expertB);
    const std::string nameA = partName(ta, wanted.expertA), nameB = partName(tb, wanted.expertB);
    if (!ta.isDecodable())
        return failure("not-decodable", "A's " + nameA + ": " + ta.problem);
    if (!tb.isDecodable())
        return failure("not-decodable", "B's " + nameB + ": " + tb.problem);
    if (!sameShape(shapeA, shapeB))
        return failure("shapes-differ", "A's " + nameA + " is " + shapeText(shapeA) + ", B's " + nameB + " is "
                                            + shapeText(shapeB) + "; only tensors of one shape can be compared");
    return wanted;
}

} // namespace ql
