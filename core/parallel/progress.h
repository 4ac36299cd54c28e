// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>

namespace ql {

/// Work done so far, in weights (or bytes, as the caller says). Called from any worker thread, at
/// most once a group; must be cheap and thread-safe.
struct Progress {
    std::uint64_t done = 0;
    std::uint64_t total = 0;
};
using ProgressFn = std::function<void(const Progress &)>;

/// The same progress in units of a whole of its own: two passes over a tensor are reported as the
/// tensor's weights, gone through once.
ProgressFn progressOver(std::uint64_t whole, ProgressFn progress);

/// The code of the error that means "asked to stop": stopped is not failed.
inline constexpr const char *StoppedCode = "stopped";

} // namespace ql
