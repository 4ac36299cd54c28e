// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/ggmltype.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ql {

/// Some bits of a block: bit i is bit i%8 of byte i/8.
struct BitRange {
    std::uint32_t firstBit = 0;
    std::uint32_t bits = 0;
    bool operator==(const BitRange &) const = default;
};

/// One decoded field of a block, for people: "d", "scale[3]", "q[17]", "grid[5]", "sign[40]".
struct BlockField {
    std::string name;
    /// "d", "dmin", "scale", "min", "quant", "sign", "grid", "delta", "value", "sum" (not decoded)
    std::string_view kind;
    double value = 0;      ///< what the formula uses
    std::string text;      ///< as shown: "0.01123", "17", "grid 243: 8 8 25 8 …"
    std::vector<BitRange> bits; ///< lowest part first
};

/// One weight of a block and what it was computed from.
struct BlockWeight {
    float value = 0;
    std::vector<std::uint32_t> fields; ///< indices into BlockFields::fields
};

/// One block taken apart: the picture of the bytes, in code. A test compares each weight with the
/// kernels, so the picture can't disagree with the decoder.
struct BlockFields {
    GgmlType type{};
    std::string_view formula; ///< "w = (d * scale) * q - (dmin * min)"
    std::vector<BlockField> fields;
    std::vector<BlockWeight> weights; ///< blockSize of them
};

/// A part of the layout drawing: consecutive bytes that belong together.
struct LayoutPart {
    std::string_view name;  ///< "scales"
    std::string_view what;  ///< "8 x (6-bit scale, 6-bit min)"
    std::uint32_t firstByte = 0;
    std::uint32_t bytes = 0;
};

/// The layout of a type, in file order, covering every byte once. Empty for types that can't be decoded.
std::span<const LayoutPart> blockLayout(GgmlType type);

/// Takes one little-endian block apart; `block` is exactly the type's blockBytes.
BlockFields readBlockFields(GgmlType type, std::span<const std::byte> block);

} // namespace ql
