// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <cstddef>
#include <optional>

/// The SIGBUS handler's table of maps. A fault inside a registered map gets a zero page and a mark;
/// any other goes on to the handler that was there before.
namespace ql::sigbus {

/// The slot of a map now guarded; nothing if the table is full. Installs the handler at first use.
std::optional<std::size_t> registerMap(const void *begin, std::size_t size);
/// To be called before the map is taken down.
void unregisterMap(std::size_t slot);
std::atomic<bool> &faultMark(std::size_t slot);

} // namespace ql::sigbus
