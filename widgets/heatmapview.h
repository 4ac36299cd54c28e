// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/heatmapgeometry.h"
#include "widgets/heatmapimage.h"
#include "widgets/heatmapprofile.h"

#include <QImage>
#include <QTimer>
#include <QWidget>

#include <optional>

namespace ql {

/// One heat map as a picture with axes: zoomed by the wheel, panned by dragging, fitted by a double
/// click; arrows move the selected cell, + - 0 zoom. Knows no panel: its viewport, its hovered and
/// selected weight and its colour scale are values that can be set and are signalled, so that
/// several views can be put in step by connecting each one's signal to the others' slots.
class HeatMapView final : public QWidget
{
    Q_OBJECT
public:
    explicit HeatMapView(QWidget *parent = nullptr);

    /// The map over the whole tensor; null for nothing. Keeps the viewport if the shape is the same.
    void setHeatMap(const HeatMapPtr &map);
    /// A finer map of a part of the same tensor, drawn over the first; null for none.
    void setDetail(const HeatMapPtr &map);
    void setMeasure(Measure measure, Pooling pooling);
    /// A scale from outside (common to several views), or this map's own.
    void setColorScale(const std::optional<ColorScale> &scale);
    /// Axes cost room; off for small views beside each other.
    void setAxesVisible(bool visible);
    /// Thin strips above and at the right: the measure along each column and row of cells.
    void setProfilesVisible(bool visible);
    bool areProfilesVisible() const { return m_profilesVisible; }
    /// Of views in step only one should ask for finer maps.
    void setDetailRequested(bool wanted) { m_asksForDetail = wanted; }

    const HeatMapPtr &heatMap() const { return m_map; }
    /// The finest map known over a weight; null where there is none.
    const HeatMap *mapAt(const WeightPlace &place) const;
    ColorScale colorScale() const;
    /// What the labels below the picture take.
    int axisHeight() const;
    HeatMapGeometry geometryNow() const;
    HeatMapViewport viewport() const { return geometryNow().viewport(); }
    const std::optional<WeightPlace> &selectedWeight() const { return m_selected; }
    const std::optional<WeightPlace> &hoveredWeight() const { return m_hovered; }

    /// The picture at any size, e.g. for a file.
    void draw(QPainter &painter, const QSize &size) const;

    QSize minimumSizeHint() const override { return {120, 80}; }
    QSize sizeHint() const override { return {480, 280}; }

public slots:
    void setViewport(const ql::HeatMapViewport &viewport);
    void fit() { setViewport({}); }
    void setSelectedWeight(const std::optional<ql::WeightPlace> &place);
    void setHoveredWeight(const std::optional<ql::WeightPlace> &place);

signals:
    void viewportChanged(const ql::HeatMapViewport &viewport);
    void hoveredWeightChanged(const std::optional<ql::WeightPlace> &place);
    /// By click or key.
    void weightClicked(const ql::WeightPlace &place);
    /// What is seen deserves finer cells than there are; sent once it rests.
    void windowRequested(const ql::HeatMapWindow &window);

protected:
    void paintEvent(QPaintEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void mouseDoubleClickEvent(QMouseEvent *event) override;
    void wheelEvent(QWheelEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void leaveEvent(QEvent *event) override;
    void changeEvent(QEvent *event) override;

private:
    /// The picture of one map, made again only if what it was made from changed.
    struct Layer {
        HeatMapPtr map;
        mutable QImage image;
        mutable std::size_t reduceRows = 0;
        mutable std::size_t reduceColumns = 0;
    };

    QRectF plotArea(const QSize &size) const;
    void drawLayer(QPainter &painter, const HeatMapGeometry &geometry, const Layer &layer) const;
    void drawMarks(QPainter &painter, const HeatMapGeometry &geometry) const;
    void drawProfiles(QPainter &painter, const HeatMapGeometry &geometry) const;
    void drawAxes(QPainter &painter, const HeatMapGeometry &geometry, const QSize &size) const;
    void dropImages();
    void moveSelection(int rows, int columns);
    void zoom(const QPointF &about, double rows, double columns);
    void pointTo(const std::optional<QPointF> &pointer);
    void askForDetail();

    HeatMapPtr m_map;
    Layer m_whole;
    Layer m_detail;
    Measure m_measure = Measure::Rms;
    Pooling m_pooling = Pooling::Max;
    std::optional<ColorScale> m_givenScale;
    mutable std::optional<ColorScale> m_ownScale;
    HeatMapViewport m_viewport; ///< empty: all of the tensor
    std::optional<WeightPlace> m_selected;
    std::optional<WeightPlace> m_hovered;
    bool m_axesVisible = true;
    bool m_profilesVisible = false;
    mutable std::optional<HeatMapProfiles> m_profiles;
    bool m_asksForDetail = true;
    bool m_dragging = false;
    std::optional<QPointF> m_pressedAt;
    std::optional<QPointF> m_pointer; ///< where it was last, until keys have the word
    QTimer m_rest;
    std::optional<HeatMapWindow> m_asked; ///< not asked for twice
};

} // namespace ql
