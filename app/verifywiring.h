// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace ql {

class MainWindow;

/// Verify file…: findings go into the overview's list.
void wireVerify(MainWindow &window);
void showVerify(MainWindow &window);

} // namespace ql
