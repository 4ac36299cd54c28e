// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compareheatpanel.h"

#include "widgets/card.h"
#include "widgets/choicebox.h"
#include "widgets/compareheatmap.h"
#include "widgets/compareheatscales.h"
#include "widgets/heatmaptext.h"
#include "widgets/heatmapview.h"
#include "widgets/plotactions.h"
#include "widgets/stateplaceholder.h"
#include "widgets/theme.h"

#include <QAction>
#include <QCoreApplication>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPainter>
#include <QScopedValueRollback>
#include <QStackedWidget>
#include <QVBoxLayout>

namespace ql {

namespace {

using Side = CompareHeatMap::Side;

constexpr Measure MeasureOrder[] = {Measure::Rms, Measure::AbsMax, Measure::Mean, Measure::ZeroShare,
                                    Measure::Scale};
constexpr int MapGap = 12;
constexpr int ReadoutHeight = 18;
constexpr int HintGap = 24; // the hint goes before the controls get tight

QString errorMark()
{
    return QStringLiteral("|A − B|");
}

} // namespace

CompareHeatPanel::CompareHeatPanel(QWidget *parent) : QWidget(parent)
{
    setObjectName(QStringLiteral("compareHeatPanel"));
    setAccessibleName(tr("Heat maps of A, B and their error"));
    m_card = new Card(tr("Heat map"), this);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_card);
    buildHeader();
    buildBody();
    buildActions();
    connectMaps();
    setComparison(nullptr);
}

void CompareHeatPanel::buildHeader()
{
    m_measure = new ChoiceBox(tr("measure"), m_card);
    m_measure->setObjectName(QStringLiteral("compareHeatMeasure"));
    m_measure->setAccessibleName(tr("Measure of the heat maps"));
    for (const Measure measure : MeasureOrder) {
        m_measure->addItem(measureName(measure), int(measure));
        m_measure->setItemData(m_measure->count() - 1, measureHelp(measure), Qt::ToolTipRole);
    }
    m_pooling = new ChoiceBox(tr("pooled"), m_card);
    m_pooling->setObjectName(QStringLiteral("compareHeatPooling"));
    m_pooling->setAccessibleName(tr("Pooling of cells"));
    m_pooling->addItem(tr("max"), int(Pooling::Max));
    m_pooling->addItem(tr("mean"), int(Pooling::Mean));
    m_pooling->setToolTip(tr("Where one cell stands for several blocks: the largest of them, or their "
                             "mean weighed by weights."));
    m_scales = new ChoiceBox(tr("scales"), m_card);
    m_scales->setObjectName(QStringLiteral("compareHeatScales"));
    m_scales->setAccessibleName(tr("Colour scales of A and B"));
    m_scales->addItem(tr("common"), true);
    m_scales->addItem(tr("own"), false);
    m_scales->setToolTip(tr("Common: a colour means the same value in A and in B. Own: each from its "
                            "least to its largest. The error always has its own."));
    m_hint = Card::mutedLabel(tr("hold B to blink · wheel zooms · drag pans"), m_card);
    m_hint->setObjectName(QStringLiteral("compareHeatHint"));
    m_hint->setMinimumWidth(1); // makes way, rather than keep the window wide

    QHBoxLayout *header = m_card->header();
    for (ChoiceBox *box : {m_measure, m_pooling, m_scales})
        header->addWidget(box);
    header->addStretch();
    header->addWidget(m_hint);
}

void CompareHeatPanel::buildBody()
{
    constexpr const char *Names[] = {"compareHeatA", "compareHeatB", "compareHeatError"};
    m_page = new QWidget(m_card);
    auto *maps = new QHBoxLayout;
    maps->setSpacing(MapGap);
    for (std::size_t i = 0; i < m_maps.size(); ++i) {
        m_maps[i] = new CompareHeatMap(m_page);
        m_maps[i]->setObjectName(QLatin1String(Names[i]));
        maps->addWidget(m_maps[i], 1);
    }
    m_readout = Card::readoutLabel(QStringLiteral("compareHeatReadout"), m_page);

    auto *layout = new QVBoxLayout(m_page);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(2);
    layout->addLayout(maps, 1);
    layout->addWidget(m_readout);
    m_placeholder = new StatePlaceholder(m_card);
    m_stack = new QStackedWidget(m_card);
    m_stack->addWidget(m_placeholder);
    m_stack->addWidget(m_page);
    m_card->body()->addWidget(m_stack, 1);
}

