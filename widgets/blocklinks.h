// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/quant/blockfields.h"

#include <cstdint>
#include <vector>

namespace ql {

/// Something in a block that can be pointed at.
struct BlockTarget {
    /// Weights: a run of them, such as those that a scale of another block stands for.
    enum class Kind { None, Part, Byte, Bit, Field, Weight, Weights };
    Kind kind = Kind::None;
    std::uint32_t index = 0;
    std::uint32_t count = 1; ///< of a run

    bool isNone() const { return kind == Kind::None; }
    bool operator==(const BlockTarget &) const = default;
};

/// What belongs to a target: one flag a bit, field and weight of the block.
struct BlockHighlight {
    std::vector<bool> bits;
    std::vector<bool> fields;
    std::vector<bool> weights;
};

/// Which bits make which fields make which weights, both ways. Made once a block.
class BlockLinks
{
public:
    BlockLinks() = default;
    BlockLinks(const BlockFields &fields, std::size_t byteCount);

    BlockHighlight highlight(const BlockTarget &target) const;

    const std::vector<std::uint32_t> &fieldsOfBit(std::uint32_t bit) const
    {
        return m_fieldsOfBit[bit];
    }
    const std::vector<std::uint32_t> &weightsOfField(std::uint32_t field) const
    {
        return m_weightsOfField[field];
    }
    std::size_t bitCount() const { return m_fieldsOfBit.size(); }
    std::size_t weightCount() const { return m_fieldsOfWeight.size(); }

private:
    void lightField(std::uint32_t field, BlockHighlight &lit) const;
    void lightBits(std::uint32_t first, std::uint32_t n, BlockHighlight &lit) const;
    void lightWeight(std::uint32_t weight, BlockHighlight &lit) const;

    std::span<const LayoutPart> m_parts;
    std::vector<std::vector<std::uint32_t>> m_fieldsOfBit;
    std::vector<std::vector<std::uint32_t>> m_weightsOfField;
    std::vector<std::vector<std::uint32_t>> m_fieldsOfWeight;
    std::vector<std::vector<BitRange>> m_bitsOfField;
};

} // namespace ql
