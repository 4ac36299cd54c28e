// SPDX-License-Identifier: GPL-3.0-or-later
// The drawing half of HeatMapView.
#include "widgets/formatting.h"
#include "widgets/heatmapview.h"

#include <QFontMetrics>
#include <QPainter>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace ql {

namespace {

constexpr int AxisFontPx = 11;
constexpr int TickSpace = 6;   // between a label and the plot
constexpr int RowTickPx = 44;  // least distance of ticks
constexpr int ColumnTickPx = 90;
constexpr double ProfileSize = 18;
constexpr double ProfileGap = 3;
constexpr double ProfileFoot = 0.15;
constexpr double MinMark = 5;  // a selected cell is seen at any zoom

QFont axisFont()
{
    return Theme::fixedFont(AxisFontPx);
}

/// A profile for `pixels` pixels over [first, first + span): each the largest of its cells, 1 for the
/// largest of the whole profile. Begins a little below the smallest: differences are what it is for.
std::vector<double> stripHeights(const std::vector<double> &profile, double first, double span,
                                 double cellSize, double pixels)
{
    std::vector<double> strip(static_cast<std::size_t>(std::max(0.0, pixels)), 0.0);
    double most = 0, least = std::numeric_limits<double>::infinity();
    for (const double value : profile)
        if (!std::isnan(value)) {
            most = std::max(most, std::fabs(value));
            least = std::min(least, std::fabs(value));
        }
    if (most == 0)
        return strip;
    const double floor = std::max(0.0, least - ProfileFoot * most);
    const double step = span / pixels;
    for (std::size_t i = 0; i < strip.size(); ++i) {
        const double at = first + step * static_cast<double>(i);
        const auto begin = std::min(static_cast<std::size_t>(at / cellSize), profile.size() - 1);
        const auto end = std::clamp(static_cast<std::size_t>(std::ceil((at + step) / cellSize)), begin + 1,
                                    profile.size());
        for (std::size_t cell = begin; cell < end; ++cell)
            if (!std::isnan(profile[cell]))
                strip[i] = std::max(strip[i], (std::fabs(profile[cell]) - floor) / (most - floor));
    }
    return strip;
}

/// How many cells fall on one device pixel along an axis; 1 where cells are larger than pixels.
/// Rounded up: scaling down by nearest neighbour would drop whole rows.
std::size_t reduction(double cellPixels, double devicePixelRatio)
{
    const double cells = 1.0 / std::max(1e-9, cellPixels * devicePixelRatio);
    return static_cast<std::size_t>(std::max(1.0, std::ceil(cells - 1e-6)));
}

} // namespace

int HeatMapView::axisHeight() const
{
    return m_axesVisible ? 2 * QFontMetrics(axisFont()).height() + TickSpace : 0;
}

QRectF HeatMapView::plotArea(const QSize &size) const
{
    QRectF area(QPointF(0, 0), QSizeF(size));
    if (!m_map)
        return area;
    if (m_axesVisible) {
        const QFontMetrics metrics(axisFont());
        const QString widest = formatCount(m_map->tensorRows);
        area.adjust(metrics.horizontalAdvance(widest) + TickSpace + metrics.height() + 4, 1, -1,
                    -axisHeight() - 1);
    }
    if (m_profilesVisible) // a single row has no profile beside it
        area.adjust(0, ProfileSize + ProfileGap, m_map->rows > 1 ? -ProfileSize - ProfileGap : 0, 0);
    return area.isValid() ? area : QRectF();
}

void HeatMapView::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    draw(painter, size());
}

void HeatMapView::draw(QPainter &painter, const QSize &size) const
{
    const HeatMapGeometry geometry(m_map.get(), plotArea(size), m_viewport);
    if (geometry.isEmpty())
        return;
    const Theme theme = themeOf(this);
    painter.save();
    painter.fillRect(geometry.plot(), theme.panel);
    painter.fillRect(geometry.plot(), QBrush(theme.line, Qt::BDiagPattern)); // shows where not sampled
    painter.setClipRect(geometry.plot());
    drawLayer(painter, geometry, m_whole);
    if (m_detail.map)
        drawLayer(painter, geometry, m_detail);
    drawMarks(painter, geometry);
    painter.restore();
    if (m_profilesVisible)
        drawProfiles(painter, geometry);
    if (m_axesVisible)
        drawAxes(painter, geometry, size);
}

void HeatMapView::drawProfiles(QPainter &painter, const HeatMapGeometry &geometry) const
{
    if (!m_profiles)
        m_profiles = profilesOf(*m_map, m_measure);
    const QRectF &plot = geometry.plot();
    const HeatMapViewport &v = geometry.viewport();
    QColor color = themeOf(this).muted;
    color.setAlphaF(0.55F);
    const auto columns = stripHeights(m_profiles->columns, v.firstColumn, v.columns,
                                      static_cast<double>(m_map->weightsPerCell), plot.width());
    for (std::size_t x = 0; x < columns.size(); ++x) {
        const double high = columns[x] * ProfileSize;
        painter.fillRect(QRectF(plot.left() + double(x), plot.top() - ProfileGap - high, 1, high), color);
    }
    if (m_map->rows < 2)
        return;
    const auto rows = stripHeights(m_profiles->rows, v.firstRow, v.rows,
                                   static_cast<double>(m_map->rowsPerCell), plot.height());
    for (std::size_t y = 0; y < rows.size(); ++y)
        painter.fillRect(QRectF(plot.right() + ProfileGap, plot.top() + double(y),
                                rows[y] * ProfileSize, 1), color);
}

