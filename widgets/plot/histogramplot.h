// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/stats/tensorstats.h"
#include "widgets/plot/histogrambins.h"
#include "widgets/plot/plotwidget.h"

#include <QPointF>

#include <memory>
#include <optional>

class QMouseEvent;

namespace ql {

class HistogramOverlay;

/// The figures of a tensor or of one of its experts; keeps the whole result alive.
struct HistogramSource {
    TensorStatsPtr stats;
    std::optional<std::size_t> expert;

    /// Null without a result, or where the result has no such expert.
    const Figures *figures() const;
    /// 1 for exact results.
    double sampledShare() const { return stats ? stats->sampledShare : 1.0; }
    bool operator==(const HistogramSource &) const = default;
};

enum class PlotMarks { None, Spread, Percentiles, All };

/// The distribution of A, and of B over it. Fed with bins, never with weights; makes its bins for
/// the pixels it has at each repaint, and repaints once however much is set.
///
/// Wheel zooms, dragging pans, shift-dragging brushes a range, a double click shows the first
/// range again. Estimated counts are scaled up to the whole, so that the exact result only sharpens.
class HistogramPlot final : public PlotWidget
{
    Q_OBJECT
public:
    explicit HistogramPlot(QWidget *parent = nullptr);

    /// `keepsRange`: the same weights more exactly; the axis may widen but not shrink.
    void setSources(const HistogramSource &a, const HistogramSource &b, bool keepsRange);
    void setLogarithmicY(bool logarithmic);
    void setSymLogX(bool symLog);
    void setFullRange(bool full);
    void setMarks(PlotMarks marks);
    /// Dragging brushes without shift.
    void setBrushing(bool brushing) { m_brushing = brushing; }

    /// In weights.
    ValueRange visibleRange() const;
    void setVisibleRange(const ValueRange &range);
    void clearBrush();

    // As last drawn.
    const DrawnBins &binsA() const { return m_binsA; } ///< edges in weights
    const DrawnBins &binsB() const { return m_binsB; }
    const std::optional<ValueRange> &brush() const { return m_brush; }
    std::vector<QString> drawnLabels() const;
    /// Where a value is on the widget.
    double pixelOf(double value) const;

    QString csv();

    QSize sizeHint() const override { return {520, 260}; }
    QSize minimumSizeHint() const override { return {200, 120}; }

signals:
    /// The bin under the mouse (index into binsA().counts), or nothing.
    void binHovered(const std::optional<std::size_t> &bin);
    /// In weights, grown to whole bins; nothing once cleared.
    void rangeBrushed(const std::optional<ql::ValueRange> &range);
    void visibleRangeChanged();

protected:
    void keyPressEvent(QKeyEvent *event) override;
    void leaveEvent(QEvent *event) override;

private:
    void buildPlot();
    void connectMouse();
    void rebuild() override;
    void rebuildBins();
    void rebuildAxes();
    void rebuildMarks();
    void fillGraph(int index, const DrawnBins &bins, double share);
    void pressed(QMouseEvent *event);
    void moved(QMouseEvent *event);
    void released();
    void zoom(double centrePixel, double factor);
    void hover(const std::optional<QPointF> &at);
    void refreshHover();
    void setBrush(const std::optional<ValueRange> &range);
    ValueRange initialRange() const;
    ValueRange wholeRange() const;
    double toAxis(double value) const { return m_symLog ? m_scale.to(value) : value; }
    double fromAxis(double place) const { return m_symLog ? m_scale.from(place) : place; }
    double valueAt(double pixel) const;

    HistogramSource m_a;
    HistogramSource m_b;
    ValueRange m_range{0, 1}; ///< in weights
    ValueRange m_steady;      ///< what an estimate showed; the exact result shows no less
    bool m_logY = true;
    bool m_symLog = false;
    bool m_full = false;
    bool m_brushing = false;
    PlotMarks m_marks = PlotMarks::Spread;
    SymLog m_scale;
    DrawnBins m_binsA;
    DrawnBins m_binsB;
    std::optional<ValueRange> m_brush;
    std::optional<QPointF> m_pressedAt;
    std::optional<QPointF> m_hoveredAt; ///< where the pointer rests
    bool m_dragsBrush = false;
    HistogramOverlay *m_overlay;
};

} // namespace ql
