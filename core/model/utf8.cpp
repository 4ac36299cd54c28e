// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/utf8.h"

namespace ql {

namespace {

struct Lead {
    std::size_t length;
    char32_t bits;
    char32_t least; ///< smallest value that needs this length
};

Lead leadOf(unsigned char byte)
{
    if (byte < 0x80)
        return {1, byte, 0};
    if ((byte & 0xe0) == 0xc0)
        return {2, byte & 0x1fu, 0x80};
    if ((byte & 0xf0) == 0xe0)
        return {3, byte & 0x0fu, 0x800};
    if ((byte & 0xf8) == 0xf0)
        return {4, byte & 0x07u, 0x10000};
    return {0, 0, 0};
}

bool isCharacter(char32_t value)
{
    return value <= 0x10ffff && (value < 0xd800 || value > 0xdfff);
}

} // namespace

Utf8Char decodeUtf8(std::string_view bytes)
{
    const auto lead = leadOf(static_cast<unsigned char>(bytes[0]));
    if (lead.length == 0 || lead.length > bytes.size())
        return {};
    char32_t value = lead.bits;
    for (std::size_t i = 1; i < lead.length; ++i) {
        const auto byte = static_cast<unsigned char>(bytes[i]);
        if ((byte & 0xc0) != 0x80)
            return {};
        value = value << 6 | (byte & 0x3fu);
    }
    if (value < lead.least || !isCharacter(value))
        return {};
    return {lead.length, value};
}

bool isValidUtf8(std::string_view bytes)
{
    for (std::size_t i = 0; i < bytes.size();) {
        const auto length = decodeUtf8(bytes.substr(i)).length;
        if (length == 0)
            return false;
        i += length;
    }
    return true;
}

bool appendUtf8(std::string &out, char32_t value)
{
    if (!isCharacter(value))
        return false;
    if (value < 0x80) {
        out += static_cast<char>(value);
        return true;
    }
    const int more = value < 0x800 ? 1 : value < 0x10000 ? 2 : 3;
    constexpr unsigned Marks[] = {0, 0xc0, 0xe0, 0xf0};
    out += static_cast<char>(Marks[more] | value >> (6 * more));
    for (int i = more - 1; i >= 0; --i)
        out += static_cast<char>(0x80 | (value >> (6 * i) & 0x3f));
    return true;
}

} // namespace ql
