// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/output/npy.h"

#include "core/output/viewdecoder.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace ql {

namespace {

static_assert(std::endian::native == std::endian::little, "floats are written as memory holds them");

struct Own {
    GgmlType type;
    std::string_view name;
    std::size_t bytes;
};

/// Types written as they are stored; all others as float32.
constexpr Own OwnTypes[] = {
    {GgmlType::F16, "<f2", 2}, {GgmlType::F64, "<f8", 8}, {GgmlType::I8, "|i1", 1},
    {GgmlType::I16, "<i2", 2}, {GgmlType::I32, "<i4", 4}, {GgmlType::I64, "<i8", 8},
};

const Own *ownType(GgmlType type)
{
    const auto row = std::ranges::find(OwnTypes, type, &Own::type);
    return row != std::end(OwnTypes) ? row : nullptr;
}

/// "(3, 2)", "(5,)", "()"
std::string tupleText(const Ne &shape)
{
    std::string text = "(";
    for (std::size_t i = shape.size(); i-- > 0;)
        text += std::to_string(shape[i]) + (shape.size() == 1 ? "," : i ? ", " : "");
    return text + ")";
}

} // namespace

std::string_view npyTypeName(GgmlType type)
{
    const Own *own = ownType(type);
    return own ? own->name : "<f4";
}

std::size_t npyValueBytes(GgmlType type)
{
    const Own *own = ownType(type);
    return own ? own->bytes : sizeof(float);
}

std::string npyHeader(GgmlType type, const Ne &shape)
{
    // 10 bytes of magic, version and length; the whole ends on a multiple of 64 with a newline.
    std::string dictionary = "{'descr': '" + std::string(npyTypeName(type))
        + "', 'fortran_order': False, 'shape': " + tupleText(shape) + ", }";
    const std::size_t padded = (10 + dictionary.size() + 1 + 63) / 64 * 64;
    dictionary.resize(padded - 11, ' ');
    dictionary += '\n';
    std::string header("\x93NUMPY\x01\x00", 8);
    header += {static_cast<char>(dictionary.size() & 0xff), static_cast<char>(dictionary.size() >> 8)};
    return header + dictionary;
}

void appendNpy(std::string &bytes, const TensorView &view, std::uint64_t first, std::size_t n)
{
    ViewDecoder decoder(view);
    const std::size_t start = bytes.size();
    bytes.resize(start + n * view.type().blockSize * npyValueBytes(view.type().type));
    if (ownType(view.type().type)) {
        const auto stored = decoder.littleEndian(first, n);
        std::memcpy(bytes.data() + start, stored.data(), stored.size());
        return;
    }
    // A string's storage need not be aligned for floats.
    std::vector<float> values(n * view.type().blockSize);
    decoder.floats(first, n, values.data());
    std::memcpy(bytes.data() + start, values.data(), values.size() * sizeof(float));
}

} // namespace ql
