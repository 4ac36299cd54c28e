// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/tensorview.h"
#include "core/quant/dequantize.h"

#include <cstdint>
#include <span>
#include <vector>

namespace ql {

/// Decodes whole blocks of one view into doubles, whatever its type and byte order. Keeps scratch
/// memory: one a thread.
class BlockDecoder
{
public:
    /// Blocks decoded at once: about 4,096 weights, which stay in the first-level cache.
    static constexpr std::uint64_t TileWeights = 4096;

    explicit BlockDecoder(const TensorView &view);

    std::uint64_t blocksPerTile() const { return m_blocksPerTile; }
    /// Blocks [first, first + n) of the view, n at most blocksPerTile(). Valid until the next call.
    std::span<const double> decode(std::uint64_t first, std::uint64_t n);

private:
    const std::byte *littleEndian(std::uint64_t first, std::uint64_t n);

    const TensorView &m_view;
    std::uint64_t m_blocksPerTile;
    DequantizeFn m_decode;
    DequantizeDoubleFn m_decodeDouble;
    std::vector<std::byte> m_swapped;
    std::vector<float> m_floats;
    std::vector<double> m_doubles;
};

} // namespace ql
