// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace ql {

class MainWindow;
struct Selection;

/// The Compare tab: filled while pairs are compared, its clicks selecting; pairs made by hand; the
/// key that blinks A and B.
void wireCompareTab(MainWindow &window);
/// Opens the tab on the worst tensor, or on the one that is selected.
void showWorst(MainWindow &window);
/// Asks for the tensor of B that goes with a tensor (or expert) of A.
void askForPartner(MainWindow &window, const Selection &inA);

} // namespace ql
