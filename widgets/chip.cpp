// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/chip.h"

#include "widgets/theme.h"

#include <QFontMetrics>
#include <QPainter>

namespace ql {

namespace {
constexpr int ChipHeight = 18;
constexpr int ChipPadding = 8;
constexpr double ChipRadius = 4;
} // namespace

ChipLook chipForType(std::uint32_t typeId)
{
    const TypeTraits *type = findType(typeId);
    return {QString::fromStdString(typeLabel(typeId)),
            Theme::chipColor(type ? type->family : TypeFamily::Unknown), type && type->isIq()};
}

QFont chipFont()
{
    QFont font = Theme::textFont(11);
    font.setWeight(QFont::Medium);
    return font;
}

QSize chipSize(const QString &text)
{
    return {QFontMetrics(chipFont()).horizontalAdvance(text) + 2 * ChipPadding, ChipHeight};
}

QRectF chipRect(const QRect &cell, const QString &text, int minimumWidth)
{
    const int wanted = std::max(minimumWidth, chipSize(text).width());
    const int width = std::min(wanted, cell.width());
    const int height = std::min(ChipHeight, cell.height());
    return QRectF(cell.left(), cell.top() + (cell.height() - height) / 2, width, height);
}

void paintChip(QPainter &painter, const QRectF &rect, const ChipLook &look)
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(look.fill);
    painter.drawRoundedRect(rect, ChipRadius, ChipRadius);
    if (look.dotted) {
        QPen pen(QColor(255, 255, 255, 190), 1);
        pen.setDashPattern({1.5, 2.5});
        painter.setPen(pen);
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(rect.adjusted(1.5, 1.5, -1.5, -1.5), ChipRadius - 1, ChipRadius - 1);
    }
    painter.setPen(Qt::white);
    painter.setFont(chipFont());
    const QString text = QFontMetrics(chipFont())
                             .elidedText(look.text, Qt::ElideRight, static_cast<int>(rect.width()) - 6);
    painter.drawText(rect, Qt::AlignCenter, text);
    painter.restore();
}

ChipLabel::ChipLabel(QWidget *parent) : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
}

void ChipLabel::setType(std::uint32_t typeId)
{
    setLook(chipForType(typeId));
}

void ChipLabel::setLook(const ChipLook &look)
{
    if (look == m_look)
        return;
    m_look = look;
    setAccessibleName(tr("type %1").arg(look.text));
    updateGeometry();
    update();
}

QSize ChipLabel::sizeHint() const
{
    return chipSize(m_look.text);
}

void ChipLabel::paintEvent(QPaintEvent *)
{
    if (m_look.text.isEmpty())
        return;
    QPainter painter(this);
    paintChip(painter, QRectF(rect()), m_look);
}

} // namespace ql
