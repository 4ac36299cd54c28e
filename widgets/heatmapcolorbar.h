// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/heatmapimage.h"

#include <QWidget>

namespace ql {

/// What the colours of a heat map stand for: a bar with numbers and the measure's name above. Ends
/// that some cells lie beyond say ≤ or ≥.
class HeatMapColorBar final : public QWidget
{
    Q_OBJECT
public:
    explicit HeatMapColorBar(QWidget *parent = nullptr);

    /// `measure` decides how numbers are written; `name` is shown.
    void setScale(const ColorScale &scale, Measure measure, const QString &name);
    const ColorScale &scale() const { return m_scale; }
    /// The numbers beside the bar, top to bottom, as shown.
    QStringList labels() const;

    /// Left free below, so that the bar ends where the map beside it does.
    void setBottomSpace(int pixels) { m_bottomSpace = pixels; }

    void draw(QPainter &painter, const QRectF &area) const;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {sizeHint().width(), 60}; }

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    ColorScale m_scale;
    Measure m_measure = Measure::Rms;
    QString m_name;
    int m_bottomSpace = 0;
};

} // namespace ql