void CompareHeatPanel::buildActions()
{
    m_actions = new PlotActions(viewAt(0), {[this] { return m_page->size(); },
                                            [this](QPainter &p, const QSize &size) { drawPicture(p, size); },
                                            [this] { return csv(); },
                                            [this] { return m_subject + QStringLiteral("-compared"); }});
    connect(m_actions, &PlotActions::reported, this, &CompareHeatPanel::reported);
    for (std::size_t i = 1; i < m_maps.size(); ++i) { // one picture of all three, from any of them
        viewAt(i)->addActions(m_actions->actions());
        viewAt(i)->setContextMenuPolicy(Qt::ActionsContextMenu);
    }
}

void CompareHeatPanel::connectMaps()
{
    for (ChoiceBox *box : {m_measure, m_pooling, m_scales})
        connect(box, &QComboBox::currentIndexChanged, this, &CompareHeatPanel::refresh);
    viewAt(0)->setDetailRequested(true); // one of them asks, for all three
    connect(viewAt(0), &HeatMapView::windowRequested, this, &CompareHeatPanel::windowRequested);
    for (const CompareHeatMap *map : m_maps) {
        connect(map->view(), &HeatMapView::viewportChanged, this, [this](const HeatMapViewport &viewport) {
            onAllViews([&](HeatMapView *view) { view->setViewport(viewport); });
        });
        connect(map->view(), &HeatMapView::hoveredWeightChanged, this,
                [this](const std::optional<WeightPlace> &place) {
                    onAllViews([&](HeatMapView *view) { view->setHoveredWeight(place); });
                    refreshReadout();
                });
        connect(map->view(), &HeatMapView::weightClicked, this, [this](const WeightPlace &place) {
            onAllViews([&](HeatMapView *view) { view->setSelectedWeight(place); });
            refreshReadout();
            emit cellSelected(place.row, place.column);
        });
    }
}

HeatMapView *CompareHeatPanel::viewAt(std::size_t index) const
{
    return m_maps[index]->view();
}

template <class What> void CompareHeatPanel::onAllViews(const What &what)
{
    if (m_sharing)
        return;
    const QScopedValueRollback guard(m_sharing, true);
    for (const CompareHeatMap *map : m_maps)
        what(map->view());
}

bool CompareHeatPanel::hasMaps() const
{
    return m_comparison && !m_comparison->identical && m_comparison->heatA && m_comparison->heatB
        && m_comparison->heatError;
}

void CompareHeatPanel::setComparison(const ComparisonPtr &comparison, const CompareTitles &titles)
{
    if (comparison != m_comparison)
        m_detail.reset();
    m_comparison = comparison;
    m_titles = titles;
    refreshState();
    refresh();
}

void CompareHeatPanel::setDetail(const PairMapsPtr &maps)
{
    m_detail = maps;
    showDetail();
    refreshReadout();
}

void CompareHeatPanel::setError(const QString &title, const QString &detail)
{
    setComparison(nullptr);
    m_placeholder->showError(title, detail);
}

void CompareHeatPanel::setEmpty(const QString &title, const QString &detail)
{
    setComparison(nullptr);
    m_placeholder->showEmpty(title, detail);
}

void CompareHeatPanel::setSelection(const Selection &selection)
{
    if (selection.tensor != m_selection.tensor)
        onAllViews([](HeatMapView *view) { view->fit(); });
    m_selection = selection;
    std::optional<WeightPlace> place;
    if (selection.row && selection.column)
        place = WeightPlace{*selection.row, *selection.column};
    onAllViews([&](HeatMapView *view) { view->setSelectedWeight(place); });
    refreshReadout();
}

Measure CompareHeatPanel::measure() const
{
    return static_cast<Measure>(m_measure->currentData().toInt());
}

Pooling CompareHeatPanel::pooling() const
{
    return static_cast<Pooling>(m_pooling->currentData().toInt());
}

bool CompareHeatPanel::hasCommonScale() const
{
    return m_scales->currentData().toBool();
}

QString CompareHeatPanel::readout() const
{
    return m_readout->text();
}

void CompareHeatPanel::setMeasure(Measure measure)
{
    m_measure->choose(int(measure));
}

