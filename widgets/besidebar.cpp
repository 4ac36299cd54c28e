// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/besidebar.h"

#include "widgets/chip.h"
#include "widgets/theme.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>

namespace ql {

namespace {

QLabel *plainLabel(const QString &name, const QFont &font, QWidget *parent)
{
    auto *label = new QLabel(parent);
    label->setObjectName(name);
    label->setTextFormat(Qt::PlainText);
    label->setFont(font);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return label;
}

} // namespace

BesideBar::BesideBar(QWidget *parent)
    : QFrame(parent)
    , m_letter(plainLabel(QStringLiteral("besideLetter"), Theme::strongFont(), this))
    , m_name(plainLabel(QStringLiteral("besideName"), Theme::fixedFont(), this))
    , m_chip(new ChipLabel(this))
    , m_note(plainLabel(QStringLiteral("besideNote"), Theme::fixedFont(), this))
    , m_retry(new QPushButton(this))
    , m_close(new QPushButton(tr("A alone"), this))
{
    setObjectName(QStringLiteral("besideBar"));
    setAccessibleName(tr("Held as B"));
    m_letter->setText(QStringLiteral("B"));
    m_letter->setForegroundRole(Theme::TextOfB);
    m_note->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_note->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_retry->setObjectName(QStringLiteral("besideRetry"));
    m_close->setObjectName(QStringLiteral("besideClose"));
    m_close->setToolTip(tr("Let go of B and go back to A alone"));
    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(20, 4, 8, 4);
    layout->setSpacing(8);
    layout->addWidget(m_letter);
    layout->addWidget(m_name);
    layout->addWidget(m_chip);
    layout->addWidget(m_note, 1);
    layout->addWidget(m_retry);
    layout->addWidget(m_close);
    connect(m_close, &QPushButton::clicked, this, &BesideBar::letGo);
    connect(m_retry, &QPushButton::clicked, this, &BesideBar::retryRequested);
    hide();
}

void BesideBar::setHeld(const QString &name, std::uint32_t typeId)
{
    m_name->setText(name);
    m_chip->setType(typeId);
    show();
}

void BesideBar::setNote(const QString &note, const QString &button)
{
    m_fullNote = note;
    m_note->setToolTip(note);
    m_retry->setText(button);
    m_retry->setVisible(!button.isEmpty());
    fitNote();
}

QString BesideBar::name() const { return m_name->text(); }

QString BesideBar::note() const { return m_fullNote; }

void BesideBar::fitNote()
{
    m_note->setText(m_note->fontMetrics().elidedText(m_fullNote, Qt::ElideRight, m_note->width()));
}

void BesideBar::resizeEvent(QResizeEvent *event)
{
    QFrame::resizeEvent(event);
    layout()->activate(); // the note's own size comes with it
    fitNote();
}

void BesideBar::paintEvent(QPaintEvent *)
{
    const Theme theme = themeOf(this);
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(theme.line, 1));
    painter.setBrush(theme.panel);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 8, 8);
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.b);
    painter.drawRoundedRect(QRectF(8, 8, 4, height() - 16), 2, 2);
}

} // namespace ql
