// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/tensorview.h"
#include "core/quant/dequantize.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ql {

/// Decodes runs of a view's blocks whatever their byte order. The view must outlive it; one a thread.
class ViewDecoder
{
public:
    explicit ViewDecoder(const TensorView &view);

    /// Blocks [first, first + n), counted through all rows, into n × blockSize floats.
    void floats(std::uint64_t first, std::size_t n, float *out);
    /// For F64 and I64: their own values in double.
    void doubles(std::uint64_t first, std::size_t n, double *out);
    /// The blocks' bytes in little-endian order; valid until the next call.
    std::span<const std::byte> littleEndian(std::uint64_t first, std::size_t n);

private:
    const TensorView &m_view;
    DequantizeFn m_floats;
    DequantizeDoubleFn m_doubles;
    std::vector<std::byte> m_swapped;
};

} // namespace ql
