// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/tilereader.h"

#include "core/stats/lanes.h"

#include <algorithm>

namespace ql {

bool needsDouble(const TypeTraits &type) { return doubleDequantizer(type.type) != nullptr; }

TileReader::TileReader(const TensorView &view)
    : m_view(&view)
    , m_decode(dequantizer(view.type().type))
    , m_decodeDouble(doubleDequantizer(view.type().type))
{
}

std::span<const std::byte> TileReader::bytes(const Piece &tile) const
{
    const std::uint64_t blockSize = m_view->type().blockSize;
    const std::uint64_t first = tile.firstRow * m_view->blocksPerRow() + tile.firstColumn / blockSize;
    return m_view->blockRange(first, tile.weights() / blockSize);
}

std::span<const std::byte> TileReader::blocks(const Piece &tile) { return littleEndian(bytes(tile)); }

std::span<const std::byte> TileReader::blocks(const Piece &tile, std::size_t first, std::size_t n)
{
    const std::size_t blockBytes = m_view->type().blockBytes;
    return littleEndian(bytes(tile).subspan(first * blockBytes, n * blockBytes));
}

std::span<const std::byte> TileReader::littleEndian(std::span<const std::byte> stored)
{
    if (!m_view->bigEndian())
        return stored;
    m_swapped.resize(stored.size());
    swapBlocks(m_view->type().type, stored.data(), m_swapped.data(),
               stored.size() / m_view->type().blockBytes);
    return m_swapped;
}

template <>
std::span<const float> TileReader::read<float>(const Piece &tile)
{
    float *const floats = m_floats.get(TileWeights);
    m_decode(blocks(tile).data(), floats, tile.weights() / m_view->type().blockSize);
    return {floats, tile.weights()};
}

template <>
std::span<const double> TileReader::read<double>(const Piece &tile)
{
    double *const doubles = m_doubles.get(TileWeights);
    if (m_decodeDouble)
        m_decodeDouble(blocks(tile).data(), doubles, tile.weights() / m_view->type().blockSize);
    else
        std::ranges::copy(read<float>(tile), doubles);
    return {doubles, tile.weights()};
}

} // namespace ql
