// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/metadatapanel.h"

#include "widgets/arrayview.h"
#include "widgets/card.h"
#include "widgets/formatting.h"
#include "widgets/models/celldelegate.h"
#include "widgets/models/checkmenu.h"
#include "widgets/models/columnstate.h"
#include "widgets/models/filterfield.h"
#include "widgets/models/metadatatreemodel.h"
#include "widgets/models/tableactions.h"
#include "widgets/models/textpane.h"
#include "widgets/models/treeview.h"
#include "widgets/stateplaceholder.h"
#include "widgets/theme.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QJsonDocument>
#include <QLabel>
#include <QScopedValueRollback>
#include <QShortcut>
#include <QSplitter>
#include <QStackedLayout>
#include <QToolButton>
#include <QVBoxLayout>

namespace ql {

namespace {

constexpr int KeyWidth = 176;
constexpr int TypeWidth = 84;

QLabel *makeKeyLabel(QWidget *parent)
{
    auto *label = new QLabel(parent);
    label->setObjectName(QStringLiteral("metadataKey"));
    label->setTextFormat(Qt::PlainText);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    label->setWordWrap(true);
    QFont font = Theme::fixedFont(Theme::BodyPx);
    font.setWeight(QFont::DemiBold);
    label->setFont(font);
    return label;
}

/// "string × 32,000 · at byte 1,234 · shard 2"
QString factsOf(const MetadataSummary &entry, bool isSplit)
{
    QStringList facts{metadataTypeText(entry)};
    if (entry.type == ValueType::String)
        facts << formatBytesLong(entry.textBytes);
    facts << MetadataPanel::tr("at byte %1").arg(formatCount(entry.offset));
    if (isSplit)
        facts << MetadataPanel::tr("shard %1").arg(entry.shard + 1);
    return facts.join(QStringLiteral(" · "));
}

} // namespace

MetadataPanel::MetadataPanel(QWidget *parent)
    : QWidget(parent)
    , m_entries(new MetadataTreeModel(this))
    , m_proxy(new MetadataFilterProxy(this))
    , m_filter(new FilterField(QStringLiteral("metadataFilter"), tr("filter keys and values…"), this))
    , m_differences(new QToolButton(this))
    , m_splitter(new QSplitter(Qt::Vertical, this))
{
    setObjectName(QStringLiteral("metadataPanel"));
    setAccessibleName(tr("Metadata"));
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    setStyleSheet(toolSheet());
    m_proxy->setMetadataModel(m_entries);
    makeTree();
    makeDetail();
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 12, 0, 0);
    layout->setSpacing(8);
    m_filter->setContentsMargins(12, 0, 12, 0);
    layout->addWidget(m_filter);
    layout->addLayout(makeDifferences());
    layout->addWidget(m_splitter, 1);
    m_splitter->setObjectName(QStringLiteral("metadataSplitter"));
    m_splitter->setStretchFactor(0, 1);
    m_splitter->setStretchFactor(1, 1);
    m_splitter->setSizes({400, 360});
    m_splitter->setChildrenCollapsible(false);
    connect(m_filter, &FilterField::matcherChanged, this, &MetadataPanel::filterChanged);
    auto *find = new QShortcut(QKeySequence::Find, this);
    find->setContext(Qt::WidgetWithChildrenShortcut);
    connect(find, &QShortcut::activated, this, &MetadataPanel::focusFilter);
    setModel(nullptr);
}

QLayout *MetadataPanel::makeDifferences()
{
    m_differences->setObjectName(QStringLiteral("metadataDifferences"));
    m_differences->setProperty("chipButton", true);
    m_differences->setVisible(false);
    connect(m_differences, &QToolButton::clicked, this, &MetadataPanel::differencesRequested);
    auto *line = new QHBoxLayout;
    line->setContentsMargins(12, 0, 12, 0);
    line->addWidget(m_differences);
    line->addStretch();
    return line;
}

void MetadataPanel::makeTree()
{
    auto *holder = new QWidget(m_splitter);
    m_tree = new TreeView(holder);
    m_tree->setObjectName(QStringLiteral("metadataTree"));
    m_tree->setAccessibleName(tr("Table of metadata"));
    m_tree->setModel(m_proxy);
    m_tree->setItemDelegate(new CellDelegate(CellDelegate::Font::Fixed, m_tree));
    m_tree->setSortingEnabled(true);
    m_tree->sortByColumn(-1, Qt::AscendingOrder);
    m_tree->setColumnWidth(MetadataTreeModel::KeyColumn, KeyWidth);
    m_tree->setColumnWidth(MetadataTreeModel::TypeColumn, TypeWidth);
    m_tree->header()->setStretchLastSection(true);
    addCopyAction(m_tree);
    addExportAction(m_tree, QStringLiteral("metadata.csv"), [this](const QModelIndex &index) {
        return m_entries->entryAt(m_proxy->mapToSource(index)).has_value();
    });
    useActionsAsContextMenu(m_tree);
    m_placeholder = new StatePlaceholder(holder);
    m_placeholder->setObjectName(QStringLiteral("metadataState"));
    m_stack = new QStackedLayout(holder);
    m_stack->addWidget(m_tree);
    m_stack->addWidget(m_placeholder);
    m_splitter->addWidget(holder);
    connect(m_tree->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex &current) {
                const auto entry = m_entries->entryAt(m_proxy->mapToSource(current));
                if (entry && !m_isQuiet)
                    showDetail(entry);
            });
}

