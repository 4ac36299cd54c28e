// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace ql {

/// No value of any type takes more characters than this.
inline constexpr std::size_t MaxNumberText = 32;

// Numbers as files hold them: the shortest form that reads back to the same value of the same type,
// "nan" (whatever its sign or payload), "inf", "-inf", "-0"; never a locale. Each writes at most
// MaxNumberText characters at `out` and returns their end.
char *writeShortest(char *out, float value);
char *writeShortest(char *out, double value);
char *writeShortest(char *out, std::int64_t value);
char *writeShortest(char *out, std::uint64_t value);

template <class Value>
void appendShortest(std::string &text, Value value)
{
    char buffer[MaxNumberText];
    text.append(buffer, writeShortest(buffer, value));
}

/// Remembers the text of floats it has formatted: coarse quantizations hold few distinct values a
/// block, half floats few distinct values at all. A direct-mapped table of 24 bytes an entry; small
/// enough for a cache of the processor, it makes a hit several times as fast as formatting. One a
/// thread.
class FloatTextCache
{
public:
    /// 2^bits entries.
    explicit FloatTextCache(unsigned bits);

    /// As writeShortest; `out` needs MaxNumberText bytes of room whatever the length.
    char *write(char *out, float value)
    {
        const auto bits = std::bit_cast<std::uint32_t>(value);
        Entry &entry = m_entries[(bits * 0x9e3779b1u) >> m_shift];
        if (entry.bits != bits)
            return fill(entry, out, value);
        std::memcpy(out, entry.text, sizeof entry.text);
        return out + entry.length;
    }

private:
    /// At first all hold the text of zero.
    struct Entry {
        char text[16] = {'0'}; ///< "-1.1754944e-38" has 14
        std::uint32_t bits = 0;
        std::uint32_t length = 1;
    };
    static char *fill(Entry &entry, char *out, float value);
    unsigned m_shift;
    std::vector<Entry> m_entries;
};

} // namespace ql
