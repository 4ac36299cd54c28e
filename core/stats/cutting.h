// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>

namespace ql {

/// A rectangle of weights: some whole rows of a region, or a part of one row.
struct Piece {
    std::uint64_t firstRow = 0;
    std::uint64_t rows = 0;
    std::uint64_t firstColumn = 0;
    std::uint64_t columns = 0;

    std::uint64_t weights() const { return rows * columns; }
    bool operator==(const Piece &) const = default;
};

/// Cuts a rectangle into pieces of at most `limit` weights, in file order: as many whole rows as
/// fit, or else rows in even parts that start at multiples of PartStep, so that no block and no
/// cell column is cut. Pieces end where a slab ends. The cut depends on the shape alone.
class Cutting
{
public:
    static constexpr std::uint64_t PartStep = 256;

    Cutting() = default;
    /// slabRows divides region.rows; `limit` is a multiple of PartStep.
    Cutting(const Piece &region, std::uint64_t limit, std::uint64_t slabRows);
    /// One slab.
    Cutting(const Piece &region, std::uint64_t limit) : Cutting(region, limit, region.rows) {}

    std::uint64_t size() const { return m_size; }
    Piece operator[](std::uint64_t i) const;
    std::uint64_t slabOf(std::uint64_t i) const { return i / m_perSlab; }
    std::uint64_t piecesPerSlab() const { return m_perSlab; }

private:
    Piece m_region;
    std::uint64_t m_slabRows = 0;
    std::uint64_t m_rowsPerPiece = 1;
    std::uint64_t m_partColumns = 0;
    std::uint64_t m_partsPerRow = 1;
    std::uint64_t m_perSlab = 1;
    std::uint64_t m_size = 0;
};

} // namespace ql
