// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/ggufcheck.h"

#include "core/format/findings.h"
#include "core/model/checkedmath.h"
#include "core/model/tensorname.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <unordered_set>
#include <utility>

namespace ql {

namespace {

constexpr std::size_t MaxKeyBytes = 65535;
constexpr std::size_t MaxNameBytes = 64;
constexpr std::uint64_t MaxAlignment = std::uint64_t(1) << 20;
constexpr std::uint64_t MaxSigned = std::numeric_limits<std::int64_t>::max();

template <class T>
bool holds(const MetadataValue &value)
{
    if (const auto *u = std::get_if<std::uint64_t>(&value))
        return std::in_range<T>(*u);
    if (const auto *i = std::get_if<std::int64_t>(&value))
        return std::in_range<T>(*i);
    return false;
}

bool fits(const MetadataValue &value, ValueType type)
{
    switch (type) {
    case ValueType::U8: return holds<std::uint8_t>(value);
    case ValueType::I8: return holds<std::int8_t>(value);
    case ValueType::U16: return holds<std::uint16_t>(value);
    case ValueType::I16: return holds<std::int16_t>(value);
    case ValueType::U32: return holds<std::uint32_t>(value);
    case ValueType::I32: return holds<std::int32_t>(value);
    case ValueType::U64: return holds<std::uint64_t>(value);
    case ValueType::I64: return holds<std::int64_t>(value);
    case ValueType::F32: return std::holds_alternative<float>(value);
    case ValueType::F64: return std::holds_alternative<double>(value);
    case ValueType::Bool: return std::holds_alternative<BoolByte>(value);
    case ValueType::String: return std::holds_alternative<std::string>(value);
    case ValueType::Array:
        return std::holds_alternative<std::shared_ptr<const MetadataArray>>(value)
            && std::get<std::shared_ptr<const MetadataArray>>(value);
    }
    return false;
}

Error refusal(std::string code, std::string message, std::string field)
{
    return {std::move(code), std::move(message), std::move(field), std::nullopt};
}

std::optional<Error> checkEntry(const GgufEntry &entry, std::size_t index)
{
    if (entry.key.empty() || entry.key.size() > MaxKeyBytes)
        return refusal("bad-key",
                       "metadata key " + std::to_string(index) + " has " + bytesText(entry.key.size())
                           + "; 1 to 65535 can be written",
                       kvField(index, "key"));
    const auto key = escapeBytes(entry.key);
    if (!fits(entry.value, entry.type))
        return refusal("bad-value",
                       "the value of '" + key + "' is no "
                           + std::string(valueTypeName(entry.type)),
                       key);
    return std::nullopt;
}

/// The size that type and shape make; nothing where the type has none.
Result<std::optional<std::uint64_t>> sizeOf(const GgufTensor &tensor, const std::string &name)
{
    const auto elements = tensor.ne.elements();
    if (!elements || *elements > MaxSigned)
        return failure("bad-shape", "tensor '" + name + "' has more weights than 63 bits can count",
                       name);
    const auto *type = findType(tensor.typeId);
    if (!type || !type->isSized())
        return std::optional<std::uint64_t>();
    if (tensor.ne[0] % type->blockSize != 0)
        return failure("row-not-block-multiple",
                       "tensor '" + name + "': rows of " + std::to_string(tensor.ne[0])
                           + " weights are not whole " + std::string(type->name) + " blocks of "
                           + std::to_string(type->blockSize),
                       name);
    const auto blocks = checkedMul(*elements / type->blockSize, type->blockBytes);
    const auto headers = checkedMul(tensor.ne.rows().value_or(0), type->rowHeaderBytes);
    const auto bytes = blocks && headers ? checkedAdd(*blocks, *headers) : std::nullopt;
    if (!bytes || *bytes > MaxSigned)
        return failure("bad-shape", "tensor '" + name + "' has more bytes than 63 bits can count",
                       name);
    return bytes;
}

std::optional<Error> checkTensor(const GgufTensor &tensor, std::size_t index)
{
    if (tensor.name.empty() || tensor.name.size() > MaxNameBytes)
        return refusal("bad-tensor-name",
                       "the name of tensor " + std::to_string(index) + " has "
                           + bytesText(tensor.name.size()) + "; 1 to 64 can be written",
                       tensorField(index, "name"));
    const auto name = escapeBytes(tensor.name);
    if (tensor.ne.size() > 4)
        return refusal("bad-shape",
                       "tensor '" + name + "' has " + std::to_string(tensor.ne.size())
                           + " dimensions; at most four can be written",
                       name);
    const auto size = sizeOf(tensor, name);
    if (!size)
        return size.error();
    if (*size && **size != tensor.byteSize)
        return refusal("wrong-size",
                       "tensor '" + name + "' comes with " + bytesText(tensor.byteSize)
                           + ", type and shape make " + bytesText(**size),
                       name);
    return std::nullopt;
}

} // namespace

std::optional<Error> whyNotWritable(const std::vector<GgufEntry> &metadata)
{
    std::unordered_set<std::string_view> seen;
    for (std::size_t i = 0; i < metadata.size(); ++i) {
        if (auto error = checkEntry(metadata[i], i))
            return error;
        const auto key = escapeBytes(metadata[i].key);
        if (!seen.insert(metadata[i].key).second)
            return refusal("duplicate-key", "the key '" + key + "' stands twice", key);
    }
    return std::nullopt;
}

std::optional<Error> whyNotWritable(const std::vector<GgufTensor> &tensors)
{
    std::unordered_set<std::string_view> seen;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        if (auto error = checkTensor(tensors[i], i))
            return error;
        const auto name = escapeBytes(tensors[i].name);
        if (!seen.insert(tensors[i].name).second)
            return refusal("duplicate-tensor-name", "two tensors have the name '" + name + "'", name);
    }
    return std::nullopt;
}

Result<std::uint64_t> alignmentOf(const std::vector<GgufEntry> &metadata)
{
    const std::string key = "general.alignment";
    const auto entry = std::ranges::find(metadata, key, &GgufEntry::key);
    if (entry == metadata.end())
        return 32;
    const auto *value = std::get_if<std::uint64_t>(&entry->value);
    if (entry->type != ValueType::U32 || !value)
        return failure("bad-alignment", "general.alignment must be a u32", key);
    if (*value < 8 || *value > MaxAlignment || !std::has_single_bit(*value))
        return failure("bad-alignment",
                       "general.alignment is " + std::to_string(*value)
                           + "; a power of two from 8 to 1048576 can be written",
                       key);
    return *value;
}

} // namespace ql
