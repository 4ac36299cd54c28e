// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/testdata.h"

#include <QFileInfo>

namespace ql::test {

QString dataPath(const QString &relative)
{
    return QStringLiteral(QL_TEST_DATA "/") + relative;
}

QString sharedPath(const QString &relative)
{
    const QString path = QStringLiteral(QL_SHARED_DATA "/") + relative;
    return QFileInfo::exists(path) ? path : QString();
}

bool hasShared() { return !sharedPath(QStringLiteral("golden/golden.gguf")).isEmpty(); }

} // namespace ql::test
