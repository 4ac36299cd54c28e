// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/error.h"
#include "core/model/ggufmodel.h"

#include <cstddef>
#include <span>

namespace ql {

/// A tensor's, an expert's or some rows' bytes in the map: spans, no copy, never a typed pointer
/// (offsets can be odd). Keeps its model alive. Rows are flattened: ne[1]·ne[2]·ne[3] of them.
class TensorView
{
public:
    /// The whole tensor; an error where it can't be decoded (TensorInfo::problem).
    static Result<TensorView> ofTensor(GgufModelPtr model, TensorIndex index);
    /// Slab k along ne[2]; an error where there is no such slab or the shape makes it impossible.
    static Result<TensorView> ofExpert(GgufModelPtr model, TensorIndex index, std::uint64_t expert);
    /// Rows [first, last) of this view.
    Result<TensorView> rowRange(std::uint64_t first, std::uint64_t last) const;

    const GgufModel &model() const { return *m_model; }
    GgufModelPtr modelPtr() const { return m_model; }
    TensorIndex tensor() const { return m_tensor; }
    const TypeTraits &type() const { return *m_type; }
    bool bigEndian() const { return m_bigEndian; }

    std::span<const std::byte> bytes() const { return m_bytes; }
    std::uint64_t columns() const { return m_columns; }
    std::uint64_t rows() const { return m_rows; }
    std::uint64_t elements() const { return m_rows * m_columns; }
    std::uint64_t rowBytes() const { return m_rowBytes; }
    std::uint64_t blocksPerRow() const { return m_columns / m_type->blockSize; }
    std::uint64_t blocks() const { return m_rows * blocksPerRow(); }
    /// Slabs of slabRows() rows that this view stacks along ne[2] (and ne[3]); 1 for 2-D.
    std::uint64_t slabs() const { return m_slabs; }
    std::uint64_t slabRows() const { return m_slabs ? m_rows / m_slabs : 0; }

    std::span<const std::byte> row(std::uint64_t i) const
    {
        return m_bytes.subspan(i * m_rowBytes, m_rowBytes);
    }
    /// Blocks [first, first + n), counted through all rows.
    std::span<const std::byte> blockRange(std::uint64_t first, std::uint64_t n) const
    {
        return m_bytes.subspan(first * m_type->blockBytes, n * m_type->blockBytes);
    }

private:
    TensorView() = default;
    GgufModelPtr m_model;
    TensorIndex m_tensor;
    const TypeTraits *m_type = nullptr;
    std::span<const std::byte> m_bytes;
    std::uint64_t m_columns = 0;
    std::uint64_t m_rows = 0;
    std::uint64_t m_rowBytes = 0;
    std::uint64_t m_slabs = 1;
    bool m_bigEndian = false;
};

} // namespace ql
