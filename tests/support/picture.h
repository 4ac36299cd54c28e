// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Header-only, for widget tests: the support library itself knows no widgets.

#include "widgets/theme.h"

#include <QApplication>
#include <QDir>
#include <QWidget>

namespace ql::test {

/// Saves what a widget looks like in light and dark where QL_PICTURES names a folder: for looking at.
inline void savePictures(QWidget &widget, const QString &name)
{
    const QString folder = qEnvironmentVariable("QL_PICTURES");
    if (folder.isEmpty())
        return;
    for (const auto &[theme, suffix] :
         {std::pair(Theme::light(), "light"), std::pair(Theme::darkened(), "dark")}) {
        applyTheme(*qApp, theme);
        QCoreApplication::processEvents();
        widget.grab().save(QDir(folder).filePath(name + QLatin1Char('-') + QLatin1String(suffix)
                                                 + QStringLiteral(".png")));
    }
    applyTheme(*qApp, Theme::light());
}

} // namespace ql::test
