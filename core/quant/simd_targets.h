// SPDX-License-Identifier: GPL-3.0-or-later
// No include guard but this one: read it before hwy/foreach_target.h, once a file.
#pragma once

// What the kernels are compiled for: SSE4, AVX2 and AVX-512 on x86, NEON on Arm. The plain CPU is
// served by the reference, so Highway's emulated target stays empty.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
// Highway leaves out AVX-512 as of Ice Lake (HWY_AVX3_DL) unless a file defines HWY_WANT_AVX3_DL: those
// that count bits do.

#include "core/quant/dequantize.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace ql {

/// One type's decoder for one target.
struct SimdKernel {
    GgmlType type;
    DequantizeFn decode;
};

/// The kernels of one source file for one of Highway's targets.
struct SimdKernels {
    std::int64_t target; ///< Highway's bit, as in hwy::SupportedTargets()
    std::string_view name; ///< "avx2"
    std::span<const SimdKernel> kernels;
};

// One a source file; best target first.
std::span<const SimdKernels> simdPlainKernels();
std::span<const SimdKernels> simdLevelKernels();
std::span<const SimdKernels> simdSmallKernels();
std::span<const SimdKernels> simdSuperKernels();
std::span<const SimdKernels> simdGridKernels();

} // namespace ql

// The rows of such a function's table: N_<TARGET>::Kernels for every target that was compiled.
#if defined(__x86_64__) || defined(__i386__) || defined(_M_X64)
#define QL_SIMD_ROWS                              \
    {HWY_AVX3, "avx3", N_AVX3::Kernels},          \
    {HWY_AVX2, "avx2", N_AVX2::Kernels},          \
    {HWY_SSE4, "sse4", N_SSE4::Kernels},
#elif defined(__aarch64__)
#define QL_SIMD_ROWS {HWY_NEON, "neon", N_NEON::Kernels},
#endif
