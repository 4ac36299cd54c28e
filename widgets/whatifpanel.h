// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/selection.h"
#include "core/stats/whatiftable.h"

#include <QTimer>
#include <QWidget>

#include <vector>

class QItemSelection;
class QLabel;
class QProgressBar;
class QPushButton;
class QSortFilterProxyModel;
class QStackedLayout;
class QTableView;

namespace ql {

class Card;
class CheckMenuButton;
class ChoiceBox;
class FilterField;
class StatePlaceholder;
class WhatIfBudget;
class WhatIfFilter;
class WhatIfModel;
class WhatIfTotalsBar;

/// "What if these tensors were of another type?": tensors and candidate types to choose, a table
/// that fills in with sizes and measured errors, one type chosen a tensor, and what that comes to.
class WhatIfPanel final : public QWidget
{
    Q_OBJECT

public:
    explicit WhatIfPanel(QWidget *parent = nullptr);

    /// Forgets what was measured of another model.
    void setModel(ModelSummaryPtr model);
    void setSelection(const Selection &selection);
    static bool canShow(const Selection &) { return true; }

    void setRow(const WhatIfRowPtr &row);
    /// Weights looked at, of how many; `pace` is a line such as "63 M weights/s · 4 s left".
    void setProgress(std::uint64_t done, std::uint64_t total, const QString &pace);
    /// The measuring is over: done, or cancelled (what has come stays).
    void setFinished();
    void setStopped();
    void setError(const QString &message);

    const WhatIfModel &model() const { return *m_model; }
    /// Tensors whose choice is another type, for Save as…
    std::vector<TensorTypeChoice> choices() const;
    bool isBusy() const { return m_busy; }

signals:
    void measureRequested(const ql::WhatIfOrder &order);
    void cancelRequested();
    void tensorActivated(ql::TensorIndex tensor);
    void saveRequested();
    void candidateRequested(ql::TensorIndex tensor, ql::GgmlType type);
    void choicesChanged();
    /// Something was copied: a line for the status bar.
    void reported(const QString &message);

private:
    enum Scope { MainWeights, Filtered, Selected };

    void buildOrder();
    void buildTable();
    void buildActions();
    QWidget *makeTools();
    QWidget *makePage();
    QWidget *makeFooter();
    WhatIfOrder order() const;
    std::vector<TensorIndex> tensorsInScope() const;
    std::vector<GgmlType> candidates() const;
    void measure();
    void setBusy(bool busy);
    void relabelScope();
    void showColumns();
    void showState();
    void showTotals();
    void takeClick(const QModelIndex &index);
    void activate(const QModelIndex &index);
    void fillChooseMenu(QMenu &menu);
    void chooseForRows(std::optional<GgmlType> type);
    std::vector<int> rowsToChoose() const;
    void chooseForBudget(quint64 bytes);
    void copyArguments();
    void openCandidate();
    void showButtons();

    ModelSummaryPtr m_summary;
    Selection m_selection;
    bool m_busy = false;
    QString m_error;
    WhatIfModel *m_model;
    WhatIfFilter *m_proxy;
    Card *m_card;
    FilterField *m_filter;
    ChoiceBox *m_scope;
    CheckMenuButton *m_types;
    ChoiceBox *m_accuracy;
    QPushButton *m_measure;
    QPushButton *m_cancel;
    WhatIfTotalsBar *m_totals;
    WhatIfBudget *m_budget;
    QTableView *m_view;
    CheckMenuButton *m_measures;
    QPushButton *m_choose;
    QPushButton *m_copy;
    QPushButton *m_openB;
    QPushButton *m_save;
    QProgressBar *m_bar;
    QLabel *m_progress;
    StatePlaceholder *m_placeholder;
    QStackedLayout *m_stack;
    QWidget *m_page;
    QTimer m_totalsTimer; ///< rows come by the hundred
};

} // namespace ql
