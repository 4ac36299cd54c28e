// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/output/numbertext.h"

#include "core/output/floattext.h"

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

char *writeShortest(char *out, float value)
{
    // Nearly all weights; a NaN is not below anything.
    return std::fabs(value) < 0x1p24f ? writeSmallFloat(out, value) : writeFloating(out, value);
}

char *writeShortest(char *out, double value) { return writeFloating(out, value); }

char *writeShortest(char *out, std::int64_t value)
{
    return std::to_chars(out, out + MaxNumberText, value).ptr;
}

char *writeShortest(char *out, std::uint64_t value)
{
    return std::to_chars(out, out + MaxNumberText, value).ptr;
}

FloatTextCache::FloatTextCache(unsigned bits) : m_shift(32 - bits), m_entries(std::size_t{1} << bits) {}

char *FloatTextCache::fill(Entry &entry, char *out, float value)
{
    char *end = writeShortest(out, value);
    entry.bits = std::bit_cast<std::uint32_t>(value);
    entry.length = static_cast<std::uint32_t>(end - out);
    std::memcpy(entry.text, out, sizeof entry.text);
    return end;
}

} // namespace ql
