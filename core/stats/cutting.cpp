// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/cutting.h"

#include <algorithm>

namespace ql {

namespace {

std::uint64_t ceilDiv(std::uint64_t a, std::uint64_t b) { return a / b + (a % b != 0); }

} // namespace

Cutting::Cutting(const Piece &region, std::uint64_t limit, std::uint64_t slabRows)
    : m_region(region), m_slabRows(slabRows), m_partColumns(region.columns)
{
    if (region.rows == 0 || region.columns == 0)
        return;
    if (region.columns > limit) {
        const std::uint64_t parts = ceilDiv(region.columns, limit);
        m_partColumns = ceilDiv(ceilDiv(region.columns, parts), PartStep) * PartStep;
        m_partsPerRow = ceilDiv(region.columns, m_partColumns);
    } else {
        m_rowsPerPiece = limit / region.columns;
    }
    m_perSlab = ceilDiv(slabRows, m_rowsPerPiece) * m_partsPerRow;
    m_size = region.rows / slabRows * m_perSlab;
}

Piece Cutting::operator[](std::uint64_t i) const
{
    const std::uint64_t inSlab = i % m_perSlab;
    const std::uint64_t row = inSlab / m_partsPerRow * m_rowsPerPiece;
    const std::uint64_t column = inSlab % m_partsPerRow * m_partColumns;
    Piece piece;
    piece.firstRow = m_region.firstRow + i / m_perSlab * m_slabRows + row;
    piece.rows = std::min(m_rowsPerPiece, m_slabRows - row);
    piece.firstColumn = m_region.firstColumn + column;
    piece.columns = std::min(m_partColumns, m_region.columns - column);
    return piece;
}

} // namespace ql
