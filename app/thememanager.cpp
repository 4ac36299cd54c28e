// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/thememanager.h"

#include "widgets/theme.h"

#include <QApplication>

namespace ql {

ThemeManager::ThemeManager(QApplication &app)
    : m_app(app)
    , m_systemIsDark(Theme::fromPalette(app.palette()).dark)
{}

void ThemeManager::apply(ThemeChoice choice)
{
    const bool dark = choice == ThemeChoice::Dark || (choice == ThemeChoice::System && m_systemIsDark);
    applyTheme(m_app, dark ? Theme::darkened() : Theme::light());
}

} // namespace ql
