// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/stats/cutting.h"
#include "core/stats/heatmap.h"
#include "core/stats/scankernels.h"
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

/// The window moved and cut to whole cell columns within `rows` × `columns` weights.
HeatMapWindow clippedWindow(HeatMapWindow window, std::uint64_t rows, std::uint64_t columns,
                            std::uint32_t cellWeights);

/// The stored scales of one strip's blocks.
struct ScaleSums {
    double sum = 0; ///< of |d|, over the finite ones
    float max = 0;
    std::uint32_t count = 0;

    void add(float scale);
};

/// The cells that one group touches: a run of cells of one row, or whole rows of cells. One array a
/// figure, so that a row of strips is added in vectors.
class HeatMapPart
{
public:
    /// Bytes a cell takes in a part, which bounds the working memory of a scan.
    static constexpr std::size_t CellBytes = 3 * sizeof(double) + 2 * sizeof(float)
        + 6 * sizeof(std::uint32_t);

    HeatMapPart() = default;
    HeatMapPart(const HeatMapGrid &grid, const Piece &group) { begin(grid, group); }
    /// Empty, for a group; in the same memory as before where that is enough.
    void begin(const HeatMapGrid &grid, const Piece &group);

    /// Adds the strips of one row that begin at `column`.
    void addStrips(std::uint64_t row, std::uint64_t column, std::span<const StripSums> strips);
    void addScales(std::uint64_t row, std::uint64_t column, std::span<const ScaleSums> scales);
    /// Adds strips [first, first + n) of a table, likewise.
    void addTable(const ScanKernels &kernels, std::uint64_t row, std::uint64_t column,
                  const StripTable &table, std::size_t first, std::size_t n, bool withScales);

private:
    friend class HeatMapSums;
    CellRow cellsFrom(std::uint64_t row, std::size_t column);
    std::size_t size() const { return m_sum.size(); }

    const HeatMapGrid *m_grid = nullptr;
    std::size_t m_firstRow = 0;
    std::size_t m_firstColumn = 0;
    std::size_t m_columns = 0;
    std::vector<double> m_sum;
    std::vector<double> m_sumSq;
    std::vector<double> m_scaleSum;
    std::vector<float> m_maxRms; ///< of one strip
    std::vector<float> m_maxScale;
    std::vector<std::uint32_t> m_absKey;  ///< signedKey of the largest weight
    std::vector<std::uint32_t> m_meanKey; ///< of the largest mean of one strip
    std::vector<std::uint32_t> m_finite;
    std::vector<std::uint32_t> m_zeros;
    std::vector<std::uint32_t> m_nonFinite;
    std::vector<std::uint32_t> m_scales;
};

/// Collects parts, in group order, into a heat map. A row of cells is worked out as soon as a part
/// begins below it, so that sums are kept for the rows that are still open alone: memory is the map's.
class HeatMapSums
{
public:
    /// Sums are of weights · 2^-exponent.
    HeatMapSums(const HeatMapGrid &grid, bool hasScale, int exponent = 0);

    const HeatMapGrid &grid() const { return m_grid; }
    /// Parts come in the order of their first rows.
    void merge(const HeatMapPart &part);
    /// The finished map. Ends this object's life.
    HeatMap finish();

private:
    /// What is kept of cells until their row is done, one array a figure. Counts are doubles, which are
    /// exact to 2^53 and vectors like; scales have no arrays where the type stores none.
    struct OpenCells {
        std::vector<double> sum;
        std::vector<double> sumSq;
        std::vector<double> finite;
        std::vector<double> zeros;
        std::vector<double> scaleSum;
        std::vector<double> scales;
        std::vector<std::uint32_t> absKey;
        std::vector<std::uint32_t> meanKey;
        std::vector<float> maxRms;
        std::vector<float> maxScale;

        std::size_t size() const { return sum.size(); }
        /// Leaves out the first `n` and has `size` then, new ones empty.
        void shift(std::size_t n, std::size_t size, bool withScales);
    };

    void openRows(std::size_t first, std::size_t rows);
    void closeRowsBefore(std::size_t row);
    void mergeRow(const HeatMapPart &part, std::size_t row, std::size_t open);
    void finishCells(std::size_t first, std::size_t n);
    void finishScales(std::size_t first, std::size_t n);

    HeatMapGrid m_grid;
    HeatMap m_map;
    double m_factor;
    std::size_t m_firstOpen = 0;
    OpenCells m_open; ///< of rows of cells from m_firstOpen down
};

} // namespace ql
