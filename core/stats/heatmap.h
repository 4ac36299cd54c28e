// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ql {

/// What part of a tensor a heat map covers, in rows and weights of the view asked about.
struct HeatMapWindow {
    std::uint64_t firstRow = 0;
    std::uint64_t rows = 0;
    std::uint64_t firstColumn = 0; ///< in weights; a multiple of the cell column
    std::uint64_t columns = 0;     ///< in weights
    bool operator==(const HeatMapWindow &) const = default;
};

enum class Measure { AbsMax, Rms, Mean, ZeroShare, Scale };
enum class Pooling {
    Max, ///< the largest magnitude with its sign
    Mean ///< weighed by weights; RMS through squares
};

/// A grid of cells over a window of a tensor: row-major, at most HeatMap::MaxRows × MaxColumns.
/// A cell covers rowsPerCell rows × weightsPerCell weights (the last of a row or column may cover
/// less); weightsPerCell is a multiple of cellWeights, the cell column at full zoom: one block, or
/// 32 weights for types whose block is smaller. Zero share is always mean-pooled.
struct HeatMap {
    static constexpr std::size_t MaxRows = 512;
    static constexpr std::size_t MaxColumns = 1024;

    HeatMapWindow window;
    std::uint64_t tensorRows = 0; ///< of the whole view, for axes
    std::uint64_t tensorColumns = 0;
    std::uint32_t cellWeights = 32;
    std::uint64_t rowsPerCell = 1;
    std::uint64_t weightsPerCell = 32;
    std::size_t rows = 0;    ///< of cells
    std::size_t columns = 0; ///< of cells
    bool hasScale = false;   ///< false for plain types

    // rows × columns each; NaN where a cell has no finite weight (or was not sampled).
    std::vector<float> absMax;    ///< largest |w|, with its sign
    std::vector<float> rms;       ///< through squares over the cell
    std::vector<float> maxRms;    ///< largest RMS of one cell column of one row
    std::vector<float> mean;
    std::vector<float> maxMean;   ///< mean of one row's cell column with the largest magnitude
    std::vector<float> zeroShare; ///< 0 … 1
    std::vector<float> scale;     ///< mean stored |d|; empty without one
    std::vector<float> maxScale;
    std::vector<std::uint32_t> nonFinite; ///< NaN and Inf weights of each cell
    double sampledShare = 1.0; ///< < 1: an estimate

    bool isPooled() const { return rowsPerCell > 1 || weightsPerCell > cellWeights; }
    const std::vector<float> &values(Measure measure, Pooling pooling) const;
    std::size_t index(std::size_t row, std::size_t column) const { return row * columns + column; }
};

} // namespace ql
