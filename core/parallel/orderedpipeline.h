// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/parallel/reduce.h"

#include <cstddef>
#include <functional>
#include <stop_token>
#include <string>

namespace ql {

/// Makes a buffer for each item in parallel and hands them on one at a time in index order: for
/// writers whose formatting costs more than their writing. At most two buffers a thread are alive
/// and they are reused, so memory is bounded whatever the number of items.
/// `make` gets an empty buffer and runs on any thread, several at once; `write` never overlaps
/// itself; when it returns false, or the token asks, no further item is begun. True if every item
/// was made and written.
bool orderedPipeline(std::size_t items, const ParallelOptions &options, std::stop_token stop,
                     const std::function<void(std::size_t, std::string &)> &make,
                     const std::function<bool(std::size_t, const std::string &)> &write);

} // namespace ql
