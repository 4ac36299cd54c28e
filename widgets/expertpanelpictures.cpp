// SPDX-License-Identifier: GPL-3.0-or-later
// What the view shows of its tables: grid, maps, matrix, the odd ones and the readout.
#include "widgets/expertpanel.h"

#include "widgets/busyoverlay.h"
#include "widgets/card.h"
#include "widgets/cellmap.h"
#include "widgets/choicebox.h"
#include "widgets/expertgrid.h"
#include "widgets/expertmaps.h"
#include "widgets/formatting.h"
#include "widgets/stateplaceholder.h"
#include "widgets/theme.h"

#include <QLabel>
#include <QListWidget>
#include <QPainter>
#include <QPushButton>
#include <QStackedWidget>

#include <algorithm>

namespace ql {

void ExpertPanel::refresh()
{
    m_dirty = !isVisible(); // pictures are worked out for what is seen
    if (!m_dirty)
        refreshNow();
}

void ExpertPanel::showEvent(QShowEvent *event)
{
    if (m_dirty)
        refreshNow();
    m_dirty = false;
    QWidget::showEvent(event);
}

void ExpertPanel::refreshNow()
{
    const bool isShown = !m_groups.empty() && !isAboutNone();
    m_card->setVisible(isShown);
    m_state->setVisible(!isShown);
    if (!isShown)
        return showNone();
    refreshState();
    refreshFigures();
    refreshBeside();
    requestMissing();
    refreshGrid();
    refreshMap();
    refreshMatrix();
    refreshOdd();
    showReadout({});
}

/// A tensor without experts is selected. The map is of the whole model and stays.
bool ExpertPanel::isAboutNone() const { return picture() != Picture::Map && !canShow(m_selection); }

void ExpertPanel::showNone()
{
    if (m_groups.empty())
        return m_state->showEmpty(tr("No experts here"),
                                  tr("This model keeps no experts. Models with ffn_\u2026_exps tensors do."));
    QStringList roles;
    for (const ExpertGroup &group : m_groups)
        if (!roles.contains(toText(group.role)))
            roles << toText(group.role);
    const ExpertGroup &group = *shownGroup();
    m_state->showEmpty(tr("This tensor has no experts"),
                       tr("Choose one on the left that has: %1.").arg(roles.join(QStringLiteral(", "))),
                       tr("Go to %1, %2").arg(layerText(group.layer), toText(group.role)));
}

void ExpertPanel::refreshState()
{
    const bool isMatrix = picture() == Picture::Cosines;
    m_pictures->setCurrentIndex(static_cast<int>(picture()));
    m_order->setVisible(picture() == Picture::Histograms);
    m_figure->setVisible(!isMatrix);
    m_scan->setVisible(picture() != Picture::Histograms);
    m_scan->setText(isMatrix      ? tr("Compute cosines")
                    : m_scanShare ? tr("Cancel \u00b7 %1").arg(formatPercent(*m_scanShare))
                                  : tr("Scan all"));
}

/// Plain types keep no scale: greyed out, with the reason.
void ExpertPanel::refreshFigures()
{
    const ExpertGroup *group = shownGroup();
    const bool hasScale = !group || std::ranges::any_of(m_groups, [&](const ExpertGroup &g) {
        return g.role == group->role && g.storesScale;
    });
    const bool hasRouter = std::ranges::any_of(m_tables, [](const ExpertTablePtr &table) {
        return table && !table->experts.empty() && table->experts.front().routerNorm;
    });
    const auto offer = [this](ExpertFigure figure, bool isThere, const QString &why) {
        const int index = m_figure->findData(static_cast<int>(figure));
        m_figure->setItemEnabled(index, isThere);
        m_figure->setItemData(index, isThere ? QString() : why, Qt::ToolTipRole);
        if (!isThere && m_figure->currentIndex() == index)
            setFigure(ExpertFigure::Rms);
    };
    const QString type = group ? toText(typeLabel(group->typeId)) : QString();
    offer(ExpertFigure::MeanScale, hasScale, tr("%1 stores no scale").arg(type));
    offer(ExpertFigure::RouterNorm, hasRouter, tr("No router of a layer that has been scanned is known"));
}

/// A scan of a whole merged tensor tells of all its experts, one of an expert or of an old file's
/// tensor does not: then the others are asked for.
void ExpertPanel::requestMissing()
{
    const ExpertGroup *group = shownGroup();
    const bool isPart = group && m_selection.tensor && (m_selection.expert || !group->experts.front().slab);
    if (!isPart || shownTable() || m_tableAsked == m_shown || picture() != Picture::Histograms)
        return;
    m_tableAsked = m_shown;
    m_grid->setEmptyText({});
    m_gridOverlay->start(tr("Scanning the experts of %1").arg(layerText(group->layer)));
    emit tableRequested(*group);
}

void ExpertPanel::refreshBeside()
{
    m_beside->clear();
    m_beside->addItem(tr("none"));
    const ExpertGroup *group = shownGroup();
    for (const ExpertRef &expert : group ? group->experts : std::vector<ExpertRef>())
        m_beside->addItem(tr("expert %1").arg(expert.number), QVariant::fromValue(expert));
    m_beside->setVisible(picture() != Picture::Map);
    if (!m_held)
        return;
    const auto number = numberOf(m_held);
    if (!number)
        m_beside->setItemText(0, tr("another tensor"));
    for (int i = 1; number && i < m_beside->count(); ++i)
        if (m_beside->itemData(i).value<ExpertRef>().number == *number)
            m_beside->setCurrentIndex(i);
}

/// Which expert of the group that is shown a selection is about.
std::optional<std::uint64_t> ExpertPanel::numberOf(const std::optional<Selection> &selection) const
{
    const ExpertGroup *group = shownGroup();
    if (!group || !selection || !selection->tensor)
        return std::nullopt;
    const auto found = std::ranges::find_if(group->experts, [&](const ExpertRef &expert) {
        return expert.tensor == *selection->tensor && expert.slab == selection->expert;
    });
    return found != group->experts.end() ? std::optional(found->number) : std::nullopt;
}

void ExpertPanel::refreshGrid()
{
    const auto table = shownTable();
    m_grid->setTable(table, table ? orderOf(*table) : std::vector<std::size_t>());
    m_grid->setFigure(figure());
    m_grid->setOdd(table ? findOddExperts(*table, figure()) : std::vector<OddExpert>());
    m_grid->setSelected(numberOf(m_selection));
    m_grid->setHeld(numberOf(m_held));
}

/// The cell of a selection in the map: of any layer of the role that is shown.
std::optional<MapCell> ExpertPanel::cellOf(const std::optional<Selection> &selection) const
{
    if (!selection || !selection->tensor || !shownGroup())
        return std::nullopt;
    for (const ExpertGroup &group : m_groups) {
        if (group.role != shownGroup()->role)
            continue;
        for (const ExpertRef &expert : group.experts)
            if (expert.tensor == *selection->tensor && expert.slab == selection->expert)
                return MapCell{rowOf(m_map->data(), group.layer), static_cast<int>(expert.number)};
    }
    return std::nullopt;
}

void ExpertPanel::refreshMap()
{
    const ExpertGroup *group = shownGroup();
    if (picture() != Picture::Map || !group)
        return;
    m_map->setData(expertMapCells(m_groups, m_tables, group->role, figure()));
    CellMapData router = expertMapCells(m_groups, m_tables, group->role, ExpertFigure::RouterNorm);
    m_routerMap->setVisible(hasValues(router) && figure() != ExpertFigure::RouterNorm);
    m_routerMap->setData(std::move(router));
    for (CellMap *map : {m_map, m_routerMap}) {
        map->setSelected(cellOf(m_selection));
        map->setHeld(cellOf(m_held));
    }
}

void ExpertPanel::refreshMatrix()
{
    CellMapData cells = cosineCells(m_matrix);
    if (!m_matrixProblem.isEmpty())
        cells.emptyText = m_matrixProblem;
    const auto placeOf = [&](std::optional<std::uint64_t> number) {
        return number ? std::ranges::find(cells.rowNumbers, *number) - cells.rowNumbers.begin() : cells.rows;
    };
    const auto a = static_cast<int>(placeOf(numberOf(m_selection)));
    const auto b = static_cast<int>(placeOf(numberOf(m_held)));
    std::optional<MapCell> selected;
    if (a < cells.rows)
        selected = MapCell{a, b < cells.rows ? b : a};
    m_matrixView->setData(std::move(cells));
    m_matrixView->setSelected(selected);
}

void ExpertPanel::addOdd(const QString &what, const ExpertRef &expert)
{
    auto *item = new QListWidgetItem(what, m_odd);
    item->setData(Qt::UserRole, QVariant::fromValue(expert));
    item->setToolTip(tr("Go to this expert"));
}

void ExpertPanel::listNearDuplicates(const ExpertGroup &group)
{
    for (const NearDuplicate &pair : findNearDuplicates(*m_matrix))
        addOdd(tr("experts %1 and %2 are nearly the same: cosine %3")
                   .arg(m_matrix->numbers[pair.first]).arg(m_matrix->numbers[pair.second])
                   .arg(formatNumber(pair.cosine)),
               group.experts[pair.second]);
}

void ExpertPanel::listOdd(const ExpertTable &table)
{
    for (const OddExpert &odd : findOddExperts(table, figure()))
        addOdd(layerText(table.layer) + QStringLiteral(", ") + toText(describe(odd, table)),
               table.experts[odd.index].ref);
}

void ExpertPanel::refreshOdd()
{
    m_odd->clear();
    const ExpertGroup *group = shownGroup();
    if (!group)
        return;
    bool isKnown = picture() == Picture::Cosines && m_matrix;
    if (isKnown)
        listNearDuplicates(*group);
    for (const ExpertTablePtr &table : m_tables) {
        const bool isAsked = picture() == Picture::Map ? table && table->role == group->role
                                                       : table && table == shownTable();
        isKnown |= isAsked && picture() != Picture::Cosines;
        if (isAsked)
            listOdd(*table);
    }
    m_oddTitle->setText(m_odd->count() > 0 ? tr("Odd ones: %1").arg(m_odd->count())
                        : isKnown          ? tr("No odd ones")
                        : picture() == Picture::Cosines ? tr("Not computed yet") : tr("Not scanned yet"));
}

void ExpertPanel::showReadout(const QString &what)
{
    const auto table = shownTable();
    m_readout->setText(!what.isEmpty() || !table ? what : restingText(*table));
    m_readout->setToolTip(m_readout->text());
}

/// While nothing is pointed at.
QString ExpertPanel::restingText(const ExpertTable &table) const
{
    if (picture() == Picture::Map)
        return tr("%1 layers \u00d7 %2 experts \u00b7 click to go there, Ctrl+click to compare with")
            .arg(m_map->data().rows)
            .arg(m_map->data().columns);
    if (picture() == Picture::Cosines)
        return m_matrix ? tr("click a cell to see its two experts beside each other") : QString();
    const auto number = m_grid->selected();
    const auto expert = std::ranges::find_if(
        table.experts, [&](const ExpertSummary &e) { return number && e.ref.number == *number; });
    if (expert != table.experts.end())
        return expertText(table, *expert, figure());
    return tr("%1 \u00b7 %2 experts \u00b7 shared axis %3 to %4, log y")
        .arg(layerText(table.layer)).arg(table.experts.size())
        .arg(formatNumber(table.lo), formatNumber(table.hi));
}

ExpertTablePtr ExpertPanel::mapTable(int row) const
{
    const CellMapData &cells = m_map->data();
    if (row < 0 || row >= cells.rows || !shownGroup())
        return nullptr;
    const auto table = std::ranges::find_if(m_tables, [&](const ExpertTablePtr &t) {
        return t && t->role == shownGroup()->role && t->layer && rowOf(cells, t->layer) == row;
    });
    return table != m_tables.end() ? *table : nullptr;
}

const ExpertSummary *ExpertPanel::mapExpert(int row, int column) const
{
    const ExpertTablePtr table = mapTable(row);
    if (!table || column < 0)
        return nullptr;
    const auto expert = std::ranges::find_if(table->experts, [&](const ExpertSummary &e) {
        return e.ref.number == static_cast<std::uint64_t>(column);
    });
    return expert != table->experts.end() ? &*expert : nullptr;
}

void ExpertPanel::pointMap(int row, int column)
{
    const ExpertSummary *expert = mapExpert(row, column);
    showReadout(expert ? expertText(*mapTable(row), *expert, figure()) : QString());
}

void ExpertPanel::pointMatrix(int row, int column)
{
    if (!m_matrix || row < 0)
        return showReadout({});
    const auto i = static_cast<std::size_t>(row);
    const auto j = static_cast<std::size_t>(column);
    showReadout(tr("experts %1 and %2 \u00b7 cosine %3")
                    .arg(m_matrix->numbers[i]).arg(m_matrix->numbers[j])
                    .arg(formatNumber(m_matrix->at(i, j))));
}

void ExpertPanel::drawGrid(QPainter &painter, const QSize &size) const
{
    const Theme theme = themeOf(this);
    painter.fillRect(QRect({0, 0}, size), theme.panel);
    const auto table = shownTable();
    if (!table)
        return;
    painter.setPen(theme.text);
    painter.setFont(Theme::fixedFont());
    painter.drawText(QRect(0, 0, size.width(), PictureTitle), Qt::AlignLeft | Qt::AlignVCenter,
                     tr("%1 %2 \u00b7 axis %3 to %4, log y").arg(layerText(table->layer), toText(table->role),
                                                             formatNumber(table->lo), formatNumber(table->hi)));
    painter.translate(0, PictureTitle);
    m_grid->draw(painter, QRect(QPoint(0, 0), m_grid->pictureSize()));
}

QString ExpertPanel::csv() const
{
    const ExpertGroup *group = shownGroup();
    const auto table = shownTable();
    if (picture() == Picture::Cosines)
        return m_matrix ? QString::fromStdString(cosineMatrixCsv(*m_matrix)) : QString();
    if (picture() == Picture::Map)
        return group ? QString::fromStdString(expertMapCsv(makeExpertMap(m_groups, m_tables, group->role, figure())))
                     : QString();
    return table ? QString::fromStdString(expertHistogramsCsv(*table)) : QString();
}

QString ExpertPanel::figuresCsv() const
{
    const auto table = shownTable();
    return table ? QString::fromStdString(expertTableCsv(*table)) : QString();
}

} // namespace ql
