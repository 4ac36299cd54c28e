// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace ql {

class MainWindow;

/// What flows to and from the Experts view.
void wireExperts(MainWindow &window);

} // namespace ql
