// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/plot/histogrambins.h"
#include "widgets/plot/qcp.h"
#include "widgets/theme.h"

#include <optional>
#include <vector>

namespace ql {

/// A value worth a line: dashed, with a label above it where there is room.
struct PlotMark {
    double at = 0; ///< axis coordinate
    QString label;
};

/// All that is drawn over the bins: marks, the brushed range, the hovered bin, arrows at the edges
/// beyond which there are weights. One item, so that labels know of each other.
class HistogramOverlay final : public QCPAbstractItem
{
public:
    static constexpr int Lanes = 2;

    explicit HistogramOverlay(QCustomPlot *plot);

    void setTheme(const Theme &theme) { m_theme = theme; }
    /// In order of importance.
    void setMarks(std::vector<PlotMark> marks) { m_marks = std::move(marks); }
    void setBrush(const std::optional<ValueRange> &range) { m_brush = range; }
    void setHover(const std::optional<ValueRange> &bin) { m_hover = bin; }
    void setEdges(const QString &below, const QString &above);
    /// Which marks got a label at the last drawing, for tests.
    const std::vector<QString> &drawnLabels() const { return m_drawnLabels; }
    /// The room above the plot that the labels need.
    static int labelHeight();

    double selectTest(const QPointF &pos, bool onlySelectable, QVariant *details) const override;

protected:
    void draw(QCPPainter *painter) override;
    /// Labels stand above the axis rect; nothing is clipped to it.
    QRect clipRect() const override { return parentPlot()->viewport(); }

private:
    /// A mark with a place for its label.
    struct Placed {
        double x;
        QString label;
        LabelBox box;
        int lane;
    };

    QRectF band(const ValueRange &range) const;
    std::vector<Placed> placedMarks() const;
    void drawMarks(QCPPainter *painter);
    void drawEdges(QCPPainter *painter) const;

    Theme m_theme = Theme::light();
    std::vector<PlotMark> m_marks;
    std::optional<ValueRange> m_brush;
    std::optional<ValueRange> m_hover;
    QString m_below;
    QString m_above;
    std::vector<QString> m_drawnLabels;
};

} // namespace ql
