// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/arrayview.h"

#include "widgets/card.h"
#include "widgets/formatting.h"
#include "widgets/models/celldelegate.h"
#include "widgets/models/filterfield.h"
#include "widgets/models/tableactions.h"
#include "widgets/models/treeview.h"
#include "widgets/stateplaceholder.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QStackedLayout>
#include <QTableView>
#include <QVBoxLayout>

namespace ql {

namespace {

constexpr int IndexWidth = 84;

QTableView *makeTable(QAbstractItemModel *model, QWidget *parent)
{
    QTableView *table = makeTableView(parent);
    table->setObjectName(QStringLiteral("arrayTable"));
    table->setAccessibleName(ArrayView::tr("Elements of the array"));
    table->setModel(model);
    table->setItemDelegate(new CellDelegate(CellDelegate::Font::Raw, table));
    table->horizontalHeader()->setStretchLastSection(true);
    table->setColumnWidth(ArrayTableModel::IndexColumn, IndexWidth);
    addCopyAction(table);
    addExportAction(table, QStringLiteral("array.csv"));
    useActionsAsContextMenu(table);
    return table;
}

} // namespace

ArrayView::ArrayView(QWidget *parent)
    : QWidget(parent)
    , m_model(new ArrayTableModel(this))
    , m_filter(new FilterField(QStringLiteral("arrayFilter"), tr("filter elements…"), this))
    , m_table(makeTable(m_model, this))
    , m_count(Card::mutedLabel({}, this))
    , m_placeholder(new StatePlaceholder(this))
{
    setObjectName(QStringLiteral("arrayView"));
    setAccessibleName(tr("Array"));
    m_count->setObjectName(QStringLiteral("arrayCount"));
    auto *tools = new QHBoxLayout;
    tools->setContentsMargins(12, 0, 12, 8);
    tools->setSpacing(8);
    tools->addWidget(m_filter, 1);
    tools->addWidget(m_count, 0, Qt::AlignTop);
    m_count->setMinimumHeight(28);
    m_stack = new QStackedLayout;
    m_stack->addWidget(m_table);
    m_stack->addWidget(m_placeholder);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(tools);
    layout->addLayout(m_stack, 1);
    connect(m_filter, &FilterField::matcherChanged, this, &ArrayView::applyFilter);
}

void ArrayView::showPending()
{
    m_model->setListing(nullptr);
    m_isWaiting = false;
    m_count->setText(tr("reading…"));
    m_placeholder->showEmpty(tr("Reading the array…"), {});
    m_stack->setCurrentWidget(m_placeholder);
}

void ArrayView::setListing(ArrayListingPtr listing)
{
    m_model->setListing(std::move(listing));
    if (!m_model->listing()) {
        m_count->clear();
        m_placeholder->showError(tr("The array could not be read"), {});
        m_stack->setCurrentWidget(m_placeholder);
        return;
    }
    applyFilter(m_filter->matcher());
}

void ArrayView::applyFilter(const TextMatcher &matcher)
{
    if (!m_model->listing())
        return;
    m_isWaiting = !matcher.isEmpty() && m_model->listing()->size() > FilterHere;
    if (matcher.isEmpty())
        showRows(nullptr);
    else if (!m_isWaiting)
        filterHere(matcher);
    else {
        showCount();
        emit filterRequested(matcher.text(), matcher.isRegex());
    }
}

void ArrayView::filterHere(const TextMatcher &matcher)
{
    const ArrayListing &listing = *m_model->listing();
    auto rows = std::make_shared<std::vector<std::uint32_t>>();
    for (std::uint32_t i = 0; i < listing.size(); ++i) {
        if (matcher.matches(QString::fromUtf8(listing.text(i))))
            rows->push_back(i);
    }
    showRows(std::move(rows));
}

void ArrayView::setFilteredRows(RowSet rows)
{
    if (m_isWaiting) // else the filter has been cleared meanwhile
        showRows(std::move(rows));
}

void ArrayView::showRows(RowSet rows)
{
    m_isWaiting = false;
    m_model->setRows(std::move(rows));
    showCount();
    const bool isEmpty = m_model->rowCount() == 0;
    if (isEmpty)
        m_placeholder->showEmpty(m_filter->matcher().isEmpty() ? tr("The array is empty")
                                                               : tr("No element matches"),
                                 {});
    m_stack->setCurrentIndex(isEmpty ? 1 : 0);
}

void ArrayView::showCount()
{
    const ArrayListing &listing = *m_model->listing();
    QString text = formatCount(listing.total());
    if (m_isWaiting)
        text = tr("filtering %1…").arg(text);
    else if (static_cast<std::size_t>(m_model->rowCount()) < listing.size())
        text = tr("%1 of %2").arg(formatCount(static_cast<std::uint64_t>(m_model->rowCount())), text);
    else if (listing.size() < listing.total())
        text = tr("first %1 of %2").arg(formatCount(listing.size()), text);
    m_count->setText(text);
}

} // namespace ql
