// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/output/tensorexport.h"

#include <string>
#include <string_view>

namespace ql {

/// NumPy's name of what a type's values are written as: "<f4", or the type's own.
std::string_view npyTypeName(GgmlType type);
/// Bytes a value.
std::size_t npyValueBytes(GgmlType type);

/// Magic, version 1.0, and the padded dictionary.
std::string npyHeader(GgmlType type, const Ne &shape);

/// Appends the values of blocks [first, first + n), little-endian.
void appendNpy(std::string &bytes, const TensorView &view, std::uint64_t first, std::size_t n);

} // namespace ql
