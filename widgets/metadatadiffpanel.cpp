// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/metadatadiffpanel.h"

#include "widgets/card.h"
#include "widgets/difflinesview.h"
#include "widgets/formatting.h"
#include "widgets/models/celldelegate.h"
#include "widgets/models/checkmenu.h"
#include "widgets/models/filterfield.h"
#include "widgets/models/metadatadiffmodel.h"
#include "widgets/models/tableactions.h"
#include "widgets/models/tabletexts.h"
#include "widgets/models/treeview.h"
#include "widgets/stateplaceholder.h"
#include "widgets/theme.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QShortcut>
#include <QSplitter>
#include <QStackedLayout>
#include <QTableView>
#include <QVBoxLayout>

namespace ql {

namespace {

/// "string", or "A: u32, B: u64".
QString typesOf(const MetadataDifference &row)
{
    const QString a = QString::fromStdString(row.typeA), b = QString::fromStdString(row.typeB);
    if (a == b || b.isEmpty())
        return a;
    return a.isEmpty() ? b : MetadataDiffPanel::tr("A: %1, B: %2").arg(a, b);
}

} // namespace

MetadataDiffPanel::MetadataDiffPanel(QWidget *parent)
    : QWidget(parent)
    , m_model(new MetadataDiffModel(this))
    , m_proxy(new MetadataDiffProxy(m_model))
    , m_filter(new FilterField(QStringLiteral("metadataDiffFilter"), tr("filter keys and values…"), this))
    , m_summary(Card::mutedLabel({}, this))
    , m_table(makeTableView(this))
    , m_placeholder(new StatePlaceholder(this))
    , m_content(new QWidget(this))
    , m_key(new QLabel(this))
    , m_facts(Card::mutedLabel({}, this))
    , m_lines(new DiffLinesView(this))
    , m_detail(new QWidget(this))
    , m_splitter(new QSplitter(Qt::Vertical, this))
    , m_stack(new QStackedLayout(this))
{
    setObjectName(QStringLiteral("metadataDiffPanel"));
    setAccessibleName(tr("Metadata differences"));
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    setStyleSheet(toolSheet());
    makeTable();
    makeDetail();
    auto *top = new QHBoxLayout;
    top->setContentsMargins(12, 0, 12, 0);
    top->setSpacing(16);
    m_summary->setObjectName(QStringLiteral("metadataDiffSummary"));
    m_filter->setMaximumWidth(420);
    top->addWidget(m_filter, 1);
    top->addWidget(m_summary);
    top->addStretch();
    auto *layout = new QVBoxLayout(m_content);
    layout->setContentsMargins(0, 12, 0, 0);
    layout->setSpacing(8);
    layout->addLayout(top);
    layout->addWidget(m_splitter, 1);
    m_stack->addWidget(m_content);
    m_stack->addWidget(m_placeholder);
    connect(m_filter, &FilterField::matcherChanged, this, &MetadataDiffPanel::filterChanged);
    auto *find = new QShortcut(QKeySequence::Find, this);
    find->setContext(Qt::WidgetWithChildrenShortcut);
    connect(find, &QShortcut::activated, this, &MetadataDiffPanel::focusFilter);
    setComparison(nullptr);
}

void MetadataDiffPanel::makeTable()
{
    constexpr int Widths[] = {270, 190, 310};
    m_table->setObjectName(QStringLiteral("metadataDiffTable"));
    m_table->setAccessibleName(tr("Keys that differ"));
    m_table->setModel(m_proxy);
    m_table->setItemDelegate(new CellDelegate(CellDelegate::Font::Raw, m_table));
    m_table->setSortingEnabled(true);
    m_table->sortByColumn(-1, Qt::AscendingOrder);
    for (int column = 0; column < MetadataDiffModel::BColumn; ++column)
        m_table->setColumnWidth(column, Widths[column]);
    m_table->horizontalHeader()->setStretchLastSection(true);
    addCopyAction(m_table);
    addExportAction(m_table, QStringLiteral("metadata-diff.csv"));
    addCopyTextActions(m_table);
    useActionsAsContextMenu(m_table);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &MetadataDiffPanel::showRow);
    m_splitter->addWidget(m_table);
}

