// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>

namespace ql::test {

/// Compares every pair of two models with a compare-*.json file (1e-9 relative), experts included;
/// empty if all agree. `checked` counts the tensors compared.
QStringList comparisonDifferences(const QString &pathA, const QString &pathB, const QString &expected,
                                  int *checked);

} // namespace ql::test
