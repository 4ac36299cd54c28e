// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QProxyStyle>

namespace ql {

/// Fusion without its gradients where they would be loud: the focus of a table's cell is a thin
/// frame in the accent colour.
class QuietStyle final : public QProxyStyle
{
    Q_OBJECT
public:
    QuietStyle();
    void drawPrimitive(PrimitiveElement element, const QStyleOption *option, QPainter *painter,
                       const QWidget *widget) const override;
};

} // namespace ql
