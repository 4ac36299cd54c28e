// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/sigbusguard.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <iterator>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace ql::sigbus {

namespace {

// Everything the handler touches is lock-free and never freed: it can run at any instruction of
// any thread.
struct Slot {
    std::atomic<bool> taken{false};
    std::atomic<std::uintptr_t> begin{0};
    std::atomic<std::uintptr_t> end{0};
    std::atomic<bool> faulted{false};
};

static_assert(std::atomic<std::uintptr_t>::is_always_lock_free);
static_assert(std::atomic<bool>::is_always_lock_free);

constexpr std::size_t MaxMaps = 4096;
Slot table[MaxMaps];
std::atomic<std::size_t> usedSlots{0}; ///< no slot at or beyond this one was ever taken
std::uintptr_t pageBytes = 4096;
struct sigaction previousAction {};

Slot *slotAt(std::uintptr_t address)
{
    const auto used = usedSlots.load(std::memory_order_acquire);
    for (std::size_t i = 0; i < used; ++i) {
        Slot &slot = table[i];
        if (address >= slot.begin.load(std::memory_order_acquire)
            && address < slot.end.load(std::memory_order_acquire))
            return &slot;
    }
    return nullptr;
}

/// ThreadSanitizer takes a mapping made by the function for a write, and the other readers of the
/// page for a race; but the page was unreadable and is zero, whichever thread maps it.
void *mapZeros(void *page)
{
    constexpr int Flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
#ifdef __SANITIZE_THREAD__
    return reinterpret_cast<void *>(::syscall(SYS_mmap, page, pageBytes, PROT_READ, Flags, -1, 0));
#else
    return ::mmap(page, pageBytes, PROT_READ, Flags, -1, 0);
#endif
}

bool putZeroPage(std::uintptr_t address)
{
    return mapZeros(reinterpret_cast<void *>(address / pageBytes * pageBytes)) != MAP_FAILED;
}

void passOn(int signal, siginfo_t *info, void *context)
{
    if (previousAction.sa_flags & SA_SIGINFO) {
        previousAction.sa_sigaction(signal, info, context);
    } else if (previousAction.sa_handler == SIG_IGN && info->si_code <= 0) {
        return; // sent by a process, and ignoring those was wished for
    } else if (previousAction.sa_handler != SIG_DFL && previousAction.sa_handler != SIG_IGN) {
        previousAction.sa_handler(signal);
    } else {
        // Back to the default and again: a fault repeats itself on return, a sent signal does not.
        struct sigaction action {};
        action.sa_handler = SIG_DFL;
        ::sigaction(signal, &action, nullptr);
        if (info->si_code <= 0)
            ::raise(signal);
    }
}

void handle(int signal, siginfo_t *info, void *context)
{
    const int savedErrno = errno;
    const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
    Slot *slot = info->si_code > 0 ? slotAt(address) : nullptr;
    if (slot && putZeroPage(address))
        slot->faulted.store(true, std::memory_order_release);
    else
        passOn(signal, info, context);
    errno = savedErrno;
}

bool install()
{
    pageBytes = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    struct sigaction action {};
    action.sa_sigaction = handle;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    return ::sigaction(SIGBUS, &action, &previousAction) == 0;
}

void raiseUsedSlots(std::size_t to)
{
    auto used = usedSlots.load(std::memory_order_relaxed);
    while (used < to && !usedSlots.compare_exchange_weak(used, to, std::memory_order_release)) {
    }
}

} // namespace

std::optional<std::size_t> registerMap(const void *begin, std::size_t size)
{
    static const bool installed = install();
    if (!installed)
        return std::nullopt;
    const auto free = std::ranges::find_if(table, [](Slot &slot) {
        return !slot.taken.exchange(true, std::memory_order_acq_rel);
    });
    if (free == std::end(table))
        return std::nullopt;
    const auto start = reinterpret_cast<std::uintptr_t>(begin);
    free->faulted.store(false, std::memory_order_relaxed);
    free->end.store(start + size, std::memory_order_release);
    free->begin.store(start, std::memory_order_release);
    const auto index = static_cast<std::size_t>(free - std::begin(table));
    raiseUsedSlots(index + 1);
    return index;
}

void unregisterMap(std::size_t slot)
{
    table[slot].end.store(0, std::memory_order_release);
    table[slot].begin.store(0, std::memory_order_release);
    table[slot].taken.store(false, std::memory_order_release);
}

std::atomic<bool> &faultMark(std::size_t slot) { return table[slot].faulted; }

} // namespace ql::sigbus
