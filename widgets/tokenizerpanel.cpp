// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/tokenizerpanel.h"

#include "widgets/card.h"
#include "widgets/formatting.h"
#include "widgets/models/celldelegate.h"
#include "widgets/models/checkmenu.h"
#include "widgets/models/columnstate.h"
#include "widgets/models/filterfield.h"
#include "widgets/models/rowsearch.h"
#include "widgets/models/tableactions.h"
#include "widgets/models/tokentablemodel.h"
#include "widgets/models/treeview.h"
#include "widgets/stateplaceholder.h"

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QJsonDocument>
#include <QLabel>
#include <QShortcut>
#include <QStackedLayout>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

#include <set>

namespace ql {

namespace {

constexpr int MostSpecialRows = 6;
/// Stands for tokens whose type the file does not say.
constexpr qint64 NoType = std::numeric_limits<qint64>::min();

QToolButton *makeSwitch(const QString &name, QButtonGroup *group, QWidget *parent)
{
    auto *button = new QToolButton(parent);
    button->setObjectName(name);
    button->setProperty("chipButton", true);
    button->setCheckable(true);
    group->addButton(button);
    return button;
}

qint64 typeOf(const TokenTable &table, std::uint32_t id)
{
    return id < table.types.size() ? table.types[id] : NoType;
}

} // namespace

TokenizerPanel::TokenizerPanel(QWidget *parent)
    : QWidget(parent)
    , m_tokens(new TokenTableModel(this))
    , m_merges(new ArrayTableModel(this))
    , m_specials(new SpecialTokensModel(this))
    , m_search(new RowSearch(this))
{
    setObjectName(QStringLiteral("tokenizerPanel"));
    setAccessibleName(tr("Tokenizer"));
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    setStyleSheet(toolSheet());
    makeTools();
    makeTables();
    connect(m_filter, &FilterField::matcherChanged, this, &TokenizerPanel::applyFilter);
    connect(m_types->checkMenu(), &CheckMenu::checkedChanged, this, &TokenizerPanel::applyFilter);
    connect(m_search, &RowSearch::found, this, &TokenizerPanel::showFound);
    auto *find = new QShortcut(QKeySequence::Find, this);
    find->setContext(Qt::WidgetWithChildrenShortcut);
    connect(find, &QShortcut::activated, this, &TokenizerPanel::focusFilter);
    setModel(nullptr);
}

void TokenizerPanel::makeTools()
{
    m_tools = new QWidget(this);
    auto *group = new QButtonGroup(this);
    m_filter = new FilterField(QStringLiteral("tokenFilter"), tr("filter…"), m_tools);
    m_types = new CheckMenuButton(QStringLiteral("tokenTypeFilter"), tr("type"), m_tools);
    m_tokensButton = makeSwitch(QStringLiteral("showTokens"), group, m_tools);
    m_mergesButton = makeSwitch(QStringLiteral("showMerges"), group, m_tools);
    m_tokensButton->setText(tr("tokens"));
    m_mergesButton->setText(tr("merges"));
    m_tokensButton->setAccessibleName(tr("Show tokens"));
    m_mergesButton->setAccessibleName(tr("Show merges"));
    m_tokensButton->setChecked(true);
    auto *layout = new QHBoxLayout(m_tools);
    layout->setContentsMargins(12, 12, 12, 8);
    layout->setSpacing(4);
    layout->addWidget(m_filter, 1);
    for (QWidget *button : std::initializer_list<QWidget *>{m_types, m_tokensButton, m_mergesButton})
        layout->addWidget(button, 0, Qt::AlignTop);
    connect(m_tokensButton, &QToolButton::clicked, this, [this] { showPage(TokensPage); });
    connect(m_mergesButton, &QToolButton::clicked, this, [this] { showPage(MergesPage); });
}

QTableView *TokenizerPanel::makeTable(const QString &name, const QString &spoken,
                                      QAbstractItemModel *model)
{
    QTableView *table = makeTableView(this);
    table->setObjectName(name);
    table->setAccessibleName(spoken);
    table->setModel(model);
    table->setItemDelegate(new CellDelegate(CellDelegate::Font::Raw, table));
    addCopyAction(table);
    addExportAction(table, name + QStringLiteral(".csv"));
    useActionsAsContextMenu(table);
    return table;
}

void TokenizerPanel::makeTables()
{
    m_specialTable = makeTable(QStringLiteral("specialTokens"), tr("Special tokens"), m_specials);
    m_specialTable->setColumnWidth(SpecialTokensModel::NameColumn, 140);
    m_specialTable->setColumnWidth(SpecialTokensModel::IdColumn, 84);
    m_specialTable->horizontalHeader()->setStretchLastSection(true);
    m_tokenTable = makeTable(QStringLiteral("tokenTable"), tr("Tokens"), m_tokens);
    m_tokenTable->setSortingEnabled(true);
    m_tokenTable->sortByColumn(-1, Qt::AscendingOrder);
    m_tokenTable->setColumnWidth(TokenTableModel::IdColumn, 76);
    m_tokenTable->setColumnWidth(TokenTableModel::TypeColumn, 108);
    m_tokenTable->setColumnWidth(TokenTableModel::ScoreColumn, 84);
    m_tokenTable->horizontalHeader()->setSectionResizeMode(TokenTableModel::TokenColumn,
                                                           QHeaderView::Stretch);
    m_mergeTable = makeTable(QStringLiteral("mergeTable"), tr("Merges"), m_merges);
    m_mergeTable->setColumnWidth(ArrayTableModel::IndexColumn, 84);
    m_mergeTable->horizontalHeader()->setStretchLastSection(true);
    m_placeholder = new StatePlaceholder(this);
    m_placeholder->setObjectName(QStringLiteral("tokenizerState"));
    m_count = Card::mutedLabel({}, this);
    m_count->setObjectName(QStringLiteral("tokenCount"));
    m_count->setTextFormat(Qt::PlainText);
    m_count->setContentsMargins(12, 6, 12, 6);
    m_stack = new QStackedLayout;
    for (QWidget *page : std::initializer_list<QWidget *>{m_tokenTable, m_mergeTable, m_placeholder})
        m_stack->addWidget(page);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_tools);
    layout->addWidget(m_specialTable);
    layout->addLayout(m_stack, 1);
    layout->addWidget(m_count);
    connect(m_specialTable, &QAbstractItemView::clicked, this, &TokenizerPanel::goToSpecial);
    connect(m_specialTable, &QAbstractItemView::activated, this, &TokenizerPanel::goToSpecial);
}

