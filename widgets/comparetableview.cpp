// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/comparetableview.h"

#include "widgets/card.h"
#include "widgets/choicebox.h"
#include "widgets/models/celldelegate.h"
#include "widgets/models/checkmenu.h"
#include "widgets/models/columnstate.h"
#include "widgets/models/comparefilterproxy.h"
#include "widgets/models/filterfield.h"
#include "widgets/models/tableactions.h"
#include "widgets/models/treeview.h"

#include <QAction>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QJsonDocument>
#include <QLabel>
#include <QMenu>
#include <QScopedValueRollback>
#include <QShortcut>
#include <QVBoxLayout>

namespace ql {

namespace {

constexpr PairState ShownStates[] = {PairState::Differs,      PairState::Same,  PairState::Waiting,
                                     PairState::Failed,       PairState::ShapesDiffer,
                                     PairState::OnlyA,        PairState::OnlyB};

bool isSameTensor(const Selection &a, const Selection &b)
{
    return a.tensor == b.tensor && a.expert == b.expert;
}

} // namespace

CompareTableView::CompareTableView(CompareTableModel *model, QWidget *parent)
    : QWidget(parent), m_model(model), m_proxy(new CompareFilterProxy(model, this))
{
    setObjectName(QStringLiteral("compareTableView"));
    buildTools();
    buildView();
    buildActions();
    connectFilters();
    sortWorstFirst();
}

void CompareTableView::buildTools()
{
    m_tools = new QWidget(this);
    m_filter = new FilterField(QStringLiteral("compareFilter"), tr("filter…"), m_tools);
    m_states = new CheckMenuButton(QStringLiteral("compareStates"), tr("status"), m_tools);
    std::vector<CheckMenu::Choice> choices;
    for (const PairState state : ShownStates)
        choices.push_back({static_cast<qint64>(state), pairStateText(state)});
    m_states->checkMenu()->setChoices(choices);
    m_states->relabel();
    m_grouping = new ChoiceBox(tr("by"), m_tools);
    m_grouping->setObjectName(QStringLiteral("compareGrouping"));
    m_grouping->setAccessibleName(tr("Rows of the table"));
    m_grouping->addItem(tr("tensor"), static_cast<int>(CompareTableModel::Grouping::None));
    m_grouping->addItem(tr("role"), static_cast<int>(CompareTableModel::Grouping::Role));
    m_grouping->addItem(tr("layer"), static_cast<int>(CompareTableModel::Grouping::Layer));
    m_grouping->setToolTip(tr("A row a tensor, or totals of every role or layer with their tensors below"));
    auto *layout = new QHBoxLayout(m_tools);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    layout->addWidget(m_filter, 1);
    layout->addWidget(m_states, 0, Qt::AlignTop);
    layout->addWidget(m_grouping, 0, Qt::AlignTop);
}

void CompareTableView::buildView()
{
    m_view = new TreeView(this);
    m_view->setObjectName(QStringLiteral("compareTable"));
    m_view->setAccessibleName(tr("Table of differences"));
    m_view->setModel(m_proxy);
    m_view->setItemDelegate(new CellDelegate(CellDelegate::Font::Fixed, m_view));
    m_view->setSortingEnabled(true);
    m_view->header()->setContextMenuPolicy(Qt::CustomContextMenu);
    for (const CompareColumnSpec &column : compareColumns())
        m_view->setColumnWidth(static_cast<int>(column.column), column.width);
    m_nothing = Card::mutedLabel(tr("No row matches. Change the filter, or choose All under status."), this);
    m_nothing->setObjectName(QStringLiteral("compareNothing"));
    m_nothing->setAlignment(Qt::AlignCenter);
    m_nothing->hide();
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_view, 1);
    layout->addWidget(m_nothing, 1);
    connect(m_view->header(), &QWidget::customContextMenuRequested, this, &CompareTableView::showColumnMenu);
    connect(m_view->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &CompareTableView::tellCurrent);
    connect(m_view, &QAbstractItemView::clicked, this, &CompareTableView::tellCurrent);
    connect(m_model, &QAbstractItemModel::modelAboutToBeReset, this, [this] { m_isQuiet = true; });
    connect(m_model, &QAbstractItemModel::modelReset, this, [this] {
        m_isQuiet = false;
        showSelection();
        showEmptyNote();
    });
}

void CompareTableView::buildActions()
{
    auto *pair = new QAction(tr("Pair with a tensor of B…"), m_view);
    pair->setObjectName(QStringLiteral("pairByHand"));
    connect(pair, &QAction::triggered, this, [this] {
        if (const Selection selection = currentSelection(); selection.tensor)
            emit pairRequested(selection);
    });
    m_view->addAction(pair);
    addCopyAction(m_view);
    addExportAction(m_view, QStringLiteral("comparison.csv"), [this](const QModelIndex &row) { return isExported(row); });
    const auto add = [this](const QString &name, const QString &text, auto run) {
        auto *action = new QAction(text, m_view);
        action->setObjectName(name);
        connect(action, &QAction::triggered, m_view, run);
        m_view->addAction(action);
    };
    add(QStringLiteral("expandAll"), tr("Expand all"), [this] { m_view->expandAll(); });
    add(QStringLiteral("collapseAll"), tr("Collapse all"), [this] { m_view->collapseAll(); });
    useActionsAsContextMenu(m_view);
    auto *find = new QShortcut(QKeySequence::Find, this);
    find->setContext(Qt::WidgetWithChildrenShortcut);
    connect(find, &QShortcut::activated, this, &CompareTableView::focusFilter);
}

