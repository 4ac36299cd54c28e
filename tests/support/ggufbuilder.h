// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/format/shardset.h"
#include "core/model/ggmltype.h"
#include "core/model/metadata.h"

#include <QByteArray>
#include <QString>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <type_traits>
#include <vector>

namespace ql::test {

/// Writes small GGUF files for tests, good and bad ones:
///   GgufBuilder().meta("general.architecture", "llama")
///                .tensor("blk.0.attn_q.weight", GgmlType::Q4_K, {256, 4}).bytes()
/// Call version(), bigEndian() and alignment() first: what follows is written their way.
class GgufBuilder
{
public:
    GgufBuilder &version(std::uint32_t v);
    GgufBuilder &bigEndian();
    /// Writes general.alignment too, and lays out the data by it.
    GgufBuilder &alignment(std::uint32_t bytes);

    GgufBuilder &meta(std::string_view key, std::string_view text);
    GgufBuilder &meta(std::string_view key, const char *text) { return meta(key, std::string_view(text)); }
    /// Any of the fixed-size types, stored as its C++ type says: bool, std::uint8_t … double.
    template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>>
    GgufBuilder &meta(std::string_view key, T value)
    {
        return metaRaw(key, typeOf<T>(), number(value));
    }
    template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>>
    GgufBuilder &metaArray(std::string_view key, const std::vector<T> &values)
    {
        QByteArray elements;
        for (const T value : values)
            elements += number(value);
        return metaArrayRaw(key, typeOf<T>(), values.size(), elements);
    }
    GgufBuilder &metaArray(std::string_view key, const std::vector<std::string> &values);
    /// An array of arrays of i32.
    GgufBuilder &metaNested(std::string_view key,
                            const std::vector<std::vector<std::int32_t>> &values);
    /// Any value type id and bytes; claimed counts need not be true.
    GgufBuilder &metaRaw(std::string_view key, std::uint32_t valueType, const QByteArray &value);
    GgufBuilder &metaArrayRaw(std::string_view key, std::uint32_t elementType, std::uint64_t count,
                              const QByteArray &elements);

    /// Without data: zero bytes of the type's size. The offset follows the tensor before.
    GgufBuilder &tensor(std::string_view name, GgmlType type, const std::vector<std::uint64_t> &ne,
                        const QByteArray &data = {});
    GgufBuilder &floats(std::string_view name, const std::vector<std::uint64_t> &ne,
                        const std::vector<float> &values);
    /// A type by number, with its data; the offset as given, or behind the tensor before.
    GgufBuilder &tensorRaw(std::string_view name, std::uint32_t typeId,
                           const std::vector<std::uint64_t> &ne, const QByteArray &data,
                           std::optional<std::uint64_t> offset = {});

    /// What the header says in place of the true counts.
    GgufBuilder &claimTensors(std::uint64_t count);
    GgufBuilder &claimMetadata(std::uint64_t count);

    QByteArray bytes() const;
    /// Fails the test that calls it if the file can't be written.
    void writeTo(const QString &path) const;

    /// Building blocks for raw values, in this builder's byte order and version.
    QByteArray text(std::string_view text) const;
    QByteArray length(std::uint64_t n) const;
    template <class T>
    QByteArray number(T value) const
    {
        char raw[sizeof(T)];
        std::memcpy(raw, &value, sizeof(T));
        return ordered(raw, sizeof(T));
    }

    template <class T>
    static constexpr std::uint32_t typeOf()
    {
        if constexpr (std::is_same_v<T, bool>)
            return static_cast<std::uint32_t>(ValueType::Bool);
        else if constexpr (std::is_floating_point_v<T>)
            return static_cast<std::uint32_t>(sizeof(T) == 4 ? ValueType::F32 : ValueType::F64);
        else if constexpr (sizeof(T) == 8)
            return static_cast<std::uint32_t>(std::is_signed_v<T> ? ValueType::I64 : ValueType::U64);
        else
            return (sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 2 : 4) + (std::is_signed_v<T> ? 1 : 0);
    }

private:
    QByteArray ordered(const char *raw, std::size_t size) const;
    std::uint64_t padded(std::uint64_t n) const { return (n + m_alignment - 1) / m_alignment * m_alignment; }

    std::uint32_t m_version = 3;
    bool m_bigEndian = false;
    std::uint64_t m_alignment = 32;
    std::uint64_t m_metadataCount = 0;
    std::uint64_t m_tensorCount = 0;
    std::optional<std::uint64_t> m_claimedTensors;
    std::optional<std::uint64_t> m_claimedMetadata;
    QByteArray m_metadata;
    QByteArray m_infos;
    QByteArray m_data;
};

/// Writes bytes to a file; fails the running test if that doesn't work.
void writeFile(const QString &path, const QByteArray &bytes);

/// Opens a model, failing the running test (and giving null) if it can't be opened.
GgufModelPtr openOrFail(const QString &path);

} // namespace ql::test
