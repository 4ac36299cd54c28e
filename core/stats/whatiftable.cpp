// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/whatiftable.h"

#include "core/model/tensorkind.h"

#include <algorithm>
#include <cmath>

namespace ql {

namespace {

WhatIfOrder inFileOrder(WhatIfOrder order)
{
    std::ranges::sort(order.tensors);
    const auto repeated = std::ranges::unique(order.tensors);
    order.tensors.erase(repeated.begin(), repeated.end());
    return order;
}

bool isMeasured(const WhatIfRowPtr &row) { return row && !row->values.empty(); }

/// Energy and squared error of a row's choice, as if all of its weights had been looked at.
struct RowError {
    double energy = 0;
    double squaredError = 0;
};

RowError errorOf(const WhatIfRow &row, std::size_t chosen)
{
    RowError result;
    for (const WhatIfValue &value : row.values) {
        if (value.identical || value.errors.count == 0)
            continue;
        const double scale = row.sampledShare > 0 ? 1.0 / row.sampledShare : 1.0;
        result.energy = value.errors.sumSqA * scale;
        break;
    }
    const WhatIfValue &value = row.values[chosen];
    if (!value.identical && row.sampledShare > 0)
        result.squaredError = value.errors.sumSqError / row.sampledShare;
    return result;
}

std::optional<std::string> refusal(const TensorInfo &tensor)
{
    if (!tensor.isDecodable())
        return tensor.problem;
    if (isIntegerTensor(tensor))
        return "integers are not encoded in another type";
    if (staysPlain(tensor))
        return "one-dimensional tensors of its kind are not quantized";
    return std::nullopt;
}

std::vector<GgmlType> withPresent(const TensorInfo &tensor, const std::vector<GgmlType> &candidates)
{
    std::vector<GgmlType> types{tensor.type->type};
    types.insert(types.end(), candidates.begin(), candidates.end());
    return types;
}

double shareSeen(const TensorInfo &tensor, const std::vector<WhatIfValue> &values)
{
    for (const WhatIfValue &value : values)
        if (value.estimated && tensor.elements.value_or(0) > 0)
            return static_cast<double>(value.errors.count) / static_cast<double>(*tensor.elements);
    return 1.0;
}

} // namespace

Result<WhatIfRowPtr> measureRow(const GgufModelPtr &model, TensorIndex tensor, const WhatIfOrder &order,
                                bool lowPriority, std::stop_token stop, const ProgressFn &progress)
{
    const TensorInfo &info = model->tensor(tensor);
    auto row = std::make_shared<WhatIfRow>();
    row->tensor = tensor;
    if (const auto why = refusal(info)) {
        row->problem = *why;
        return row;
    }
    WhatIfOptions options;
    options.lowPriority = lowPriority;
    const auto elements = static_cast<double>(info.elements.value_or(0));
    if (order.sampleWeights && static_cast<double>(*order.sampleWeights) < elements)
        options.sampleShare = static_cast<double>(*order.sampleWeights) / elements;
    auto values = measureTypes(model, tensor, withPresent(info, order.candidates), options, std::move(stop), progress);
    if (values) {
        row->sampledShare = shareSeen(info, *values);
        row->values = std::move(*values);
        return row;
    }
    if (values.error().code == StoppedCode || values.error().code == "file-changed")
        return tl::unexpected(values.error());
    row->problem = values.error().message;
    return row;
}

WhatIfTable::WhatIfTable(ModelSummaryPtr model, WhatIfOrder order)
    : m_model(std::move(model))
    , m_order(inFileOrder(std::move(order)))
    , m_rows(m_order.tensors.size())
    , m_chosen(m_order.tensors.size(), 0)
{
}

std::optional<std::size_t> WhatIfTable::placeOf(TensorIndex tensor) const
{
    const auto found = std::ranges::lower_bound(m_order.tensors, tensor);
    if (found == m_order.tensors.end() || *found != tensor)
        return std::nullopt;
    return static_cast<std::size_t>(found - m_order.tensors.begin());
}

std::optional<std::size_t> WhatIfTable::setRow(WhatIfRowPtr row)
{
    const auto found = placeOf(row->tensor);
    if (!found)
        return std::nullopt;
    const std::size_t place = *found;
    m_rows[place] = std::move(row);
    if (const WhatIfValue *value = chosenValue(place); !value || value->overflowAt)
        m_chosen[place] = 0;
    return place;
}

std::size_t WhatIfTable::measuredCount() const
{
    return static_cast<std::size_t>(std::ranges::count_if(m_rows, isMeasured));
}

const WhatIfValue *WhatIfTable::chosenValue(std::size_t row) const
{
    if (!isMeasured(m_rows[row]) || m_chosen[row] >= m_rows[row]->values.size())
        return nullptr;
    return &m_rows[row]->values[m_chosen[row]];
}

bool WhatIfTable::choose(std::size_t row, std::size_t value)
{
    if (row >= m_rows.size() || !isMeasured(m_rows[row]) || value >= m_rows[row]->values.size()
        || m_rows[row]->values[value].overflowAt)
        return false;
    m_chosen[row] = value;
    return true;
}

void WhatIfTable::chooseLike(const WhatIfTable &before)
{
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        const auto old = before.placeOf(m_order.tensors[i]);
        const std::size_t chosen = old ? before.m_chosen[*old] : 0;
        if (chosen == 0)
            continue;
        const auto same = std::ranges::find(m_order.candidates, before.m_order.candidates[chosen - 1]);
        if (same != m_order.candidates.end())
            m_chosen[i] = static_cast<std::size_t>(same - m_order.candidates.begin()) + 1;
    }
}