/// Tensors always; experts where a person has opened their tensor.
bool CompareTableView::isExported(const QModelIndex &row) const
{
    const CompareRow what = m_model->rowAt(m_proxy->mapToSource(row));
    return what.group || !what.expert || m_view->isExpanded(row.parent());
}

void CompareTableView::connectFilters()
{
    connect(m_filter, &FilterField::matcherChanged, this, [this](const TextMatcher &matcher) {
        const QScopedValueRollback quiet(m_isQuiet, true);
        m_proxy->setText(matcher);
        showSelection();
        showEmptyNote();
    });
    connect(m_states->checkMenu(), &CheckMenu::checkedChanged, this, [this] {
        const QScopedValueRollback quiet(m_isQuiet, true);
        std::set<PairState> states;
        for (const qint64 id : m_states->checkMenu()->checked())
            states.insert(static_cast<PairState>(id));
        m_proxy->setStates(std::move(states));
        showSelection();
        showEmptyNote();
    });
    connect(m_grouping, &QComboBox::currentIndexChanged, this, [this] {
        m_model->setGrouping(static_cast<CompareTableModel::Grouping>(m_grouping->currentData().toInt()));
    });
}

void CompareTableView::sortWorstFirst()
{
    m_view->sortByColumn(static_cast<int>(CompareColumn::RelativeRmse), Qt::DescendingOrder);
}

void CompareTableView::setGrouping(CompareTableModel::Grouping grouping) { m_grouping->choose(static_cast<int>(grouping)); }

void CompareTableView::setFilter(const QString &text, bool isRegex) { m_filter->setFilter(text, isRegex); }

void CompareTableView::focusFilter() { m_filter->focusEdit(); }

void CompareTableView::setSelection(const Selection &selection)
{
    const bool isNew = !isSameTensor(selection, m_selection);
    m_selection = selection;
    if (isNew)
        showSelection();
}

void CompareTableView::showSelection()
{
    const QScopedValueRollback quiet(m_isQuiet, true);
    if (isSameTensor(currentSelection(), m_selection))
        return; // one of several rows of that tensor: the one that was clicked
    const QModelIndex row = m_proxy->mapFromSource(m_model->indexOf(m_selection));
    if (!row.isValid()) {
        m_view->selectionModel()->clear();
        return;
    }
    m_view->setCurrentIndex(row);
    m_view->scrollTo(row);
}

void CompareTableView::showEmptyNote()
{
    const bool isEmpty = m_proxy->rowCount() == 0 && m_proxy->isFiltering();
    m_nothing->setVisible(isEmpty);
    m_view->setVisible(!isEmpty);
}

Selection CompareTableView::currentSelection() const
{
    return m_model->selectionOf(m_proxy->mapToSource(m_view->currentIndex()));
}

void CompareTableView::tellCurrent(const QModelIndex &current)
{
    if (m_isQuiet)
        return;
    const Selection selection = m_model->selectionOf(m_proxy->mapToSource(current));
    if (!selection.tensor || isSameTensor(selection, m_selection))
        return;
    m_selection = selection;
    emit rowActivated(selection);
}

void CompareTableView::showColumnMenu(const QPoint &position)
{
    auto *menu = new QMenu(this);
    menu->setObjectName(QStringLiteral("compareColumnMenu"));
    menu->setAttribute(Qt::WA_DeleteOnClose);
    for (const CompareColumnSpec &column : compareColumns()) {
        const auto section = static_cast<int>(column.column);
        if (column.column == CompareColumn::Name)
            continue;
        QAction *action = menu->addAction(m_model->headerData(section, Qt::Horizontal).toString());
        action->setCheckable(true);
        action->setChecked(!m_view->isColumnHidden(section));
        connect(action, &QAction::toggled, m_view, [this, section](bool shown) { m_view->setColumnHidden(section, !shown); });
    }
    menu->popup(m_view->header()->mapToGlobal(position));
}

QByteArray CompareTableView::saveState() const
{
    return QJsonDocument(columnState(*m_view->header())).toJson(QJsonDocument::Compact);
}

bool CompareTableView::restoreState(const QByteArray &state)
{
    const QJsonDocument document = QJsonDocument::fromJson(state);
    if (!document.isObject())
        return false;
    restoreColumnState(*m_view->header(), document.object());
    return true;
}

} // namespace ql
