// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/stats/tensorstats.h"

#include <QByteArray>

namespace ql {

/// TensorStats as bytes for the cache on disk, and back. Reading checks every length against the
/// bytes there are; null for anything that is not a whole, consistent result of this version.
QByteArray encodeStats(const TensorStats &stats);
TensorStatsPtr decodeStats(const QByteArray &bytes);

} // namespace ql
