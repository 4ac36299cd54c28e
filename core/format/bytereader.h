// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

namespace ql {

/// A value from unaligned bytes of either order.
template <class T>
T loadValue(const std::byte *from, bool bigEndian)
{
    static_assert(std::is_trivially_copyable_v<T>);
    std::byte raw[sizeof(T)];
    std::memcpy(raw, from, sizeof(T));
    if (bigEndian != (std::endian::native == std::endian::big))
        std::reverse(raw, raw + sizeof(T));
    T value;
    std::memcpy(&value, raw, sizeof(T));
    return value;
}

/// A cursor over bytes that never leaves them. A failed read takes nothing.
class ByteReader
{
public:
    /// shortLengths: version 1, where lengths, counts and dimensions are 32-bit.
    ByteReader(std::span<const std::byte> bytes, bool bigEndian, bool shortLengths,
               std::uint64_t position = 0)
        : m_bytes(bytes), m_position(position), m_bigEndian(bigEndian), m_shortLengths(shortLengths)
    {
    }

    std::span<const std::byte> bytes() const { return m_bytes; }
    std::uint64_t position() const { return m_position; }
    std::uint64_t remaining() const
    {
        return m_position < m_bytes.size() ? m_bytes.size() - m_position : 0;
    }
    bool bigEndian() const { return m_bigEndian; }
    bool shortLengths() const { return m_shortLengths; }
    std::uint64_t lengthBytes() const { return m_shortLengths ? 4 : 8; }

    bool skip(std::uint64_t n)
    {
        if (n > remaining())
            return false;
        m_position += n;
        return true;
    }

    template <class T>
    std::optional<T> read()
    {
        if (remaining() < sizeof(T))
            return std::nullopt;
        const T value = loadValue<T>(m_bytes.data() + m_position, m_bigEndian);
        m_position += sizeof(T);
        return value;
    }

    /// A length, count or dimension: u64, or u32 in version 1.
    std::optional<std::uint64_t> readLength()
    {
        return m_shortLengths ? widened(read<std::uint32_t>()) : read<std::uint64_t>();
    }

    std::optional<std::string_view> readBytes(std::uint64_t n)
    {
        if (n > remaining())
            return std::nullopt;
        const auto *from = reinterpret_cast<const char *>(m_bytes.data() + m_position);
        m_position += n;
        return std::string_view(from, n);
    }

    /// Length and bytes; a view into the map.
    std::optional<std::string_view> readString();

private:
    static std::optional<std::uint64_t> widened(std::optional<std::uint32_t> value)
    {
        return value ? std::optional<std::uint64_t>(*value) : std::nullopt;
    }

    std::span<const std::byte> m_bytes;
    std::uint64_t m_position;
    bool m_bigEndian;
    bool m_shortLengths;
};

} // namespace ql
