// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/interrupt.h"

#include <cerrno>
#include <cstdint>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

namespace ql::cli {

namespace {

sigset_t stopSignals()
{
    sigset_t set;
    sigemptyset(&set);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP})
        sigaddset(&set, signal);
    return set;
}

} // namespace

Interrupt::Interrupt()
{
    std::signal(SIGPIPE, SIG_IGN);
    const sigset_t set = stopSignals();
    pthread_sigmask(SIG_BLOCK, &set, &m_oldMask);
    m_signals = ::signalfd(-1, &set, SFD_CLOEXEC);
    m_quit = ::eventfd(0, EFD_CLOEXEC);
    m_thread = std::thread([this] { listen(); });
}

Interrupt::~Interrupt()
{
    const std::uint64_t one = 1;
    (void)!::write(m_quit, &one, sizeof one);
    m_thread.join();
    ::close(m_signals);
    ::close(m_quit);
    pthread_sigmask(SIG_SETMASK, &m_oldMask, nullptr);
}

int Interrupt::exitCode() const
{
    const int signal = m_signal.load();
    return signal ? 128 + signal : 0;
}

void Interrupt::listen()
{
    pollfd fds[] = {{m_signals, POLLIN, 0}, {m_quit, POLLIN, 0}};
    for (;;) {
        if (::poll(fds, 2, -1) < 0 && errno == EINTR)
            continue;
        if (fds[1].revents)
            return;
        signalfd_siginfo info{};
        if (::read(m_signals, &info, sizeof info) != static_cast<ssize_t>(sizeof info))
            return;
        if (m_signal.exchange(static_cast<int>(info.ssi_signo)) != 0)
            ::_exit(exitCode());
        m_stop.request_stop();
    }
}

} // namespace ql::cli
