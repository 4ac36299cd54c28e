// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/expertpanel.h"

#include "widgets/busyoverlay.h"
#include "widgets/choicebox.h"
#include "widgets/expertgrid.h"
#include "widgets/expertmaps.h"
#include "widgets/plotactions.h"

#include <QLabel>

#include <algorithm>
#include <numeric>

namespace ql {

namespace {

bool sameGroup(const ExpertGroup &group, const ExpertTable &table)
{
    return group.layer == table.layer && group.role == table.role
           && !table.experts.empty() && !group.experts.empty()
           && group.experts.front().tensor == table.experts.front().ref.tensor;
}

bool holds(const ExpertGroup &group, TensorIndex tensor)
{
    return std::ranges::find(group.experts, tensor, &ExpertRef::tensor) != group.experts.end();
}

} // namespace

void ExpertPanel::setGroups(std::vector<ExpertGroup> groups)
{
    m_groups = std::move(groups);
    m_tables.assign(m_groups.size(), nullptr);
    m_matrix.reset();
    m_matrixAsked.reset();
    m_matrixProblem.clear();
    m_matrixOverlay->finish();
    m_tableAsked.reset();
    m_gridOverlay->finish();
    m_grid->setEmptyText(tr("Select a tensor with experts to see each of them."));
    m_selection = {};
    m_held.reset();
    m_shown = m_groups.empty() ? std::nullopt : std::optional<std::size_t>(0);
    m_role->clear();
    for (const ExpertGroup &group : m_groups)
        if (m_role->findText(toText(group.role)) < 0)
            m_role->addItem(toText(group.role));
    refresh();
}

void ExpertPanel::setTable(const ExpertTablePtr &table)
{
    if (!table)
        return;
    const auto group = std::ranges::find_if(m_groups, [&](const ExpertGroup &g) { return sameGroup(g, *table); });
    if (group != m_groups.end()) {
        m_tables[static_cast<std::size_t>(group - m_groups.begin())] = table;
    } else {
        adoptGroup(*table);
        m_tables.push_back(table);
        setSelection(m_selection);
    }
    if (shownTable())
        m_gridOverlay->finish();
    refresh();
}

/// Any other 3-D tensor: a group of its own.
void ExpertPanel::adoptGroup(const ExpertTable &table)
{
    ExpertGroup own{table.layer, table.role, {}};
    for (const ExpertSummary &expert : table.experts)
        own.experts.push_back(expert.ref);
    own.storesScale = std::ranges::any_of(
        table.experts, [](const ExpertSummary &expert) { return expert.meanScale.has_value(); });
    m_groups.push_back(std::move(own));
    if (m_role->findText(toText(table.role)) < 0)
        m_role->addItem(toText(table.role));
}

void ExpertPanel::setTableEnded(const QString &why)
{
    m_gridOverlay->finish();
    m_grid->setEmptyText(why.isEmpty() ? tr("The scan of these experts was cancelled. Select another one to try again.") : why);
}

void ExpertPanel::setMatrix(const CosineMatrixPtr &matrix)
{
    m_matrixOverlay->finish();
    if (m_matrixAsked && m_matrixAsked != m_shown)
        return;
    m_matrixAsked.reset();
    m_matrix = matrix;
    refresh();
}

void ExpertPanel::setMatrixEnded(const QString &why)
{
    m_matrixOverlay->finish();
    m_matrixAsked.reset();
    m_matrixProblem = why;
    refresh();
}

bool ExpertPanel::canShow(const Selection &selection) const
{
    if (!selection.tensor)
        return !m_groups.empty();
    return std::ranges::any_of(m_groups, [&](const ExpertGroup &group) { return holds(group, *selection.tensor); });
}

void ExpertPanel::setSelection(const Selection &selection)
{
    const bool isSameExpert = selection.tensor == m_selection.tensor && selection.expert == m_selection.expert;
    m_selection = selection;
    if (!selection.tensor || !canShow(selection))
        return refresh();
    const auto group =
        std::ranges::find_if(m_groups, [&](const ExpertGroup &g) { return holds(g, *selection.tensor); });
    const auto place = static_cast<std::size_t>(group - m_groups.begin());
    if (isSameExpert && m_shown == place)
        return; // another weight of the same expert
    showGroup(place);
    if (!m_gridOverlay->isBusy())
        m_tableAsked.reset(); // what was cancelled is asked for again
    m_role->setCurrentIndex(m_role->findText(toText(group->role)));
    refresh();
}

void ExpertPanel::setHeld(const std::optional<Selection> &held)
{
    m_held = held;
    refresh();
}

void ExpertPanel::setScanProgress(std::optional<double> share)
{
    m_scanShare = share;
    refreshState();
}

void ExpertPanel::setPicture(Picture picture) { m_picture->choose(static_cast<int>(picture)); }

ExpertPanel::Picture ExpertPanel::picture() const
{
    return static_cast<Picture>(m_picture->currentData().toInt());
}

void ExpertPanel::setFigure(ExpertFigure figure) { m_figure->choose(static_cast<int>(figure)); }

ExpertFigure ExpertPanel::figure() const
{
    return static_cast<ExpertFigure>(m_figure->currentData().toInt());
}

QString ExpertPanel::readout() const { return m_readout->text(); }

PlotActions *ExpertPanel::plotActions() const { return m_actions[static_cast<std::size_t>(picture())]; }

const ExpertGroup *ExpertPanel::shownGroup() const { return m_shown ? &m_groups[*m_shown] : nullptr; }

ExpertTablePtr ExpertPanel::shownTable() const { return m_shown ? m_tables[*m_shown] : nullptr; }

void ExpertPanel::showGroup(std::size_t place)
{
    if (m_shown == place)
        return;
    m_shown = place;
    if (m_gridOverlay->isBusy())
        emit tableCancelled();
    m_gridOverlay->finish();
    m_tableAsked.reset();
    m_matrix.reset();
    m_matrixProblem.clear();
    if (m_matrixAsked)
        emit matrixCancelled();
}

void ExpertPanel::showRole(const std::string &role)
{
    // The same layer's tensor of that role, or the first of the role.
    const auto layer = shownGroup() ? shownGroup()->layer : std::nullopt;
    auto group = std::ranges::find_if(
        m_groups, [&](const ExpertGroup &g) { return g.role == role && g.layer == layer; });
    if (group == m_groups.end())
        group = std::ranges::find(m_groups, role, &ExpertGroup::role);
    if (group == m_groups.end())
        return;
    showGroup(static_cast<std::size_t>(group - m_groups.begin()));
    refresh();
    if (!group->experts.empty())
        emit expertSelected(group->experts.front());
}

std::vector<std::size_t> ExpertPanel::orderOf(const ExpertTable &table) const
{
    std::vector<std::size_t> order(table.experts.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto by = static_cast<Order>(m_order->currentData().toInt());
    if (by == Order::Number)
        return order;
    const auto values = table.column(figure());
    // Experts without the figure come last either way.
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
        if (!values[a] || !values[b])
            return values[a].has_value() && !values[b];
        return by == Order::Descending ? *values[a] > *values[b] : *values[a] < *values[b];
    });
    return order;
}

} // namespace ql
