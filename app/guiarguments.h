// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/error.h"

#include <QString>
#include <QStringList>

namespace ql {

/// What the window was asked for on the command line.
struct GuiArguments {
    QStringList files;           ///< none, A, or A and B
    bool sample = false;         ///< open the bundled sample
    QString screenshotsFolder;   ///< render every view here and exit
};

/// Parses the arguments after the program's name; an error for unknown options and third files.
Result<GuiArguments> parseGuiArguments(const QStringList &arguments);

} // namespace ql
