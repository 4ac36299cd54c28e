// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/overviewpanel.h"

#include "widgets/card.h"
#include "widgets/formatting.h"
#include "widgets/models/celldelegate.h"
#include "widgets/models/checkmenu.h"
#include "widgets/models/tableactions.h"
#include "widgets/models/tooltip.h"
#include "widgets/models/totalsmodel.h"
#include "widgets/models/treeview.h"
#include "widgets/overviewbanner.h"
#include "widgets/overviewbar.h"
#include "widgets/overviewgrid.h"
#include "widgets/stateplaceholder.h"
#include "widgets/theme.h"

#include <QGridLayout>
#include <QHeaderView>
#include <QLabel>
#include <QScrollArea>
#include <QSortFilterProxyModel>
#include <QStackedLayout>
#include <QTableView>

#include <algorithm>
#include <array>
#include <set>

namespace ql {

namespace {

constexpr std::size_t MostRoles = 10;
constexpr int FactColumns = 6;

/// A file may call itself anything, at any length.
QString shortened(const QString &text, qsizetype most)
{
    return text.size() <= most ? text : text.left(most - 1) + QStringLiteral("…");
}

// What stands in the strip of facts: one function a fact.

QString yesNone(const std::string &text)
{
    return text.empty() ? noValue() : QString::fromStdString(text);
}

QString byteOrder(const ModelSummary &model)
{
    return !model.shards.empty() && model.shards.front().bigEndian ? OverviewPanel::tr("big-endian")
                                                                   : OverviewPanel::tr("little-endian");
}

QString version(const ModelSummary &model)
{
    std::set<std::uint32_t> versions;
    for (const ShardSummary &shard : model.shards)
        versions.insert(shard.version);
    QStringList texts;
    for (const std::uint32_t number : versions)
        texts << QString::number(number);
    return texts.isEmpty() ? noValue() : texts.join(QLatin1String(", "));
}

QString alignment(const ModelSummary &model)
{
    return model.shards.empty() ? noValue() : formatBytes(model.shards.front().alignment);
}

QString bits(const ModelSummary &model)
{
    return model.totals.bitsPerWeight ? QLocale().toString(*model.totals.bitsPerWeight, 'f', 2)
                                      : noValue();
}

QString kvBytes(const ModelSummary &model)
{
    return model.kvBytesPerTokenF16 ? formatBytes(*model.kvBytesPerTokenF16) : noValue();
}

struct Fact {
    const char *name;  ///< for object names
    const char *label; ///< context OverviewPanel
    const char *toolTip;
    QString (*text)(const ModelSummary &);
    QString (*whole)(const ModelSummary &); ///< tool-tip of the value; may be null
};

constexpr std::array Facts{
    Fact{"parameters", QT_TRANSLATE_NOOP("ql::OverviewPanel", "parameters"), nullptr,
         [](const ModelSummary &m) { return formatCompact(m.totals.parameters); },
         [](const ModelSummary &m) { return formatWeightCount(m.totals.parameters); }},
    Fact{"size", QT_TRANSLATE_NOOP("ql::OverviewPanel", "size"), nullptr,
         [](const ModelSummary &m) { return formatBytes(m.size); },
         [](const ModelSummary &m) { return formatBytesLong(m.size); }},
    Fact{"bitsPerWeight", QT_TRANSLATE_NOOP("ql::OverviewPanel", "bits per weight"),
         QT_TRANSLATE_NOOP("ql::OverviewPanel", "8 × bytes of all tensors / weights"), bits, nullptr},
    Fact{"fileType", QT_TRANSLATE_NOOP("ql::OverviewPanel", "file type"),
         QT_TRANSLATE_NOOP("ql::OverviewPanel", "general.file_type: what the writer says"),
         [](const ModelSummary &m) { return yesNone(m.fileType); }, nullptr},
    Fact{"architecture", QT_TRANSLATE_NOOP("ql::OverviewPanel", "architecture"), nullptr,
         [](const ModelSummary &m) { return yesNone(m.architecture); }, nullptr},
    Fact{"tensors", QT_TRANSLATE_NOOP("ql::OverviewPanel", "tensors"), nullptr,
         [](const ModelSummary &m) { return formatCount(m.totals.tensors); }, nullptr},
    Fact{"shards", QT_TRANSLATE_NOOP("ql::OverviewPanel", "files"),
         QT_TRANSLATE_NOOP("ql::OverviewPanel", "Shards of a split model"),
         [](const ModelSummary &m) { return formatCount(m.shards.size()); }, nullptr},
    Fact{"version", QT_TRANSLATE_NOOP("ql::OverviewPanel", "GGUF version"), nullptr, version, nullptr},
    Fact{"byteOrder", QT_TRANSLATE_NOOP("ql::OverviewPanel", "byte order"), nullptr, byteOrder, nullptr},
    Fact{"alignment", QT_TRANSLATE_NOOP("ql::OverviewPanel", "alignment"),
         QT_TRANSLATE_NOOP("ql::OverviewPanel", "Tensors begin at multiples of this"), alignment,
         nullptr},
    Fact{"kvBytes", QT_TRANSLATE_NOOP("ql::OverviewPanel", "KV cache per token"),
         QT_TRANSLATE_NOOP("ql::OverviewPanel", "Keys and values of one token in all layers, as F16"),
         kvBytes, nullptr},
    Fact{"metadata", QT_TRANSLATE_NOOP("ql::OverviewPanel", "metadata keys"), nullptr,
         [](const ModelSummary &m) { return formatCount(m.metadata.size()); }, nullptr},
};

QString kindText(const ModelSummary &model)
{
    QStringList words;
    if (!model.architecture.empty())
        words << QString::fromStdString(model.architecture);
    if (!model.kind.empty())
        words << QString::fromStdString(model.kind);
    return words.join(QStringLiteral(" · "));
}

QTableView *makeTotalsTable(const QString &name, const QString &spoken, TotalsModel *model,
                            QWidget *parent)
{
    auto *proxy = new QSortFilterProxyModel(parent);
    proxy->setSourceModel(model);
    proxy->setSortRole(SortRole);
    QTableView *table = makeTableView(parent);
    table->setObjectName(name);
    table->setAccessibleName(spoken);
    table->setModel(proxy);
    table->setItemDelegate(new CellDelegate(CellDelegate::Font::Fixed, table));
    table->setSortingEnabled(true);
    table->sortByColumn(-1, Qt::AscendingOrder);
    table->horizontalHeader()->setSectionResizeMode(TotalsModel::LabelColumn, QHeaderView::Stretch);
    table->setColumnWidth(TotalsModel::TensorsColumn, 66);
    table->setColumnWidth(TotalsModel::WeightsColumn, 68);
    table->setColumnWidth(TotalsModel::BytesColumn, 76);
    table->setColumnWidth(TotalsModel::ShareColumn, 74);
    table->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    table->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    addCopyAction(table);
    addExportAction(table, name + QStringLiteral(".csv"));
    useActionsAsContextMenu(table);
    return table;
}

void fitHeight(QTableView *table)
{
    table->setFixedHeight(TableHeaderHeight + table->model()->rowCount() * CellDelegate::RowHeight + 2);
}

} // namespace

OverviewPanel::OverviewPanel(QWidget *parent)
    : QWidget(parent)
    , m_stack(new QStackedLayout(this))
    , m_placeholder(new StatePlaceholder(this))
    , m_types(new TotalsModel(tr("type"), QStringLiteral("type"), this))
    , m_roles(new TotalsModel(tr("role"), QStringLiteral("role"), this))
{
    setObjectName(QStringLiteral("overviewPanel"));
    setAccessibleName(tr("Overview"));
    setStyleSheet(toolSheet());
    auto *scroll = new QScrollArea(this);
    scroll->setObjectName(QStringLiteral("overviewScroll"));
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setWidget(makePage());
    m_placeholder->setObjectName(QStringLiteral("overviewState"));
    m_placeholder->showEmpty(tr("No model open"), tr("Open a GGUF file to see what is in it."));
    m_stack->addWidget(scroll);
    m_stack->addWidget(m_placeholder);
    setModel(nullptr);
}

QLayout *OverviewPanel::makeTitle(QWidget *parent)
{
    m_name = new QLabel(parent);
    m_name->setObjectName(QStringLiteral("overviewName"));
    m_name->setFont(Theme::strongFont(Theme::TitlePx));
    m_kind = Card::mutedLabel({}, parent);
    m_kind->setObjectName(QStringLiteral("overviewKind"));
    m_path = Card::mutedLabel({}, parent);
    m_path->setObjectName(QStringLiteral("overviewPath"));
    for (QLabel *label : {m_name, m_kind, m_path}) {
        label->setTextFormat(Qt::PlainText);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    }
    m_path->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_path->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    auto *title = new QHBoxLayout;
    title->setSpacing(12);
    title->addWidget(m_name);
    title->addWidget(m_kind);
    title->addWidget(m_path, 1);
    return title;
}

/// The grid on the left, the tables beside it.
QLayout *OverviewPanel::makeCards(QWidget *parent)
{
    auto *grid = new QVBoxLayout;
    grid->addWidget(makeGridCard(parent));
    grid->addStretch(1);
    auto *sides = new QVBoxLayout;
    sides->setSpacing(8);
    sides->addWidget(makeTypesCard(parent));
    sides->addWidget(makeRolesCard(parent));
    sides->addStretch(1);
    auto *cards = new QHBoxLayout;
    cards->setSpacing(8);
    cards->addLayout(grid, 4);
    cards->addLayout(sides, 3);
    return cards;
}

QWidget *OverviewPanel::makePage()
{
    auto *page = new QWidget;
    page->setObjectName(QStringLiteral("overviewPage"));
    m_noTensors = new StatePlaceholder(page);
    m_noTensors->setObjectName(QStringLiteral("overviewNoTensors"));
    m_noTensors->showEmpty(tr("No tensors: a vocab-only file"),
                           tr("Its metadata and tokenizer are in the tabs on the left."));
    m_banner = new OverviewBanner(page);
    connect(m_banner, &OverviewBanner::tensorActivated, this, &OverviewPanel::tensorActivated);
    auto *layout = new QVBoxLayout(page);
    layout->setContentsMargins(16, 12, 16, 16);
    layout->setSpacing(8);
    layout->addLayout(makeTitle(page));
    layout->addWidget(m_banner);
    layout->addWidget(makeFactsCard(page));
    layout->addLayout(makeCards(page));
    layout->addWidget(m_noTensors, 1);
    layout->addStretch(1);
    return page;
}

Card *OverviewPanel::makeFactsCard(QWidget *parent)
{
    auto *card = new Card({}, parent);
    m_facts = new QGridLayout;
    m_facts->setHorizontalSpacing(16);
    m_facts->setVerticalSpacing(1);
    card->body()->addLayout(m_facts);
    for (std::size_t i = 0; i < Facts.size(); ++i) {
        const Fact &fact = Facts[i];
        auto *label = Card::mutedLabel(tr(fact.label), card);
        auto *value = new QLabel(card);
        value->setObjectName(QLatin1String("fact_") + QLatin1String(fact.name));
        value->setFont(Theme::fixedFont(Theme::BodyPx));
        value->setTextFormat(Qt::PlainText);
        value->setTextInteractionFlags(Qt::TextSelectableByMouse);
        if (fact.toolTip)
            label->setToolTip(tr(fact.toolTip));
        const int row = static_cast<int>(i) / FactColumns * 3;
        const int column = static_cast<int>(i) % FactColumns;
        m_facts->addWidget(label, row, column);
        m_facts->addWidget(value, row + 1, column);
        m_facts->setColumnStretch(column, 1);
        m_factValues.push_back(value);
    }
    m_facts->setRowMinimumHeight(2, 6); // between the two lines of facts
    return card;
}

Card *OverviewPanel::makeGridCard(QWidget *parent)
{
    m_gridCard = new Card(tr("Layers and roles"), parent);
    m_gridCard->header()->addWidget(Card::mutedLabel(tr("coloured by type"), m_gridCard));
    m_gridCard->header()->addStretch(1);
    m_grid = new OverviewGrid(m_gridCard);
    m_readout = Card::mutedLabel({}, m_gridCard);
    m_readout->setObjectName(QStringLiteral("gridReadout"));
    m_readout->setTextFormat(Qt::PlainText);
    m_readout->setFont(Theme::fixedFont());
    m_readout->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_gridCard->body()->addWidget(m_grid);
    m_gridCard->body()->addSpacing(4);
    m_gridCard->body()->addWidget(m_readout);
    const QString hint = tr("point at a cell to read it, click to go to its tensor");
    m_readout->setText(hint);
    connect(m_grid, &OverviewGrid::readoutChanged, m_readout, [readout = m_readout, hint](const QString &text) {
        // Not through the panel: a grid that is being destroyed says so when the panel is gone.
        readout->setText(text.isEmpty() ? hint : text);
    });
    connect(m_grid, &OverviewGrid::tensorActivated, this, &OverviewPanel::tensorActivated);
    return m_gridCard;
}

Card *OverviewPanel::makeTypesCard(QWidget *parent)
{
    m_typeCard = new Card(tr("Bytes by type"), parent);
    m_bar = new ShareBar(m_typeCard);
    m_typeTable = makeTotalsTable(QStringLiteral("bytesByType"), tr("Bytes by type"), m_types,
                                  m_typeCard);
    m_typeCard->body()->addWidget(m_bar);
    m_typeCard->body()->addWidget(m_typeTable);
    return m_typeCard;
}

Card *OverviewPanel::makeRolesCard(QWidget *parent)
{
    m_roleCard = new Card(tr("Bytes by role"), parent);
    m_roleTable = makeTotalsTable(QStringLiteral("bytesByRole"), tr("Bytes by role"), m_roles,
                                  m_roleCard);
    m_roleCard->body()->addWidget(m_roleTable);
    return m_roleCard;
}

void OverviewPanel::setFindings(ModelSummaryPtr model) { m_banner->setModel(std::move(model)); }

void OverviewPanel::setModel(ModelSummaryPtr model)
{
    m_model = std::move(model);
    m_stack->setCurrentIndex(m_model ? 0 : 1);
    m_banner->setModel(m_model);
    m_grid->setModel(m_model);
    if (!m_model)
        return;
    m_name->setText(shortened(QString::fromStdString(m_model->name), 80));
    m_name->setToolTip(plainToolTip(QString::fromStdString(m_model->name)));
    m_kind->setText(shortened(kindText(*m_model), 60));
    m_path->setText(QString::fromStdString(m_model->path));
    showFacts();
    showTotals();
}

void OverviewPanel::showFacts()
{
    for (std::size_t i = 0; i < Facts.size(); ++i) {
        const QString text = Facts[i].text(*m_model);
        m_factValues[i]->setText(shortened(text, 24));
        m_factValues[i]->setToolTip(plainToolTip(Facts[i].whole ? Facts[i].whole(*m_model) : text));
    }
}

void OverviewPanel::showTotals()
{
    const bool hasTensors = !m_model->tensors.empty();
    for (Card *card : {m_gridCard, m_typeCard, m_roleCard})
        card->setVisible(hasTensors);
    m_noTensors->setVisible(!hasTensors);
    m_types->setTotals(totalsByType(*m_model));
    m_roles->setTotals(totalsByRole(*m_model, MostRoles));
    m_bar->setTotals(m_types->totals());
    fitHeight(m_typeTable);
    fitHeight(m_roleTable);
}

} // namespace ql
