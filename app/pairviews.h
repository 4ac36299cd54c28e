// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace ql {

class MainWindow;

/// B's block and values beside A's; what a pair leaves behind (the recent pairs). Which tensor of B is
/// looked at is what comparewiring has asked figures of: wire that first.
void wirePairViews(MainWindow &window);

} // namespace ql
