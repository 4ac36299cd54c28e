// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <string_view>

namespace ql {

/// How many terminal columns a text takes: code points, wide East Asian ones and emoji counted twice.
std::size_t displayWidth(std::string_view text);

/// Characters that change how a terminal shows what follows: C0, DEL, C1, bidirectional controls,
/// line and paragraph separators.
bool isControlCharacter(char32_t c);

} // namespace ql
