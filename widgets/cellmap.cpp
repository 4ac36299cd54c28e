// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/cellmap.h"

#include "widgets/formatting.h"

#include <QFontMetrics>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace ql {

namespace {

constexpr double MostCellWidth = 48;
constexpr double MostCellHeight = 32;
constexpr double LeastLinedCell = 8;

QFont labelFont() { return Theme::fixedFont(Theme::SmallPx - 1); }

/// Every how manieth label fits when each needs `needed` pixels.
int labelStep(double cell, int needed)
{
    constexpr int Steps[] = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096};
    const auto step = std::ranges::find_if(Steps, [&](int n) { return n * cell >= needed; });
    return step != std::end(Steps) ? *step : 8192;
}

QRgb colorOf(const CellMapData &data, const Theme &theme, double value)
{
    if (std::isnan(value))
        return theme.grid.rgb();
    if (std::isinf(value))
        return theme.nonFinite.rgb();
    const double range = data.hi - data.lo;
    return theme.colorAt(data.colors, range > 0 ? (value - data.lo) / range : 0.5);
}

} // namespace

CellMapGeometry CellMapGeometry::fit(const CellMapData &data, const QSize &size, int labelWidth,
                                     int labelHeight)
{
    CellMapGeometry g;
    g.rows = data.rows;
    g.columns = data.columns;
    const double width = std::max(1, size.width() - labelWidth);
    const double height = std::max(1, size.height() - labelHeight);
    g.area = QRectF(labelWidth, labelHeight, std::min(width, MostCellWidth * data.columns),
                    std::min(height, MostCellHeight * data.rows));
    return g;
}

QRectF CellMapGeometry::rectOf(const MapCell &place) const
{
    return {area.left() + place.column * cellWidth(), area.top() + place.row * cellHeight(),
            cellWidth(), cellHeight()};
}

std::optional<MapCell> CellMapGeometry::cellAt(QPointF p) const
{
    if (!area.contains(p) || rows == 0 || columns == 0)
        return std::nullopt;
    const int row = std::min(rows - 1, static_cast<int>((p.y() - area.top()) / cellHeight()));
    const int column = std::min(columns - 1, static_cast<int>((p.x() - area.left()) / cellWidth()));
    return MapCell{row, column};
}

CellMap::CellMap(QWidget *parent) : QWidget(parent)
{
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
}

void CellMap::setData(CellMapData data)
{
    m_data = std::move(data);
    m_pointed.reset();
    refreshImage();
    update();
}

void CellMap::setSelected(std::optional<MapCell> place)
{
    m_selected = place;
    update();
}

void CellMap::setHeld(std::optional<MapCell> place)
{
    m_held = place;
    update();
}

void CellMap::refreshImage()
{
    const Theme theme = themeOf(this);
    m_image = QImage(std::max(1, m_data.columns), std::max(1, m_data.rows), QImage::Format_RGB32);
    for (int row = 0; row < m_data.rows; ++row)
        for (int column = 0; column < m_data.columns; ++column)
            m_image.setPixel(column, row, colorOf(m_data, theme, m_data.value(row, column)));
}

int CellMap::titleHeight(int width) const
{
    constexpr int Roomy = 330;
    return width < Roomy && !m_data.title.isEmpty() ? QFontMetrics(labelFont()).height() + 2 : 0;
}

QSize CellMap::labelSize(int totalWidth) const
{
    const QFontMetrics metrics(labelFont());
    int width = metrics.horizontalAdvance(m_data.rowTitle);
    for (int row = 0; row < m_data.rows; ++row)
        width = std::max(width, metrics.horizontalAdvance(m_data.rowName(row)));
    return {width + 8, titleHeight(totalWidth) + 2 * metrics.height() + 4};
}

CellMapGeometry CellMap::geometryIn(const QSize &size) const
{
    const QSize labels = labelSize(size.width());
    return CellMapGeometry::fit(m_data, size, labels.width(), labels.height());
}

void CellMap::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    draw(painter, size());
}

void CellMap::draw(QPainter &painter, const QSize &size) const
{
    const Theme theme = themeOf(this);
    if (m_data.rows == 0 || m_data.columns == 0) {
        painter.setPen(theme.muted);
        painter.drawText(QRect({0, 0}, size), Qt::AlignCenter | Qt::TextWordWrap, m_data.emptyText);
        return;
    }
    const CellMapGeometry cells = geometryIn(size);
    painter.drawImage(cells.area, m_image);
    paintLines(painter, theme, cells);
    paintMarks(painter, theme, cells);
    paintLabels(painter, theme, cells, paintLegend(painter, theme, size.width()));
}

/// Hair lines between cells that are large enough to count.
void CellMap::paintLines(QPainter &painter, const Theme &theme, const CellMapGeometry &cells) const
{
    if (std::min(cells.cellWidth(), cells.cellHeight()) < LeastLinedCell)
        return;
    painter.setPen(theme.panel);
    for (int column = 1; column < cells.columns; ++column)
        painter.drawLine(cells.rectOf({0, column}).topLeft(),
                         cells.rectOf({cells.rows, column}).topLeft());
    for (int row = 1; row < cells.rows; ++row)
        painter.drawLine(cells.rectOf({row, 0}).topLeft(),
                         cells.rectOf({row, cells.columns}).topLeft());
}

