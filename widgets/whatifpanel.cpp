// SPDX-License-Identifier: GPL-3.0-or-later
// WhatIfPanel: what it is made of. What it does is in whatifchoosing.cpp.
#include "widgets/whatifpanel.h"

#include "core/quant/quantize.h"
#include "widgets/card.h"
#include "widgets/choicebox.h"
#include "widgets/formatting.h"
#include "widgets/models/celldelegate.h"
#include "widgets/models/checkmenu.h"
#include "widgets/models/filterfield.h"
#include "widgets/models/tableactions.h"
#include "widgets/models/treeview.h"
#include "widgets/models/whatiffilter.h"
#include "widgets/models/whatifmodel.h"
#include "widgets/stateplaceholder.h"
#include "widgets/whatifbudget.h"
#include "widgets/whatiftotals.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QProgressBar>
#include <QPushButton>
#include <QStackedLayout>
#include <QTableView>
#include <QVBoxLayout>

namespace ql {

namespace {

constexpr int TotalsDelayMs = 60;
constexpr int HeaderHeight = 44;
constexpr GgmlType FirstCandidates[] = {GgmlType::Q8_0, GgmlType::Q6_K, GgmlType::Q5_K,
                                        GgmlType::Q4_K, GgmlType::Q3_K, GgmlType::Q2_K};

QPushButton *button(const QString &name, const QString &text, const QString &toolTip, QWidget *parent)
{
    auto *result = new QPushButton(text, parent);
    result->setObjectName(name);
    result->setToolTip(toolTip);
    return result;
}

} // namespace

WhatIfPanel::WhatIfPanel(QWidget *parent)
    : QWidget(parent)
    , m_model(new WhatIfModel(this))
    , m_proxy(new WhatIfFilter(this))
    , m_card(new Card(tr("What if"), this))
    , m_placeholder(new StatePlaceholder(m_card))
    , m_stack(new QStackedLayout)
{
    setObjectName(QStringLiteral("whatIfPanel"));
    setAccessibleName(tr("What if the tensors were of other types"));
    m_proxy->setSourceModel(m_model);
    buildOrder();
    buildTable();
    m_page = makePage();
    m_stack->addWidget(m_placeholder);
    m_stack->addWidget(m_page);
    m_card->body()->addLayout(m_stack, 1);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(16, 12, 16, 12);
    layout->addWidget(m_card);
    buildActions();

    m_totalsTimer.setSingleShot(true);
    m_totalsTimer.setInterval(TotalsDelayMs);
    connect(&m_totalsTimer, &QTimer::timeout, this, &WhatIfPanel::showTotals);
    connect(m_model, &WhatIfModel::choiceChanged, &m_totalsTimer, qOverload<>(&QTimer::start));
    connect(m_placeholder, &StatePlaceholder::actionTriggered, this, &WhatIfPanel::measure);
    setModel(nullptr);
}

/// What is to be measured: the row of the title.
void WhatIfPanel::buildOrder()
{
    m_filter = new FilterField(QStringLiteral("whatIfFilter"), tr("filter names…"), m_card);
    m_filter->setMaximumWidth(240);
    m_scope = new ChoiceBox(tr("tensors"), m_card);
    m_scope->setObjectName(QStringLiteral("whatIfScope"));
    m_scope->addItem(tr("all main weights"), MainWeights);
    m_scope->addItem(tr("matching the filter"), Filtered);
    m_scope->addItem(tr("the selected one"), Selected);
    m_scope->setToolTip(tr("Main weights: 2-D and 3-D “.weight” tensors but norms and routers"));
    m_types = new CheckMenuButton(QStringLiteral("whatIfTypes"), tr("types"), m_card);
    std::vector<CheckMenu::Choice> choices;
    for (const GgmlType type : quantizableTypes()) {
        const QString name = QString::fromStdString(typeLabel(static_cast<std::uint32_t>(type)));
        choices.push_back({static_cast<qint64>(type), name});
    }
    m_types->checkMenu()->setChoices(choices);
    std::set<qint64> first;
    for (const GgmlType type : FirstCandidates)
        first.insert(static_cast<qint64>(type));
    m_types->checkMenu()->setChecked(first);
    m_types->relabel();
    m_types->setToolTip(tr("Candidate types; none checked means all that can be encoded without an importance matrix"));
    m_accuracy = new ChoiceBox(tr("measure"), m_card);
    m_accuracy->setObjectName(QStringLiteral("whatIfAccuracy"));
    m_accuracy->addItem(tr("a sample"), QVariant::fromValue<quint64>(quint64(4) << 20));
    m_accuracy->addItem(tr("every weight"), QVariant::fromValue<quint64>(0));
    m_accuracy->setToolTip(tr("A sample looks at about 4 M weights of each larger tensor and says so;\n"
                              "every weight gives, to the bit, the errors of the written file"));
    m_measure = button(QStringLiteral("whatIfMeasure"), tr("Measure"), tr("Encode and decode in every type, in the background"), m_card);
    m_cancel = button(QStringLiteral("whatIfCancel"), tr("Cancel"), tr("What has been measured stays"), m_card);
    for (QWidget *widget : {static_cast<QWidget *>(m_filter), static_cast<QWidget *>(m_scope), static_cast<QWidget *>(m_types),
                            static_cast<QWidget *>(m_accuracy)})
        m_card->header()->addWidget(widget);
    m_card->header()->addStretch();
    m_card->header()->addWidget(m_measure);
    m_card->header()->addWidget(m_cancel);
    connect(m_filter, &FilterField::matcherChanged, m_proxy, &WhatIfFilter::setMatcher);
    connect(m_filter, &FilterField::matcherChanged, this, &WhatIfPanel::relabelScope);
    connect(m_measure, &QPushButton::clicked, this, &WhatIfPanel::measure);
    connect(m_cancel, &QPushButton::clicked, this, &WhatIfPanel::cancelRequested);
}

void WhatIfPanel::buildTable()
{
    m_view = makeTableView(m_card);
    m_view->setObjectName(QStringLiteral("whatIfTable"));
    m_view->setAccessibleName(tr("Sizes and errors by type"));
    m_view->setModel(m_proxy);
    m_view->setItemDelegate(new CellDelegate(CellDelegate::Font::Fixed, m_view));
    m_view->setSortingEnabled(true);
    m_view->sortByColumn(WhatIfModel::TensorColumn, Qt::AscendingOrder);
    m_view->horizontalHeader()->setSortIndicatorShown(true);
    m_view->horizontalHeader()->setFixedHeight(HeaderHeight);
    connect(m_view, &QTableView::clicked, this, &WhatIfPanel::takeClick);
    connect(m_view, &QTableView::activated, this, &WhatIfPanel::activate);
    connect(m_view->selectionModel(), &QItemSelectionModel::currentChanged, this, &WhatIfPanel::showButtons);
}

void WhatIfPanel::buildActions()
{
    addCopyAction(m_view);
    addExportAction(m_view, QStringLiteral("what-if.csv"));
    auto *goThere = new QAction(tr("Show this tensor"), m_view);
    goThere->setObjectName(QStringLiteral("whatIfShowTensor"));
    connect(goThere, &QAction::triggered, this, [this] {
        const QModelIndex current = m_proxy->mapToSource(m_view->currentIndex());
        if (current.isValid())
            emit tensorActivated(m_model->tensorAt(current.row()));
    });
    m_view->addAction(goThere);
    useActionsAsContextMenu(m_view);
}

/// Above the table: what to show of each type, and what to do with the choice.
QWidget *WhatIfPanel::makeTools()
{
    auto *tools = new QWidget(m_card);
    m_measures = new CheckMenuButton(QStringLiteral("whatIfMeasures"), tr("show"), tools);
    std::vector<CheckMenu::Choice> choices;
    for (int i = 0; i < WhatIfModel::MeasureCount; ++i)
        choices.push_back({i, measureTitle(WhatIfModel::Measure(i))});
    m_measures->checkMenu()->setChoices(choices);
    m_measures->checkMenu()->setChecked({WhatIfModel::Size, WhatIfModel::RelativeRmse});
    m_measures->relabel();
    m_choose = button(QStringLiteral("whatIfChoose"), tr("Choose type ▾"),
                      tr("For the selected rows, or with none or one selected for all rows shown"), tools);
    m_copy = button(QStringLiteral("whatIfCopyArguments"), tr("Copy --tensor-type"),
                    tr("Copies the choice as arguments of llama-quantize (and of “quantloupe convert”)"), tools);
    m_openB = button(QStringLiteral("whatIfOpenB"), tr("Open as B"),
                     tr("Compares the current row's tensor with itself in the current column's type, or else the chosen one,\n"
                        "in memory: no file is written"), tools);
    m_save = button(QStringLiteral("whatIfSave"), tr("Save as…"), tr("Writes a new file with the chosen types"), tools);
    auto *layout = new QHBoxLayout(tools);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(8);
    layout->addWidget(m_measures);
    layout->addWidget(m_choose);
    layout->addWidget(Card::mutedLabel(tr("or click a cell to choose its type"), tools));
    layout->addStretch();
    for (QPushButton *widget : {m_copy, m_openB, m_save})
        layout->addWidget(widget);
    connect(m_measures->checkMenu(), &CheckMenu::checkedChanged, this, &WhatIfPanel::showColumns);
    connect(m_choose, &QPushButton::clicked, this, [this] {
        auto *menu = new QMenu(this);
        menu->setObjectName(QStringLiteral("whatIfChooseMenu"));
        menu->setAttribute(Qt::WA_DeleteOnClose);
        fillChooseMenu(*menu);
        menu->popup(m_choose->mapToGlobal(QPoint(0, m_choose->height() + 2)));
    });
    connect(m_copy, &QPushButton::clicked, this, &WhatIfPanel::copyArguments);
    connect(m_openB, &QPushButton::clicked, this, &WhatIfPanel::openCandidate);
    connect(m_save, &QPushButton::clicked, this, &WhatIfPanel::saveRequested);
    return tools;
}

QWidget *WhatIfPanel::makeFooter()
{
    auto *footer = new QWidget(m_card);
    m_bar = new QProgressBar(footer);
    m_bar->setObjectName(QStringLiteral("whatIfBar"));
    m_bar->setRange(0, 1000);
    m_bar->setTextVisible(false);
    m_bar->setFixedSize(160, 6);
    m_progress = Card::mutedLabel({}, footer);
    m_progress->setObjectName(QStringLiteral("whatIfProgress"));
    auto *layout = new QHBoxLayout(footer);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_bar);
    layout->addWidget(m_progress, 1);
    return footer;
}

QWidget *WhatIfPanel::makePage()
{
    auto *page = new QWidget(m_card);
    m_totals = new WhatIfTotalsBar(page);
    m_budget = new WhatIfBudget(page);
    auto *layout = new QVBoxLayout(page);
    layout->setContentsMargins(0, 4, 0, 0);
    layout->setSpacing(8);
    layout->addWidget(m_totals);
    layout->addWidget(m_budget);
    layout->addWidget(makeTools());
    layout->addWidget(m_view, 1);
    layout->addWidget(makeFooter());
    connect(m_budget, &WhatIfBudget::budgetChosen, this, &WhatIfPanel::chooseForBudget);
    return page;
}

} // namespace ql
