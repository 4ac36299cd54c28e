// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/focusring.h"

#include "widgets/theme.h"

#include <QAbstractButton>
#include <QAbstractSpinBox>
#include <QApplication>
#include <QComboBox>
#include <QEvent>
#include <QLineEdit>
#include <QPainter>
#include <QTabBar>

namespace ql {

namespace {

constexpr int Thickness = 2;

/// Buttons, fields and tabs get their focus from the style and the style sheet.
bool paintsItsFocus(const QWidget *widget)
{
    return qobject_cast<const QAbstractButton *>(widget) || qobject_cast<const QLineEdit *>(widget)
        || qobject_cast<const QComboBox *>(widget) || qobject_cast<const QAbstractSpinBox *>(widget)
        || qobject_cast<const QTabBar *>(widget);
}

bool wantsRing(const QWidget *widget)
{
    return widget && !widget->isWindow() && (widget->focusPolicy() & Qt::TabFocus) && !paintsItsFocus(widget);
}

} // namespace

FocusRing::FocusRing(QWidget *around) : QWidget(around)
{
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setFocusPolicy(Qt::NoFocus);
    around->installEventFilter(this);
    fit();
    show();
    raise();
}

void FocusRing::follow(QApplication &app)
{
    connect(&app, &QApplication::focusChanged, &app, [ring = QPointer<FocusRing>()](QWidget *, QWidget *now) mutable {
        delete ring; // null where it went with its widget
        if (wantsRing(now))
            ring = new FocusRing(now);
    });
}

void FocusRing::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.fillRect(rect(), themeOf(this).accent); // the mask leaves the edge of it
}

bool FocusRing::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() == QEvent::Resize)
        fit();
    return QWidget::eventFilter(watched, event);
}

void FocusRing::fit()
{
    setGeometry(parentWidget()->rect());
    // Nothing lies over the middle: what is below is not painted again for the sake of the ring.
    setMask(QRegion(rect()) - QRegion(rect().adjusted(Thickness, Thickness, -Thickness, -Thickness)));
}

} // namespace ql
