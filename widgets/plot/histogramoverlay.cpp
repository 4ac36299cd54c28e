// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plot/histogramoverlay.h"

#include <QFontMetrics>

#include <algorithm>

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

std::vector<HistogramOverlay::Placed> HistogramOverlay::placedMarks() const
{
    const QRect plot = parentPlot()->axisRect()->rect();
    const QFontMetrics metrics(labelFont());
    std::vector<Placed> placed;
    std::vector<LabelBox> boxes;
    for (const PlotMark &mark : m_marks) {
        const double x = parentPlot()->xAxis->coordToPixel(mark.at);
        const bool isTaken = std::any_of(placed.begin(), placed.end(), [x](const Placed &other) {
            return std::fabs(other.x - x) < ClosestMarks;
        });
        if (x < plot.left() - 0.5 || x > plot.right() + 0.5 || isTaken)
            continue;
        const double width = metrics.horizontalAdvance(mark.label);
        // A label near the side is moved in, not cut.
        const double last = std::max(plot.left() + width / 2, plot.right() + 8 - width / 2);
        boxes.push_back({std::clamp(x, plot.left() + width / 2, last), width});
        placed.push_back({x, mark.label, boxes.back(), 0});
    }
    const std::vector<int> lanes = labelLanes(boxes, Lanes, LabelGap);
    for (std::size_t i = 0; i < placed.size(); ++i)
        placed[i].lane = lanes[i];
    std::erase_if(placed, [](const Placed &mark) { return mark.lane < 0; });
    return placed;
}

void HistogramOverlay::drawMarks(QCPPainter *painter)
{
    const QRect plot = parentPlot()->axisRect()->rect();
    const double high = labelHeight();
    const std::vector<Placed> marks = placedMarks();
    m_drawnLabels.clear();
    painter->setFont(labelFont());
    for (const Placed &mark : marks) {
        const double bottom = plot.top() - 2 - mark.lane * high;
        // No line through a label below its own.
        const bool startsLow = std::any_of(marks.begin(), marks.end(), [&mark](const Placed &other) {
            return other.lane == 0 && std::fabs(other.box.centre - mark.x) < other.box.width / 2 + 1;
        });
        QPen pen(faded(m_theme.muted, 0.9F), 1);
        pen.setDashPattern({3, 3});
        painter->setPen(pen);
        painter->drawLine(QPointF(mark.x, startsLow ? plot.top() : bottom + 1),
                          QPointF(mark.x, plot.bottom()));
        painter->setPen(m_theme.muted);
        painter->drawText(QRectF(mark.box.centre - mark.box.width / 2 - 2, bottom - high,
                                 mark.box.width + 4, high),
                          Qt::AlignCenter, mark.label);
        m_drawnLabels.push_back(mark.label);
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
