// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/stats/tensorstats.h"

#include <nlohmann/json.hpp>

#include <QString>
#include <QStringList>

namespace ql::test {

/// Differences beyond 1e-9 relative (the mean: of mean_abs) between figures and the expected ones
/// of a *.stats.json file; empty if there are none.
QStringList differences(const Figures &figures, const nlohmann::json &expected);

/// Scans every tensor of a model and compares it, experts included, with its *.stats.json.
/// `checked` counts the sets of figures that were compared.
QStringList modelDifferences(const QString &modelPath, const QString &statsPath, int *checked);

/// Scans with 1, 2, 3 and 8 threads and with every kernel: which of them gives other bits than the first, or
/// nothing.
QString runWithOtherBits(const TensorView &view, ScanOptions options);

/// Two results with the same bits in every field.
bool areSameBits(const TensorStats &a, const TensorStats &b);

} // namespace ql::test
