// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace ql {

/// Lives while QApplication is made: where there is no display, or nobody answers at it, the program
/// says so, names what needs none, and ends with ExitCode instead of an abort. Warnings of a platform
/// that started all the same are printed at the end. One at a time.
class DisplayGuard
{
public:
    static constexpr int ExitCode = 3;

    DisplayGuard();
    ~DisplayGuard();
    DisplayGuard(const DisplayGuard &) = delete;
    DisplayGuard &operator=(const DisplayGuard &) = delete;
};

} // namespace ql
