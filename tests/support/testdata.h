// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace ql::test {

/// A file under tests/data, by relative path.
QString dataPath(const QString &relative);
/// A file of the shared reference data beside the checkout; empty where it does not stand there.
QString sharedPath(const QString &relative);
bool hasShared();

} // namespace ql::test
