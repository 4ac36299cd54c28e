// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/parallel/keepmemory.h"

#if defined(__linux__)
#include <malloc.h>
#endif

namespace ql {

void keepFreedMemory()
{
#if defined(__GLIBC__)
    mallopt(M_MMAP_THRESHOLD, 16 << 20); // what is smaller than that comes from memory that can be kept
    mallopt(M_TRIM_THRESHOLD, 32 << 20);
    mallopt(M_ARENA_MAX, 1); // else every thread's arena keeps as much
#endif
}

} // namespace ql
