// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/card.h"

#include "widgets/theme.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QVBoxLayout>

namespace ql {

namespace {
constexpr int ReadoutHeight = 18;

constexpr double Radius = 8;

/// Its colour is the palette's PlaceholderText, which the theme makes the muted one; set through
/// foregroundRole(), so that a change of palette needs no code.
class MutedLabel final : public QLabel
{
public:
    explicit MutedLabel(const QString &text, QWidget *parent) : QLabel(text, parent)
    {
        setForegroundRole(QPalette::PlaceholderText);
        setFont(Theme::textFont(Theme::SmallPx));
    }
};

} // namespace

Card::Card(const QString &title, QWidget *parent) : QFrame(parent)
{
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(12, 8, 12, 10);
    layout->setSpacing(6);
    m_header = new QHBoxLayout;
    m_header->setSpacing(8);
    m_title = new QLabel(title, this);
    m_title->setFont(Theme::strongFont());
    m_title->setMinimumHeight(28);
    m_header->addWidget(m_title);
    m_body = new QVBoxLayout;
    m_body->setSpacing(4);
    layout->addLayout(m_header);
    layout->addLayout(m_body, 1);
    m_title->setVisible(!title.isEmpty());
}

void Card::setTitle(const QString &title)
{
    m_title->setText(title);
    m_title->setVisible(!title.isEmpty());
}

QString Card::title() const
{
    return m_title->text();
}

QLabel *Card::mutedLabel(const QString &text, QWidget *parent)
{
    return new MutedLabel(text, parent);
}

QLabel *Card::readoutLabel(const QString &name, QWidget *parent)
{
    QLabel *label = mutedLabel({}, parent);
    label->setObjectName(name);
    label->setFont(Theme::fixedFont());
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    label->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    label->setMinimumHeight(ReadoutHeight);
    return label;
}

void Card::paintEvent(QPaintEvent *)
{
    const Theme theme = themeOf(this);
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(theme.line, 1));
    painter.setBrush(theme.panel);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), Radius, Radius);
}

} // namespace ql
