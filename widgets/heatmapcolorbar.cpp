// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/heatmapcolorbar.h"

#include "widgets/heatmaptext.h"

#include <QFontMetrics>
#include <QPainter>

#include <algorithm>

namespace ql {

namespace {
constexpr int BarWidth = 12;
constexpr int Gap = 6;
constexpr int FontPx = 11;
constexpr int Steps = 4;
} // namespace

HeatMapColorBar::HeatMapColorBar(QWidget *parent) : QWidget(parent)
{
    setObjectName(QStringLiteral("heatMapColorBar"));
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Expanding);
}

void HeatMapColorBar::setScale(const ColorScale &scale, Measure measure, const QString &name)
{
    m_scale = scale;
    m_measure = measure;
    m_name = name;
    setAccessibleName(tr("Colours: %1 from %2 to %3").arg(name, labels().last(), labels().first()));
    updateGeometry();
    update();
}

QStringList HeatMapColorBar::labels() const
{
    if (m_scale.hi <= m_scale.lo)
        return {measureValue(m_measure, m_scale.lo)};
    QStringList texts;
    for (int i = Steps; i >= 0; --i) {
        const double value = m_scale.lo + (m_scale.hi - m_scale.lo) * i / Steps;
        const bool beyond = (i == 0 && m_scale.clipsLow) || (i == Steps && m_scale.clipsHigh);
        const QString sign = !beyond ? QString() : i == 0 ? QStringLiteral("≤ ") : QStringLiteral("≥ ");
        texts << sign + scaleLabel(m_measure, value, (m_scale.hi - m_scale.lo) / Steps);
    }
    return texts;
}

QSize HeatMapColorBar::sizeHint() const
{
    const QFontMetrics metrics(Theme::fixedFont(FontPx));
    // Wide enough for any number, so that the map beside it keeps its size from tensor to tensor.
    const int labelWidth = metrics.horizontalAdvance(QStringLiteral("≥ -0.12345"));
    return {BarWidth + Gap + labelWidth, 200};
}

void HeatMapColorBar::draw(QPainter &painter, const QRectF &area) const
{
    const Theme theme = themeOf(this);
    const QFontMetrics metrics(Theme::fixedFont(FontPx));
    const double high = metrics.height();
    painter.save();
    painter.setPen(theme.muted);
    painter.setFont(Theme::textFont(FontPx));
    painter.drawText(QRectF(area.left(), area.top() - 1, area.width(), high + 2),
                     Qt::AlignLeft | Qt::AlignVCenter, m_name);

    const QRectF bar(area.left(), area.top() + high + 6, BarWidth, area.height() - high - 7 - m_bottomSpace);
    QImage strip(1, 256, QImage::Format_RGB32);
    for (int i = 0; i < 256; ++i)
        strip.setPixel(0, i, theme.colors(m_scale.map)[static_cast<std::size_t>(255 - i)]);
    painter.drawImage(bar, strip, QRectF(0, 0, 1, 256));

    const QStringList texts = labels();
    painter.setFont(Theme::fixedFont(FontPx));
    const double step = texts.size() > 1 ? bar.height() / double(texts.size() - 1) : 0;
    const qsizetype stride = step > 0 && step < high ? 2 : 1;
    for (qsizetype i = 0; i < texts.size(); i += stride) {
        const double alone = bar.bottom() - m_scale.zeroPosition() * bar.height();
        const double centre = texts.size() > 1 ? bar.top() + step * double(i) : alone;
        const double top = std::clamp(centre - high / 2, bar.top() - 2, bar.bottom() - high + 2);
        painter.drawText(QRectF(bar.right() + Gap, top, area.right() - bar.right() - Gap, high),
                         Qt::AlignLeft | Qt::AlignVCenter, texts[i]);
    }
    painter.restore();
}

void HeatMapColorBar::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    draw(painter, QRectF(rect()));
}

} // namespace ql
