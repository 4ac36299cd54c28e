// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/choicebox.h"

#include "widgets/theme.h"

#include <QFontMetrics>
#include <QPainter>
#include <QPainterPath>
#include <QStandardItemModel>
#include <QWheelEvent>

namespace ql {

namespace {
constexpr int Height = 26;
constexpr int Padding = 10;
constexpr int ArrowSpace = 16;

void paintArrow(QPainter &painter, const QPointF &centre, const QColor &color)
{
    QPainterPath arrow;
    arrow.moveTo(centre + QPointF(-3.5, -2));
    arrow.lineTo(centre + QPointF(0, 2));
    arrow.lineTo(centre + QPointF(3.5, -2));
    painter.setPen(QPen(color, 1.4, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter.setBrush(Qt::NoBrush);
    painter.drawPath(arrow);
}
} // namespace

ChoiceBox::ChoiceBox(const QString &prefix, QWidget *parent) : QComboBox(parent), m_prefix(prefix)
{
    setFont(Theme::textFont(Theme::SmallPx));
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    setAccessibleName(prefix);
    setAttribute(Qt::WA_Hover);
}

void ChoiceBox::setItemEnabled(int index, bool enabled)
{
    if (auto *items = qobject_cast<QStandardItemModel *>(model()))
        if (auto *item = items->item(index))
            item->setEnabled(enabled);
}

bool ChoiceBox::isItemEnabled(int index) const
{
    return model()->flags(model()->index(index, 0)).testFlag(Qt::ItemIsEnabled);
}

bool ChoiceBox::choose(const QVariant &value)
{
    const int index = findData(value);
    if (index >= 0)
        setCurrentIndex(index);
    return index >= 0;
}

int ChoiceBox::widthFor(const QString &text) const
{
    const QString prefix = m_prefix.isEmpty() ? QString() : m_prefix + QStringLiteral(": ");
    return QFontMetrics(font()).horizontalAdvance(prefix + text) + 2 * Padding + ArrowSpace;
}

QSize ChoiceBox::sizeHint() const
{
    int widest = 0;
    for (int i = 0; i < count(); ++i)
        widest = std::max(widest, widthFor(itemText(i)));
    return {widest, Height};
}

QSize ChoiceBox::minimumSizeHint() const
{
    return {widthFor(currentText()), Height};
}

void ChoiceBox::paintEvent(QPaintEvent *)
{
    const Theme theme = themeOf(this);
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(hasFocus() ? theme.accent : theme.line, 1));
    painter.setBrush(underMouse() && isEnabled() ? theme.grid : theme.window);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);

    QColor strong = theme.text, weak = theme.muted;
    if (!isEnabled())
        strong = weak = palette().color(QPalette::Disabled, QPalette::Text);
    QRect area = rect().adjusted(Padding, 0, -Padding - ArrowSpace + 4, 0);
    painter.setPen(weak);
    if (!m_prefix.isEmpty()) {
        const QString prefix = m_prefix + QStringLiteral(": ");
        painter.drawText(area, Qt::AlignVCenter | Qt::AlignLeft, prefix);
        area.setLeft(area.left() + fontMetrics().horizontalAdvance(prefix));
    }
    painter.setPen(strong);
    painter.drawText(area, Qt::AlignVCenter | Qt::AlignLeft,
                     fontMetrics().elidedText(currentText(), Qt::ElideRight, area.width() + 2));
    paintArrow(painter, QPointF(width() - Padding - 3, height() / 2.0), weak);
}

void ChoiceBox::wheelEvent(QWheelEvent *event)
{
    // A wheel over a toolbar is meant for the page; only a focused box turns its choice.
    hasFocus() ? QComboBox::wheelEvent(event) : event->ignore();
}

} // namespace ql
