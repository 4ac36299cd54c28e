// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/overviewbar.h"

#include "widgets/chip.h"
#include "widgets/formatting.h"
#include "widgets/theme.h"

#include <QHelpEvent>
#include <QPainter>
#include <QPainterPath>
#include <QToolTip>

namespace ql {

namespace {

constexpr double Radius = 4;
constexpr double LeastWidthForText = 40;

} // namespace

ShareBar::ShareBar(QWidget *parent) : QWidget(parent)
{
    setObjectName(QStringLiteral("shareBar"));
    setAccessibleName(tr("Share of bytes by type"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void ShareBar::setTotals(std::vector<GroupTotal> totals)
{
    m_totals = std::move(totals);
    m_bytes = 0;
    QStringList words;
    for (const GroupTotal &total : m_totals)
        m_bytes += static_cast<double>(total.bytes);
    for (const GroupTotal &total : m_totals)
        words << QStringLiteral("%1 %2").arg(
            total.label, formatPercent(m_bytes > 0 ? static_cast<double>(total.bytes) / m_bytes : 0));
    setAccessibleDescription(words.join(QStringLiteral(", ")));
    update();
}

std::vector<QRectF> ShareBar::pieces() const
{
    std::vector<QRectF> pieces;
    double left = 0;
    for (const GroupTotal &total : m_totals) {
        const double piece = m_bytes > 0 ? static_cast<double>(total.bytes) / m_bytes * width() : 0;
        pieces.emplace_back(left, 0, piece, height());
        left += piece;
    }
    return pieces;
}

void ShareBar::paintEvent(QPaintEvent *)
{
    const Theme theme = themeOf(this);
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    QPainterPath outline;
    outline.addRoundedRect(QRectF(rect()), Radius, Radius);
    painter.setClipPath(outline);
    painter.fillRect(rect(), theme.grid);
    painter.setFont(chipFont());
    const auto boxes = pieces();
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        const ChipLook look = chipForType(m_totals[i].typeId.value_or(0));
        painter.fillRect(boxes[i].adjusted(0, 0, boxes[i].width() > 3 ? -1 : 0, 0), look.fill);
        if (boxes[i].width() < LeastWidthForText)
            continue;
        painter.setPen(Qt::white);
        painter.drawText(boxes[i], Qt::AlignCenter,
                         painter.fontMetrics().elidedText(look.text, Qt::ElideRight,
                                                          static_cast<int>(boxes[i].width()) - 4));
    }
}

bool ShareBar::event(QEvent *event)
{
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    const auto *help = static_cast<QHelpEvent *>(event);
    const auto boxes = pieces();
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        if (!boxes[i].contains(help->pos()))
            continue;
        QToolTip::showText(help->globalPos(),
                           tr("%1: %2").arg(m_totals[i].label, formatBytesLong(m_totals[i].bytes)),
                           this);
        return true;
    }
    QToolTip::hideText();
    return true;
}

} // namespace ql
