// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/stats/bincounter.h"
#include "core/stats/cutting.h"
#include "core/stats/finecounter.h"
#include "core/stats/heatmapsums.h"
#include "core/stats/levelreader.h"
#include "core/stats/moments.h"
#include "core/stats/tilereader.h"
#include "core/stats/tilesums.h"

#include <cstdint>
#include <optional>
#include <vector>

// The two passes over one group, on the thread that works on it. T is float, or double for the
// types that need it.

namespace ql {

/// Calls handle(tile) for the tiles of a group in file order. Tiles are contiguous in the file:
/// whole rows of the view, or a part of one row.
template <class Handle>
void forEachTile(const TensorView &view, const Piece &group, const Handle &handle)
{
    const bool wholeRows = group.columns == view.columns();
    const std::uint64_t rowsAtOnce = wholeRows ? group.rows : 1;
    for (std::uint64_t row = 0; row < group.rows; row += rowsAtOnce) {
        const Piece run{group.firstRow + row, rowsAtOnce, group.firstColumn, group.columns};
        const Cutting tiles(run, TileWeights);
        for (std::uint64_t i = 0; i < tiles.size(); ++i)
            handle(tiles[i]);
    }
}

/// What the first pass learns of a group.
struct RangeSums {
    Moments counts; ///< count, nan, inf, zeros, min and max alone
    double sum = 0; ///< of weights · factor
    double sumSq = 0;

    void add(const StripSums &strip);
    void add(const TileRange &tile, std::uint64_t weights);
    void merge(const RangeSums &other);
    double mean() const;
    /// The variance from raw sums: good enough to choose a range by, no more.
    double roughVariance() const;
};

/// Sums up the strips of tiles, and the stored scales that belong to them: in a table where all of
/// a tile's weights are ordinary floats, else one by one in double.
class StripReader
{
public:
    /// Without `withScales`, or for types that store none, strips have no scales.
    StripReader(const TypeTraits &type, std::uint32_t cellWeights, bool withScales);

    template <class T>
    void sum(const Piece &tile, std::span<const T> weights, double factor);
    /// `blocks` are the last tile's, little-endian.
    void sumScales(std::span<const std::byte> blocks);
    /// Strips that fillTable(table) sums up; returns what it does: whether all of them are ordinary.
    template <class FillTable>
    bool fill(const Piece &tile, const FillTable &fillTable)
    {
        m_tile = tile;
        m_perRow = tile.columns / m_cellWeights;
        m_scales.clear();
        m_isTable = fillTable(m_table);
        return m_isTable;
    }
    /// Blocks instead of a tile, a strip each. False, and nothing summed up, where one is not ordinary.
    bool sum(const LevelReader::Tile &tile);
    /// Strips [first, first + n) of those blocks; the first of them begins at such a place.
    void addTo(HeatMapPart &part, std::uint64_t row, std::uint64_t column, std::size_t first, std::size_t n) const;
    bool hasScales() const { return m_blockScale != nullptr; }
    void addTo(RangeSums &sums) const;
    void addTo(HeatMapPart &part) const;

private:
    bool tabulate(const Piece &tile, std::span<const float> weights);
    void tabulateScales(std::span<const std::byte> blocks);

    const TypeTraits *m_type;
    std::uint32_t m_cellWeights;
    std::size_t m_blocksPerStrip;
    BlockScaleFn m_blockScale;
    BlockScalesFn m_blockScales;
    const ScanKernels *m_kernels;
    const LevelKernels *m_levelKernels;
    std::unique_ptr<LevelPowers> m_powers; ///< of types with levels
    Piece m_tile;
    std::size_t m_perRow = 0; ///< strips a row of the tile
    bool m_isTable = false;
    StripTable m_table;
    TileRange m_range;
    std::vector<StripSums> m_strips; ///< of the last tile, row by row
    std::vector<ScaleSums> m_scales; ///< a strip each, or empty: none, or in the table
};

/// The first pass: range, counts, raw sums and the cells of the heat map.
class RangePass
{
public:
    RangePass(const TensorView &view, std::uint32_t cellWeights, bool withHeatMap);

    /// `part` may be null.
    template <class T>
    RangeSums run(const Piece &group, double factor, HeatMapPart *part);

    /// A tile of a group of a type with levels.
    void addLevels(const Piece &group, const LevelReader::Tile &tile, RangeSums &sums, HeatMapPart *part);

private:
    template <class T>
    void addTile(const Piece &tile, double factor, RangeSums &sums, HeatMapPart *part);

    TileReader m_reader;
    std::unique_ptr<LevelReader> m_levels; ///< of types that have them
    StripReader m_strips;
};

/// What the second pass needs to know of all weights.
struct BinPlan {
    double lo = 0;
    double hi = 0;
    std::size_t askedBins = 0; ///< 0: none
    std::size_t coreBins = 0;  ///< 0: none
    double coreLo = 0;
    double coreHi = 0;
    std::vector<float> fineEdges; ///< findBinEdges()'s of the fine bins, or empty
};

/// What the second pass learns of a group.
struct ValueSums {
    Moments moments;
    std::vector<std::uint32_t> fine;
    std::vector<std::uint32_t> core; ///< below, the bins, above
    std::vector<std::uint32_t> asked;
};

/// The second pass: central moments and bins.
class ValuePass
{
public:
    /// `plan` must outlive the pass.
    ValuePass(const TensorView &view, const BinPlan &plan);

    /// `range` is what the first pass found in the same group.
    template <class T>
    ValueSums run(const Piece &group, const RangeSums &range, int exponent);

private:
    void addLevels(const Piece &group, CentralSums &central);
    void countListed(std::size_t n);

    TileReader m_reader;
    std::unique_ptr<LevelReader> m_levels; ///< of types that have them
    std::unique_ptr<ValueList> m_list;
    const BinPlan &m_plan;
    FineCounter m_fine;
    BinCounter m_asked;
    CoreCounter m_core;
};

} // namespace ql
