// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/heatmapimage.h"

#include <QString>
#include <QWidget>

namespace ql {

class HeatMapView;

/// One of several heat maps beside each other: a title above, the picture without axes, and what its
/// colours stand for below.
class CompareHeatMap final : public QWidget
{
    Q_OBJECT
public:
    enum class Side { A, B, Error };

    explicit CompareHeatMap(QWidget *parent = nullptr);

    /// `mark` is bold and in the colour of its side: "A", "|A − B|".
    void setTitle(Side side, const QString &mark, const QString &text);
    QString title() const { return m_mark + QLatin1Char(' ') + m_text; }
    Side side() const { return m_side; }
    /// The numbers at the ends of the colours.
    void setScaleLabels(const QString &low, const QString &high);
    QString lowLabel() const { return m_low; }
    QString highLabel() const { return m_high; }

    HeatMapView *view() const { return m_view; }
    /// All of it at any size, e.g. for a file.
    void draw(QPainter &painter, const QSize &size) const;

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    void drawTitle(QPainter &painter, int width) const;
    void drawScale(QPainter &painter, const QSize &size) const;

    Side m_side = Side::A;
    QString m_mark;
    QString m_text;
    QString m_low;
    QString m_high;
    HeatMapView *m_view;
};

} // namespace ql
