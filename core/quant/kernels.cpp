// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/quant/kernels.h"

namespace ql {

std::vector<std::string_view> availableImplementations() { return {"reference"}; }

std::vector<Kernel> availableKernels()
{
    std::vector<Kernel> kernels;
    for (const TypeTraits &row : typeTable())
        if (row.isDecodable())
            kernels.push_back({row.type, "reference", referenceDequantizer(row.type)});
    return kernels;
}

DequantizeFn dequantizer(GgmlType type) { return referenceDequantizer(type); }

std::string_view activeImplementation(GgmlType) { return "reference"; }

bool forceImplementation(std::string_view name) { return name.empty() || name == "reference"; }

} // namespace ql
