// SPDX-License-Identifier: GPL-3.0-or-later
// No include guard of its own effect: only macros. Include before "hwy/foreach_target.h".

// The encoders are compiled for four x86 levels (any x86-64, SSE4, AVX2, AVX-512) and NEON: the levels
// between bring them nothing, and each costs compile time and size. Vectors of unknown size (SVE)
// can't be kept in the structs that the searches use.
#ifndef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS                                                                       \
    (HWY_SSSE3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
#endif
