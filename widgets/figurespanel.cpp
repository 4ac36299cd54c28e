// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/figurespanel.h"

#include "widgets/card.h"
#include "widgets/formatting.h"
#include "widgets/models/treeview.h"
#include "widgets/plotactions.h"
#include "widgets/stateplaceholder.h"
#include "widgets/tablecopy.h"
#include "widgets/theme.h"

#include <QAction>
#include <QClipboard>
#include <QEvent>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPainter>
#include <QStackedWidget>
#include <QStyledItemDelegate>
#include <QTableView>
#include <QVBoxLayout>

namespace ql {

namespace {

constexpr int RowHeight = 23;

/// Names muted, B's numbers no other colour than A's: the header says whose they are.
class FigureDelegate final : public QStyledItemDelegate
{
public:
    using QStyledItemDelegate::QStyledItemDelegate;

protected:
    void initStyleOption(QStyleOptionViewItem *option, const QModelIndex &index) const override
    {
        QStyledItemDelegate::initStyleOption(option, index);
        if (index.column() == FiguresTable::Name)
            option->palette.setColor(QPalette::Text, themeOf(option->widget).muted);
    }
};

/// A and B in their colours, as everywhere.
class SideHeader final : public QHeaderView
{
public:
    explicit SideHeader(QWidget *parent) : QHeaderView(Qt::Horizontal, parent)
    {
        setHighlightSections(false);
        setSectionsClickable(false);
    }

protected:
    void paintSection(QPainter *painter, const QRect &rect, int section) const override
    {
        const Theme theme = themeOf(this);
        const bool sides = model()->columnCount() == 3;
        painter->save();
        painter->fillRect(rect, theme.panel);
        painter->setFont(section == FiguresTable::Name || !sides ? Theme::textFont(Theme::SmallPx)
                                                                 : Theme::strongFont(Theme::SmallPx));
        painter->setPen(section == FiguresTable::Name || !sides ? theme.muted
                            : section == FiguresTable::A         ? theme.accentText
                                                                 : theme.bText);
        const auto align = Qt::Alignment(
            model()->headerData(section, Qt::Horizontal, Qt::TextAlignmentRole).toInt());
        painter->drawText(rect.adjusted(4, 0, -4, 0), align,
                          model()->headerData(section, Qt::Horizontal).toString());
        painter->setPen(theme.line);
        painter->drawLine(rect.bottomLeft(), rect.bottomRight());
        painter->restore();
    }
};

} // namespace

FiguresPanel::FiguresPanel(QWidget *parent) : QWidget(parent)
{
    setObjectName(QStringLiteral("figuresPanel"));
    setAccessibleName(tr("Figures"));
    m_card = new Card(tr("Figures"), this);
    m_note = Card::mutedLabel({}, m_card);
    m_note->setObjectName(QStringLiteral("figuresNote"));
    m_card->header()->addStretch();
    m_card->header()->addWidget(m_note);
    m_table = new FiguresTable(this);
    buildView();
    addActions();
    m_placeholder = new StatePlaceholder(m_card);
    m_stack = new QStackedWidget(m_card);
    m_stack->addWidget(m_placeholder);
    m_stack->addWidget(m_view);
    m_card->body()->addWidget(m_stack, 1);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_card);
    setFigures({});
}

void FiguresPanel::buildView()
{
    m_view = makeTableView(m_card);
    m_view->setObjectName(QStringLiteral("figuresView"));
    m_view->setAccessibleName(tr("Figures"));
    m_view->setModel(m_table);
    m_view->setHorizontalHeader(new SideHeader(m_view));
    m_view->setItemDelegate(new FigureDelegate(m_view));
    m_view->setSelectionBehavior(QAbstractItemView::SelectItems); // a figure is copied by itself
    m_view->verticalHeader()->setDefaultSectionSize(RowHeight);
    m_view->verticalHeader()->setMinimumSectionSize(RowHeight);
    m_view->horizontalHeader()->setFixedHeight(RowHeight + 2);
    m_view->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
    m_view->setMinimumWidth(220);
    installCopyAction(m_view, FiguresTable::CopyRole);
}

void FiguresPanel::addActions()
{
    auto *all = new QAction(tr("Copy all"), m_view);
    all->setObjectName(QStringLiteral("copyAllFigures"));
    connect(all, &QAction::triggered, this, [this] {
        QGuiApplication::clipboard()->setText(tableAsTsv(*m_table, FiguresTable::CopyRole));
        emit reported(tr("Figures copied."));
    });
    m_view->addAction(all);
    auto *save = new QAction(tr("Save as CSV…"), m_view);
    save->setObjectName(QStringLiteral("saveFigures"));
    connect(save, &QAction::triggered, this, [this] {
        saveWithDialog(m_view, tr("Save figures"), {tr("Comma-separated values (*.csv)")},
                       m_subject + QStringLiteral("-figures"),
                       [this](const QString &path) { return writeWholeFile(path, csv().toUtf8()); },
                       [this](const QString &line) { emit reported(line); });
    });
    m_view->addAction(save);
}

void FiguresPanel::setFigures(const FiguresSource &a, const FiguresSource &b)
{
    m_table->setSources(a, b);
    m_stack->setCurrentIndex(a.figures() ? 1 : 0);
    m_note->setText(a.figures() && a.stats->sampledShare < 1 ? formatSampled(a.stats->sampledShare)
                                                             : QString());
    if (!a.figures())
        m_placeholder->showEmpty(tr("No figures"), tr("Choose a tensor on the left."));
}

void FiguresPanel::setError(const QString &title, const QString &detail)
{
    setFigures({});
    m_placeholder->showError(title, detail);
}

QString FiguresPanel::shown(const QString &id, FiguresTable::Columns column) const
{
    const QModelIndex index = m_table->index(FiguresTable::rowOf(id), column);
    return m_table->data(index, Qt::DisplayRole).toString();
}

QString FiguresPanel::csv() const
{
    return tableAsCsv(*m_table, FiguresTable::CopyRole);
}

void FiguresPanel::changeEvent(QEvent *event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        m_view->viewport()->update();
}

} // namespace ql
