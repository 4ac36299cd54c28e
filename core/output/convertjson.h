// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/output/convert.h"
#include "core/output/json.h"
#include "core/output/table.h"

namespace ql {

/// A plan and its errors as `convert --json` prints them.
Json convertJson(const ConvertPlan &plan, const ConvertReport &report);

/// Bytes of all the source's files, and of the new one.
struct ConvertSizes {
    std::uint64_t before = 0;
    std::uint64_t after = 0;
};
ConvertSizes sizesOf(const ConvertPlan &plan);

} // namespace ql
