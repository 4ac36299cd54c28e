// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <csignal>
#include <stop_token>
#include <thread>

namespace ql::cli {

/// Turns Ctrl-C, SIGTERM and SIGHUP into a stop request while it lives: they are blocked in all
/// threads started later and read from a signalfd on a thread of its own. Work notices within one
/// group; a second signal ends the program at once. Those that were ignored at the start still are. SIGPIPE
/// and SIGXFSZ are ignored, so that a closed pipe and a file's limit are errors of write(). Make it before
/// any other thread.
class Interrupt
{
public:
    Interrupt();
    ~Interrupt();
    Interrupt(const Interrupt &) = delete;
    Interrupt &operator=(const Interrupt &) = delete;

    std::stop_token token() const { return m_stop.get_token(); }
    /// 128 + the signal that asked to stop; 0 if none did.
    int exitCode() const;

private:
    void listen();

    std::stop_source m_stop;
    std::atomic<int> m_signal{0};
    int m_signals = -1; ///< signalfd
    int m_quit = -1;    ///< eventfd, for the destructor
    sigset_t m_oldMask{};
    std::thread m_thread;
};

} // namespace ql::cli
