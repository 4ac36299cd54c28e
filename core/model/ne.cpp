// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/ne.h"

#include "core/model/checkedmath.h"

#include <algorithm>

namespace ql {

namespace {

std::optional<std::uint64_t> product(std::span<const std::uint64_t> dims)
{
    // A zero anywhere makes the whole product zero, however large its neighbours.
    if (std::ranges::find(dims, 0u) != dims.end())
        return 0;
    std::optional<std::uint64_t> result = 1;
    for (const auto dim : dims) {
        result = checkedMul(*result, dim);
        if (!result)
            return std::nullopt;
    }
    return result;
}

} // namespace

std::optional<std::uint64_t> Ne::elements() const { return product(dims()); }

std::optional<std::uint64_t> Ne::rows() const
{
    return product(m_size > 1 ? dims().subspan(1) : std::span<const std::uint64_t>());
}

} // namespace ql
