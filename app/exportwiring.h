// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace ql {

class MainWindow;

/// Export…: the dialog, its context menus, and what becomes of the files.
void wireExports(MainWindow &window);
/// Opens the dialog for the tensor that is selected; with `selection`, for what is marked in Values.
void showExport(MainWindow &window, bool selection = false);

} // namespace ql
