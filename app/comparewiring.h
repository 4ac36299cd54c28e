// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace ql {

class MainWindow;

/// What a second file adds: B's columns in the tensor table, B's figures and histogram beside A's.
void wireComparison(MainWindow &window);

} // namespace ql
