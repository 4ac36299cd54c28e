// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/overviewbanner.h"

#include "widgets/models/celldelegate.h"
#include "widgets/models/tableactions.h"
#include "widgets/models/treeview.h"
#include "widgets/models/warningsmodel.h"
#include "widgets/theme.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPainter>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace ql {

namespace {

constexpr int MostRowsShown = 6;
constexpr double Radius = 8;
constexpr double StripeWidth = 4;

} // namespace

OverviewBanner::OverviewBanner(QWidget *parent)
    : QFrame(parent)
    , m_findings(new WarningsModel(this))
    , m_summary(new QLabel(this))
    , m_toggle(new QToolButton(this))
{
    setObjectName(QStringLiteral("overviewBanner"));
    setAccessibleName(tr("Findings about the file"));
    m_summary->setObjectName(QStringLiteral("bannerSummary"));
    m_summary->setFont(Theme::strongFont());
    m_toggle->setObjectName(QStringLiteral("bannerToggle"));
    m_toggle->setProperty("chipButton", true);
    auto *line = new QHBoxLayout;
    line->addWidget(m_summary, 1);
    line->addWidget(m_toggle);
    makeList();
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(20, 8, 12, 8);
    layout->setSpacing(6);
    layout->addLayout(line);
    layout->addWidget(m_list);
    connect(m_toggle, &QToolButton::clicked, this, [this] { setExpanded(m_list->isHidden()); });
    setModel(nullptr);
}

void OverviewBanner::makeList()
{
    m_list = makeTableView(this);
    m_list->setObjectName(QStringLiteral("bannerList"));
    m_list->setAccessibleName(tr("List of findings"));
    m_list->setModel(m_findings);
    m_list->setItemDelegate(new CellDelegate(CellDelegate::Font::Words, m_list));
    m_list->setColumnWidth(WarningsModel::SeverityColumn, 104);
    m_list->setColumnWidth(WarningsModel::FieldColumn, 180);
    m_list->setColumnWidth(WarningsModel::OffsetColumn, 110);
    m_list->horizontalHeader()->setSectionResizeMode(WarningsModel::MessageColumn,
                                                     QHeaderView::Stretch);
    addCopyAction(m_list);
    addExportAction(m_list, QStringLiteral("findings.csv"));
    useActionsAsContextMenu(m_list);
    connect(m_list, &QAbstractItemView::clicked, this, &OverviewBanner::activateRow);
    connect(m_list, &QAbstractItemView::activated, this, &OverviewBanner::activateRow);
}

void OverviewBanner::setModel(ModelSummaryPtr model)
{
    m_findings->setModel(std::move(model));
    const int rows = std::min(m_findings->rowCount(), MostRowsShown);
    m_list->setFixedHeight(TableHeaderHeight + rows * CellDelegate::RowHeight + 2);
    setVisible(m_findings->rowCount() > 0);
    setExpanded(m_findings->count(Severity::Error) > 0);
    showSummary();
}

void OverviewBanner::setExpanded(bool isExpanded)
{
    m_toggle->setText(isExpanded ? tr("hide") : tr("show"));
    m_toggle->setAccessibleName(isExpanded ? tr("Hide the findings") : tr("Show the findings"));
    m_list->setVisible(isExpanded);
}

void OverviewBanner::showSummary()
{
    const int errors = m_findings->count(Severity::Error);
    const int warnings = m_findings->count(Severity::Warning);
    const int notes = m_findings->count(Severity::Info);
    QStringList parts;
    if (errors)
        parts << (errors == 1 ? tr("1 error") : tr("%1 errors").arg(errors));
    if (warnings)
        parts << (warnings == 1 ? tr("1 warning") : tr("%1 warnings").arg(warnings));
    if (notes)
        parts << (notes == 1 ? tr("1 note") : tr("%1 notes").arg(notes));
    m_summary->setText(parts.join(QStringLiteral(" · ")));
    update();
}

void OverviewBanner::activateRow(const QModelIndex &index)
{
    if (const auto tensor = m_findings->tensorAt(index.row()))
        emit tensorActivated(*tensor);
}

void OverviewBanner::paintEvent(QPaintEvent *)
{
    const Theme theme = themeOf(this);
    const QRectF frame = QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5);
    const bool isGrave = m_findings->count(Severity::Error) > 0;
    const bool isMild = !isGrave && m_findings->count(Severity::Warning) == 0;
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(theme.line, 1));
    painter.setBrush(theme.panel);
    painter.drawRoundedRect(frame, Radius, Radius);
    painter.setPen(Qt::NoPen);
    painter.setBrush(isGrave ? theme.danger : isMild ? theme.accent : theme.warning);
    painter.drawRoundedRect(QRectF(8, 12, StripeWidth, height() - 24), 2, 2);
}

} // namespace ql
