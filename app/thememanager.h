// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/settings.h"

class QApplication;

namespace ql {

/// Applies the chosen theme to the application. System: what the desktop's own palette was like at
/// start (Qt 6.4 tells no more).
class ThemeManager
{
public:
    explicit ThemeManager(QApplication &app);
    void apply(ThemeChoice choice);

private:
    QApplication &m_app;
    bool m_systemIsDark;
};

} // namespace ql
