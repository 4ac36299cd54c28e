// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/error.h"

#include <QString>

namespace ql {

class MessageBar;

QString describe(const Error &error);
/// A file that changed while it was open: opening it again helps.
bool isChangedFile(const Error &error);
/// Says what went wrong in the bar above the views, and offers to reload where that helps.
void showFailure(MessageBar *bar, const QString &what, const Error &error);

} // namespace ql
