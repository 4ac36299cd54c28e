// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAction>
#include <QApplication>
#include <QMenu>
#include <QTest>
#include <QTimer>
#include <QWindow>

namespace ql::test {

/// The lines of the menu that a right-click there opens; none where none opens. The click goes to the
/// window, as from the display: which widget it reaches, and who is asked for a menu, is Qt's doing.
inline QStringList menuOfRightClick(QWidget *widget, const QPoint &at)
{
    QStringList lines;
    QTimer closing; // the menu has an event loop of its own
    QObject::connect(&closing, &QTimer::timeout, [&lines] {
        auto *menu = qobject_cast<QMenu *>(QApplication::activePopupWidget());
        if (!menu)
            return;
        for (const QAction *action : menu->actions())
            lines << action->text();
        menu->close();
    });
    closing.start(1);
    QWidget *window = widget->window();
    QTest::mouseClick(window->windowHandle(), Qt::RightButton, {}, widget->mapTo(window, at));
    return lines;
}

} // namespace ql::test
