// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace ql {

class MainWindow;

/// Save as…: from the dialog over the task lane to the question what to do with the new file.
void wireSaveAs(MainWindow &window);
/// Opens the dialog for the file that is open.
void showSaveAs(MainWindow &window);

} // namespace ql