void HeatMapView::drawLayer(QPainter &painter, const HeatMapGeometry &geometry, const Layer &layer) const
{
    const HeatMap &map = *layer.map;
    if (map.rows == 0 || map.columns == 0)
        return;
    const QRectF cell = geometry.pixelsOf(0, static_cast<double>(map.rowsPerCell), 0,
                                          static_cast<double>(map.weightsPerCell));
    const double ratio = painter.device()->devicePixelRatioF();
    const std::size_t reduceRows = reduction(cell.height(), ratio);
    const std::size_t reduceColumns = reduction(cell.width(), ratio);
    if (layer.image.isNull() || layer.reduceRows != reduceRows || layer.reduceColumns != reduceColumns) {
        layer.image = heatMapImage(map, m_measure, m_pooling, colorScale(), themeOf(this), reduceRows,
                                   reduceColumns);
        layer.reduceRows = reduceRows;
        layer.reduceColumns = reduceColumns;
    }
    // Only the pixels in view: scaling a whole map up far would need a target of millions of pixels.
    const double rowsPerPixel = static_cast<double>(map.rowsPerCell * reduceRows);
    const double columnsPerPixel = static_cast<double>(map.weightsPerCell * reduceColumns);
    const double row0 = static_cast<double>(map.window.firstRow);
    const double column0 = static_cast<double>(map.window.firstColumn);
    const HeatMapViewport &v = geometry.viewport();
    const int top = std::clamp(int((v.firstRow - row0) / rowsPerPixel), 0, layer.image.height());
    const int bottom = std::clamp(int(std::ceil((v.firstRow + v.rows - row0) / rowsPerPixel)), top,
                                  layer.image.height());
    const int left = std::clamp(int((v.firstColumn - column0) / columnsPerPixel), 0, layer.image.width());
    const int right = std::clamp(int(std::ceil((v.firstColumn + v.columns - column0) / columnsPerPixel)),
                                 left, layer.image.width());
    if (top == bottom || left == right)
        return;
    const QRectF target = geometry.pixelsOf(row0 + top * rowsPerPixel, (bottom - top) * rowsPerPixel,
                                            column0 + left * columnsPerPixel,
                                            (right - left) * columnsPerPixel);
    painter.drawImage(target, layer.image, QRectF(left, top, right - left, bottom - top));
}

void HeatMapView::drawMarks(QPainter &painter, const HeatMapGeometry &geometry) const
{
    const auto outline = [&](const WeightPlace &place, const QColor &color) {
        const HeatMap *map = mapAt(place);
        if (!map)
            return;
        const auto start = [](std::uint64_t at, std::uint64_t origin, std::uint64_t size) {
            return static_cast<double>(origin + (at - origin) / size * size);
        };
        QRectF rect = geometry.pixelsOf(start(place.row, map->window.firstRow, map->rowsPerCell),
                                        static_cast<double>(map->rowsPerCell),
                                        start(place.column, map->window.firstColumn, map->weightsPerCell),
                                        static_cast<double>(map->weightsPerCell));
        const QPointF centre = rect.center();
        rect.setSize({std::max(MinMark, rect.width()), std::max(MinMark, rect.height())});
        rect.moveCenter(centre);
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(Qt::black, 3));
        painter.drawRect(rect);
        painter.setPen(QPen(color, 1.5));
        painter.drawRect(rect);
    };
    if (m_hovered && m_hovered != m_selected)
        outline(*m_hovered, QColor(0xc8d0da));
    if (m_selected)
        outline(*m_selected, Qt::white);
}

void HeatMapView::drawAxes(QPainter &painter, const HeatMapGeometry &geometry, const QSize &size) const
{
    const QFontMetrics metrics(axisFont());
    const QRectF &plot = geometry.plot();
    const HeatMapViewport &v = geometry.viewport();
    painter.save();
    painter.setFont(axisFont());
    painter.setPen(themeOf(this).muted);
    const int high = metrics.height();

    const int rowTicks = std::max(1, static_cast<int>(plot.height()) / RowTickPx);
    for (const std::uint64_t row : axisTicks(v.firstRow, v.rows, rowTicks)) {
        const double y = geometry.pixelsOf(double(row), 1, 0, 1).center().y();
        const double top = std::clamp(y - high / 2.0, plot.top() - 1, plot.bottom() - high + 2);
        painter.drawText(QRectF(high + 4, top, plot.left() - TickSpace - high - 4, high),
                         Qt::AlignRight | Qt::AlignVCenter, formatCount(row));
    }
    const int columnTicks = std::max(1, static_cast<int>(plot.width()) / ColumnTickPx);
    for (const std::uint64_t column : axisTicks(v.firstColumn, v.columns, columnTicks, m_map->cellWeights)) {
        const QString label = formatCount(column);
        const double wide = metrics.horizontalAdvance(label) + 2;
        const double x = geometry.toPixel(0, double(column)).x();
        painter.drawLine(QPointF(x, plot.bottom()), QPointF(x, plot.bottom() + 3));
        const double left = std::clamp(x - wide / 2, plot.left(), plot.right() - wide);
        painter.drawText(QRectF(left, plot.bottom() + 4, wide, high), Qt::AlignCenter, label);
    }

    painter.setFont(Theme::textFont(AxisFontPx));
    const QString unit = m_map->hasScale ? tr("weight in the row, %1 a block").arg(m_map->cellWeights)
                                         : tr("weight in the row");
    painter.drawText(QRectF(plot.left(), plot.bottom() + 3 + high, plot.width(), high + 2),
                     Qt::AlignCenter, unit);
    const QString rows = m_map->tensorRows == 1 ? tr("1 row") : tr("row");
    painter.translate(0, plot.center().y());
    painter.rotate(-90);
    painter.drawText(QRectF(-size.height(), 0, 2 * size.height(), high), Qt::AlignCenter, rows);
    painter.restore();
}

} // namespace ql
