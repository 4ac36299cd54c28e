// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ql {

// Texts of a file made safe to stand in a document. Bytes that are not UTF-8, and control and
// bidirectional characters, come out as U+FFFD whatever the format.

/// For HTML and SVG, in elements and in quoted attributes.
std::string htmlText(std::string_view text);
/// For Markdown, in tables too: a code span, or where the text has what could end one, the text with all
/// punctuation as character references. So nothing in it is markup, a mention or a link.
std::string markdownText(std::string_view text);
/// One word for a POSIX shell, whatever bytes; as it is where it needs no quotes.
std::string shellWord(std::string_view word);

/// "12.3 %", "-39 %"
std::string percentText(double share);
/// A bar of at most `width` characters out of full and partial blocks, for fixed-width text.
std::string textBar(double share, int width);

} // namespace ql
