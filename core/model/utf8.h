// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ql {

struct Utf8Char {
    std::size_t length = 0; ///< bytes of the first character; 0 where they are not valid UTF-8
    char32_t value = 0;
};

/// The first character of non-empty bytes. Overlong forms, surrogates and numbers beyond U+10FFFF
/// are not valid.
Utf8Char decodeUtf8(std::string_view bytes);
bool isValidUtf8(std::string_view bytes);
/// False, and nothing appended, for what is not a character.
bool appendUtf8(std::string &out, char32_t value);

} // namespace ql
