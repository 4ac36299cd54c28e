// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/blinkkey.h"

#include "widgets/compareheatpanel.h"

#include <QAbstractSpinBox>
#include <QApplication>
#include <QComboBox>
#include <QKeyEvent>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QTextEdit>

namespace ql {

namespace {

bool isForWriting(const QObject *widget)
{
    const auto *combo = qobject_cast<const QComboBox *>(widget);
    return qobject_cast<const QLineEdit *>(widget) || qobject_cast<const QTextEdit *>(widget)
        || qobject_cast<const QPlainTextEdit *>(widget) || qobject_cast<const QAbstractSpinBox *>(widget)
        || (combo && combo->isEditable());
}

} // namespace

BlinkKey::BlinkKey(QWidget *window, CompareHeatPanel *maps) : QObject(window), m_window(window), m_maps(maps)
{
    qApp->installEventFilter(this); // before a table takes the letter for a search
}

bool BlinkKey::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() != QEvent::KeyPress || !watched->isWidgetType())
        return false;
    const auto *key = static_cast<QKeyEvent *>(event);
    if (key->key() != Qt::Key_B || (key->modifiers() & ~Qt::ShiftModifier) || !m_maps->isVisible())
        return false;
    const auto *widget = static_cast<QWidget *>(watched);
    if (widget->window() != m_window || isForWriting(widget))
        return false;
    if (!key->isAutoRepeat())
        m_maps->setBlinking(true);
    return true;
}

} // namespace ql