void MetadataDiffPanel::makeDetail()
{
    QFont font = Theme::fixedFont(Theme::BodyPx);
    font.setWeight(QFont::DemiBold);
    m_key->setFont(font);
    m_key->setTextFormat(Qt::PlainText);
    m_key->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_key->setObjectName(QStringLiteral("metadataDiffKey"));
    auto *head = new QVBoxLayout;
    head->setContentsMargins(12, 10, 12, 0);
    head->setSpacing(2);
    head->addWidget(m_key);
    head->addWidget(m_facts);
    auto *line = new QWidget(m_detail);
    line->setFixedHeight(1);
    line->setAutoFillBackground(true);
    line->setBackgroundRole(QPalette::Mid); // the theme's colour of lines
    auto *layout = new QVBoxLayout(m_detail);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(2);
    layout->addWidget(line);
    layout->addLayout(head);
    layout->addWidget(m_lines, 1);
    m_splitter->addWidget(m_detail);
    m_splitter->setChildrenCollapsible(false);
    m_splitter->setSizes({300, 420});
}

void MetadataDiffPanel::setComparison(MetadataComparisonPtr comparison)
{
    m_comparison = std::move(comparison);
    m_model->setComparison(m_comparison);
    showSummary();
    showState();
    if (m_proxy->rowCount() > 0)
        m_table->setCurrentIndex(m_proxy->index(0, 0));
    else
        showRow({});
}

void MetadataDiffPanel::showPending()
{
    m_comparison.reset();
    m_model->setComparison(nullptr);
    m_placeholder->showEmpty(tr("Comparing the metadata…"), tr("Long arrays are compared whole."));
    m_stack->setCurrentWidget(m_placeholder);
}

void MetadataDiffPanel::showError(const QString &what)
{
    m_placeholder->showError(tr("The metadata can't be compared"), what);
    m_stack->setCurrentWidget(m_placeholder);
}

void MetadataDiffPanel::showState()
{
    if (!m_comparison)
        m_placeholder->showEmpty(tr("One file is open"), tr("Open a second one to see which keys differ: Compare › Compare with…"));
    else if (m_comparison->rows.empty())
        m_placeholder->showEmpty(tr("No key differs"), tr("Both files have the same %1 keys with the same values.")
                                                           .arg(formatCount(m_comparison->same)));
    const bool isShown = m_comparison && !m_comparison->rows.empty();
    m_stack->setCurrentWidget(isShown ? m_content : m_placeholder);
}

void MetadataDiffPanel::showSummary()
{
    if (!m_comparison)
        return;
    std::size_t counts[3] = {};
    for (const MetadataDifference &row : m_comparison->rows)
        ++counts[static_cast<std::size_t>(row.kind)];
    m_summary->setText(tr("%1 changed · %2 only in A · %3 only in B · %4 the same")
                           .arg(formatCount(counts[0]), formatCount(counts[1]), formatCount(counts[2]),
                                formatCount(m_comparison->same)));
}

void MetadataDiffPanel::filterChanged()
{
    m_proxy->setText(m_filter->matcher());
    if (!m_table->currentIndex().isValid() && m_proxy->rowCount() > 0)
        m_table->setCurrentIndex(m_proxy->index(0, 0));
}

void MetadataDiffPanel::showRow(const QModelIndex &row)
{
    m_detail->setVisible(row.isValid());
    if (!row.isValid())
        return;
    const MetadataDifference &difference = m_model->at(m_proxy->mapToSource(row).row());
    m_key->setText(QString::fromStdString(difference.key));
    m_facts->setText(QStringList{metadataKindText(difference), typesOf(difference)}.join(QStringLiteral(" · ")));
    m_lines->setLines(difference.lines);
}

void MetadataDiffPanel::focusFilter() { m_filter->focusEdit(); }

QString MetadataDiffPanel::state() const
{
    return m_stack->currentWidget() == m_placeholder ? m_placeholder->title() : QString();
}

} // namespace ql