void CompareHeatPanel::setPooling(Pooling pooling)
{
    m_pooling->choose(int(pooling));
}

void CompareHeatPanel::setCommonScale(bool common)
{
    m_scales->choose(common);
}

void CompareHeatPanel::setBlinking(bool blinking)
{
    if (blinking == m_blinking || (blinking && !hasMaps()))
        return;
    m_blinking = blinking;
    // The key may be let go over any widget.
    if (blinking)
        qApp->installEventFilter(this);
    else
        qApp->removeEventFilter(this);
    refresh();
    emit blinkingChanged(blinking);
}

void CompareHeatPanel::keyPressEvent(QKeyEvent *event)
{
    if (event->key() != Qt::Key_B || (event->modifiers() & ~Qt::ShiftModifier))
        return QWidget::keyPressEvent(event);
    if (!event->isAutoRepeat())
        setBlinking(true);
}

bool CompareHeatPanel::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() == QEvent::KeyRelease) {
        const auto *key = static_cast<QKeyEvent *>(event);
        if (key->key() == Qt::Key_B && !key->isAutoRepeat())
            setBlinking(false);
    } else if (event->type() == QEvent::WindowDeactivate && watched == window()) {
        setBlinking(false);
    }
    return false;
}

void CompareHeatPanel::showEvent(QShowEvent *event)
{
    if (m_dirty)
        refresh();
    QWidget::showEvent(event);
}

void CompareHeatPanel::hideEvent(QHideEvent *event)
{
    setBlinking(false);
    QWidget::hideEvent(event);
}

void CompareHeatPanel::resizeEvent(QResizeEvent *event)
{
    refreshHint();
    QWidget::resizeEvent(event);
}

void CompareHeatPanel::refresh()
{
    if (!hasMaps())
        setBlinking(false);
    m_stack->setCurrentIndex(hasMaps() ? 1 : 0);
    refreshChoices();
    refreshHint();
    refreshMaps();
    refreshReadout();
    m_dirty = !isVisible(); // colours are worked out for what is seen
    if (!m_dirty && hasMaps())
        refreshScales();
}

void CompareHeatPanel::refreshState()
{
    if (!m_comparison) {
        m_placeholder->showEmpty(tr("Nothing compared"),
                                 tr("Open a second file and choose a tensor that both have."));
    } else if (m_comparison->identical) {
        m_placeholder->showEmpty(tr("A and B hold the same bytes: no error"),
                                 tr("Both are %1.").arg(compareSideText(m_titles.typeIdA, m_titles.bpwA)));
    } else {
        m_placeholder->showEmpty(tr("No heat maps of this pair"), tr("It was compared without them."));
    }
}

void CompareHeatPanel::refreshChoices()
{
    const bool canShow = hasMaps();
    const bool hasScale = canShow && m_comparison->heatA->hasScale && m_comparison->heatB->hasScale;
    m_measure->setItemEnabled(m_measure->findData(int(Measure::Scale)), hasScale);
    // Of another pair one may have no scale; its maps are still worth seeing.
    if (canShow && !hasScale && measure() == Measure::Scale)
        m_measure->choose(int(Measure::Rms));
    m_measure->setEnabled(canShow);
    m_pooling->setEnabled(canShow);
    m_scales->setEnabled(canShow);
    m_measure->setToolTip(measureHelp(measure()) + QLatin1Char('\n')
                          + tr("The error is RMS of A − B; with absmax, the largest |A − B|."));
}

void CompareHeatPanel::refreshHint()
{
    int used = m_hint->sizeHint().width() + HintGap;
    for (int i = 0; i < m_card->header()->count(); ++i)
        if (QWidget *widget = m_card->header()->itemAt(i)->widget(); widget && widget != m_hint)
            used += widget->sizeHint().width() + m_card->header()->spacing();
    m_hint->setVisible(hasMaps() && used < width());
}

