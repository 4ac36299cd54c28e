// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/theme.h"

namespace ql {

/// The table of a map for a light or a dark window; made at first use, the same address ever after.
/// Only Signed differs: its middle is the neutral of the window, so that zeros recede.
const ColorTable &colorTable(ColorMap map, bool dark);

} // namespace ql
