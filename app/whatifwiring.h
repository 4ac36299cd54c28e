// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace ql {

class MainWindow;

/// The What-if view: measuring, and what is done with the choice.
void wireWhatIf(MainWindow &window);

} // namespace ql
