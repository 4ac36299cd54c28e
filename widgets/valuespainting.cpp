// SPDX-License-Identifier: GPL-3.0-or-later
// How ValuesView looks; what it does is in valuesview.cpp.
#include "widgets/formatting.h"
#include "widgets/theme.h"
#include "widgets/valuesview.h"

#include <QPainter>

#include <cmath>

namespace ql {

namespace {

/// Black or white, whichever reads better on a colour.
QColor textOn(const QColor &background)
{
    return contrastRatio(Qt::white, background) > contrastRatio(Qt::black, background) ? Qt::white
                                                                                       : Qt::black;
}

} // namespace

void ValuesView::paintEvent(QPaintEvent *)
{
    if (m_geometry.isEmpty())
        return;
    const Theme theme = themeOf(this);
    QPainter painter(viewport());
    painter.setFont(Theme::fixedFont());
    painter.save();
    painter.setClipRect(QRect(QPoint(m_geometry.header.width(), m_geometry.header.height()),
                              viewport()->size()));
    paintCells(painter, theme);
    paintSelection(painter, theme);
    painter.restore();
    paintHeaders(painter, theme);
}

std::optional<QColor> ValuesView::cellColor(const Theme &theme, double value, ValuesOf of) const
{
    if (!m_colored)
        return std::nullopt;
    if (!std::isfinite(value))
        return theme.nonFinite;
    // A difference is small beside the weights: it has a scale of its own.
    const double largest = layer(of).largest;
    const double range = of == ValuesOf::Difference ? largest : m_colorRange.value_or(largest);
    const double position = range > 0 ? 0.5 + 0.5 * value / range : 0.5;
    return QColor(theme.colorAt(ColorMap::Signed, position));
}

/// Three numbers in a cell are told apart by colour and by their order; one alone is plain.
QColor ValuesView::plainColor(const Theme &theme, double value, ValuesOf of) const
{
    if (!std::isfinite(value))
        return theme.danger;
    if (m_shown != ValuesShown::All)
        return value == 0 ? theme.muted : theme.text;
    const QColor colors[] = {theme.accentText, theme.bText, value == 0 ? theme.muted : theme.text};
    return colors[static_cast<std::size_t>(of)];
}

void ValuesView::paintCells(QPainter &painter, const Theme &theme) const
{
    const ValuesWindow seen = m_geometry.visible();
    for (std::uint64_t row = seen.firstRow; row < seen.firstRow + seen.rows; ++row)
        for (std::uint64_t column = seen.firstColumn; column < seen.firstColumn + seen.columns;
             ++column)
            paintCell(painter, theme, {row, column});
}

void ValuesView::paintCell(QPainter &painter, const Theme &theme, const CellPlace &place) const
{
    const QRect rect = m_geometry.rectOf(place);
    const auto layers = shownLayers();
    const int height = rect.height() / static_cast<int>(layers.size());
    int top = rect.top();
    for (const ValuesOf of : layers) {
        const int bottom = of == layers.back() ? rect.bottom() + 1 : top + height;
        paintValue(painter, theme, place, of, QRect(rect.left(), top, rect.width(), bottom - top));
        top = bottom;
    }
    painter.setPen(layers.size() > 1 ? theme.line : theme.grid);
    if (!m_colored || layers.size() > 1)
        painter.drawLine(rect.bottomLeft(), rect.bottomRight());
    // Where one block ends and the next begins.
    const ValuesPage *page = pageOf(place, layers.front());
    if (page && page->blockSize > 1 && place.column % page->blockSize == 0 && place.column > 0) {
        painter.setPen(theme.line);
        painter.drawLine(rect.topLeft(), rect.bottomLeft());
    }
}

void ValuesView::paintValue(QPainter &painter, const Theme &theme, const CellPlace &place, ValuesOf of,
                            const QRect &rect) const
{
    const ValuesPage *page = pageOf(place, of);
    if (!page) {
        painter.fillRect(
            rect.adjusted(rect.width() / 2, rect.height() / 2 - 1, -8, -rect.height() / 2 + 2),
            theme.grid);
        return;
    }
    const double value = page->value(place.row, place.column);
    const auto color = cellColor(theme, value, of);
    if (color)
        painter.fillRect(rect, *color);
    painter.setPen(color ? textOn(*color) : plainColor(theme, value, of));
    // All digits of a difference would not fit; copying gives them.
    const QString text = of == ValuesOf::Difference ? formatNumber(value)
                                                    : inLocale(QString::fromStdString(page->text(place.row, place.column)));
    painter.drawText(rect.adjusted(6, 0, -8, 0), Qt::AlignRight | Qt::AlignVCenter, text);
}

void ValuesView::paintSelection(QPainter &painter, const Theme &theme) const
{
    if (!m_current)
        return;
    const ValuesWindow chosen = selection();
    const ValuesWindow seen = m_geometry.visible();
    const std::uint64_t firstRow = std::max(chosen.firstRow, seen.firstRow);
    const std::uint64_t firstColumn = std::max(chosen.firstColumn, seen.firstColumn);
    const std::uint64_t lastRow =
        std::min(chosen.firstRow + chosen.rows, seen.firstRow + seen.rows);
    const std::uint64_t lastColumn =
        std::min(chosen.firstColumn + chosen.columns, seen.firstColumn + seen.columns);
    if (firstRow >= lastRow || firstColumn >= lastColumn)
        return;
    const QRect area = m_geometry.rectOf({firstRow, firstColumn})
                           .united(m_geometry.rectOf({lastRow - 1, lastColumn - 1}));
    QColor fill = theme.accent;
    fill.setAlphaF(0.14f);
    painter.fillRect(area, fill);
    painter.setPen(QPen(theme.accent, 2));
    const bool isSeen = m_current->row >= seen.firstRow && m_current->row < lastRow
                        && m_current->column >= seen.firstColumn && m_current->column < lastColumn;
    if (isSeen)
        painter.drawRect(m_geometry.rectOf(*m_current).adjusted(1, 1, -1, -1));
}

void ValuesView::paintHeaders(QPainter &painter, const Theme &theme) const
{
    const ValuesWindow seen = m_geometry.visible();
    const QSize header = m_geometry.header;
    painter.fillRect(QRect(0, 0, viewport()->width(), header.height()), theme.panel);
    painter.fillRect(QRect(0, 0, header.width(), viewport()->height()), theme.panel);
    painter.setPen(theme.line);
    painter.drawLine(0, header.height() - 1, viewport()->width(), header.height() - 1);
    for (std::uint64_t column = seen.firstColumn; column < seen.firstColumn + seen.columns;
         ++column) {
        const QRect cell = m_geometry.rectOf({m_geometry.top, column});
        painter.setPen(m_current && m_current->column == column ? theme.accentText : theme.muted);
        painter.drawText(QRect(cell.left(), 0, cell.width() - 8, header.height()),
                         Qt::AlignRight | Qt::AlignVCenter, formatCount(column));
    }
    for (std::uint64_t row = seen.firstRow; row < seen.firstRow + seen.rows; ++row) {
        const QRect cell = m_geometry.rectOf({row, m_geometry.left});
        if (cell.top() < header.height())
            continue;
        painter.setPen(m_current && m_current->row == row ? theme.accentText : theme.muted);
        painter.drawText(QRect(0, cell.top(), header.width() - 12, cell.height()),
                         Qt::AlignRight | Qt::AlignVCenter, formatCount(row));
    }
    painter.fillRect(QRect(0, 0, header.width(), header.height() - 1), theme.panel);
}

} // namespace ql
