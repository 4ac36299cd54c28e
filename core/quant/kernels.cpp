// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/quant/kernels.h"

#include "core/quant/simd_targets.h"

#include <hwy/targets.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <optional>

namespace ql {

namespace {

constexpr std::string_view Reference = "reference";

/// All implementations of one name, whatever source file they come from.
struct Implementation {
    std::string_view name;
    std::vector<SimdKernel> kernels;

    DequantizeFn find(GgmlType type) const
    {
        const auto kernel = std::ranges::find(kernels, type, &SimdKernel::type);
        return kernel != kernels.end() ? kernel->decode : nullptr;
    }
};

Implementation referenceImplementation()
{
    Implementation reference{Reference, {}};
    for (const TypeTraits &row : typeTable())
        if (row.isDecodable())
            reference.kernels.push_back({row.type, referenceDequantizer(row.type)});
    return reference;
}

/// Adds what this machine can run, keeping the order: best first.
void addSupported(std::vector<Implementation> &implementations, std::span<const SimdKernels> found)
{
    const std::int64_t supported = hwy::SupportedTargets();
    for (const SimdKernels &row : found) {
        if ((row.target & supported) == 0)
            continue;
        auto entry = std::ranges::find(implementations, row.name, &Implementation::name);
        if (entry == implementations.end())
            entry = implementations.insert(implementations.end(), {row.name, {}});
        entry->kernels.insert(entry->kernels.end(), row.kernels.begin(), row.kernels.end());
    }
}

std::vector<Implementation> findImplementations()
{
    std::vector<Implementation> implementations;
    for (const auto kernels : {simdPlainKernels, simdLevelKernels, simdSmallKernels, simdSuperKernels,
                               simdGridKernels})
        addSupported(implementations, kernels());
    implementations.push_back(referenceImplementation());
    return implementations;
}

/// Made once, then only read.
const std::vector<Implementation> &implementations()
{
    static const std::vector<Implementation> all = findImplementations();
    return all;
}

/// The place of a name in the list, 0 (the best) for "", or nothing.
std::optional<std::size_t> placeOf(std::string_view name)
{
    if (name.empty())
        return 0;
    const auto entry = std::ranges::find(implementations(), name, &Implementation::name);
    if (entry == implementations().end())
        return std::nullopt;
    return static_cast<std::size_t>(entry - implementations().begin());
}

KernelRequest readRequest()
{
    const char *name = std::getenv("QUANTLOUPE_KERNELS");
    KernelRequest request{name ? name : "", true};
    request.honoured = placeOf(request.name).has_value();
    return request;
}

std::atomic<std::size_t> &active()
{
    static std::atomic<std::size_t> place = placeOf(kernelRequest().name).value_or(0);
    return place;
}

/// The active implementation if it knows the type, else the next that does.
const Implementation *implementationOf(GgmlType type)
{
    const auto &all = implementations();
    for (std::size_t i = active(); i < all.size(); ++i)
        if (all[i].find(type))
            return &all[i];
    return nullptr;
}

} // namespace

std::vector<std::string_view> availableImplementations()
{
    std::vector<std::string_view> names;
    for (const Implementation &implementation : implementations())
        names.push_back(implementation.name);
    return names;
}

std::vector<Kernel> availableKernels()
{
    std::vector<Kernel> list;
    for (const Implementation &implementation : implementations())
        for (const SimdKernel &kernel : implementation.kernels)
            list.push_back({kernel.type, implementation.name, kernel.decode});
    return list;
}

DequantizeFn dequantizer(GgmlType type)
{
    const Implementation *implementation = implementationOf(type);
    return implementation ? implementation->find(type) : nullptr;
}

std::string_view activeImplementation(GgmlType type)
{
    const Implementation *implementation = implementationOf(type);
    return implementation ? implementation->name : std::string_view();
}

bool forceImplementation(std::string_view name)
{
    const auto place = placeOf(name);
    if (place)
        active() = *place;
    return place.has_value();
}

const KernelRequest &kernelRequest()
{
    static const KernelRequest request = readRequest();
    return request;
}

} // namespace ql
