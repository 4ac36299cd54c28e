// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/stats/bincounter.h"
#include "core/stats/comparison.h"
#include "core/stats/cutting.h"
#include "core/stats/heatmapsums.h"
#include "core/stats/scanpasses.h"
#include "core/stats/tilereader.h"

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

// Two tensors' weights over each other: where they lie, and the passes over one group of pairs.

namespace ql {

/// One side of a pair: the rows of a view that take part. Pairs are numbered by their own rows,
/// slab by slab; a half of a fused tensor skips the other half's rows in every slab.
struct PairSide {
    TensorView view;
    std::uint64_t viewSlabRows = 0; ///< rows from one slab to the next
    std::uint64_t firstRow = 0;     ///< of the half, within a slab

    /// A piece of pairs, which lies in one slab of `slabRows` where halves are involved, as rows of
    /// the view.
    Piece inView(const Piece &piece, std::uint64_t slabRows) const
    {
        Piece result = piece;
        result.firstRow = piece.firstRow / slabRows * viewSlabRows + piece.firstRow % slabRows + firstRow;
        return result;
    }
};

/// Both sides and the shape they share.
struct PairShape {
    PairSide a;
    PairSide b;
    std::uint64_t rows = 0;
    std::uint64_t columns = 0;
    std::uint64_t slabs = 1;

    static Result<PairShape> of(const GgufModelPtr &a, const GgufModelPtr &b, const TensorPair &pair);
    std::uint64_t slabRows() const { return slabs ? rows / slabs : 0; }
    std::uint64_t elements() const { return rows * columns; }
    bool needsDouble() const { return ql::needsDouble(a.view.type()) || ql::needsDouble(b.view.type()); }
    /// The coarser of both cell columns.
    std::uint32_t cellWeights() const;
    /// Groups of pairs; slabs are cut at wherever that matters.
    Cutting groups() const;
    bool groupsEndAtSlabs() const;
};

/// What one group adds to the errors; positions count from the group's first pair.
struct PairSums {
    ErrorSums errors;
    double minError = std::numeric_limits<double>::infinity(); ///< of a - b, over the pairs compared
    double maxError = -std::numeric_limits<double>::infinity();
    std::array<HeatMapPart, 3> heat; ///< A, B, a - b; empty unless asked for
};

/// Sums over the pairs of one tile, lanes as in lanes.h; `first` is the position of its first pair.
void addPairs(const ScanKernels &kernels, PairSums &sums, std::span<const float> a,
              std::span<const float> b, std::uint64_t first);
void addPairs(const ScanKernels &kernels, PairSums &sums, std::span<const double> a,
              std::span<const double> b, std::uint64_t first);

/// With the kernels in use.
template <class T>
void addPairs(PairSums &sums, std::span<const T> a, std::span<const T> b, std::uint64_t first)
{
    addPairs(scanKernels(), sums, a, b, first);
}

/// Works on groups of pairs with scratch of its own. One a worker.
class PairPass
{
public:
    /// `grid` may be null. Both outlive this object.
    PairPass(const PairShape &shape, const HeatMapGrid *grid);

    template <class T>
    PairSums sums(const Piece &group);
    /// The errors of a group in bins.
    template <class T>
    void count(const Piece &group, BinCounter &bins);

private:
    template <class T>
    struct Tiles {
        std::span<const T> a;
        std::span<const T> b;
    };
    template <class T>
    Tiles<T> read(const Piece &tile);
    template <class T>
    void takeErrors(const Tiles<T> &tiles);
    template <class T>
    void addHeat(const Piece &tile, const Tiles<T> &tiles, PairSums &sums);

    const PairShape *m_shape;
    const HeatMapGrid *m_grid;
    const ScanKernels *m_kernels;
    std::uint64_t m_slabRows;
    TileReader m_a;
    TileReader m_b;
    StripReader m_stripsA;
    StripReader m_stripsB;
    StripReader m_stripsError;
    std::vector<double> m_errors;
};

} // namespace ql
