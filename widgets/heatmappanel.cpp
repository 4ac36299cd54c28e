// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/heatmappanel.h"

#include "widgets/card.h"
#include "widgets/choicebox.h"
#include "widgets/formatting.h"
#include "widgets/heatmapcolorbar.h"
#include "widgets/heatmaptext.h"
#include "widgets/heatmapview.h"
#include "widgets/plotactions.h"
#include "widgets/stateplaceholder.h"
#include "widgets/theme.h"

#include <QAction>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QShowEvent>
#include <QStackedWidget>
#include <QVBoxLayout>

namespace ql {

namespace {

constexpr Measure MeasureOrder[] = {Measure::Rms, Measure::AbsMax, Measure::Mean, Measure::ZeroShare,
                                    Measure::Scale};

} // namespace

HeatMapPanel::HeatMapPanel(QWidget *parent) : QWidget(parent)
{
    setObjectName(QStringLiteral("heatMapPanel"));
    setAccessibleName(tr("Heat map"));
    m_card = new Card(tr("Heat map"), this);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_card);
    buildHeader();
    buildBody();
    addActions();
    connectView();
    refresh();
}

void HeatMapPanel::buildHeader()
{
    m_measure = new ChoiceBox(tr("measure"), m_card);
    m_measure->setObjectName(QStringLiteral("heatMapMeasure"));
    m_measure->setAccessibleName(tr("Measure of the heat map"));
    for (const Measure measure : MeasureOrder) {
        m_measure->addItem(measureName(measure), int(measure));
        m_measure->setItemData(m_measure->count() - 1, measureHelp(measure), Qt::ToolTipRole);
    }
    m_pooling = new ChoiceBox(tr("pooled"), m_card);
    m_pooling->setObjectName(QStringLiteral("heatMapPooling"));
    m_pooling->setAccessibleName(tr("Pooling of cells"));
    m_pooling->setToolTip(tr("Where one cell stands for several blocks: the largest of them, "
                             "or their mean weighed by weights."));
    m_pooling->addItem(tr("max"), int(Pooling::Max));
    m_pooling->addItem(tr("mean"), int(Pooling::Mean));
    m_hint = Card::mutedLabel({}, m_card);
    m_hint->setObjectName(QStringLiteral("heatMapHint"));

    QHBoxLayout *header = m_card->header();
    header->addWidget(Card::mutedLabel(tr("rows × blocks"), m_card));
    header->addWidget(m_measure);
    header->addWidget(m_pooling);
    header->addStretch();
    header->addWidget(m_hint);
}

void HeatMapPanel::buildBody()
{
    auto *page = new QWidget(m_card);
    m_view = new HeatMapView(page);
    m_view->setObjectName(QStringLiteral("heatMapView"));
    m_bar = new HeatMapColorBar(page);
    m_bar->setBottomSpace(m_view->axisHeight());
    m_readout = Card::readoutLabel(QStringLiteral("heatMapReadout"), page);
    m_legend = Card::readoutLabel(QStringLiteral("heatMapLegend"), page);
    m_legend->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);

    auto *picture = new QHBoxLayout;
    picture->setSpacing(8);
    picture->addWidget(m_view, 1);
    picture->addWidget(m_bar);
    auto *below = new QHBoxLayout;
    below->addWidget(m_readout, 1);
    below->addWidget(m_legend);
    auto *layout = new QVBoxLayout(page);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    layout->addLayout(picture, 1);
    layout->addLayout(below);

    m_placeholder = new StatePlaceholder(m_card);
    m_placeholder->showEmpty(tr("No tensor selected"),
                             tr("Choose a tensor on the left to see its weights."));
    m_stack = new QStackedWidget(m_card);
    m_stack->addWidget(m_placeholder);
    m_stack->addWidget(page);
    m_card->body()->addWidget(m_stack, 1);
}

void HeatMapPanel::addActions()
{
    m_actions = new PlotActions(m_view, {[this] { return m_view->size() + QSize(m_bar->width() + 8, 0); },
                                         [this](QPainter &p, const QSize &size) { drawPicture(p, size); },
                                         [this] { return csv(); },
                                         [this] { return m_subject + QStringLiteral("-heatmap"); }});
    connect(m_actions, &PlotActions::reported, this, &HeatMapPanel::reported);
    auto *profiles = new QAction(tr("Row and column profiles"), this);
    profiles->setObjectName(QStringLiteral("heatMapProfiles"));
    profiles->setCheckable(true);
    connect(profiles, &QAction::toggled, m_view, &HeatMapView::setProfilesVisible);
    profiles->setChecked(true);
    m_view->addAction(profiles);
}

void HeatMapPanel::connectView()
{
    const auto changed = [this] { refresh(); };
    connect(m_measure, &QComboBox::currentIndexChanged, this, changed);
    connect(m_pooling, &QComboBox::currentIndexChanged, this, changed);
    connect(m_view, &HeatMapView::hoveredWeightChanged, this, &HeatMapPanel::refreshReadout);
    connect(m_view, &HeatMapView::windowRequested, this, &HeatMapPanel::windowRequested);
    connect(m_view, &HeatMapView::weightClicked, this, [this](const WeightPlace &place) {
        refreshReadout();
        emit cellSelected(place.row, place.column);
    });
}

