// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compareheatmap.h"

#include "widgets/heatmapview.h"
#include "widgets/theme.h"

#include <QFontMetrics>
#include <QPainter>
#include <QVBoxLayout>

namespace ql {

namespace {

constexpr int TitleHeight = 22;
constexpr int ScaleHeight = 20; // numbers and bar below the picture
constexpr int BarHeight = 6;
constexpr int ScaleFontPx = 11;
constexpr int Gap = 6;

QColor colorOf(CompareHeatMap::Side side, const Theme &theme)
{
    switch (side) {
    case CompareHeatMap::Side::A: return theme.accentText;
    case CompareHeatMap::Side::B: return theme.bText;
    case CompareHeatMap::Side::Error: break;
    }
    return theme.text;
}

} // namespace

CompareHeatMap::CompareHeatMap(QWidget *parent) : QWidget(parent)
{
    m_view = new HeatMapView(this);
    m_view->setAxesVisible(false);
    m_view->setDetailRequested(false); // the panel says which one asks
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, TitleHeight, 0, ScaleHeight);
    layout->addWidget(m_view);
}

void CompareHeatMap::setTitle(Side side, const QString &mark, const QString &text)
{
    m_side = side;
    m_mark = mark;
    m_text = text;
    setAccessibleName(title());
    m_view->setAccessibleName(tr("Heat map of %1").arg(title()));
    update();
}

void CompareHeatMap::setScaleLabels(const QString &low, const QString &high)
{
    m_low = low;
    m_high = high;
    setAccessibleDescription(tr("Colours from %1 to %2").arg(low, high));
    update();
}

void CompareHeatMap::draw(QPainter &painter, const QSize &size) const
{
    drawTitle(painter, size.width());
    painter.save();
    painter.translate(0, TitleHeight);
    m_view->draw(painter, size - QSize(0, TitleHeight + ScaleHeight));
    painter.restore();
    drawScale(painter, size);
}

void CompareHeatMap::drawTitle(QPainter &painter, int width) const
{
    const Theme theme = themeOf(this);
    const QFont strong = Theme::strongFont();
    const int markWidth = QFontMetrics(strong).horizontalAdvance(m_mark) + Gap;
    const QRect line(0, 0, width, TitleHeight - 2);
    painter.save();
    painter.setFont(strong);
    painter.setPen(colorOf(m_side, theme));
    painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter, m_mark);
    painter.setFont(Theme::textFont());
    painter.setPen(theme.text);
    const QRect rest = line.adjusted(markWidth, 0, 0, 0);
    const QFontMetrics metrics(painter.font());
    painter.drawText(rest, Qt::AlignLeft | Qt::AlignVCenter,
                     metrics.elidedText(m_text, Qt::ElideRight, rest.width()));
    painter.restore();
}

void CompareHeatMap::drawScale(QPainter &painter, const QSize &size) const
{
    if (m_low.isEmpty())
        return;
    const Theme theme = themeOf(this);
    const QFontMetrics metrics(Theme::fixedFont(ScaleFontPx));
    const QRectF line(0, size.height() - ScaleHeight + 3, size.width(), ScaleHeight - 3);
    painter.save();
    painter.setFont(Theme::fixedFont(ScaleFontPx));
    painter.setPen(theme.muted);
    painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter, m_low);
    painter.drawText(line, Qt::AlignRight | Qt::AlignVCenter, m_high);
    const double left = metrics.horizontalAdvance(m_low) + Gap;
    const double right = line.width() - metrics.horizontalAdvance(m_high) - Gap;
    if (right > left) {
        QImage strip(256, 1, QImage::Format_RGB32);
        const ColorTable &colors = theme.colors(m_view->colorScale().map);
        for (int i = 0; i < 256; ++i)
            strip.setPixel(i, 0, colors[static_cast<std::size_t>(i)]);
        painter.drawImage(QRectF(left, line.center().y() - BarHeight / 2.0, right - left, BarHeight), strip,
                          QRectF(0, 0, 256, 1));
    }
    painter.restore();
}

void CompareHeatMap::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    drawTitle(painter, width());
    drawScale(painter, size());
}

} // namespace ql
