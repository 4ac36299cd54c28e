// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QProxyStyle>

namespace ql {

/// Fusion without its gradients where they would be loud, and without what it derives from the window's
/// colour: the focus of a control is a thin frame in the accent colour, a check box has an edge that
/// is seen on dark ground as well.
class QuietStyle final : public QProxyStyle
{
    Q_OBJECT
public:
    QuietStyle();
    void drawPrimitive(PrimitiveElement element, const QStyleOption *option, QPainter *painter,
                       const QWidget *widget) const override;
};

} // namespace ql
