// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace ql {

class MainWindow;

/// Connects the session, the services and the panels: one small function a view. Nothing is
/// computed here; panels know no file, the session knows no panel.
void wireAll(MainWindow &window);

} // namespace ql
