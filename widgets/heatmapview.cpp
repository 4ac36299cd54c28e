// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/heatmapview.h"

#include <QApplication>
#include <QEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace ql {

namespace {
constexpr int RestMs = 120;
constexpr double WheelStep = 1.25;
} // namespace

HeatMapView::HeatMapView(QWidget *parent) : QWidget(parent)
{
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Heat map"));
    m_rest.setSingleShot(true);
    m_rest.setInterval(RestMs);
    connect(&m_rest, &QTimer::timeout, this, &HeatMapView::askForDetail);
}

void HeatMapView::setHeatMap(const HeatMapPtr &map)
{
    const bool sameShape = map && m_map && map->tensorRows == m_map->tensorRows
        && map->tensorColumns == m_map->tensorColumns;
    m_map = map;
    m_whole.map = map;
    m_detail.map = nullptr;
    m_ownScale.reset();
    m_profiles.reset();
    m_asked.reset();
    m_hovered.reset();
    dropImages();
    if (!sameShape)
        fit();
    else if (!m_viewport.isEmpty())
        m_rest.start();
}

void HeatMapView::setDetail(const HeatMapPtr &map)
{
    m_detail.map = map;
    m_detail.image = {};
    update();
}

void HeatMapView::setMeasure(Measure measure, Pooling pooling)
{
    if (measure == m_measure && pooling == m_pooling)
        return;
    m_measure = measure;
    m_pooling = pooling;
    m_ownScale.reset();
    m_profiles.reset();
    dropImages();
}

void HeatMapView::setColorScale(const std::optional<ColorScale> &scale)
{
    if (scale == m_givenScale)
        return;
    m_givenScale = scale;
    dropImages();
}

void HeatMapView::setAxesVisible(bool visible)
{
    m_axesVisible = visible;
    update();
}

void HeatMapView::setProfilesVisible(bool visible)
{
    m_profilesVisible = visible;
    update();
}

void HeatMapView::dropImages()
{
    m_whole.image = {};
    m_detail.image = {};
    update();
}

const HeatMap *HeatMapView::mapAt(const WeightPlace &place) const
{
    const auto holds = [&place](const HeatMap &map) {
        const HeatMapWindow &w = map.window;
        return place.row >= w.firstRow && place.row - w.firstRow < w.rows
            && place.column >= w.firstColumn && place.column - w.firstColumn < w.columns;
    };
    if (m_detail.map && holds(*m_detail.map))
        return m_detail.map.get();
    return m_map && holds(*m_map) ? m_map.get() : nullptr;
}

ColorScale HeatMapView::colorScale() const
{
    if (m_givenScale)
        return *m_givenScale;
    if (!m_ownScale && m_map)
        m_ownScale = scaleOf(*m_map, m_measure, m_pooling);
    return m_ownScale.value_or(ColorScale{});
}

HeatMapGeometry HeatMapView::geometryNow() const
{
    return HeatMapGeometry(m_map.get(), plotArea(size()), m_viewport);
}

void HeatMapView::setViewport(const HeatMapViewport &viewport)
{
    const HeatMapViewport before = geometryNow().viewport();
    m_viewport = viewport;
    const HeatMapViewport after = geometryNow().viewport();
    if (after == before)
        return;
    update();
    m_rest.start();
    emit viewportChanged(after);
    if (m_pointer && m_hovered)
        pointTo(m_pointer); // rests over another cell now
}

void HeatMapView::setSelectedWeight(const std::optional<WeightPlace> &place)
{
    if (place == m_selected)
        return;
    m_selected = place;
    update();
}

void HeatMapView::setHoveredWeight(const std::optional<WeightPlace> &place)
{
    if (place == m_hovered)
        return;
    m_hovered = place;
    update();
    emit hoveredWeightChanged(place);
}

void HeatMapView::pointTo(const std::optional<QPointF> &pointer)
{
    m_pointer = pointer;
    setHoveredWeight(pointer ? geometryNow().weightAt(*pointer) : std::nullopt);
}

