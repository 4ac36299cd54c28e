// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/elidedlabel.h"

#include <QHelpEvent>
#include <QPainter>
#include <QStyle>
#include <QToolTip>

namespace ql {

namespace {

constexpr int LeastLetters = 4;

} // namespace

ElidedLabel::ElidedLabel(Qt::TextElideMode mode, QWidget *parent)
    : QLabel(parent)
    , m_mode(mode)
{
    setTextFormat(Qt::PlainText);
}

QSize ElidedLabel::minimumSizeHint() const
{
    const QSize whole = QLabel::minimumSizeHint();
    return {std::min(whole.width(), fontMetrics().averageCharWidth() * LeastLetters), whole.height()};
}

bool ElidedLabel::isShortened() const { return fontMetrics().horizontalAdvance(text()) > contentsRect().width(); }

QString ElidedLabel::shownText() const
{
    return isShortened() ? fontMetrics().elidedText(text(), m_mode, contentsRect().width()) : text();
}

void ElidedLabel::paintEvent(QPaintEvent *event)
{
    if (!isShortened()) {
        QLabel::paintEvent(event);
        return;
    }
    QPainter painter(this);
    style()->drawItemText(&painter, contentsRect(), static_cast<int>(alignment()), palette(), isEnabled(),
                          shownText(), foregroundRole());
}

void ElidedLabel::resizeEvent(QResizeEvent *event)
{
    QLabel::resizeEvent(event);
    update();
}

bool ElidedLabel::event(QEvent *event)
{
    if (event->type() == QEvent::ToolTip && isShortened() && toolTip().isEmpty()) {
        QToolTip::showText(static_cast<QHelpEvent *>(event)->globalPos(), text().left(2000), this);
        return true;
    }
    return QLabel::event(event);
}

} // namespace ql
