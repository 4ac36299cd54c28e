// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/blockdecoder.h"

#include <algorithm>

namespace ql {

BlockDecoder::BlockDecoder(const TensorView &view)
    : m_view(view), m_blocksPerTile(std::max<std::uint64_t>(1, TileWeights / view.type().blockSize)),
      m_decode(dequantizer(view.type().type)), m_decodeDouble(doubleDequantizer(view.type().type)),
      m_floats(m_decodeDouble ? 0 : m_blocksPerTile * view.type().blockSize),
      m_doubles(m_blocksPerTile * view.type().blockSize)
{
}

const std::byte *BlockDecoder::littleEndian(std::uint64_t first, std::uint64_t n)
{
    const auto stored = m_view.blockRange(first, n);
    if (!m_view.bigEndian())
        return stored.data();
    m_swapped.resize(stored.size());
    swapBlocks(m_view.type().type, stored.data(), m_swapped.data(), n);
    return m_swapped.data();
}

std::span<const double> BlockDecoder::decode(std::uint64_t first, std::uint64_t n)
{
    const std::uint64_t weights = n * m_view.type().blockSize;
    const std::byte *blocks = littleEndian(first, n);
    if (m_decodeDouble) {
        m_decodeDouble(blocks, m_doubles.data(), n);
    } else {
        m_decode(blocks, m_floats.data(), n);
        std::copy_n(m_floats.begin(), weights, m_doubles.begin());
    }
    return std::span(m_doubles).first(weights);
}

} // namespace ql
