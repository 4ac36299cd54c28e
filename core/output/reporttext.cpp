// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/output/reporttext.h"

#include "core/model/utf8.h"
#include "core/output/displaytext.h"
#include "core/output/humannumbers.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ql {

namespace {

constexpr std::string_view Replacement = "\xef\xbf\xbd";

/// Hands on the text character by character, as it may be shown.
template <class Take>
void eachCharacter(std::string_view text, Take take)
{
    while (!text.empty()) {
        const Utf8Char c = decodeUtf8(text);
        const std::size_t length = std::max<std::size_t>(c.length, 1);
        const bool isShown = c.length > 0 && !isControlCharacter(c.value);
        take(isShown ? text.substr(0, length) : Replacement);
        text.remove_prefix(length);
    }
}

bool isLetterOrDigit(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool isOneOf(char c, std::string_view set) { return set.find(c) != std::string_view::npos; }

std::string characterReference(char c) { return "&#" + std::to_string(static_cast<int>(c)) + ";"; }

/// Inside a code span everything but these is itself, in a table's cell too.
bool fitsCodeSpan(std::string_view text)
{
    bool fits = !text.empty() && text.front() != ' ' && text.back() != ' ';
    eachCharacter(text, [&](std::string_view c) { fits &= c != Replacement && !isOneOf(c[0], "`|\\"); });
    return fits;
}

std::string escapedForShell(unsigned char c)
{
    constexpr char Digits[] = "0123456789abcdef";
    return {'\\', 'x', Digits[c >> 4], Digits[c & 15]};
}

} // namespace

std::string htmlText(std::string_view text)
{
    std::string out;
    eachCharacter(text, [&](std::string_view c) { out += isOneOf(c[0], "&<>\"'") ? characterReference(c[0]) : std::string(c); });
    return out;
}

std::string markdownText(std::string_view text)
{
    if (fitsCodeSpan(text))
        return "`" + std::string(text) + "`";
    std::string out;
    eachCharacter(text, [&](std::string_view c) {
        const bool isPlain = c.size() > 1 || isLetterOrDigit(c[0]) || c[0] == ' ';
        out += isPlain ? std::string(c) : characterReference(c[0]);
    });
    return out;
}

std::string shellWord(std::string_view word)
{
    const auto isSafe = [](char c) { return isLetterOrDigit(c) || isOneOf(c, "._-+/:,=@%"); };
    if (!word.empty() && std::ranges::all_of(word, isSafe))
        return std::string(word);
    bool isText = isValidUtf8(word);
    eachCharacter(word, [&](std::string_view c) { isText &= c != Replacement; });
    if (isText && word.find('\'') == std::string_view::npos)
        return "'" + std::string(word) + "'";
    // $'…' takes every byte; a digit after \xNN can't be taken for a part of it.
    std::string out = "$'";
    for (const char c : word)
        out += isSafe(c) || c == ' ' ? std::string(1, c) : escapedForShell(static_cast<unsigned char>(c));
    return out + "'";
}

std::string percentText(double share) { return significant(100.0 * share, 3) + " %"; }

std::string textBar(double share, int width)
{
    constexpr std::array<std::string_view, 8> Parts{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    if (!(share > 0) || width <= 0)
        return {};
    const int eighths = std::max(1, static_cast<int>(std::lround(std::min(share, 1.0) * width * 8)));
    std::string bar;
    for (int i = 0; i < eighths / 8; ++i)
        bar += "█";
    return bar.append(Parts[static_cast<std::size_t>(eighths % 8)]);
}

} // namespace ql
