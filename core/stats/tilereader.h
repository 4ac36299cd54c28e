// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/tensorview.h"
#include "core/quant/dequantize.h"
#include "core/stats/cutting.h"

#include <cstddef>
#include <span>
#include <memory>
#include <new>
#include <vector>

namespace ql {

/// True for the types whose own values don't fit a float: they are worked on in double.
bool needsDouble(const TypeTraits &type);

/// Room for one tile that begins at a cache line, as vectors like it.
template <class T>
class AlignedBuffer
{
public:
    T *get(std::size_t size)
    {
        constexpr std::size_t Spare = 64 / sizeof(T);
        if (m_values.size() < size + Spare)
            m_values.resize(size + Spare);
        void *start = m_values.data();
        std::size_t space = m_values.size() * sizeof(T);
        return static_cast<T *>(std::align(64, size * sizeof(T), start, space));
    }

private:
    std::vector<T> m_values;
};

/// Decodes tiles of one view into a buffer of its own. Not thread-safe: one a worker.
class TileReader
{
public:
    explicit TileReader(const TensorView &view);

    /// The bytes of a tile: whole rows, or whole blocks of one row.
    std::span<const std::byte> bytes(const Piece &tile) const;
    /// As bytes(), little-endian; valid until the next call.
    std::span<const std::byte> blocks(const Piece &tile);
    /// Of a tile of any size the n blocks from block `first` on.
    std::span<const std::byte> blocks(const Piece &tile, std::size_t first, std::size_t n);
    /// The weights of a tile of at most TileWeights; valid until the next call. As doubles, those
    /// types that don't need it are floats widened.
    template <class T>
    std::span<const T> read(const Piece &tile);

    const TensorView &view() const { return *m_view; }

private:
    std::span<const std::byte> littleEndian(std::span<const std::byte> stored);

    const TensorView *m_view;
    DequantizeFn m_decode;
    DequantizeDoubleFn m_decodeDouble;
    AlignedBuffer<float> m_floats;
    AlignedBuffer<double> m_doubles;
    std::vector<std::byte> m_swapped;
};

} // namespace ql
