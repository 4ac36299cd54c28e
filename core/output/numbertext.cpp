// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/output/numbertext.h"

#include <charconv>
#include <cmath>

namespace ql {

namespace {

template <class Value>
char *writeFloating(char *out, Value value)
{
    // to_chars would print the sign of a NaN, which no reader keeps.
    if (std::isnan(value))
        return static_cast<char *>(std::memcpy(out, "nan", 3)) + 3;
    return std::to_chars(out, out + MaxNumberText, value).ptr;
}

} // namespace

char *writeShortest(char *out, float value) { return writeFloating(out, value); }
char *writeShortest(char *out, double value) { return writeFloating(out, value); }

char *writeShortest(char *out, std::int64_t value)
{
    return std::to_chars(out, out + MaxNumberText, value).ptr;
}

char *writeShortest(char *out, std::uint64_t value)
{
    return std::to_chars(out, out + MaxNumberText, value).ptr;
}

FloatTextCache::FloatTextCache() : m_entries(std::make_unique<Entry[]>(1u << Bits)) {}

void FloatTextCache::fill(Entry &entry, float value)
{
    char text[MaxNumberText];
    const char *end = writeShortest(text, value);
    entry.length = static_cast<std::uint8_t>(end - text);
    std::memcpy(entry.text.data(), text, entry.length);
    entry.bits = std::bit_cast<std::uint32_t>(value);
}

} // namespace ql
