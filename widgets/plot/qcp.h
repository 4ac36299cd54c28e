// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The one way to include QCustomPlot. Its header writes `foreach`, which we build without
// (QT_NO_FOREACH); a range-for serves there.
#define foreach(declaration, container) for (declaration : container)
#include <qcustomplot.h>
#undef foreach
