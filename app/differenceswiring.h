// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace ql {

class MainWindow;

/// What differs between the metadata of the two files, as soon as both are open.
void wireDifferences(MainWindow &window);

} // namespace ql
