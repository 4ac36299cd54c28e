// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace ql {

/// So many more, in a loop that is bound by its stores; see increment().
template <class Counter>
[[gnu::always_inline]] inline void increase(Counter &counter, std::uint32_t by)
{
#if defined(__x86_64__) && defined(__GNUC__)
    static_assert(sizeof(Counter) == 2 || sizeof(Counter) == 4);
    if constexpr (sizeof(Counter) == 2)
        asm("addw %1, %w0\n\tmovw %w0, %1" : "+r"(by), "+m"(counter) : : "cc");
    else
        asm("addl %1, %0\n\tmovl %0, %1" : "+r"(by), "+m"(counter) : : "cc");
#else
    counter = static_cast<Counter>(counter + by);
#endif
}

/// One more, in a loop that is bound by its stores. Compilers make this one instruction that works on
/// memory, which beside other work takes up to twice as long as a load, an addition and a store
/// (measured on Golden Cove).
template <class Counter>
[[gnu::always_inline]] inline void increment(Counter &counter)
{
#if defined(__x86_64__) && defined(__GNUC__)
    static_assert(sizeof(Counter) == 2 || sizeof(Counter) == 4);
    std::uint32_t count;
    if constexpr (sizeof(Counter) == 2)
        asm("movzwl %1, %0\n\tincl %0\n\tmovw %w0, %1" : "=&r"(count), "+m"(counter) : : "cc");
    else
        asm("movl %1, %0\n\tincl %0\n\tmovl %0, %1" : "=&r"(count), "+m"(counter) : : "cc");
#else
    ++counter;
#endif
}

} // namespace ql
