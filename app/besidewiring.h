// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace ql {

class MainWindow;

/// A tensor or expert held as B, and its comparison with whatever is selected in the same file.
void wireBeside(MainWindow &window);

} // namespace ql
