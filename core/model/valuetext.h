// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/metadata.h"

#include <cstddef>
#include <string>

namespace ql {

/// A value on one line for people: numbers in shortest form, strings escaped (within arrays in
/// quotes), arrays as "[a, b, c, …]". At most about maxBytes long, cut with "…".
std::string valuePreview(const MetadataValue &value, std::size_t maxBytes = 200);

/// A number or bool as text: "0.1", "-3", "true", "2" for a bool byte that is neither. Strings and
/// arrays give "".
std::string scalarText(const MetadataValue &value);

/// The first bytes of text, cut at a character's border, "…" appended if anything was cut.
std::string elided(std::string text, std::size_t maxBytes);

} // namespace ql
