// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/tensorname.h"

#include "core/model/utf8.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>

namespace ql {

namespace {

bool isDigit(char c) { return c >= '0' && c <= '9'; }

std::size_t digitsAt(std::string_view text, std::size_t from)
{
    std::size_t end = from;
    while (end < text.size() && isDigit(text[end]))
        ++end;
    return end - from;
}

std::optional<std::uint32_t> numberIn(std::string_view digits)
{
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (digits.empty() || error != std::errc() || end != digits.data() + digits.size())
        return std::nullopt;
    return value;
}

/// Where "blk.N." stands: at the front, or after a dot as in "v.blk.3.attn_q.weight".
struct LayerPart {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::uint32_t layer = 0;
};

std::optional<LayerPart> findLayer(std::string_view name)
{
    constexpr std::string_view Tag = "blk.";
    for (auto at = name.find(Tag); at != name.npos; at = name.find(Tag, at + 1)) {
        const auto first = at + Tag.size();
        const auto count = digitsAt(name, first);
        const auto layer = numberIn(name.substr(first, count));
        const bool dotAfter = first + count < name.size() && name[first + count] == '.';
        if (layer && dotAfter && (at == 0 || name[at - 1] == '.'))
            return LayerPart{at, first + count + 1, *layer};
    }
    return std::nullopt;
}

/// "ffn_gate.5.weight" -> "ffn_gate_exps.weight" and 5, for the three roles old files split so.
std::optional<std::uint32_t> takeOldExpert(std::string &rest)
{
    for (const std::string_view role : {"ffn_gate.", "ffn_up.", "ffn_down."}) {
        if (!rest.starts_with(role))
            continue;
        const auto count = digitsAt(rest, role.size());
        const auto expert = numberIn(std::string_view(rest).substr(role.size(), count));
        const auto end = role.size() + count;
        if (!expert || end >= rest.size() || rest[end] != '.')
            return std::nullopt;
        rest = std::string(role.substr(0, role.size() - 1)) + "_exps" + rest.substr(end);
        return expert;
    }
    return std::nullopt;
}

void appendHex(std::string &out, unsigned char byte)
{
    constexpr char Digits[] = "0123456789abcdef";
    out += "\\x";
    out += Digits[byte >> 4];
    out += Digits[byte & 15];
}

void appendCodePoint(std::string &out, char32_t c)
{
    char text[16];
    const auto end = std::to_chars(text, text + sizeof text, static_cast<std::uint32_t>(c), 16).ptr;
    out += "\\u{";
    for (auto missing = 4 - (end - text); missing > 0; --missing)
        out += '0';
    out.append(text, end);
    out += '}';
}

/// Characters that change how the text around them is shown or split without being seen.
bool isTreacherous(char32_t c)
{
    return (c >= 0x80 && c < 0xa0) || c == 0x061c || c == 0x200e || c == 0x200f
        || (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || c == 0xfeff;
}

bool isControl(char32_t c) { return c < 0x20 || c == 0x7f; }

enum class Controls { Escape, KeepLines, Keep };

bool keeps(Controls controls, char32_t c)
{
    if (controls == Controls::Keep)
        return true;
    if (controls == Controls::KeepLines && (c == '\n' || c == '\t'))
        return true;
    return !isControl(c) && !isTreacherous(c);
}

/// Bytes that every rule keeps as they are: the common case, copied in runs.
std::size_t plainRun(std::string_view bytes, std::size_t from)
{
    std::size_t i = from;
    while (i < bytes.size() && bytes[i] >= 0x20 && bytes[i] < 0x7f && bytes[i] != '\\')
        ++i;
    return i - from;
}

std::string escape(std::string_view bytes, Controls controls)
{
    std::string out;
    out.reserve(bytes.size());
    for (std::size_t i = 0; i < bytes.size();) {
        const auto run = plainRun(bytes, i);
        out.append(bytes, i, run);
        i += run;
        if (i == bytes.size())
            break;
        const auto [length, c] = decodeUtf8(bytes.substr(i));
        if (length == 0) {
            appendHex(out, static_cast<unsigned char>(bytes[i++]));
            continue;
        }
        if (c == '\\')
            out += "\\\\";
        else if (keeps(controls, c))
            out.append(bytes, i, length);
        else if (isControl(c))
            appendHex(out, static_cast<unsigned char>(c));
        else
            appendCodePoint(out, c);
        i += length;
    }
    return out;
}

/// "\x1b" at the front of text: its byte and 4, or nothing.
std::size_t takeHex(std::string_view text, std::string &out)
{
    unsigned value = 0;
    if (text.size() < 4 || text[1] != 'x')
        return 0;
    const auto [end, error] = std::from_chars(text.data() + 2, text.data() + 4, value, 16);
    if (error != std::errc() || end != text.data() + 4)
        return 0;
    out += static_cast<char>(value);
    return 4;
}

std::size_t takeCodePoint(std::string_view text, std::string &out)
{
    if (!text.starts_with("\\u{"))
        return 0;
    const auto close = text.find('}');
    std::uint32_t value = 0;
    if (close == text.npos || close > 9)
        return 0;
    const auto [end, error] = std::from_chars(text.data() + 3, text.data() + close, value, 16);
    if (error != std::errc() || end != text.data() + close || !appendUtf8(out, value))
        return 0;
    return close + 1;
}

std::size_t takeEscape(std::string_view text, std::string &out)
{
    if (text.starts_with("\\\\")) {
        out += '\\';
        return 2;
    }
    if (const auto taken = takeHex(text, out))
        return taken;
    return takeCodePoint(text, out);
}

/// Leading zeros don't count; then the longer number is the larger.
int compareDigits(std::string_view a, std::string_view b)
{
    a.remove_prefix(std::min(a.find_first_not_of('0'), a.size()));
    b.remove_prefix(std::min(b.find_first_not_of('0'), b.size()));
    if (a.size() != b.size())
        return a.size() < b.size() ? -1 : 1;
    return a.compare(b);
}

} // namespace

TensorName parseTensorName(std::string_view name)
{
    TensorName result;
    std::string rest(name);
    std::string prefix;
    if (const auto part = findLayer(name)) {
        result.layer = part->layer;
        prefix = name.substr(0, part->begin);
        rest = name.substr(part->end);
        result.expert = takeOldExpert(rest);
    }
    result.role = prefix + rest;
    constexpr std::string_view Weight = ".weight";
    if (result.role.ends_with(Weight))
        result.role.resize(result.role.size() - Weight.size());
    result.isMergedExperts = name.find("_exps") != name.npos;
    return result;
}

int compareNatural(std::string_view a, std::string_view b)
{
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < a.size() && j < b.size()) {
        if (isDigit(a[i]) && isDigit(b[j])) {
            const auto inA = digitsAt(a, i);
            const auto inB = digitsAt(b, j);
            if (const int order = compareDigits(a.substr(i, inA), b.substr(j, inB)))
                return order;
            i += inA;
            j += inB;
        } else if (a[i] != b[j]) {
            return static_cast<unsigned char>(a[i]) < static_cast<unsigned char>(b[j]) ? -1 : 1;
        } else {
            ++i;
            ++j;
        }
    }
    if (i < a.size() || j < b.size())
        return i < a.size() ? 1 : -1;
    return a.compare(b); // "01" and "1" are not the same name
}

std::string escapeBytes(std::string_view bytes) { return escape(bytes, Controls::Escape); }
std::string escapeText(std::string_view bytes) { return escape(bytes, Controls::KeepLines); }
std::string escapeForJson(std::string_view bytes) { return escape(bytes, Controls::Keep); }

bool hidesCharacters(std::string_view text)
{
    for (std::size_t i = 0; i < text.size();) {
        const auto [length, c] = decodeUtf8(text.substr(i));
        if (length != 0 && (isControl(c) || isTreacherous(c)))
            return true;
        i += std::max<std::size_t>(length, 1);
    }
    return false;
}

std::string unescapeBytes(std::string_view text)
{
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size();) {
        const auto taken = text[i] == '\\' ? takeEscape(text.substr(i), out) : 0;
        if (taken == 0)
            out += text[i];
        i += std::max<std::size_t>(taken, 1);
    }
    return out;
}

} // namespace ql