void TokenizerPanel::setModel(ModelSummaryPtr model)
{
    m_model = std::move(model);
    m_table = nullptr;
    m_isRequested = false;
    m_search->stop();
    m_tokens->setTable(nullptr);
    m_merges->setListing(nullptr);
    m_specials->setTable(nullptr);
    if (!m_model)
        m_placeholder->showEmpty(tr("No model open"), tr("Open a GGUF file to see its tokens."));
    else if (!m_model->hasTokenizer)
        m_placeholder->showEmpty(tr("No tokenizer"), tr("This file holds no vocabulary."));
    else
        m_placeholder->showEmpty(tr("Reading the tokenizer…"), {});
    m_tools->hide();
    m_specialTable->hide();
    m_count->hide();
    m_stack->setCurrentIndex(StatePage);
    requestIfShown();
}

void TokenizerPanel::showEvent(QShowEvent *event)
{
    QWidget::showEvent(event);
    requestIfShown();
}

void TokenizerPanel::requestIfShown()
{
    if (m_isRequested || !isVisible() || !m_model || !m_model->hasTokenizer)
        return;
    m_isRequested = true;
    emit tokensRequested();
}

void TokenizerPanel::setTokens(TokenTablePtr tokens)
{
    if (!m_model || !m_model->hasTokenizer)
        return; // an answer about a file that is closed
    m_table = std::move(tokens);
    if (!m_table || !m_table->tokens) {
        m_table = nullptr;
        m_placeholder->showError(tr("The tokenizer could not be read"),
                                 tr("The findings in the overview say more."));
        m_stack->setCurrentIndex(StatePage);
        return;
    }
    m_tokens->setTable(m_table);
    m_merges->setListing(m_table->merges);
    m_specials->setTable(m_table);
    fillTypeMenu();
    showTables();
    showPage(TokensPage);
}

void TokenizerPanel::showTables()
{
    const int rows = std::min(m_specials->rowCount(), MostSpecialRows);
    m_specialTable->setFixedHeight(TableHeaderHeight + rows * CellDelegate::RowHeight + 8);
    m_specialTable->setVisible(rows > 0);
    m_tools->show();
    m_count->show();
    const bool hasMerges = m_table->merges && m_table->merges->size() > 0;
    m_tokensButton->setVisible(hasMerges);
    m_mergesButton->setVisible(hasMerges);
    m_tokenTable->setColumnHidden(TokenTableModel::TypeColumn, m_table->types.empty());
    m_tokenTable->setColumnHidden(TokenTableModel::ScoreColumn, m_table->scores.empty());
}

