// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/jobs/residentmemory.h"

#include <fstream>

#include <unistd.h>

namespace ql {

std::optional<std::uint64_t> residentBytes()
{
    std::ifstream file("/proc/self/statm");
    std::uint64_t totalPages = 0;
    std::uint64_t residentPages = 0;
    const long pageSize = sysconf(_SC_PAGESIZE);
    if (!(file >> totalPages >> residentPages) || pageSize <= 0)
        return std::nullopt;
    return residentPages * static_cast<std::uint64_t>(pageSize);
}

} // namespace ql
