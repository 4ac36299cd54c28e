// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/stateplaceholder.h"

#include "widgets/card.h"
#include "widgets/theme.h"

#include <QEvent>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace ql {

StatePlaceholder::StatePlaceholder(QWidget *parent) : QWidget(parent)
{
    setObjectName(QStringLiteral("statePlaceholder"));
    m_title = new QLabel(this);
    m_title->setObjectName(QStringLiteral("stateTitle"));
    m_title->setFont(Theme::strongFont(Theme::TitlePx));
    m_detail = Card::mutedLabel({}, this);
    m_detail->setObjectName(QStringLiteral("stateDetail"));
    m_button = new QPushButton(this);
    m_button->setObjectName(QStringLiteral("stateButton"));
    for (QLabel *label : {m_title, m_detail}) {
        label->setAlignment(Qt::AlignCenter);
        label->setWordWrap(true);
        label->setTextFormat(Qt::PlainText);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    }
    connect(m_button, &QPushButton::clicked, this, &StatePlaceholder::actionTriggered);

    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(24, 16, 24, 16);
    layout->setSpacing(8);
    layout->addStretch(2);
    layout->addWidget(m_title);
    layout->addWidget(m_detail);
    layout->addSpacing(4);
    layout->addWidget(m_button, 0, Qt::AlignHCenter);
    layout->addStretch(3);
    m_button->hide();
}

void StatePlaceholder::showEmpty(const QString &title, const QString &whatToDo, const QString &button)
{
    m_error = false;
    setContent(title, whatToDo, button);
}

void StatePlaceholder::showError(const QString &title, const QString &detail, const QString &button)
{
    m_error = true;
    setContent(title, detail, button);
}

QSize StatePlaceholder::minimumSizeHint() const
{
    constexpr int MoreLines = 2; // than the one that a wrapped text asks for
    return QWidget::minimumSizeHint() + QSize(0, MoreLines * m_detail->fontMetrics().lineSpacing());
}

QString StatePlaceholder::title() const
{
    return m_title->text();
}

QString StatePlaceholder::detail() const
{
    return m_detail->text();
}

void StatePlaceholder::setContent(const QString &title, const QString &detail, const QString &button)
{
    m_title->setText(title);
    m_detail->setText(detail);
    m_detail->setVisible(!detail.isEmpty());
    m_button->setText(button);
    m_button->setAccessibleName(button);
    m_button->setVisible(!button.isEmpty());
    setAccessibleName(title);
    setAccessibleDescription(detail);
    applyColors();
}

void StatePlaceholder::applyColors()
{
    // BrightText is the theme's colour of danger.
    const auto role = m_error ? QPalette::BrightText : QPalette::WindowText;
    m_title->setForegroundRole(role);
    m_title->update();
}

void StatePlaceholder::changeEvent(QEvent *event)
{
    if (event->type() == QEvent::PaletteChange)
        applyColors();
    QWidget::changeEvent(event);
}

} // namespace ql
