// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/quietstyle.h"

#include "widgets/theme.h"

#include <QAbstractItemView>
#include <QPainter>
#include <QStyleOption>

namespace ql {

namespace {

constexpr double BoxRadius = 3;

void paintTick(QPainter *painter, const QRectF &box)
{
    const QPointF points[] = {{0.24, 0.52}, {0.43, 0.71}, {0.77, 0.31}};
    QPolygonF tick;
    for (const QPointF &point : points)
        tick << QPointF(box.left() + point.x() * box.width(), box.top() + point.y() * box.height());
    painter->drawPolyline(tick);
}

void paintCheckBox(const QStyleOption *option, QPainter *painter)
{
    const Theme theme = Theme::fromPalette(option->palette);
    const bool isEnabled = option->state & QStyle::State_Enabled;
    const bool isSet = option->state & (QStyle::State_On | QStyle::State_NoChange);
    const QColor edge = isSet ? theme.accent : theme.muted;
    const QRectF box = QRectF(option->rect).adjusted(0.5, 0.5, -0.5, -0.5);
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setOpacity(isEnabled ? 1 : 0.5);
    painter->setPen(QPen(edge, 1));
    painter->setBrush(isSet ? theme.accent : theme.window);
    painter->drawRoundedRect(box, BoxRadius, BoxRadius);
    painter->setPen(QPen(theme.panel, 1.8, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter->setBrush(Qt::NoBrush);
    if (option->state & QStyle::State_On)
        paintTick(painter, box);
    else if (isSet)
        painter->drawLine(box.center() - QPointF(3, 0), box.center() + QPointF(3, 0));
}

/// A button that was clicked needs no frame to be found again.
bool isFocusSeen(const QStyleOption *option, const QWidget *widget)
{
    if (const auto *view = qobject_cast<const QAbstractItemView *>(widget))
        return view->hasFocus();
    return option->state & QStyle::State_KeyboardFocusChange;
}

void paintFocus(const QStyleOption *option, QPainter *painter)
{
    painter->setPen(QPen(Theme::fromPalette(option->palette).accent, 1));
    painter->setBrush(Qt::NoBrush);
    painter->drawRect(option->rect.adjusted(0, 0, -1, -1));
}

} // namespace

QuietStyle::QuietStyle() : QProxyStyle(QStringLiteral("Fusion")) {}

void QuietStyle::drawPrimitive(PrimitiveElement element, const QStyleOption *option, QPainter *painter,
                               const QWidget *widget) const
{
    painter->save();
    switch (element) {
    case PE_FrameFocusRect:
        if (isFocusSeen(option, widget))
            paintFocus(option, painter);
        break;
    case PE_IndicatorCheckBox:
    case PE_IndicatorItemViewItemCheck:
        paintCheckBox(option, painter);
        break;
    default:
        QProxyStyle::drawPrimitive(element, option, painter, widget);
    }
    painter->restore();
}

} // namespace ql
