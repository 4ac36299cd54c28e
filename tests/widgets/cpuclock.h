// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ctime>

namespace ql::test {

/// Milliseconds this thread has computed since construction or restart(): what the window would
/// have been blocked for, however busy the machine is with other things.
class CpuClock
{
public:
    double elapsed() const { return now() - m_start; }
    double restart()
    {
        const double spent = elapsed();
        m_start = now();
        return spent;
    }

private:
    static double now()
    {
        timespec time{};
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
        return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) * 1e-6;
    }

    double m_start = now();
};

} // namespace ql::test
