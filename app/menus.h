// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QMenu;

namespace ql {

class MainWindow;

/// Fills the menu bar: one small function a menu.
void createMenus(MainWindow &window);
/// Fills File › Open recent anew.
void fillRecentMenu(QMenu &menu, MainWindow &window);
/// Fills Compare › Recent pairs anew.
void fillRecentPairs(QMenu &menu, MainWindow &window);

} // namespace ql
