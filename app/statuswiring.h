// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace ql {

class MainWindow;

/// The bottom line: jobs and their Cancel, the sizes of what is open, the memory that is resident.
void wireStatus(MainWindow &window);

} // namespace ql
