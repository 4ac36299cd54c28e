// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/whatif.h"

#include <algorithm>
#include <numeric>

namespace ql {

namespace {

/// One step of one item, from a choice on its hull to the next larger one.
struct Step {
    std::size_t item = 0;
    std::size_t to = 0;          ///< index into the item's choices
    std::uint64_t bytes = 0;     ///< more than before
    double saved = 0;            ///< less cost than before
    std::size_t place = 0;       ///< number of the step within its item

    double rate() const { return saved / static_cast<double>(bytes); }
};

/// Indices of the choices on the lower convex hull: ever more bytes, ever less cost, and ever less
/// saved a byte. The first is the smallest choice (the best of equals).
std::vector<std::size_t> lowerHull(const std::vector<BudgetItem::Choice> &choices)
{
    std::vector<std::size_t> order(choices.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
        return std::pair(choices[a].bytes, choices[a].cost) < std::pair(choices[b].bytes, choices[b].cost);
    });
    const auto rate = [&](std::size_t from, std::size_t to) {
        return (choices[from].cost - choices[to].cost)
               / static_cast<double>(choices[to].bytes - choices[from].bytes);
    };
    std::vector<std::size_t> hull;
    for (const std::size_t next : order) {
        if (!hull.empty() && !(choices[next].cost < choices[hull.back()].cost))
            continue;
        while (hull.size() >= 2 && rate(hull[hull.size() - 2], hull.back()) <= rate(hull.back(), next))
            hull.pop_back();
        hull.push_back(next);
    }
    return hull;
}

void addSteps(std::vector<Step> &steps, std::size_t item, const std::vector<BudgetItem::Choice> &choices,
              const std::vector<std::size_t> &hull)
{
    for (std::size_t i = 1; i < hull.size(); ++i) {
        const auto &from = choices[hull[i - 1]];
        const auto &to = choices[hull[i]];
        steps.push_back({item, hull[i], to.bytes - from.bytes, from.cost - to.cost, i});
    }
}

} // namespace

BudgetItem budgetItem(std::span<const WhatIfValue> values)
{
    BudgetItem item;
    for (const WhatIfValue &value : values) {
        if (value.overflowAt)
            continue;
        const double energy = value.errors.sumSqA;
        const double cost = energy > 0 ? value.errors.sumSqError / energy : 0.0;
        item.choices.push_back({value.type, value.bytes, cost});
    }
    return item;
}

BudgetPlan planBudget(std::span<const BudgetItem> items, std::uint64_t budget)
{
    BudgetPlan plan;
    std::vector<Step> steps;
    for (std::size_t i = 0; i < items.size(); ++i) {
        const auto hull = lowerHull(items[i].choices);
        plan.chosen.push_back(hull.empty() ? 0 : hull.front());
        if (!hull.empty())
            plan.bytes += items[i].choices[hull.front()].bytes;
        addSteps(steps, i, items[i].choices, hull);
    }
    plan.fits = plan.bytes <= budget;
    std::ranges::stable_sort(steps, [](const Step &a, const Step &b) { return a.rate() > b.rate(); });
    std::vector<std::size_t> reached(items.size(), 0);
    for (const Step &step : steps) {
        // After a step that did not fit, the item's later ones start from where it is not.
        const bool isNext = step.place == reached[step.item] + 1;
        if (!plan.fits || !isNext || step.bytes > budget - plan.bytes)
            continue;
        plan.chosen[step.item] = step.to;
        plan.bytes += step.bytes;
        reached[step.item] = step.place;
    }
    for (std::size_t i = 0; i < items.size(); ++i)
        if (!items[i].choices.empty())
            plan.cost += items[i].choices[plan.chosen[i]].cost;
    return plan;
}

} // namespace ql
