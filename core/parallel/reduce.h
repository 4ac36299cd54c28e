// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/parallel/progress.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <stop_token>

namespace ql {

struct ParallelOptions {
    unsigned threads = 0;     ///< 0 = all cores
    bool lowPriority = false; ///< nice the workers, for the window
};

namespace detail {
/// Type-erased core of reduce(): the only file with TBB in it is reduce.cpp.
bool runOrdered(std::size_t groups, const ParallelOptions &options, std::stop_token stop,
                const std::function<std::shared_ptr<void>(std::size_t)> &make,
                const std::function<void(std::size_t, std::shared_ptr<void>)> &merge);
} // namespace detail

/// Makes a partial for each group in parallel and merges them one at a time in index order, so
/// that sums come out the same whatever the number of threads. At most a few partials a thread
/// are alive. False when stopped: at most the groups in flight were finished.
///
/// An exception in `make` or `merge` ends the work and is thrown again on the calling thread, once
/// nothing is in flight any more; see guarded.h for the border where it becomes an error.
/// Called from inside forEachItem() it shares that one's threads and ignores `options`.
template <class Partial>
bool reduce(std::size_t groups, const ParallelOptions &options, std::stop_token stop,
            const std::function<Partial(std::size_t)> &make,
            const std::function<void(std::size_t, Partial &&)> &merge)
{
    return detail::runOrdered(
        groups, options, stop,
        [&](std::size_t i) -> std::shared_ptr<void> { return std::make_shared<Partial>(make(i)); },
        [&](std::size_t i, std::shared_ptr<void> p) {
            merge(i, std::move(*static_cast<Partial *>(p.get())));
        });
}

/// Runs `item` for 0 … count-1, several at a time, started in index order; a reduce() within an
/// item spreads over the threads that have nothing else to do. For whole models: one item a tensor,
/// the largest first, and no core idles while the last one is worked off. Exceptions as in reduce().
/// False when stopped: items that had not begun are left out.
bool forEachItem(std::size_t count, const ParallelOptions &options, std::stop_token stop,
                 const std::function<void(std::size_t)> &item);

/// The number of threads `options` comes to on this machine.
unsigned threadCount(const ParallelOptions &options);

} // namespace ql
