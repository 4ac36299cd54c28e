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

} // namespace ql
