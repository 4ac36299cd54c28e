// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/selection.h"
#include "core/stats/comparisontable.h"

#include <QWidget>

#include <optional>

class QButtonGroup;
class QLabel;
class QPushButton;
class QStackedWidget;

namespace ql {

class Card;
class CompareMapsView;
class CompareScatterView;
class CompareTableModel;
class CompareTableView;
class StatePlaceholder;

/// The Compare view: all pairs of two files as a table (worst first), as maps and as a scatter, with
/// the totals of the model on top. Filled in while pairs are being compared.
class ComparePanel final : public QWidget
{
    Q_OBJECT
public:
    enum class View { Table, Maps, Scatter };

    explicit ComparePanel(QWidget *parent = nullptr);

    /// No second file: says how to open one.
    void clear();
    /// Two files are open, their tensors are being paired.
    void beginPairing();
    void setTable(ComparisonTable table);
    /// By the pair's row; merged into one repaint a few times a second.
    void setResult(std::size_t row, const ComparisonPtr &comparison);
    void setFailure(std::size_t row, const QString &why);
    void addByHand(const TensorPair &pair);
    void setHandResult(const TensorPair &pair, const ComparisonPtr &comparison);
    void setHandFailure(const TensorPair &pair, const QString &why);
    /// The share that is done while pairs are being compared.
    void setProgress(std::optional<double> share);
    void setFinished();
    /// Cancelled: what is known stays, and can be gone on with.
    void setStopped();
    void setError(const QString &what);
    void setSelection(const Selection &selection);
    static bool canShow(const Selection &) { return true; }

    void setView(View view);
    View view() const;
    /// The row with the largest error that is known, for "go to the worst".
    Selection worst() const;
    QString totalsText() const;
    /// Those made by hand that are still shown.
    std::vector<TensorPair> handPairs() const;

    CompareTableModel *model() const { return m_model; }
    CompareTableView *table() const { return m_table; }
    CompareMapsView *maps() const { return m_maps; }
    CompareScatterView *scatter() const { return m_scatter; }
    StatePlaceholder *placeholder() const { return m_placeholder; }

signals:
    void openOtherRequested();
    void compareAgainRequested();
    void tensorActivated(ql::TensorIndex tensor);
    void expertActivated(ql::TensorIndex tensor, quint64 expert);
    /// A partner in B is wanted for a tensor (or expert) of A.
    void pairRequested(const ql::Selection &selection);
    void reported(const QString &message);

private:
    void buildHeader();
    void buildBody();
    void connectViews();
    void activate(const Selection &selection);
    void refreshTotals();
    void showPlaceholder(const QString &title, const QString &text, const QString &button = {});

    CompareTableModel *m_model;
    Card *m_card;
    QButtonGroup *m_switch;
    QStackedWidget *m_tools;
    QStackedWidget *m_views;
    QLabel *m_totals;
    QPushButton *m_again;
    CompareTableView *m_table;
    CompareMapsView *m_maps;
    CompareScatterView *m_scatter;
    StatePlaceholder *m_placeholder;
    Selection m_selection;
    std::optional<double> m_progress;
    bool m_isStopped = false;
};

} // namespace ql
