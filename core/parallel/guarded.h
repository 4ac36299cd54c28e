// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/error.h"

#include <exception>
#include <new>

namespace ql {

/// Calls a function that returns a Result and turns what it throws into an error: the border that
/// no exception crosses.
template <class Function>
auto guarded(Function &&function) -> decltype(function())
{
    try {
        return function();
    } catch (const std::bad_alloc &) {
        return failure("out-of-memory", "there is not enough memory for this");
    } catch (const std::exception &e) {
        return failure("internal-error", e.what());
    }
}

} // namespace ql
