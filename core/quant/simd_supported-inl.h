// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <hwy/targets.h>

#include <cstdint>
#include <initializer_list>
#include <vector>

namespace ql {

/// What was compiled for one of Highway's targets.
template <class Value>
struct ForTarget {
    std::int64_t target; ///< Highway's bit
    Value value;
};

/// Those that this machine can run, in their order.
template <class Value>
std::vector<Value> supportedOf(std::initializer_list<ForTarget<Value>> all)
{
    std::vector<Value> supported;
    for (const ForTarget<Value> &one : all) {
        if (one.target & hwy::SupportedTargets())
            supported.push_back(one.value);
    }
    return supported;
}

} // namespace ql
