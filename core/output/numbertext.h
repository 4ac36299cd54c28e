// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>

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

/// Remembers the text of floats it has formatted: quantized tensors hold few distinct values, each of
/// which is worked out once. A direct-mapped table (2^12 × 20 bytes, in the second-level cache); a
/// hit costs a copy of 16 bytes, about a tenth of formatting. One a thread.
class FloatTextCache
{
public:
    FloatTextCache();

    /// As writeShortest; `out` needs 16 bytes of room whatever the length.
    char *write(char *out, float value)
    {
        const auto bits = std::bit_cast<std::uint32_t>(value);
        Entry &entry = m_entries[(bits * 0x9e3779b1u) >> (32 - Bits)];
        if (entry.bits != bits || entry.length == 0)
            fill(entry, value);
        std::memcpy(out, entry.text.data(), entry.text.size());
        return out + entry.length;
    }

private:
    static constexpr unsigned Bits = 12;
    struct Entry {
        std::array<char, 15> text; ///< "-3.4028235e+38" has 14
        std::uint8_t length;
        std::uint32_t bits;
    };
    static void fill(Entry &entry, float value);
    std::unique_ptr<Entry[]> m_entries;
};

} // namespace ql
