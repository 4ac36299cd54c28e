// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/quietstyle.h"

#include "widgets/theme.h"

#include <QAbstractItemView>
#include <QPainter>
#include <QStyleOption>

namespace ql {

QuietStyle::QuietStyle() : QProxyStyle(QStringLiteral("Fusion")) {}

void QuietStyle::drawPrimitive(PrimitiveElement element, const QStyleOption *option, QPainter *painter,
                               const QWidget *widget) const
{
    const auto *view = qobject_cast<const QAbstractItemView *>(widget);
    if (element != PE_FrameFocusRect || !view) {
        QProxyStyle::drawPrimitive(element, option, painter, widget);
        return;
    }
    if (!view->hasFocus())
        return;
    painter->save();
    painter->setPen(QPen(themeOf(widget).accent, 1));
    painter->setBrush(Qt::NoBrush);
    painter->drawRect(option->rect.adjusted(0, 0, -1, -1));
    painter->restore();
}

} // namespace ql
