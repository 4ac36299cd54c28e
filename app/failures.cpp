// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/failures.h"

#include "widgets/messagebar.h"

#include <QObject>

namespace ql {

QString describe(const Error &error) { return QString::fromStdString(error.message); }

bool isChangedFile(const Error &error) { return error.code == "file-changed"; }

void showFailure(MessageBar *bar, const QString &what, const Error &error)
{
    bar->showMessage(what, isChangedFile(error) ? QObject::tr("Reload") : QString());
}

} // namespace ql
