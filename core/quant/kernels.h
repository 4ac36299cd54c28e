// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/quant/dequantize.h"

#include <string>
#include <string_view>
#include <vector>

namespace ql {

/// One implementation of one type's decoder, for lists, tests and benches.
struct Kernel {
    GgmlType type;
    std::string_view implementation; ///< "reference", "sse4", "avx2", "avx3", "neon" …
    DequantizeFn decode;
};

/// Every implementation this machine can run, of every type.
std::vector<Kernel> availableKernels();
/// Implementation names this machine can run, best first; "reference" is always the last.
std::vector<std::string_view> availableImplementations();
/// The implementation that dequantizer(type) returns now.
std::string_view activeImplementation(GgmlType type);
/// Forces an implementation for all types from now on ("" = best again); false if this machine or
/// this build has none of that name. The environment variable QUANTLOUPE_KERNELS does the same at
/// start. Call before work starts; not thread-safe against running scans.
bool forceImplementation(std::string_view name);

/// What QUANTLOUPE_KERNELS asked for at start, and whether it could be had. Where it could not, the
/// best implementation runs, and whoever shows versions or figures should say so.
struct KernelRequest {
    std::string name; ///< empty where nothing was asked for
    bool honoured = true;
};
const KernelRequest &kernelRequest();

} // namespace ql
