// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/blocklinks.h"

namespace ql {

BlockLinks::BlockLinks(const BlockFields &fields, std::size_t byteCount)
    : m_parts(blockLayout(fields.type)), m_fieldsOfBit(8 * byteCount),
      m_weightsOfField(fields.fields.size())
{
    for (std::uint32_t f = 0; f < fields.fields.size(); ++f) {
        m_bitsOfField.push_back(fields.fields[f].bits);
        for (const BitRange &range : fields.fields[f].bits)
            for (std::uint32_t i = 0; i < range.bits; ++i)
                m_fieldsOfBit[range.firstBit + i].push_back(f);
    }
    for (std::uint32_t w = 0; w < fields.weights.size(); ++w) {
        m_fieldsOfWeight.push_back(fields.weights[w].fields);
        for (const std::uint32_t f : fields.weights[w].fields)
            m_weightsOfField[f].push_back(w);
    }
}

void BlockLinks::lightField(std::uint32_t field, BlockHighlight &lit) const
{
    lit.fields[field] = true;
    for (const BitRange &range : m_bitsOfField[field])
        for (std::uint32_t i = 0; i < range.bits; ++i)
            lit.bits[range.firstBit + i] = true;
    for (const std::uint32_t w : m_weightsOfField[field])
        lit.weights[w] = true;
}

void BlockLinks::lightBits(std::uint32_t first, std::uint32_t n, BlockHighlight &lit) const
{
    for (std::uint32_t bit = first; bit < first + n && bit < m_fieldsOfBit.size(); ++bit) {
        lit.bits[bit] = true;
        for (const std::uint32_t f : m_fieldsOfBit[bit]) {
            lit.fields[f] = true;
            for (const std::uint32_t w : m_weightsOfField[f])
                lit.weights[w] = true;
        }
    }
}

void BlockLinks::lightWeight(std::uint32_t weight, BlockHighlight &lit) const
{
    lit.weights[weight] = true;
    for (const std::uint32_t f : m_fieldsOfWeight[weight]) {
        lit.fields[f] = true;
        for (const BitRange &range : m_bitsOfField[f])
            for (std::uint32_t i = 0; i < range.bits; ++i)
                lit.bits[range.firstBit + i] = true;
    }
}

BlockHighlight BlockLinks::highlight(const BlockTarget &target) const
{
    using Kind = BlockTarget::Kind;
    BlockHighlight lit{std::vector<bool>(m_fieldsOfBit.size()),
                       std::vector<bool>(m_weightsOfField.size()),
                       std::vector<bool>(m_fieldsOfWeight.size())};
    const std::uint32_t i = target.index;
    if (target.kind == Kind::Part && i < m_parts.size())
        lightBits(8 * m_parts[i].firstByte, 8 * m_parts[i].bytes, lit);
    else if (target.kind == Kind::Byte)
        lightBits(8 * i, 8, lit);
    else if (target.kind == Kind::Bit)
        lightBits(i, 1, lit);
    else if (target.kind == Kind::Field && i < lit.fields.size())
        lightField(i, lit);
    else if (target.kind == Kind::Weight && i < lit.weights.size())
        lightWeight(i, lit);
    else if (target.kind == Kind::Weights)
        for (std::uint32_t w = i; w < lit.weights.size() && w - i < target.count; ++w)
            lightWeight(w, lit);
    return lit;
}

} // namespace ql
