// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/modelsummary.h"
#include "core/model/selection.h"

#include <QWidget>

class QGridLayout;
class QLabel;
class QStackedLayout;
class QTableView;

namespace ql {

class Card;
class OverviewBanner;
class OverviewGrid;
class ShareBar;
class StatePlaceholder;
class TotalsModel;

/// A whole model at a glance: what it is, its types by layer and role, where its bytes are, and
/// what is wrong with it.
class OverviewPanel final : public QWidget
{
    Q_OBJECT

public:
    explicit OverviewPanel(QWidget *parent = nullptr);

    void setModel(ModelSummaryPtr model);
    /// The list of findings alone anew: the model's own, and what a verification has added to them.
    void setFindings(ModelSummaryPtr model);
    static bool canShow(const Selection &) { return true; }

signals:
    void tensorActivated(ql::TensorIndex tensor);

private:
    QWidget *makePage();
    QLayout *makeTitle(QWidget *parent);
    QLayout *makeCards(QWidget *parent);
    Card *makeFactsCard(QWidget *parent);
    Card *makeGridCard(QWidget *parent);
    Card *makeTypesCard(QWidget *parent);
    Card *makeRolesCard(QWidget *parent);
    void showFacts();
    void showTotals();

    ModelSummaryPtr m_model;
    QStackedLayout *m_stack;
    StatePlaceholder *m_placeholder;
    StatePlaceholder *m_noTensors = nullptr;
    OverviewBanner *m_banner = nullptr;
    QLabel *m_name = nullptr;
    QLabel *m_kind = nullptr;
    QLabel *m_path = nullptr;
    QGridLayout *m_facts = nullptr;
    std::vector<QLabel *> m_factValues;
    Card *m_gridCard = nullptr;
    OverviewGrid *m_grid = nullptr;
    QLabel *m_readout = nullptr;
    ShareBar *m_bar = nullptr;
    TotalsModel *m_types;
    TotalsModel *m_roles;
    QTableView *m_typeTable = nullptr;
    QTableView *m_roleTable = nullptr;
    Card *m_typeCard = nullptr;
    Card *m_roleCard = nullptr;
};

} // namespace ql
