// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/celldelegate.h"

#include "widgets/chip.h"
#include "widgets/models/itemroles.h"
#include "widgets/theme.h"

#include <QFontDatabase>
#include <QPainter>
#include <QPainterPath>

namespace ql {

namespace {

constexpr int Margin = 8;
constexpr int TextEndMargin = 2; // text that begins at the left may run close to the next column
constexpr int ChipMargin = 4;
constexpr int BarWidth = 64;
constexpr int BarHeight = 7;
constexpr int MarkWidth = 16;

QFont fontOf(CellDelegate::Font font)
{
    switch (font) {
    case CellDelegate::Font::Fixed: return Theme::fixedFont();
    case CellDelegate::Font::Words: return Theme::textFont();
    case CellDelegate::Font::Raw: return rawFont();
    }
    return {};
}

struct Cell {
    QPainter &painter;
    QRect rect;
    const QModelIndex &index;
    Theme theme;
    const QFont &font;
};

void paintBackground(const Cell &cell, const QStyleOptionViewItem &option)
{
    if (option.state & QStyle::State_Selected)
        cell.painter.fillRect(option.rect, cell.theme.selection);
    else if (option.state & QStyle::State_MouseOver)
        cell.painter.fillRect(option.rect, cell.theme.grid);
    if (!cell.index.data(ChosenRole).toBool())
        return;
    // A line below as well: colour alone would vanish in a selected row.
    cell.painter.fillRect(option.rect, cell.theme.selection);
    cell.painter.fillRect(QRect(option.rect.left(), option.rect.bottom() - 1, option.rect.width(), 2), cell.theme.accent);
}

/// A triangle with an exclamation mark: a shape, not only a colour.
void paintMark(const Cell &cell, const QRectF &box)
{
    QPainterPath triangle;
    triangle.moveTo(box.center().x(), box.top());
    triangle.lineTo(box.right(), box.bottom());
    triangle.lineTo(box.left(), box.bottom());
    triangle.closeSubpath();
    cell.painter.setRenderHint(QPainter::Antialiasing);
    cell.painter.fillPath(triangle, cell.theme.warning);
    QPen pen(cell.theme.panel, 1.4);
    pen.setCapStyle(Qt::FlatCap);
    cell.painter.setPen(pen);
    const double x = box.center().x();
    cell.painter.drawLine(QPointF(x, box.top() + 4), QPointF(x, box.top() + 7.5));
    cell.painter.drawLine(QPointF(x, box.top() + 8.5), QPointF(x, box.top() + 10));
}

void paintBar(const Cell &cell, QRect &rest, double share)
{
    // Bars share one length, so that they compare; what stands beside them is never cut.
    const int number = QFontMetrics(cell.font).horizontalAdvance(QStringLiteral("0.00000")) + 6;
    const int full = std::min(BarWidth, std::max(rest.width() - number, rest.width() / 5));
    const double width = std::max(2.0, share * full);
    const QRectF bar(rest.left(), rest.center().y() - BarHeight / 2 + 0.5, width, BarHeight);
    cell.painter.setRenderHint(QPainter::Antialiasing);
    cell.painter.setPen(Qt::NoPen);
    cell.painter.setBrush(cell.theme.b);
    cell.painter.drawRoundedRect(bar, 2, 2);
    rest.setLeft(rest.left() + static_cast<int>(width) + 4);
}

QColor textColor(const Cell &cell)
{
    return cell.index.data(MutedRole).toBool() ? cell.theme.muted : cell.theme.text;
}

void paintText(const Cell &cell, QRect rest, const QString &text)
{
    const int alignment = cell.index.data(Qt::TextAlignmentRole).toInt();
    const auto elide = alignment & Qt::AlignRight ? Qt::ElideLeft : Qt::ElideRight;
    cell.painter.setFont(cell.font);
    cell.painter.setPen(textColor(cell));
    const QString shown = QFontMetrics(cell.font).elidedText(text, elide, rest.width());
    cell.painter.drawText(rest, alignment | Qt::AlignVCenter | Qt::TextSingleLine, shown);
}

void paintContent(const Cell &cell)
{
    const QVariant type = cell.index.data(TypeIdRole);
    if (type.isValid()) {
        const ChipLook look = chipForType(type.toUInt());
        const QRect box = cell.rect.adjusted(ChipMargin, 0, -ChipMargin, 0);
        paintChip(cell.painter, chipRect(box, look.text), look);
        return;
    }
    const bool isRight = cell.index.data(Qt::TextAlignmentRole).toInt() & Qt::AlignRight;
    QRect rest = cell.rect.adjusted(Margin, 0, isRight ? -Margin : -TextEndMargin, 0);
    if (cell.index.data(ProblemRole).toBool()) {
        paintMark(cell, QRectF(rest.left(), rest.center().y() - 5, 12, 11));
        rest.setLeft(rest.left() + MarkWidth);
    }
    const QVariant bar = cell.index.data(BarRole);
    if (bar.isValid())
        paintBar(cell, rest, bar.toDouble());
    paintText(cell, rest, cell.index.data(Qt::DisplayRole).toString());
}

} // namespace

QFont rawFont()
{
    QFont font = Theme::fixedFont();
    font.setFamilies({QStringLiteral("JetBrains Mono NL"), QStringLiteral("DejaVu Sans Mono"),
                      QFontDatabase::systemFont(QFontDatabase::FixedFont).family()});
    return font;
}

CellDelegate::CellDelegate(Font font, QObject *parent)
    : QStyledItemDelegate(parent)
    , m_font(fontOf(font))
{
}

void CellDelegate::paint(QPainter *painter, const QStyleOptionViewItem &option,
                         const QModelIndex &index) const
{
    painter->save();
    painter->setClipRect(option.rect);
    const Cell cell{*painter, option.rect, index, Theme::fromPalette(option.palette),
                    m_font};
    paintBackground(cell, option);
    paintContent(cell);
    painter->restore();
}

QSize CellDelegate::sizeHint(const QStyleOptionViewItem &, const QModelIndex &index) const
{
    const QVariant type = index.data(TypeIdRole);
    if (type.isValid())
        return {chipSize(chipForType(type.toUInt()).text).width() + 2 * ChipMargin, RowHeight};
    int width = QFontMetrics(m_font).horizontalAdvance(index.data(Qt::DisplayRole).toString());
    width += 2 * Margin;
    if (index.data(ProblemRole).toBool())
        width += MarkWidth;
    if (index.data(BarRole).isValid())
        width += BarWidth + 4;
    return {width, RowHeight};
}

} // namespace ql
