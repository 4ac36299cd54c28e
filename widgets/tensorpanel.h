// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/modelsummary.h"
#include "core/model/selection.h"
#include "widgets/models/tensorcolumns.h"

#include <QWidget>

#include <set>

class QLabel;
class QStackedLayout;
class QToolButton;

namespace ql {

class CheckMenuButton;
class FilterField;
class StatePlaceholder;
class TensorFilterProxy;
class TensorTreeModel;
class TreeView;

/// The tensors of a model: tree or table, filtered, sorted, with totals of what is shown. Moving
/// through the rows activates them.
class TensorPanel final : public QWidget
{
    Q_OBJECT

public:
    explicit TensorPanel(QWidget *parent = nullptr);

    void setModel(ModelSummaryPtr model);
    /// Shows what is selected elsewhere; emits nothing.
    void setSelection(const Selection &selection);
    static bool canShow(const Selection &) { return true; }

    /// Figures of a whole-model scan, as they come; setModel() forgets them.
    void setMoments(TensorIndex tensor, const Moments &whole, std::vector<Moments> experts = {});
    /// The columns of B, from beginComparison() to clearComparison() or setModel().
    void beginComparison();
    void setComparison(TensorIndex tensor, TensorComparison comparison);
    void clearComparison();

    void focusFilter();
    void setFilter(const QString &text, bool isRegex);
    void setFlat(bool isFlat);
    bool isFlat() const;
    /// "995 · 46.7 B weights · 26.4 GiB": of what is shown.
    QString totalsText() const { return m_totalsText; }
    std::vector<TensorIndex> shownTensors() const;

    /// Columns, widths, sorting and shape. restoreState() leaves all as it is if it can't read them.
    QByteArray saveState() const;
    bool restoreState(const QByteArray &state);

signals:
    void tensorActivated(ql::TensorIndex tensor);
    void expertActivated(ql::TensorIndex tensor, quint64 expert);
    void totalsChanged(const QString &text);

private:
    void makeView();
    void makeTools();
    void makeActions();
    void connectFilters();
    void addViewAction(const QString &name, const QString &text, void (TensorPanel::*run)());
    void copyNames();
    void expandAllRows();
    void collapseAllRows();
    void refill();
    void filterBy(const std::function<void(TensorFilterProxy &)> &change);
    void expandForFilter();
    void tellCurrent(const QModelIndex &current);
    void showSelection();
    void showTotals();
    void showState();
    void applyColumns();
    void setDefaultColumns();
    void fitNames();
    void fitComparison();
    void fitTypes();
    void fillMenus();
    void showColumnMenu(const QPoint &position);

    ModelSummaryPtr m_model;
    Selection m_selection;
    TensorTreeModel *m_tensors;
    TensorFilterProxy *m_proxy;
    TreeView *m_view = nullptr;
    FilterField *m_filter = nullptr;
    CheckMenuButton *m_types = nullptr;
    CheckMenuButton *m_layers = nullptr;
    QToolButton *m_flat = nullptr;
    QLabel *m_totals = nullptr;
    StatePlaceholder *m_placeholder = nullptr;
    QStackedLayout *m_stack = nullptr;
    QString m_totalsText;
    std::set<QString> m_hiddenByUser;
    bool m_isQuiet = false; ///< rows move for reasons other than a person
};

} // namespace ql