void CompareHeatPanel::refreshMaps()
{
    std::array<HeatMapPtr, 3> maps;
    if (hasMaps()) {
        const Comparison &c = *m_comparison;
        maps = {HeatMapPtr(m_comparison, m_blinking ? &*c.heatB : &*c.heatA),
                HeatMapPtr(m_comparison, &*c.heatB), HeatMapPtr(m_comparison, &*c.heatError)};
    }
    const auto hovered = viewAt(1)->hoveredWeight(); // a new map forgets it
    const QScopedValueRollback guard(m_sharing, true);
    for (std::size_t i = 0; i < maps.size(); ++i) {
        HeatMapView *view = viewAt(i);
        view->setMeasure(i == 2 ? errorMeasure(measure()) : measure(), pooling());
        if (view->heatMap() == maps[i])
            continue;
        const bool sameGrid = view->heatMap() && maps[i] && view->heatMap()->window == maps[i]->window;
        view->setHeatMap(maps[i]);
        if (sameGrid)
            view->setHoveredWeight(hovered);
    }
    showDetail();
    if (hasMaps())
        refreshTitles();
}

void CompareHeatPanel::showDetail()
{
    std::array<HeatMapPtr, 3> parts;
    if (m_detail && hasMaps())
        parts = {HeatMapPtr(m_detail, m_blinking ? &m_detail->b : &m_detail->a), HeatMapPtr(m_detail, &m_detail->b),
                 HeatMapPtr(m_detail, &m_detail->error)};
    for (std::size_t i = 0; i < parts.size(); ++i)
        viewAt(i)->setDetail(parts[i]);
}

void CompareHeatPanel::refreshTitles()
{
    const QString a = compareSideText(m_titles.typeIdA, m_titles.bpwA);
    const QString b = compareSideText(m_titles.typeIdB, m_titles.bpwB);
    if (m_blinking)
        mapA()->setTitle(Side::B, QStringLiteral("B"), tr("%1 · in A's place").arg(b));
    else
        mapA()->setTitle(Side::A, QStringLiteral("A"), a);
    mapB()->setTitle(Side::B, QStringLiteral("B"), b);
    const bool isLargest = errorMeasure(measure()) == Measure::AbsMax;
    mapError()->setTitle(Side::Error, isLargest ? tr("max %1").arg(errorMark()) : errorMark(),
                         compareErrorTitle(*m_comparison, m_titles));
}

void CompareHeatPanel::refreshScales()
{
    const CompareScales scales
        = compareScales(*m_comparison, m_titles, measure(), pooling(), hasCommonScale());
    const std::array<ColorScale, 3> shown{m_blinking ? scales.b : scales.a, scales.b, scales.error};
    for (std::size_t i = 0; i < shown.size(); ++i) {
        viewAt(i)->setColorScale(shown[i]);
        const ScaleEnds ends = i == 2 ? errorEnds(shown[i], rmsOfA(*m_comparison, m_titles))
                                      : measureEnds(shown[i], measure());
        m_maps[i]->setScaleLabels(ends.low, ends.high);
    }
}

void CompareHeatPanel::refreshReadout()
{
    const auto &hovered = viewAt(0)->hoveredWeight();
    const auto &place = hovered ? hovered : viewAt(0)->selectedWeight();
    if (!place || !hasMaps())
        return m_readout->clear();
    const PairHeat fine = m_detail ? PairHeat::of(*m_detail) : PairHeat();
    m_readout->setText(compareHeatReadout(fine.holds(*place) ? fine : PairHeat::of(*m_comparison),
                                          rmsOfA(*m_comparison, m_titles), m_titles, measure(), pooling(), *place));
}

void CompareHeatPanel::drawPicture(QPainter &painter, const QSize &size) const
{
    const Theme theme = themeOf(this);
    painter.fillRect(QRect(QPoint(0, 0), size), theme.panel);
    const int height = size.height() - ReadoutHeight - 2;
    const int width = (size.width() - 2 * MapGap) / 3;
    for (int i = 0; i < 3; ++i) {
        painter.save();
        painter.translate(i * (width + MapGap), 0);
        m_maps[std::size_t(i)]->draw(painter, {width, height});
        painter.restore();
    }
    painter.setFont(Theme::fixedFont());
    painter.setPen(theme.muted);
    painter.drawText(QRect(0, height + 2, size.width(), ReadoutHeight), Qt::AlignLeft | Qt::AlignVCenter,
                     readout());
}

QImage CompareHeatPanel::picture() const
{
    return m_actions->picture(devicePixelRatioF());
}

QString CompareHeatPanel::csv() const
{
    return hasMaps() ? compareHeatCsv(*m_comparison, measure(), pooling()) : QString();
}

} // namespace ql
