// SPDX-License-Identifier: GPL-3.0-or-later
// WhatIfPanel: measuring, choosing, and what it comes to.
#include "core/model/tensorkind.h"
#include "core/quant/quantize.h"
#include "widgets/choicebox.h"
#include "widgets/formatting.h"
#include "widgets/models/checkmenu.h"
#include "widgets/models/filterfield.h"
#include "widgets/models/whatiffilter.h"
#include "widgets/models/whatifmodel.h"
#include "widgets/stateplaceholder.h"
#include "widgets/whatifbudget.h"
#include "widgets/whatifpanel.h"
#include "widgets/whatiftotals.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QProgressBar>
#include <QPushButton>
#include <QStackedLayout>
#include <QTableView>

#include <algorithm>

namespace ql {

namespace {

constexpr int NameWidth = 232;
constexpr int TypeWidth = 72;
constexpr int SeenWidth = 132;
constexpr int NoteWidth = 360;
constexpr int MeasureWidths[] = {84, 62, 88, 84};

} // namespace

void WhatIfPanel::setModel(ModelSummaryPtr model)
{
    m_summary = std::move(model);
    m_error.clear();
    setBusy(false);
    m_model->setTable({});
    m_budget->setNote({});
    relabelScope();
    showTotals();
    showState();
}

void WhatIfPanel::setSelection(const Selection &selection)
{
    m_selection = selection;
    relabelScope();
}

std::vector<TensorIndex> WhatIfPanel::tensorsInScope() const
{
    if (!m_summary)
        return {};
    const auto scope = static_cast<Scope>(m_scope->currentData().toInt());
    if (scope == Selected)
        return m_selection.tensor ? std::vector{*m_selection.tensor} : std::vector<TensorIndex>();
    std::vector<TensorIndex> tensors;
    for (std::uint32_t i = 0; i < m_summary->tensors.size(); ++i) {
        const TensorInfo &tensor = m_summary->tensors[i];
        const bool isWanted = scope == Filtered ? m_filter->matcher().matches(QString::fromStdString(tensor.name))
                                                : isMainWeight(tensor);
        if (isWanted)
            tensors.push_back({i});
    }
    return tensors;
}

std::vector<GgmlType> WhatIfPanel::candidates() const
{
    const auto checked = m_types->checkMenu()->checked();
    std::vector<GgmlType> types;
    for (const GgmlType type : quantizableTypes())
        if (checked.empty() || checked.contains(static_cast<qint64>(type)))
            types.push_back(type);
    return types;
}

WhatIfOrder WhatIfPanel::order() const
{
    WhatIfOrder order{tensorsInScope(), candidates(), {}};
    if (const auto sample = m_accuracy->currentData().value<quint64>(); sample > 0)
        order.sampleWeights = sample;
    return order;
}

void WhatIfPanel::measure()
{
    const WhatIfOrder wanted = order();
    if (wanted.tensors.empty())
        return;
    m_error.clear();
    WhatIfTable table(m_summary, wanted);
    table.chooseLike(m_model->table());
    m_model->setTable(std::move(table));
    showColumns();
    setBusy(true);
    showState();
    emit measureRequested(m_model->table().order());
}

void WhatIfPanel::setRow(const WhatIfRowPtr &row) { m_model->setRow(row); }

void WhatIfPanel::setProgress(std::uint64_t done, std::uint64_t total, const QString &pace)
{
    if (!m_busy || total == 0)
        return;
    const double share = static_cast<double>(done) / static_cast<double>(total);
    m_bar->setValue(static_cast<int>(share * m_bar->maximum()));
    m_progress->setText(tr("%1 of %2 tensors · %3")
                            .arg(formatCount(m_model->table().measuredCount()), formatCount(m_model->table().rowCount()), pace));
}

void WhatIfPanel::setFinished()
{
    setBusy(false);
    showTotals();
    m_progress->setText(tr("%1 of %2 tensors measured")
                            .arg(formatCount(m_model->table().measuredCount()), formatCount(m_model->table().rowCount())));
}

void WhatIfPanel::setStopped()
{
    if (!m_busy)
        return; // of a model that has gone since
    setBusy(false);
    showTotals();
    m_progress->setText(tr("Cancelled: %1 of %2 tensors measured")
                            .arg(formatCount(m_model->table().measuredCount()), formatCount(m_model->table().rowCount())));
}

void WhatIfPanel::setError(const QString &message)
{
    m_error = message;
    setBusy(false);
    showState();
}

void WhatIfPanel::setBusy(bool busy)
{
    m_busy = busy;
    m_measure->setVisible(!busy);
    m_cancel->setVisible(busy);
    m_bar->setVisible(busy);
    m_bar->setValue(0);
    m_progress->setText(busy ? tr("waiting for its turn…") : QString());
}

/// The scopes say how many tensors they are; those of none can't be chosen.
void WhatIfPanel::relabelScope()
{
    const std::size_t main = !m_summary ? 0 : std::size_t(std::ranges::count_if(m_summary->tensors, isMainWeight));
    m_scope->setItemText(MainWeights, tr("all main weights (%1)").arg(formatCount(main)));
    m_scope->setItemEnabled(Selected, m_selection.tensor.has_value());
    if (m_scope->currentData().toInt() == Selected && !m_selection.tensor)
        m_scope->setCurrentIndex(MainWeights);
    m_measure->setEnabled(m_summary && !m_summary->tensors.empty());
}

void WhatIfPanel::showColumns()
{
    const auto checked = m_measures->checkMenu()->checked();
    m_view->setColumnWidth(WhatIfModel::TensorColumn, NameWidth);
    m_view->setColumnWidth(WhatIfModel::PresentColumn, TypeWidth);
    m_view->setColumnWidth(WhatIfModel::ChoiceColumn, TypeWidth);
    for (int column = WhatIfModel::FirstValueColumn; column < m_model->seenColumn(); ++column) {
        const auto measure = *m_model->measureOf(column);
        m_view->setColumnHidden(column, !checked.empty() && !checked.contains(measure));
        m_view->setColumnWidth(column, MeasureWidths[measure]);
    }
    m_view->setColumnWidth(m_model->seenColumn(), SeenWidth);
    m_view->setColumnWidth(m_model->noteColumn(), NoteWidth);
}

void WhatIfPanel::showState()
{
    if (!m_error.isEmpty())
        m_placeholder->showError(tr("Measuring failed"), m_error, tr("Try again"));
    else if (!m_summary)
        m_placeholder->showEmpty(tr("No file open"), tr("Open a model to ask what its tensors would be in other types."));
    else if (m_summary->tensors.empty())
        m_placeholder->showEmpty(tr("No tensors"), tr("This file has none to measure."));
    else
        m_placeholder->showEmpty(tr("What if the tensors were of other types?"),
                                 tr("Choose tensors and types above, then measure: each is encoded and decoded in every type,\n"
                                    "and its sizes and errors fill a table to choose from."),
                                 tr("Measure"));
    const bool hasTable = m_error.isEmpty() && m_model->rowCount() > 0;
    m_stack->setCurrentWidget(hasTable ? m_page : static_cast<QWidget *>(m_placeholder));
}

void WhatIfPanel::showTotals()
{
    m_totalsTimer.stop();
    const WhatIfTable &table = m_model->table();
    const WhatIfTotals totals = table.totals();
    m_totals->setTotals(totals);
    const bool hasRows = totals.measured > 0;
    m_budget->setRange(hasRows ? table.smallestFile() : 0, hasRows ? table.largestFile() : 0);
    m_budget->setValue(hasRows ? totals.bytesThen : 0);
    showButtons();
    emit choicesChanged();
}

void WhatIfPanel::showButtons()
{
    const bool hasRows = m_model->table().measuredCount() > 0;
    for (QPushButton *button : {m_choose, m_copy, m_save})
        button->setEnabled(hasRows);
    const QModelIndex current = m_proxy->mapToSource(m_view->currentIndex());
    const WhatIfRow *row = current.isValid() ? m_model->table().row(std::size_t(current.row())).get() : nullptr;
    m_openB->setEnabled(row && !row->values.empty());
}

void WhatIfPanel::takeClick(const QModelIndex &index)
{
    // With Ctrl or Shift a person selects rows; the last of a row's cells must not change its type.
    const bool isSelecting = QGuiApplication::keyboardModifiers() & (Qt::ControlModifier | Qt::ShiftModifier);
    const QModelIndex source = m_proxy->mapToSource(index);
    const auto value = m_model->valueOf(source.column());
    if (value && !isSelecting)
        m_model->choose(source.row(), *value);
    showButtons();
}

/// Enter or a double click: chooses in a candidate's cell, elsewhere goes to the tensor.
void WhatIfPanel::activate(const QModelIndex &index)
{
    const QModelIndex source = m_proxy->mapToSource(index);
    if (const auto value = m_model->valueOf(source.column()))
        m_model->choose(source.row(), *value);
    else if (source.isValid())
        emit tensorActivated(m_model->tensorAt(source.row()));
}

std::vector<int> WhatIfPanel::rowsToChoose() const
{
    std::vector<int> rows;
    const QModelIndexList selected = m_view->selectionModel()->selectedRows();
    if (selected.size() > 1) {
        for (const QModelIndex &index : selected)
            rows.push_back(m_proxy->mapToSource(index).row());
        return rows;
    }
    for (int i = 0; i < m_proxy->rowCount(); ++i)
        rows.push_back(m_proxy->mapToSource(m_proxy->index(i, 0)).row());
    return rows;
}

void WhatIfPanel::fillChooseMenu(QMenu &menu)
{
    const auto selected = m_view->selectionModel()->selectedRows().size();
    menu.addSection(selected > 1 ? tr("for the %1 selected rows").arg(selected)
                                 : tr("for all %1 rows shown").arg(m_proxy->rowCount()));
    connect(menu.addAction(tr("As they are now")), &QAction::triggered, this, [this] { chooseForRows({}); });
    for (const GgmlType type : m_model->table().order().candidates) {
        auto *action = menu.addAction(QString::fromStdString(typeLabel(static_cast<std::uint32_t>(type))));
        connect(action, &QAction::triggered, this, [this, type] { chooseForRows(type); });
    }
}

void WhatIfPanel::chooseForRows(std::optional<GgmlType> type)
{
    m_model->choose(rowsToChoose(), type);
    m_budget->setNote({});
}

void WhatIfPanel::chooseForBudget(quint64 bytes)
{
    const bool fits = m_model->chooseForBudget(bytes);
    m_budget->setNote(fits ? QString()
                           : tr("even the smallest types need %1").arg(formatBytes(m_model->table().smallestFile())));
    showTotals();
}

std::vector<TensorTypeChoice> WhatIfPanel::choices() const { return m_model->table().choices(false); }

void WhatIfPanel::copyArguments()
{
    const auto all = m_model->table().choices(true);
    QGuiApplication::clipboard()->setText(QString::fromStdString(tensorTypeCommandLine(m_summary->tensors, all)));
    emit reported(tr("Copied the types of %1 tensors as arguments").arg(formatCount(all.size())));
}

void WhatIfPanel::openCandidate()
{
    const QModelIndex current = m_proxy->mapToSource(m_view->currentIndex());
    if (!current.isValid())
        return;
    const auto row = static_cast<std::size_t>(current.row());
    const WhatIfRowPtr &measured = m_model->table().row(row);
    const std::size_t value = m_model->valueOf(current.column()).value_or(m_model->table().chosen(row));
    if (measured && value < measured->values.size())
        emit candidateRequested(measured->tensor, measured->values[value].type);
}

} // namespace ql
