// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/tensorpanel.h"

#include "widgets/card.h"
#include "widgets/formatting.h"
#include "widgets/models/celldelegate.h"
#include "widgets/models/checkmenu.h"
#include "widgets/models/filterfield.h"
#include "widgets/models/tableactions.h"
#include "widgets/models/tensorfilterproxy.h"
#include "widgets/models/treeview.h"
#include "widgets/stateplaceholder.h"

#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QScopedValueRollback>
#include <QShortcut>
#include <QStackedLayout>
#include <QToolButton>
#include <QVBoxLayout>

namespace ql {

namespace {

/// Few enough rows to show the layers open at once.
constexpr std::size_t FewTensors = 60;

bool isSameTensor(const Selection &a, const Selection &b)
{
    return a.tensor == b.tensor && a.expert == b.expert;
}

} // namespace

TensorPanel::TensorPanel(QWidget *parent)
    : QWidget(parent)
    , m_tensors(new TensorTreeModel(this))
    , m_proxy(new TensorFilterProxy(this))
{
    setObjectName(QStringLiteral("tensorPanel"));
    setAccessibleName(tr("Tensors"));
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    m_proxy->setTensorModel(m_tensors);
    makeTools();
    makeView();
    makeActions();
    connectFilters();
    setDefaultColumns();
    refill();
}

void TensorPanel::makeTools()
{
    m_filter = new FilterField(QStringLiteral("tensorFilter"), tr("filter…"), this);
    m_types = new CheckMenuButton(QStringLiteral("typeFilter"), tr("type"), this);
    m_layers = new CheckMenuButton(QStringLiteral("layerFilter"), tr("layer"), this);
    m_flat = new QToolButton(this);
    m_flat->setObjectName(QStringLiteral("flatToggle"));
    m_flat->setProperty("chipButton", true);
    m_flat->setCheckable(true);
    m_flat->setText(tr("flat"));
    m_flat->setToolTip(tr("One table instead of layers and experts"));
    m_flat->setAccessibleName(tr("Show tensors as one flat table"));

    auto *tools = new QHBoxLayout;
    tools->setContentsMargins(12, 12, 12, 8);
    setStyleSheet(toolSheet());
    tools->setSpacing(4);
    tools->addWidget(m_filter, 1);
    for (QWidget *button : std::initializer_list<QWidget *>{m_types, m_layers, m_flat})
        tools->addWidget(button, 0, Qt::AlignTop);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(tools);
}

void TensorPanel::makeView()
{
    m_view = new TreeView(this);
    m_view->setObjectName(QStringLiteral("tensorTree"));
    m_view->setAccessibleName(tr("Table of tensors"));
    m_view->setModel(m_proxy);
    m_view->setItemDelegate(new CellDelegate(CellDelegate::Font::Fixed, m_view));
    m_view->setSortingEnabled(true);
    m_view->sortByColumn(-1, Qt::AscendingOrder); // as in the file until someone sorts
    m_view->header()->setContextMenuPolicy(Qt::CustomContextMenu);
    m_placeholder = new StatePlaceholder(this);
    m_stack = new QStackedLayout;
    m_stack->addWidget(m_view);
    m_stack->addWidget(m_placeholder);
    m_totals = Card::mutedLabel({}, this);
    m_totals->setObjectName(QStringLiteral("tensorTotals"));
    m_totals->setMargin(8);
    auto *column = static_cast<QVBoxLayout *>(layout());
    column->addLayout(m_stack, 1);
    column->addWidget(m_totals);
    connect(m_view->header(), &QWidget::customContextMenuRequested, this,
            &TensorPanel::showColumnMenu);
    connect(m_view->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            &TensorPanel::tellCurrent);
    connect(m_view, &QAbstractItemView::clicked, this, &TensorPanel::tellCurrent);
}

void TensorPanel::addViewAction(const QString &name, const QString &text,
                                void (TensorPanel::*run)())
{
    auto *action = new QAction(text, m_view);
    action->setObjectName(name);
    connect(action, &QAction::triggered, this, run);
    m_view->addAction(action);
}

void TensorPanel::makeActions()
{
    addViewAction(QStringLiteral("copyName"), tr("Copy name"), &TensorPanel::copyNames);
    addCopyAction(m_view);
    addExportAction(m_view, QStringLiteral("tensors.csv"), [this](const QModelIndex &index) {
        const Selection row = m_tensors->selectionOf(m_proxy->mapToSource(index));
        return row.tensor && !row.expert;
    });
    addViewAction(QStringLiteral("expandAll"), tr("Expand all"), &TensorPanel::expandAllRows);
    addViewAction(QStringLiteral("collapseAll"), tr("Collapse all"), &TensorPanel::collapseAllRows);
    useActionsAsContextMenu(m_view);
    auto *find = new QShortcut(QKeySequence::Find, this);
    find->setContext(Qt::WidgetWithChildrenShortcut);
    connect(find, &QShortcut::activated, this, &TensorPanel::focusFilter);
}

void TensorPanel::connectFilters()
{
    connect(m_filter, &FilterField::matcherChanged, this, [this](const TextMatcher &matcher) {
        filterBy([&](TensorFilterProxy &proxy) { proxy.setText(matcher); });
    });
    connect(m_types->checkMenu(), &CheckMenu::checkedChanged, this, [this] {
        std::set<std::uint32_t> types;
        for (const qint64 id : m_types->checkMenu()->checked())
            types.insert(static_cast<std::uint32_t>(id));
        filterBy([&](TensorFilterProxy &proxy) { proxy.setTypes(types); });
    });
    connect(m_layers->checkMenu(), &CheckMenu::checkedChanged, this, [this] {
        const std::set<qint64> layers = m_layers->checkMenu()->checked();
        filterBy([&](TensorFilterProxy &proxy) { proxy.setLayers({layers.begin(), layers.end()}); });
    });
    connect(m_flat, &QToolButton::toggled, this, [this](bool isFlat) {
        const QScopedValueRollback quiet(m_isQuiet, true);
        m_tensors->setShape(isFlat ? TensorTree::Shape::Flat : TensorTree::Shape::Tree);
        m_view->setRootIsDecorated(!isFlat);
        fitNames();
        refill();
    });
}

void TensorPanel::setModel(ModelSummaryPtr model)
{
    const QScopedValueRollback quiet(m_isQuiet, true);
    m_model = std::move(model);
    m_selection = {};
    m_tensors->setModel(m_model);
    fillMenus();
    fitTypes();
    m_proxy->setTypes({});
    m_proxy->setLayers({});
    refill();
}

void TensorPanel::fillMenus()
{
    std::vector<CheckMenu::Choice> types;
    std::set<std::int64_t> layers;
    if (m_model) {
        for (const TypeTotal &total : m_model->totals.byType)
            types.push_back({total.typeId, QString::fromStdString(typeLabel(total.typeId))});
        for (const TensorInfo &tensor : m_model->tensors)
            layers.insert(tensor.layer ? *tensor.layer : TensorFilterProxy::NoLayer);
    }
    std::vector<CheckMenu::Choice> layerChoices;
    for (const std::int64_t layer : layers)
        layerChoices.push_back({layer, layer == TensorFilterProxy::NoLayer
                                           ? tr("outside layers")
                                           : tr("layer %1").arg(layer)});
    m_types->checkMenu()->setChoices(types);
    m_layers->checkMenu()->setChoices(layerChoices);
    m_types->relabel();
    m_layers->relabel();
}

/// After the rows are new: what is open, what is current, what it adds up to.
void TensorPanel::refill()
{
    applyColumns();
    expandForFilter();
    showSelection();
    showTotals();
    showState();
}

void TensorPanel::filterBy(const std::function<void(TensorFilterProxy &)> &change)
{
    // Rows that vanish would hand the current row to a neighbour; nobody asked for that one.
    const QScopedValueRollback quiet(m_isQuiet, true);
    change(*m_proxy);
    expandForFilter();
    showSelection();
    showTotals();
    showState();
}

void TensorPanel::expandForFilter()
{
    if (isFlat() || !m_model)
        return;
    if (m_proxy->isFiltering() || m_model->tensors.size() <= FewTensors)
        m_view->expandToDepth(0);
    else
        m_view->collapseAll();
}

void TensorPanel::setSelection(const Selection &selection)
{
    m_selection = selection;
    const QScopedValueRollback quiet(m_isQuiet, true);
    showSelection();
}

void TensorPanel::showSelection()
{
    QModelIndex row;
    if (m_selection.tensor)
        row = m_proxy->mapFromSource(m_tensors->indexOf(*m_selection.tensor, m_selection.expert));
    if (!row.isValid()) {
        m_view->selectionModel()->clear();
        return;
    }
    m_view->setCurrentIndex(row);
    m_view->scrollTo(row);
}

void TensorPanel::tellCurrent(const QModelIndex &current)
{
    if (m_isQuiet)
        return;
    const Selection selection = m_tensors->selectionOf(m_proxy->mapToSource(current));
    if (!selection.tensor || isSameTensor(selection, m_selection))
        return;
    m_selection = selection;
    if (selection.expert)
        emit expertActivated(*selection.tensor, *selection.expert);
    else
        emit tensorActivated(*selection.tensor);
}

void TensorPanel::setMoments(TensorIndex tensor, const Moments &whole, std::vector<Moments> experts)
{
    const bool isFirst = !m_tensors->hasMoments();
    m_tensors->setMoments(tensor, whole, std::move(experts));
    if (isFirst)
        applyColumns();
}

void TensorPanel::beginComparison()
{
    const QScopedValueRollback quiet(m_isQuiet, true);
    m_tensors->beginComparison();
    refill();
    fitComparison();
}

void TensorPanel::setComparison(TensorIndex tensor, TensorComparison comparison)
{
    m_tensors->setComparison(tensor, std::move(comparison));
}

void TensorPanel::clearComparison()
{
    const QScopedValueRollback quiet(m_isQuiet, true);
    m_tensors->clearComparison();
    refill();
    fitNames();
}

void TensorPanel::showTotals()
{
    QString text;
    if (m_model) {
        const ModelTotals totals = totalsOf(m_model->tensors, shownTensors());
        const QString count = m_proxy->isFiltering()
                                  ? tr("%1 of %2 tensors").arg(formatCount(totals.tensors),
                                                       formatCount(m_model->tensors.size()))
                                  : totals.tensors == 1 ? tr("1 tensor")
                                                        : tr("%1 tensors").arg(formatCount(totals.tensors));
        text = QStringList{count, formatWeights(totals.parameters), formatBytes(totals.bytes)}.join(
            QStringLiteral(" · "));
    }
    m_totals->setText(text);
    m_totals->setAccessibleName(tr("Totals of the tensors shown: %1").arg(text));
    if (text != m_totalsText)
        emit totalsChanged(m_totalsText = text);
}

void TensorPanel::showState()
{
    if (!m_model)
        m_placeholder->showEmpty(tr("No model open"), tr("Open a GGUF file to see its tensors."));
    else if (m_model->tensors.empty())
        m_placeholder->showEmpty(tr("No tensors: a vocab-only file"),
                                 tr("Its metadata and tokenizer are in the other tabs."));
    else if (m_proxy->rowCount() == 0)
        m_placeholder->showEmpty(tr("No tensor matches"),
                                 tr("Change the filter, or choose All in the menus."));
    const bool isEmpty = m_proxy->rowCount() == 0;
    m_stack->setCurrentIndex(isEmpty ? 1 : 0);
}

std::vector<TensorIndex> TensorPanel::shownTensors() const { return m_proxy->shownTensors(); }

void TensorPanel::focusFilter() { m_filter->focusEdit(); }

void TensorPanel::setFilter(const QString &text, bool isRegex) { m_filter->setFilter(text, isRegex); }

void TensorPanel::setFlat(bool isFlat) { m_flat->setChecked(isFlat); }

bool TensorPanel::isFlat() const { return m_flat->isChecked(); }

void TensorPanel::copyNames()
{
    QStringList names;
    const QModelIndexList rows = m_view->selectionModel()->selectedRows();
    for (const QModelIndex &row : rows)
        names << row.data(PlainRole).toString();
    QGuiApplication::clipboard()->setText(names.join(QLatin1Char('\n')));
}

void TensorPanel::expandAllRows() { m_view->expandAll(); }

void TensorPanel::collapseAllRows() { m_view->collapseAll(); }

} // namespace ql
