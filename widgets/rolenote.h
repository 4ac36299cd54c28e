// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <string_view>

namespace ql {

/// What a tensor of a mixture of experts is, by its role: "router", "shared expert"; empty for every
/// other one.
QString roleNote(std::string_view role);

} // namespace ql