void MetadataPanel::makeDetail()
{
    auto *pane = new QWidget(m_splitter);
    pane->setObjectName(QStringLiteral("metadataDetail"));
    m_key = makeKeyLabel(pane);
    m_facts = Card::mutedLabel({}, pane);
    m_facts->setObjectName(QStringLiteral("metadataFacts"));
    m_facts->setWordWrap(true);
    m_key->setContentsMargins(12, 10, 12, 0);
    m_facts->setContentsMargins(12, 0, 12, 6);
    m_noDetail = new StatePlaceholder(pane);
    m_noDetail->showEmpty(tr("No key selected"), tr("Choose a key to read its whole value here."));
    m_text = new TextPane(pane);
    m_array = new ArrayView(pane);
    m_detail = new QStackedLayout;
    m_detail->addWidget(m_noDetail);
    m_detail->addWidget(m_text);
    m_detail->addWidget(m_array);
    auto *line = new QWidget(pane);
    line->setFixedHeight(1);
    line->setAutoFillBackground(true);
    line->setBackgroundRole(QPalette::Mid); // the theme's colour of lines
    auto *layout = new QVBoxLayout(pane);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(2);
    layout->addWidget(line);
    layout->addWidget(m_key);
    layout->addWidget(m_facts);
    layout->addLayout(m_detail, 1);
    m_splitter->addWidget(pane);
    connect(m_array, &ArrayView::filterRequested, this,
            [this](const QString &text, bool isRegex) {
                if (m_shown)
                    emit arrayFilterRequested(*m_shown, text, isRegex);
            });
}

void MetadataPanel::setModel(ModelSummaryPtr model)
{
    m_model = std::move(model);
    m_entries->setModel(m_model);
    showDetail(std::nullopt);
    m_tree->expandAll();
    showState();
}

void MetadataPanel::filterChanged()
{
    // A row that vanishes would hand the current row to a neighbour; what is being read stays.
    const QScopedValueRollback quiet(m_isQuiet, true);
    m_proxy->setText(m_filter->matcher());
    m_tree->expandAll();
    const QModelIndex row = m_proxy->mapFromSource(m_entries->indexOf(m_shown.value_or(-1)));
    m_tree->setCurrentIndex(row);
    showState();
}

void MetadataPanel::showState()
{
    const bool isEmpty = m_proxy->rowCount() == 0;
    if (!m_model)
        m_placeholder->showEmpty(tr("No model open"), tr("Open a GGUF file to see its metadata."));
    else if (m_model->metadata.empty())
        m_placeholder->showEmpty(tr("No metadata"), tr("The file holds no keys."));
    else
        m_placeholder->showEmpty(tr("No key matches"), tr("Change the filter."));
    m_stack->setCurrentIndex(isEmpty ? 1 : 0);
}

void MetadataPanel::showEntry(int metadataIndex)
{
    QModelIndex row = m_proxy->mapFromSource(m_entries->indexOf(metadataIndex));
    if (!row.isValid() && m_entries->indexOf(metadataIndex).isValid()) {
        m_filter->setFilter({}, m_filter->matcher().isRegex()); // it was filtered away
        row = m_proxy->mapFromSource(m_entries->indexOf(metadataIndex));
    }
    m_tree->setCurrentIndex(row);
    m_tree->scrollTo(row);
}

void MetadataPanel::showDetail(std::optional<int> entry)
{
    if (entry == m_shown && entry)
        return;
    m_shown = entry;
    m_key->setVisible(entry.has_value());
    m_facts->setVisible(entry.has_value());
    if (entry)
        showValue(m_model->metadata[static_cast<std::size_t>(*entry)]);
    else
        m_detail->setCurrentWidget(m_noDetail);
}

void MetadataPanel::showValue(const MetadataSummary &entry)
{
    m_key->setText(QString::fromStdString(entry.key));
    m_facts->setText(factsOf(entry, m_model->shards.size() > 1));
    if (entry.type == ValueType::Array) {
        m_array->showPending();
        m_detail->setCurrentWidget(m_array);
        emit arrayRequested(*m_shown);
        return;
    }
    const bool isText = entry.type == ValueType::String;
    m_text->setText(QString::fromStdString(isText ? entry.text : entry.preview), entry.textBytes);
    m_detail->setCurrentWidget(m_text);
}

void MetadataPanel::setArray(int metadataIndex, ArrayListingPtr listing)
{
    if (m_shown == metadataIndex && m_detail->currentWidget() == m_array)
        m_array->setListing(std::move(listing));
}

void MetadataPanel::setArrayFilter(RowSet rows) { m_array->setFilteredRows(std::move(rows)); }

void MetadataPanel::setDifferences(std::optional<std::size_t> keys)
{
    m_differences->setVisible(keys.has_value());
    if (keys)
        m_differences->setText(*keys == 0   ? tr("no key differs from B")
                               : *keys == 1 ? tr("1 key differs from B")
                                            : tr("%1 keys differ from B").arg(formatCount(*keys)));
}

void MetadataPanel::focusFilter() { m_filter->focusEdit(); }

QByteArray MetadataPanel::saveState() const
{
    const QJsonObject state{
        {QStringLiteral("version"), 1},
        {QStringLiteral("columns"), columnState(*m_tree->header())},
        {QStringLiteral("splitter"), QString::fromLatin1(m_splitter->saveState().toBase64())}};
    return QJsonDocument(state).toJson(QJsonDocument::Compact);
}

bool MetadataPanel::restoreState(const QByteArray &state)
{
    const QJsonObject object = QJsonDocument::fromJson(state).object();
    if (object.value(QLatin1String("version")).toInt() != 1)
        return false;
    restoreColumnState(*m_tree->header(), object.value(QLatin1String("columns")).toObject());
    m_splitter->restoreState(QByteArray::fromBase64(
        object.value(QLatin1String("splitter")).toString().toLatin1()));
    return true;
}

} // namespace ql
