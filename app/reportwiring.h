// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QMenu;

namespace ql {

class MainWindow;

/// Compare › Save report…, and what becomes of it.
void addReportAction(QMenu &menu, MainWindow &window);

} // namespace ql