void HeatMapPanel::setHeatMap(const HeatMapPtr &map)
{
    const bool refines = map && m_map && m_map->sampledShare < 1 && map->sampledShare >= 1
        && map->tensorRows == m_map->tensorRows && map->tensorColumns == m_map->tensorColumns;
    m_estimate = refines ? m_map : nullptr;
    m_map = map;
    m_detail = nullptr;
    if (!map)
        m_placeholder->showEmpty(tr("No tensor selected"),
                                 tr("Choose a tensor on the left to see its weights."));
    else if (!hasCells())
        m_placeholder->showEmpty(tr("No weights"), tr("One of the tensor's dimensions is 0."));
    refresh();
}

void HeatMapPanel::setDetail(const HeatMapPtr &map)
{
    m_detail = map;
    m_view->setDetail(map);
    refreshReadout();
}

void HeatMapPanel::setError(const QString &title, const QString &detail)
{
    setHeatMap(nullptr);
    m_placeholder->showError(title, detail);
}

void HeatMapPanel::setSelection(const Selection &selection)
{
    if (selection.tensor != m_selection.tensor)
        m_view->fit();
    if (selection.tensor != m_selection.tensor || selection.expert != m_selection.expert)
        m_estimate = nullptr;
    m_selection = selection;
    std::optional<WeightPlace> place;
    if (selection.row && selection.column)
        place = WeightPlace{*selection.row, *selection.column};
    m_view->setSelectedWeight(place);
    refreshReadout();
}

Measure HeatMapPanel::measure() const
{
    return static_cast<Measure>(m_measure->currentData().toInt());
}

Pooling HeatMapPanel::pooling() const
{
    return static_cast<Pooling>(m_pooling->currentData().toInt());
}

void HeatMapPanel::setMeasure(Measure measure)
{
    m_measure->choose(int(measure));
}

void HeatMapPanel::setPooling(Pooling pooling)
{
    m_pooling->choose(int(pooling));
}

QString HeatMapPanel::readout() const
{
    return m_readout->text();
}

void HeatMapPanel::showEvent(QShowEvent *event)
{
    if (m_dirty)
        refresh();
    QWidget::showEvent(event);
}

void HeatMapPanel::refresh()
{
    m_stack->setCurrentIndex(hasCells() ? 1 : 0);
    refreshChoices();
    m_view->setMeasure(measure(), pooling());
    if (m_view->heatMap() != m_map)
        m_view->setHeatMap(m_map);
    m_dirty = !isVisible();
    if (m_dirty)
        return;
    if (m_map)
        applyScale();
    refreshNotes();
    refreshReadout();
}

void HeatMapPanel::applyScale()
{
    std::optional<ColorScale> steady;
    if (m_estimate)
        steady = united(scaleOf(*m_map, measure(), pooling()), scaleOf(*m_estimate, measure(), pooling()));
    m_view->setColorScale(steady);
    m_bar->setScale(m_view->colorScale(), measure(), pooledMeasureName(*m_map, measure(), pooling()));
}

void HeatMapPanel::refreshChoices()
{
    const bool hasScale = m_map && m_map->hasScale;
    m_measure->setItemEnabled(m_measure->findData(int(Measure::Scale)), hasScale);
    // Another type may have no scale; its map is still worth seeing.
    if (m_map && !hasScale && measure() == Measure::Scale)
        m_measure->choose(int(Measure::Rms));
    m_measure->setEnabled(hasCells());
    m_pooling->setEnabled(hasCells() && measure() != Measure::ZeroShare);
    m_measure->setToolTip(measureHelp(measure()));
}

void HeatMapPanel::refreshNotes()
{
    const bool estimate = m_map && m_map->sampledShare < 1;
    m_hint->setVisible(hasCells());
    m_hint->setText(estimate ? formatSampled(m_map->sampledShare)
                             : tr("wheel zooms · drag pans · double-click fits"));
    QStringList legend;
    if (m_map) {
        const CellCounts counts = countCells(*m_map);
        const QString square = QStringLiteral("<span style=\"color:%1\">■</span> ")
                                   .arg(themeOf(this).nonFinite.name());
        if (counts.nonFinite > 0)
            legend << square + (counts.nonFinite == 1 ? tr("1 cell with NaN or Inf")
                                    : tr("%1 cells with NaN or Inf").arg(formatCount(counts.nonFinite)));
        if (counts.notSampled > 0)
            legend << tr("▨ not sampled");
    }
    m_legend->setText(legend.join(QStringLiteral(" · ")));
}

void HeatMapPanel::refreshReadout()
{
    const auto place = m_view->hoveredWeight() ? m_view->hoveredWeight() : m_view->selectedWeight();
    const HeatMap *map = place ? m_view->mapAt(*place) : nullptr;
    m_readout->setText(map ? heatMapReadout(*map, measure(), pooling(), *place) : QString());
}

void HeatMapPanel::drawPicture(QPainter &painter, const QSize &size) const
{
    painter.fillRect(QRect(QPoint(0, 0), size), themeOf(this).panel);
    const int barWidth = m_bar->sizeHint().width();
    m_view->draw(painter, size - QSize(barWidth + 8, 0));
    m_bar->draw(painter, QRectF(size.width() - barWidth, 0, barWidth, size.height()));
}

QImage HeatMapPanel::picture() const
{
    return m_actions->picture(devicePixelRatioF());
}

QString HeatMapPanel::csv() const
{
    const HeatMapPtr map = m_detail && covers(m_detail->window, m_view->viewport()) ? m_detail : m_map;
    return map ? heatMapCsv(*map, measure(), pooling()) : QString();
}

} // namespace ql
