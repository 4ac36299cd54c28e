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

/// Whoever started the program wants it to go on: nohup, or a shell's job in the background.
bool isIgnored(int signal)
{
    struct sigaction action{};
    return ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

sigset_t stopSignals()
{
    sigset_t set;
    sigemptyset(&set);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        if (!isIgnored(signal))
            sigaddset(&set, signal);
    }
    return set;
}

} // namespace

Interrupt::Interrupt()
{
    for (const int signal : {SIGPIPE, SIGXFSZ})
        std::signal(signal, SIG_IGN);
    const sigset_t set = stopSignals();
    pthread_sigmask(SIG_BLOCK, &set, &m_oldMask);
    m_signals = ::signalfd(-1, &set, SFD_CLOEXEC);
    m_quit = ::eventfd(0, EFD_CLOEXEC);
    if (m_signals >= 0 && m_quit >= 0)
        m_thread = std::thread([this] { listen(); });
    else // no descriptors left: signals do what they do without us
        pthread_sigmask(SIG_SETMASK, &m_oldMask, nullptr);
}

Interrupt::~Interrupt()
{
    if (m_thread.joinable()) {
        const std::uint64_t one = 1;
        (void)!::write(m_quit, &one, sizeof one);
        m_thread.join();
    }
    for (const int descriptor : {m_signals, m_quit}) {
        if (descriptor >= 0)
            ::close(descriptor);
    }
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
