// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/stats/cutting.h"
#include "core/stats/heatmap.h"
#include "core/stats/tilesums.h"

#include <cstdint>
#include <vector>

namespace ql {

/// How a window maps to cells: the fields of HeatMap that say so, without its values.
struct HeatMapGrid {
    HeatMapWindow window;
    std::uint32_t cellWeights = 32;
    std::uint64_t rowsPerCell = 1;
    std::uint64_t weightsPerCell = 32;
    std::size_t rows = 0;
    std::size_t columns = 0;

    /// The finest grid within HeatMap's limits. The window starts at a multiple of cellWeights.
    static HeatMapGrid over(const HeatMapWindow &window, std::uint32_t cellWeights);

    std::size_t rowOf(std::uint64_t row) const { return (row - window.firstRow) / rowsPerCell; }
    std::size_t columnOf(std::uint64_t column) const
    {
        return (column - window.firstColumn) / weightsPerCell;
    }
};

/// The cell column of a type at full zoom: one block, or 32 weights where its block is smaller.
std::uint32_t cellWeightsOf(std::uint32_t blockSize);

/// The stored scales of one strip's blocks.
struct ScaleSums {
    double sum = 0; ///< of |d|, over the finite ones
    float max = 0;
    std::uint32_t count = 0;

    void add(float scale);
};

/// What one group adds to one cell.
struct CellSums {
    double sum = 0;
    double sumSq = 0;
    double scaleSum = 0;
    double maxMeanSq = 0; ///< the largest RMS of a strip, squared
    float absMax = 0;     ///< with its sign
    float maxMean = 0;
    float maxScale = 0;
    std::uint32_t finite = 0;
    std::uint32_t zeros = 0;
    std::uint32_t nonFinite = 0;
    std::uint32_t scales = 0;

    void add(const StripSums &strip);
    void add(const ScaleSums &scale);
};

/// The cells that one group touches: a run of cells of one row, or whole rows of cells.
class HeatMapPart
{
public:
    HeatMapPart() = default;
    HeatMapPart(const HeatMapGrid &grid, const Piece &group);

    /// The cells of one row of the group, to be indexed by grid.columnOf(column) - firstColumn().
    CellSums *row(std::uint64_t row)
    {
        return m_cells.data() + (m_grid->rowOf(row) - m_firstRow) * m_columns;
    }
    std::size_t firstColumn() const { return m_firstColumn; }
    /// Adds the strips of one row that begin at `column`.
    void addStrips(std::uint64_t row, std::uint64_t column, std::span<const StripSums> strips,
                   std::span<const ScaleSums> scales);

private:
    friend class HeatMapSums;
    const HeatMapGrid *m_grid = nullptr;
    std::size_t m_firstRow = 0;
    std::size_t m_firstColumn = 0;
    std::size_t m_columns = 0;
    std::vector<CellSums> m_cells;
};

/// Collects parts, in group order, into a heat map.
class HeatMapSums
{
public:
    HeatMapSums(const HeatMapGrid &grid, bool hasScale);

    const HeatMapGrid &grid() const { return m_grid; }
    void merge(const HeatMapPart &part);
    /// The finished map; sums were of weights · 2^-exponent. Ends this object's life.
    HeatMap finish(int exponent);

private:
    /// Sums kept in double until the end; maxima go straight into the map.
    struct Totals {
        double sum = 0;
        double sumSq = 0;
        double scaleSum = 0;
        std::uint64_t finite = 0;
        std::uint64_t zeros = 0;
        std::uint64_t scales = 0;
    };

    void mergeCell(std::size_t index, const CellSums &cell);
    void finishCell(std::size_t index, double factor);

    HeatMapGrid m_grid;
    HeatMap m_map;
    std::vector<Totals> m_totals;
};

} // namespace ql