std::uint64_t WhatIfTable::otherBytes() const
{
    std::uint64_t measured = 0;
    for (const WhatIfRowPtr &row : m_rows)
        if (isMeasured(row))
            measured += row->values.front().bytes;
    return m_model && m_model->size > measured ? m_model->size - measured : 0;
}

/// `pick` gives the value of a measured row that counts.
template <class Pick>
std::uint64_t WhatIfTable::fileBytes(const Pick &pick) const
{
    std::uint64_t bytes = otherBytes();
    for (std::size_t i = 0; i < m_rows.size(); ++i)
        if (isMeasured(m_rows[i]))
            bytes += pick(i).bytes;
    return bytes;
}

std::uint64_t WhatIfTable::smallestFile() const
{
    return fileBytes([this](std::size_t i) { return *std::ranges::min_element(m_rows[i]->values, {}, &WhatIfValue::bytes); });
}

std::uint64_t WhatIfTable::largestFile() const
{
    return fileBytes([this](std::size_t i) { return *std::ranges::max_element(m_rows[i]->values, {}, &WhatIfValue::bytes); });
}

WhatIfTotals WhatIfTable::totals() const
{
    WhatIfTotals totals;
    if (!m_model)
        return totals;
    RowError sums;
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        const WhatIfValue *value = chosenValue(i);
        if (!value)
            continue;
        const RowError error = errorOf(*m_rows[i], m_chosen[i]);
        sums.energy += error.energy;
        sums.squaredError += error.squaredError;
        ++totals.measured;
        totals.changed += value->identical ? 0 : 1;
        totals.estimated |= m_rows[i]->sampledShare < 1.0;
    }
    totals.bytesNow = m_model->size;
    totals.bytesThen = fileBytes([this](std::size_t i) { return *chosenValue(i); });
    if (totals.measured > 0 && sums.energy > 0) {
        totals.relativeRmse = std::sqrt(sums.squaredError / sums.energy);
        if (sums.squaredError > 0)
            totals.sqnrDb = 10.0 * std::log10(sums.energy / sums.squaredError);
    }
    const auto weights = static_cast<double>(m_model->totals.parameters);
    if (weights > 0) {
        const double difference = static_cast<double>(totals.bytesThen) - static_cast<double>(totals.bytesNow);
        totals.bitsNow = 8.0 * static_cast<double>(m_model->totals.bytes) / weights;
        totals.bitsThen = *totals.bitsNow + 8.0 * difference / weights;
    }
    return totals;
}

bool WhatIfTable::chooseForBudget(std::uint64_t budget)
{
    std::vector<BudgetItem> items;
    std::vector<std::pair<std::size_t, std::vector<std::size_t>>> places; // rows, and their choices' values
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        if (!isMeasured(m_rows[i]))
            continue;
        BudgetItem item;
        std::vector<std::size_t> values;
        for (std::size_t v = 0; v < m_rows[i]->values.size(); ++v) {
            const BudgetItem one = budgetItem(std::span(m_rows[i]->values).subspan(v, 1));
            if (one.choices.empty())
                continue;
            item.choices.push_back(one.choices.front());
            values.push_back(v);
        }
        items.push_back(std::move(item));
        places.emplace_back(i, std::move(values));
    }
    const std::uint64_t others = otherBytes();
    if (items.empty() || budget < others)
        return false;
    const BudgetPlan plan = planBudget(items, budget - others);
    if (!plan.fits)
        return false;
    for (std::size_t k = 0; k < places.size(); ++k)
        m_chosen[places[k].first] = places[k].second[plan.chosen[k]];
    return true;
}

std::vector<TensorTypeChoice> WhatIfTable::choices(bool unchanged) const
{
    std::vector<TensorTypeChoice> result;
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        const WhatIfValue *value = chosenValue(i);
        if (value && (unchanged || !value->identical))
            result.push_back({m_order.tensors[i], value->type});
    }
    std::ranges::sort(result, {}, &TensorTypeChoice::tensor);
    return result;
}

} // namespace ql
