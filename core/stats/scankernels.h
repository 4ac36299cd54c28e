// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/stats/binrule.h"
#include "core/stats/histogram.h"
#include "core/stats/lanes.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

// The inner loops of scans and comparisons over floats, for every vector width. The reference
// defines the bits; every other implementation gives the same. Which one runs follows the decoders'
// (QUANTLOUPE_KERNELS, forceImplementation).

namespace ql {

/// The strips of one tile whose weights are all finite and of ordinary size; see StripSums for the
/// others. Sums in 16 lanes of float: what a heat map shows needs no more.
struct StripTable {
    static constexpr std::size_t MinWeights = 32;
    static constexpr std::size_t Capacity = TileWeights / MinWeights;

    alignas(64) float sum[Capacity];
    alignas(64) float sumSq[Capacity];
    alignas(64) std::uint32_t key[Capacity]; ///< signedKey of the largest magnitude
    alignas(64) std::uint32_t zeros[Capacity];
    alignas(64) float scale[Capacity]; ///< |d|, where the type stores one a strip
};

/// Sums of a strip's squares between these have neither lost bits nor come near overflow.
inline constexpr float SmallestSquares = 0x1p-100f;
inline constexpr float LargestSquares = 0x1p120f;

/// Whether a strip of so many weights is of ordinary size, or all zeros.
inline bool isOrdinary(float sumSq, std::uint32_t zeros, std::size_t weights)
{
    return (sumSq >= SmallestSquares && sumSq <= LargestSquares) || (sumSq == 0 && zeros == weights);
}

/// The same tile as a whole. Strip sums are added in 16 lanes of double, strip i in lane i mod 16.
struct TileRange {
    float min = 0;
    float max = 0;
    double sum = 0;
    double sumSq = 0;
    std::uint32_t zeros = 0;
};

/// The sums and the zeros of a tile from those of its strips, for the references.
void referenceSumTable(const StripTable &table, std::size_t strips, TileRange &range);

/// Where the cells of one row of a heat map's part are, one array a figure.
struct CellRow {
    double *sum = nullptr;
    double *sumSq = nullptr;
    double *scaleSum = nullptr;
    float *maxRms = nullptr;
    float *maxScale = nullptr;
    std::uint32_t *absKey = nullptr;
    std::uint32_t *meanKey = nullptr;
    std::uint32_t *finite = nullptr;
    std::uint32_t *zeros = nullptr;
    std::uint32_t *nonFinite = nullptr;
    std::uint32_t *scales = nullptr;

    CellRow from(std::size_t cell) const
    {
        return {sum + cell,     sumSq + cell,   scaleSum + cell, maxRms + cell,    maxScale + cell, absKey + cell,
                meanKey + cell, finite + cell,  zeros + cell,    nonFinite + cell, scales + cell};
    }
};

/// A BinRule as vectors apply it to floats: positions as fixed-point numbers of FixedBits bits, worked
/// out in float, and the rule itself where such a number lies too near an edge to tell the bin.
struct FloatBins {
    static constexpr int FixedBits = 24;

    BinRule rule;
    double lo = 0;
    double width = 1;  ///< 1 where lo == hi: all weights are lo
    double bins = 1;
    float floatLo = 0;
    float floatHi = 0;
    float factor = 0;  ///< from a distance to lo to a fixed-point position; 0: use the rule
    int fraction = 0;  ///< bits of a position below the bin's number
    const float *edges = nullptr; ///< findBinEdges()'s, or none: doubtful weights go by the rule one by one
    FloatBins() = default;
    /// `lo` is a float's value.
    FloatBins(double lo, double hi, std::size_t bins);
    bool isFixed() const { return factor != 0; }
};

/// The smallest float of each bin from the second on, and infinity. `bins` is fixed. Worth its time (some
/// 20 ns a bin) for large tensors: those of small codes have many weights right on an edge.
std::vector<float> findBinEdges(const FloatBins &bins);

/// Lanes of the second pass: s1, s2, s3, s4 and the absolute values.
inline constexpr std::size_t CentralLanes = 5 * Lanes;
/// FineBins counters in sets: weight i of a tile counts in set i mod sets, so that equal weights in a
/// row wait less for each other. Two fit the first-level cache beside a tile; where outliers squash
/// the bulk into a few bins, one set a lane is better, of which those bins alone are touched. The sets
/// lie FineStride counters apart, no multiple of 4 KiB: loads and stores that far apart wait as well.
inline constexpr std::size_t FineSets = 2;
inline constexpr std::size_t FineStride = FineBins + 1088;

/// Sets for a core of the range, of so many counters each as the caller says.
inline constexpr std::size_t CoreSets = 4;

/// Weights below and above a range.
struct Outside {
    std::uint32_t below = 0;
    std::uint32_t above = 0;
};

/// Lanes of a comparison: squared errors, absolute errors, a², b², a·b.
inline constexpr std::size_t PairLaneCount = 5 * Lanes;

struct ErrorRange {
    double min = 0; ///< of a - b
    double max = 0;
};

struct ScanKernels {
    std::string_view name;
    /// Strips of stripWeights, a multiple of 32 that divides n. False, and nothing to be used, where
    /// one of them is not ordinary.
    bool (*sumStrips)(const float *weights, std::size_t n, std::size_t stripWeights, StripTable &table,
                      TileRange &range);
    /// Adds strips [first, first + n) to as many cells.
    void (*addStrips)(const StripTable &table, std::size_t first, std::size_t n,
                      std::size_t stripWeights, bool withScales, const CellRow &cells);
    /// At most TileWeights finite weights: central sums about `shift`, and bins in FineSets sets.
    void (*addValues)(const float *weights, std::size_t n, double shift, double *centralLanes,
                      const FloatBins &bins, std::uint16_t *fineSets);
    /// The same in `Lanes` sets.
    void (*addSquashed)(const float *weights, std::size_t n, double shift, double *centralLanes,
                        const FloatBins &bins, std::uint16_t *fineSets);
    /// The bins alone of finite values that occur `times` each, together less often than a counter
    /// overflows.
    void (*countTimes)(const float *values, const std::uint32_t *times, std::size_t n, const FloatBins &bins,
                       std::uint16_t *fineSets);
    void (*countTimesSquashed)(const float *values, const std::uint32_t *times, std::size_t n,
                               const FloatBins &bins, std::uint16_t *fineSets);
    /// Counts the finite weights within the bins' range in CoreSets sets that lie `stride` counters
    /// apart, and those outside. Counters are right when added up modulo 2^32.
    void (*countInside)(const float *weights, std::size_t n, const FloatBins &bins, std::uint32_t *sets,
                        std::size_t stride, Outside &outside);
    /// The same for values that occur `times` each.
    void (*countInsideTimes)(const float *values, const std::uint32_t *times, std::size_t n, const FloatBins &bins,
                             std::uint32_t *sets, std::size_t stride, Outside &outside);
    /// The bin of each finite weight within the bins' range.
    void (*findBins)(const float *weights, std::size_t n, const FloatBins &bins, std::uint32_t *found);
    /// Adds to the lanes; meaningless where a weight is not finite (then a² or b² is not either).
    void (*addPairs)(const float *a, const float *b, std::size_t n, double *pairLanes, ErrorRange &range);
};

/// The kernels that go with the decoders in use.
const ScanKernels &scanKernels();
const ScanKernels &referenceScanKernels();

namespace detail {
/// The implementations this machine can run, best first, without the reference.
std::span<const ScanKernels *const> simdScanKernels();
} // namespace detail

} // namespace ql
