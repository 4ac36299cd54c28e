// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/valuereader.h"

#include <string>

namespace ql {

namespace {

template <class Stored, class Shown>
std::optional<MetadataValue> readAs(ByteReader &reader)
{
    const auto value = reader.read<Stored>();
    return value ? std::optional<MetadataValue>(Shown{*value}) : std::nullopt;
}

std::optional<MetadataValue> readText(ByteReader &reader)
{
    const auto text = reader.readString();
    return text ? std::optional<MetadataValue>(std::string(*text)) : std::nullopt;
}

} // namespace

std::optional<MetadataValue> readScalar(ByteReader &reader, ValueType type)
{
    switch (type) {
    case ValueType::U8: return readAs<std::uint8_t, std::uint64_t>(reader);
    case ValueType::I8: return readAs<std::int8_t, std::int64_t>(reader);
    case ValueType::U16: return readAs<std::uint16_t, std::uint64_t>(reader);
    case ValueType::I16: return readAs<std::int16_t, std::int64_t>(reader);
    case ValueType::U32: return readAs<std::uint32_t, std::uint64_t>(reader);
    case ValueType::I32: return readAs<std::int32_t, std::int64_t>(reader);
    case ValueType::U64: return readAs<std::uint64_t, std::uint64_t>(reader);
    case ValueType::I64: return readAs<std::int64_t, std::int64_t>(reader);
    case ValueType::F32: return readAs<float, float>(reader);
    case ValueType::F64: return readAs<double, double>(reader);
    case ValueType::Bool: return readAs<std::uint8_t, BoolByte>(reader);
    case ValueType::String: return readText(reader);
    case ValueType::Array: break;
    }
    return std::nullopt;
}

MetadataValue zeroValue(ValueType type)
{
    switch (type) {
    case ValueType::I8:
    case ValueType::I16:
    case ValueType::I32:
    case ValueType::I64: return std::int64_t(0);
    case ValueType::F32: return 0.0f;
    case ValueType::F64: return 0.0;
    case ValueType::Bool: return BoolByte{};
    case ValueType::String:
    case ValueType::Array: return std::string();
    default: return std::uint64_t(0);
    }
}

} // namespace ql
