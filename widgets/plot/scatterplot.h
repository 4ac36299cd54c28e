// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/plot/plotwidget.h"

#include <QColor>
#include <QString>

#include <array>
#include <optional>
#include <vector>

namespace ql {

/// One thing as a point of two numbers. Points of a colour are drawn together.
struct ScatterPoint {
    double x = 0;
    double y = 0;
    QColor color;
    QString name;
    std::size_t id = 0; ///< the owner's
};

/// Points, one of them chosen; the nearest to the pointer is named by the owner. Wheel zooms, a drag
/// pans, a double click fits, arrow keys walk from point to point.
class ScatterPlot final : public PlotWidget
{
    Q_OBJECT
public:
    explicit ScatterPlot(QWidget *parent = nullptr);

    /// Keeps what is in view if it was not everything.
    void setPoints(std::vector<ScatterPoint> points);
    void setAxes(const QString &x, const QString &y);
    /// Points at or below zero are not drawn then.
    void setLogarithmicY(bool logarithmic);
    void setSelected(std::optional<std::size_t> id);

    const std::vector<ScatterPoint> &points() const { return m_points; }
    /// Where a point is on the widget.
    QPointF pixelOf(const ScatterPoint &point) const;
    std::optional<std::size_t> pointAt(const QPointF &place) const; ///< its id
    std::size_t hidden() const; ///< points that a logarithmic axis leaves out

signals:
    void pointHovered(std::optional<std::size_t> id);
    void pointActivated(std::size_t id);

protected:
    void keyPressEvent(QKeyEvent *event) override;

private:
    void rebuild() override;
    void rebuildGraphs();
    void fitAxes();
    bool isShown(const ScatterPoint &point) const { return !m_logY || point.y > 0; }
    std::optional<std::size_t> nearest(const QPointF &place) const; ///< its index
    void step(int by);
    std::array<double, 4> shownRanges() const;

    std::vector<ScatterPoint> m_points;
    std::optional<std::size_t> m_selected;
    bool m_logY = false;
    bool m_fits = true; ///< all of it is in view
    std::array<double, 4> m_fitted{};
    QString m_xLabel;
    QString m_yLabel;
};

} // namespace ql
