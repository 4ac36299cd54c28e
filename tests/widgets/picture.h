// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/theme.h"

#include <QApplication>
#include <QDir>
#include <QTest>
#include <QWidget>

namespace ql::test {

/// Where pictures of the panels go, for people to look at; empty: nowhere.
inline QString pictureDir() { return qEnvironmentVariable("QL_PICTURE_DIR"); }

/// Saves what a widget looks like, light and dark.
inline void savePictures(QWidget &widget, const QString &name)
{
    if (pictureDir().isEmpty())
        return;
    QDir().mkpath(pictureDir());
    for (const bool isDark : {true, false}) {
        applyTheme(*qApp, isDark ? Theme::darkened() : Theme::light());
        widget.show();
        QTest::qWait(60);
        widget.grab().save(QStringLiteral("%1/%2-%3.png")
                               .arg(pictureDir(), name,
                                    isDark ? QStringLiteral("dark") : QStringLiteral("light")));
    }
}

} // namespace ql::test
