// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/selection.h"
#include "widgets/models/comparetablemodel.h"

#include <QWidget>

class QLabel;

namespace ql {

class CheckMenuButton;
class ChoiceBox;
class CompareFilterProxy;
class FilterField;
class TreeView;

/// The table of the Compare view: worst first, filtered, grouped by role or layer on request.
class CompareTableView final : public QWidget
{
    Q_OBJECT
public:
    explicit CompareTableView(CompareTableModel *model, QWidget *parent = nullptr);

    /// Filter and choices, for the header of the card.
    QWidget *tools() const { return m_tools; }
    TreeView *view() const { return m_view; }
    CompareFilterProxy *proxy() const { return m_proxy; }
    /// Marks what is selected elsewhere; emits nothing.
    void setSelection(const Selection &selection);
    void setFilter(const QString &text, bool isRegex);
    void setGrouping(CompareTableModel::Grouping grouping);
    void sortWorstFirst();
    void focusFilter();

    QByteArray saveState() const;
    bool restoreState(const QByteArray &state);

signals:
    void rowActivated(const ql::Selection &selection);
    /// A partner in B is wanted for a tensor (or expert) of A.
    void pairRequested(const ql::Selection &selection);

private:
    void buildTools();
    void buildView();
    void buildActions();
    void connectFilters();
    void tellCurrent(const QModelIndex &current);
    void showSelection();
    void showEmptyNote();
    void showColumnMenu(const QPoint &position);
    Selection currentSelection() const;
    bool isExported(const QModelIndex &row) const;

    CompareTableModel *m_model;
    CompareFilterProxy *m_proxy;
    Selection m_selection;
    QWidget *m_tools;
    FilterField *m_filter;
    CheckMenuButton *m_states;
    ChoiceBox *m_grouping;
    TreeView *m_view;
    QLabel *m_nothing;
    bool m_isQuiet = false; ///< rows move for reasons other than a person
};

} // namespace ql
