// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/guiarguments.h"

class QApplication;

namespace ql {

/// Renders every view of the window on arguments.files (or the sample), light and dark, at 1440×900
/// to PNG files in arguments.screenshotsFolder. The exit status of the program.
int renderScreenshots(QApplication &app, const GuiArguments &arguments);

} // namespace ql
