// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plot/histogramoverlay.h"

#include <QFontMetrics>

namespace ql {

namespace {
constexpr int LabelFontPx = 11;
constexpr double LabelGap = 6;
constexpr double ClosestMarks = 3; // of two lines on top of each other the first counts

QFont labelFont()
{
    return Theme::fixedFont(LabelFontPx);
}

QColor faded(QColor color, float alpha)
{
    color.setAlphaF(alpha);
    return color;
}
} // namespace

HistogramOverlay::HistogramOverlay(QCustomPlot *plot) : QCPAbstractItem(plot)
{
    setSelectable(false);
    setLayer(QStringLiteral("overlay"));
}

int HistogramOverlay::labelHeight()
{
    return QFontMetrics(labelFont()).height();
}

void HistogramOverlay::setEdges(const QString &below, const QString &above)
{
    m_below = below;
    m_above = above;
}

double HistogramOverlay::selectTest(const QPointF &, bool, QVariant *) const
{
    return -1; // never in the way of the mouse
}

QRectF HistogramOverlay::band(const ValueRange &range) const
{
    const QRect plot = parentPlot()->axisRect()->rect();
    const QCPAxis *axis = parentPlot()->xAxis;
    const double left = std::clamp(axis->coordToPixel(range.lo), double(plot.left()), double(plot.right()));
    const double right = std::clamp(axis->coordToPixel(range.hi), double(plot.left()), double(plot.right()));
    return QRectF(left, plot.top(), right - left, plot.height());
}

void HistogramOverlay::draw(QCPPainter *painter)
{
    if (m_hover)
        painter->fillRect(band(*m_hover).adjusted(-0.5, 0, 0.5, 0), faded(m_theme.muted, 0.28F));
    if (m_brush) {
        const QRectF rect = band(*m_brush);
        painter->fillRect(rect, faded(m_theme.accent, 0.14F));
        painter->setPen(QPen(m_theme.accent, 1));
        painter->drawLine(rect.topLeft(), rect.bottomLeft());
        painter->drawLine(rect.topRight(), rect.bottomRight());
    }
    drawMarks(painter);
    drawEdges(painter);
}

void HistogramOverlay::drawMarks(QCPPainter *painter)
{
    const QRect plot = parentPlot()->axisRect()->rect();
    const QFontMetrics metrics(labelFont());
    std::vector<const PlotMark *> seen;
    std::vector<LabelBox> boxes;
    for (const PlotMark &mark : m_marks) {
        const double x = parentPlot()->xAxis->coordToPixel(mark.at);
        const bool isTaken = std::any_of(seen.begin(), seen.end(), [&](const PlotMark *other) {
            return std::fabs(parentPlot()->xAxis->coordToPixel(other->at) - x) < ClosestMarks;
        });
        if (x < plot.left() - 0.5 || x > plot.right() + 0.5 || isTaken)
            continue;
        const double width = metrics.horizontalAdvance(mark.label);
        // A label near the side is moved in, not cut.
        const double last = std::max(plot.left() + width / 2, plot.right() + 8 - width / 2);
        boxes.push_back({std::clamp(x, plot.left() + width / 2, last), width});
        seen.push_back(&mark);
    }
    const std::vector<int> lanes = labelLanes(boxes, Lanes, LabelGap);
    m_drawnLabels.clear();
    painter->setFont(labelFont());
    for (std::size_t i = 0; i < seen.size(); ++i) {
        if (lanes[i] < 0)
            continue;
        const double x = parentPlot()->xAxis->coordToPixel(seen[i]->at);
        const double bottom = plot.top() - 2 - lanes[i] * metrics.height();
        bool crosses = lanes[i] == 0; // no line through a label below its own
        for (std::size_t j = 0; j < seen.size(); ++j)
            crosses |= lanes[j] == 0 && std::fabs(boxes[j].centre - x) < boxes[j].width / 2 + 1;
        QPen pen(faded(m_theme.muted, 0.9F), 1);
        pen.setDashPattern({3, 3});
        painter->setPen(pen);
        painter->drawLine(QPointF(x, crosses ? plot.top() : bottom + 1), QPointF(x, plot.bottom()));
        painter->setPen(m_theme.muted);
        painter->drawText(QRectF(boxes[i].centre - boxes[i].width / 2 - 2, bottom - metrics.height(),
                                 boxes[i].width + 4, metrics.height()),
                          Qt::AlignCenter, seen[i]->label);
        m_drawnLabels.push_back(seen[i]->label);
    }
}

void HistogramOverlay::drawEdges(QCPPainter *painter) const
{
    const QRect plot = parentPlot()->axisRect()->rect();
    const QFontMetrics metrics(labelFont());
    painter->setFont(labelFont());
    painter->setPen(m_theme.warning);
    const QRectF line(plot.left() + 3, plot.bottom() - metrics.height() - 5, plot.width() - 6,
                      metrics.height());
    const auto write = [&](const QString &text, Qt::Alignment side) {
        if (text.isEmpty())
            return;
        QRectF box(line);
        box.setWidth(metrics.horizontalAdvance(text) + 8);
        if (side == Qt::AlignRight)
            box.moveRight(line.right());
        painter->fillRect(box, faded(m_theme.panel, 0.8F));
        painter->drawText(box, Qt::AlignCenter, text);
    };
    write(m_below, Qt::AlignLeft);
    write(m_above, Qt::AlignRight);
}

} // namespace ql
