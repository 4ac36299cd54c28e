// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>

namespace ql {

/// Bytes of this process that are in memory now, pages of mapped files included (Linux: the second
/// number of /proc/self/statm, in pages); nothing where the system doesn't say. Any thread.
std::optional<std::uint64_t> residentBytes();

} // namespace ql