int CellMap::paintLegend(QPainter &painter, const Theme &theme, int width) const
{
    constexpr int MostBar = 120;
    constexpr int LeastBar = 24;
    constexpr int Gap = 6;
    const QFontMetrics metrics(labelFont());
    const QString hi = formatNumber(m_data.hi);
    const int top = titleHeight(width);
    const QString left = (top ? QString() : m_data.title + QStringLiteral("  ")) + formatNumber(m_data.lo);
    const int room = width - metrics.horizontalAdvance(hi) - metrics.horizontalAdvance(left) - 2 * Gap - 2;
    const int bar = std::clamp(room, LeastBar, MostBar);
    int x = width - metrics.horizontalAdvance(hi) - 2;
    painter.setFont(labelFont());
    painter.setPen(theme.muted);
    if (top)
        painter.drawText(0, metrics.ascent(), m_data.title);
    painter.drawText(x, top + metrics.ascent(), hi);
    x -= bar + Gap;
    for (int i = 0; i < bar; ++i)
        painter.fillRect(x + i, top + 2, 1, metrics.ascent() - 2,
                         QColor(theme.colorAt(m_data.colors, i / double(bar - 1))));
    x -= metrics.horizontalAdvance(left) + Gap;
    painter.drawText(x, top + metrics.ascent(), left);
    return x;
}

void CellMap::paintMarks(QPainter &painter, const Theme &theme, const CellMapGeometry &cells) const
{
    painter.setRenderHint(QPainter::Antialiasing);
    for (std::size_t i = 0; i < m_data.marked.size(); ++i) {
        if (!m_data.marked[i])
            continue;
        const int at = static_cast<int>(i);
        const QRectF cell = cells.rectOf({at / m_data.columns, at % m_data.columns});
        const double radius = std::clamp(std::min(cell.width(), cell.height()) / 5, 1.5, 4.0);
        painter.setPen(QPen(Qt::black, 1));
        painter.setBrush(Qt::white);
        painter.drawEllipse(cell.center(), radius, radius);
    }
    painter.setBrush(Qt::NoBrush);
    const auto frame = [&](const MapCell &place, const QColor &color, double width) {
        painter.setPen(QPen(color, width));
        painter.drawRect(cells.rectOf(place));
    };
    if (m_held && m_held->row < m_data.rows && m_held->column < m_data.columns)
        frame(*m_held, theme.b, 2.5);
    if (m_selected && m_selected->row < m_data.rows && m_selected->column < m_data.columns)
        frame(*m_selected, theme.accent, 2.5);
    if (m_pointed)
        frame(*m_pointed, theme.text, 1.5);
}

void CellMap::paintLabels(QPainter &painter, const Theme &theme, const CellMapGeometry &cells, int titleEnd) const
{
    const QFontMetrics metrics(labelFont());
    painter.setFont(labelFont());
    painter.setPen(theme.muted);
    const int left = static_cast<int>(cells.area.left());
    const int line = metrics.height();
    const int numbers = static_cast<int>(cells.area.top()) - line - 2;
    if (left + metrics.horizontalAdvance(m_data.columnTitle) + 8 < titleEnd)
        painter.drawText(QRect(left, numbers - line - 2, 200, line), Qt::AlignLeft, m_data.columnTitle);
    painter.drawText(QRect(0, numbers, left - 6, line), Qt::AlignRight, m_data.rowTitle);
    const int widest = metrics.horizontalAdvance(QLatin1Char('0')) * 5;
    for (int column = 0; column < cells.columns; column += labelStep(cells.cellWidth(), widest)) {
        const QRectF cell = cells.rectOf({0, column});
        painter.drawText(QRectF(cell.center().x() - 40, numbers, 80, line), Qt::AlignHCenter,
                         m_data.columnName(column));
    }
    for (int row = 0; row < cells.rows; row += labelStep(cells.cellHeight(), metrics.ascent() + 1)) {
        const QRectF cell = cells.rectOf({row, 0});
        painter.drawText(QRectF(0, cell.center().y() - line, left - 6, 2 * line),
                         Qt::AlignRight | Qt::AlignVCenter,
                         m_data.rowName(row));
    }
}

void CellMap::point(std::optional<MapCell> place)
{
    if (m_pointed == place)
        return;
    m_pointed = place;
    update();
    emit cellPointed(place ? place->row : -1, place ? place->column : -1);
}

void CellMap::mouseMoveEvent(QMouseEvent *event)
{
    point(geometryOfCells().cellAt(event->position()));
}

void CellMap::leaveEvent(QEvent *)
{
    point(std::nullopt);
}

void CellMap::mousePressEvent(QMouseEvent *event)
{
    const auto place = geometryOfCells().cellAt(event->position());
    if (event->button() != Qt::LeftButton || !place)
        return;
    if (event->modifiers() & Qt::ControlModifier) {
        emit cellHeld(place->row, place->column);
        return;
    }
    setSelected(place);
    emit cellActivated(place->row, place->column);
}

void CellMap::keyPressEvent(QKeyEvent *event)
{
    const MapCell at = m_selected.value_or(MapCell{0, 0});
    const std::pair<int, MapCell> steps[] = {{Qt::Key_Left, {at.row, at.column - 1}},
                                                {Qt::Key_Right, {at.row, at.column + 1}},
                                                {Qt::Key_Up, {at.row - 1, at.column}},
                                                {Qt::Key_Down, {at.row + 1, at.column}}};
    const auto step = std::ranges::find(steps, event->key(), &std::pair<int, MapCell>::first);
    if (step == std::end(steps))
        return QWidget::keyPressEvent(event);
    const auto [row, column] = step->second;
    if (row < 0 || column < 0 || row >= m_data.rows || column >= m_data.columns)
        return;
    setSelected(step->second);
    emit cellActivated(row, column);
}

void CellMap::changeEvent(QEvent *event)
{
    if (event->type() == QEvent::PaletteChange) {
        refreshImage();
        update();
    }
    QWidget::changeEvent(event);
}

} // namespace ql