void HeatMapView::askForDetail()
{
    if (!m_map || !m_asksForDetail || !isVisible())
        return;
    const HeatMapViewport seen = viewport();
    const bool detailCovers = m_detail.map && covers(m_detail.map->window, seen);
    const auto window = finerWindow(detailCovers ? *m_detail.map : *m_map, seen);
    if (!window || window == m_asked)
        return;
    m_asked = window;
    emit windowRequested(*window);
}

void HeatMapView::zoom(const QPointF &about, double rows, double columns)
{
    setViewport(geometryNow().zoomed(about, rows, columns));
}

void HeatMapView::moveSelection(int rows, int columns)
{
    if (!m_map)
        return;
    const WeightPlace from = m_selected.value_or(WeightPlace{});
    const HeatMap *map = mapAt(from);
    if (!map)
        return;
    const auto moved = [](std::uint64_t at, int steps, std::uint64_t step, std::uint64_t total) {
        const std::uint64_t cell = at / step;
        if (steps < 0)
            return (cell - (cell > 0)) * step;
        return std::min((cell + (steps > 0)) * step, (total - 1) / step * step);
    };
    const WeightPlace to{moved(from.row, rows, map->rowsPerCell, map->tensorRows),
                         moved(from.column, columns, map->weightsPerCell, map->tensorColumns)};
    setSelectedWeight(to);
    emit weightClicked(to);
}

void HeatMapView::mousePressEvent(QMouseEvent *event)
{
    if (event->button() == Qt::LeftButton)
        m_pressedAt = event->position();
    m_dragging = false;
}

void HeatMapView::mouseMoveEvent(QMouseEvent *event)
{
    if (m_pressedAt && (event->buttons() & Qt::LeftButton)) {
        const QPointF moved = event->position() - *m_pressedAt;
        m_dragging |= moved.manhattanLength() >= QApplication::startDragDistance();
        if (m_dragging) {
            m_pressedAt = event->position();
            m_pointer = event->position();
            setCursor(Qt::ClosedHandCursor);
            setViewport(geometryNow().panned(moved));
        }
        return;
    }
    pointTo(event->position());
}

void HeatMapView::mouseReleaseEvent(QMouseEvent *event)
{
    const bool clicked = m_pressedAt && !m_dragging && event->button() == Qt::LeftButton;
    m_pressedAt.reset();
    m_dragging = false;
    unsetCursor();
    const auto place = geometryNow().weightAt(event->position());
    if (!clicked || !place)
        return;
    setSelectedWeight(place);
    emit weightClicked(*place);
}

void HeatMapView::mouseDoubleClickEvent(QMouseEvent *event)
{
    if (event->button() == Qt::LeftButton)
        fit();
}

void HeatMapView::wheelEvent(QWheelEvent *event)
{
    const double factor = std::pow(WheelStep, event->angleDelta().y() / 120.0);
    const bool rowsOnly = event->modifiers() & Qt::ShiftModifier;
    const bool columnsOnly = event->modifiers() & Qt::ControlModifier;
    zoom(event->position(), columnsOnly ? 1 : factor, rowsOnly ? 1 : factor);
    pointTo(event->position());
    event->accept();
}

void HeatMapView::keyPressEvent(QKeyEvent *event)
{
    const QPointF centre = geometryNow().plot().center();
    switch (event->key()) {
    case Qt::Key_Left: moveSelection(0, -1); break;
    case Qt::Key_Right: moveSelection(0, 1); break;
    case Qt::Key_Up: moveSelection(-1, 0); break;
    case Qt::Key_Down: moveSelection(1, 0); break;
    case Qt::Key_Plus:
    case Qt::Key_Equal: zoom(centre, WheelStep, WheelStep); break;
    case Qt::Key_Minus: zoom(centre, 1 / WheelStep, 1 / WheelStep); break;
    case Qt::Key_0:
    case Qt::Key_Home: fit(); break;
    default: return QWidget::keyPressEvent(event);
    }
    if (m_selected) // keys speak of the selected cell, until the pointer moves
        pointTo(std::nullopt);
}

void HeatMapView::leaveEvent(QEvent *event)
{
    pointTo(std::nullopt);
    QWidget::leaveEvent(event);
}

void HeatMapView::changeEvent(QEvent *event)
{
    if (event->type() == QEvent::PaletteChange)
        dropImages();
    QWidget::changeEvent(event);
}

} // namespace ql