void TokenizerPanel::fillTypeMenu()
{
    std::set<qint64> types;
    qint64 last = NoType;
    for (std::uint32_t id = 0; id < m_table->tokens->size(); ++id) {
        const qint64 type = typeOf(*m_table, id);
        if (id == 0 || type != last) // long runs of one type: the set need not hear of each
            types.insert(last = type);
    }
    std::vector<CheckMenu::Choice> choices;
    for (const qint64 type : types) {
        const auto name = tokenTypeName(static_cast<std::int32_t>(type));
        choices.push_back({type, type == NoType ? tr("not said")
                                 : name.empty() ? tr("type %1").arg(type)
                                                : QString::fromUtf8(name)});
    }
    m_types->checkMenu()->setChoices(choices);
    m_types->relabel();
}

void TokenizerPanel::showPage(int page)
{
    m_tokensButton->setChecked(page == TokensPage);
    m_mergesButton->setChecked(page == MergesPage);
    m_types->setVisible(page == TokensPage && !m_table->types.empty());
    applyFilter();
}

void TokenizerPanel::applyFilter()
{
    if (!m_table)
        return;
    const bool isMerges = m_mergesButton->isChecked();
    const std::set<qint64> types = isMerges ? std::set<qint64>() : m_types->checkMenu()->checked();
    const TextMatcher matcher = m_filter->matcher();
    const ArrayListingPtr list = isMerges ? m_table->merges : m_table->tokens;
    if (matcher.isEmpty() && types.empty()) {
        m_search->stop();
        return showFound(nullptr);
    }
    m_search->search(static_cast<std::uint32_t>(list->size()),
                     [table = m_table, list, matcher, types](std::uint32_t i) {
                         return (types.empty() || types.contains(typeOf(*table, i)))
                                && matcher.matches(QString::fromUtf8(list->text(i)));
                     });
    if (m_search->isRunning())
        m_count->setText(tr("filtering…"));
}

void TokenizerPanel::showFound(const RowSet &rows)
{
    const bool isMerges = m_mergesButton->isChecked();
    isMerges ? m_merges->setRows(rows) : m_tokens->setRows(rows);
    const bool isEmpty = rows && rows->empty();
    if (isEmpty)
        m_placeholder->showEmpty(isMerges ? tr("No merge matches") : tr("No token matches"),
                                 tr("Change the filter."));
    m_stack->setCurrentIndex(isEmpty ? StatePage : isMerges ? MergesPage : TokensPage);
    showCount();
}

void TokenizerPanel::showCount()
{
    const bool isMerges = m_mergesButton->isChecked();
    const ArrayListing &list = isMerges ? *m_table->merges : *m_table->tokens;
    const auto shown = static_cast<std::uint64_t>(isMerges ? m_merges->rowCount()
                                                           : m_tokens->rowCount());
    QStringList facts;
    const QString total = formatCount(list.total());
    facts << (shown < list.total() ? tr("%1 of %2").arg(formatCount(shown), total) : total)
                 + QLatin1Char(' ') + (isMerges ? tr("merges") : tr("tokens"));
    for (const std::string &name : {m_table->model, m_table->pre}) {
        if (!name.empty())
            facts << QString::fromStdString(name).left(40);
    }
    const std::size_t tokens = m_table->tokens->size();
    if (!m_table->types.empty() && m_table->types.size() != tokens)
        facts << tr("only %1 types").arg(formatCount(m_table->types.size()));
    if (!m_table->scores.empty() && m_table->scores.size() != tokens)
        facts << tr("only %1 scores").arg(formatCount(m_table->scores.size()));
    m_count->setText(facts.join(QStringLiteral(" · ")));
}

void TokenizerPanel::goToSpecial(const QModelIndex &index)
{
    const std::uint64_t id = m_specials->specialAt(index.row()).id;
    if (id >= m_table->tokens->size())
        return;
    m_types->checkMenu()->setChecked({});
    m_types->relabel();
    m_filter->setFilter({}, m_filter->matcher().isRegex());
    showPage(TokensPage);
    const QModelIndex row = m_tokens->index(m_tokens->rowOf(id), TokenTableModel::IdColumn);
    m_tokenTable->setCurrentIndex(row);
    m_tokenTable->scrollTo(row, QAbstractItemView::PositionAtCenter);
}

void TokenizerPanel::focusFilter() { m_filter->focusEdit(); }

QByteArray TokenizerPanel::saveState() const
{
    const QJsonObject state{{QStringLiteral("version"), 1},
                            {QStringLiteral("tokens"), columnState(*m_tokenTable->horizontalHeader())}};
    return QJsonDocument(state).toJson(QJsonDocument::Compact);
}

bool TokenizerPanel::restoreState(const QByteArray &state)
{
    const QJsonObject object = QJsonDocument::fromJson(state).object();
    if (object.value(QLatin1String("version")).toInt() != 1)
        return false;
    restoreColumnState(*m_tokenTable->horizontalHeader(),
                       object.value(QLatin1String("tokens")).toObject());
    return true;
}

} // namespace ql
