// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/quant/levelplanes.h"
#include "core/stats/scankernels.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

// The inner loops of scans over the types whose runs of weights take few values: the values are counted,
// not the weights. As in scankernels.h the reference defines the bits.

namespace ql {

/// What the power sums of a run are made of: the powers of a level's distance from the type's center, whole
/// numbers, in floats. Where a power has too many bits for sums of 32 to be exact, its higher bits are apart.
struct LevelPowers {
    explicit LevelPowers(const LevelType &type);

    static constexpr float HighUnit = 16384;
    static constexpr std::size_t Codes = std::size_t{1} << LevelPlanes::MaxBits;

    const LevelType &type;
    bool isLinear = true; ///< the levels are one apart
    bool hasHigh = false; ///< of the third and the fourth power
    alignas(64) float magnitude[Codes]; ///< of the level itself
    alignas(64) float power1[Codes];
    alignas(64) float power2[Codes];
    alignas(64) float power3[Codes];
    alignas(64) float power4[Codes];
    alignas(64) float high3[Codes]; ///< times HighUnit, to be added to power3
    alignas(64) float high4[Codes];
};

/// What became of a vector of runs.
struct ListedRuns {
    std::size_t values = 0;
    bool areSummed = false; ///< otherwise the central sums have to go through the values
};

/// A run's level · scale + min without rounding: whether each of its weights is exactly that.
bool isExact(float scale, float min, float highestLevel);

/// Central sums of the values of runs that are not: value i in lane i mod 16.
void addListed(std::span<const float> values, std::span<const std::uint32_t> times, double shift, double *centralLanes);

struct LevelKernels {
    std::string_view name;
    /// As ScanKernels::sumStrips of the weights, a block a strip. A strip's sums go through its runs, in
    /// double: those of a run follow from the power sums of its codes.
    bool (*sumStrips)(const LevelPlanes &planes, const LevelPowers &powers, StripTable &table, TileRange &range);
    /// The values of the runs in one vector of lanes that occur, and how often: for each code those of the
    /// 16 runs. `values` and `times` have room for MostListed; what is behind the last is overwritten.
    ///
    /// Where all 16 runs are exact, adds their central sums about `shift`, each run's to its lane. With
    /// weights a · k + b, k the distance of a level from the center, these are polynomials in a and
    /// b - shift of the sums of powers of k, which are whole numbers. Where terms would cancel each other, as
    /// `shift` lies more than FarLevels levels from the center of a run, or the run's weights next to it, k
    /// is counted from the level next to `shift` instead.
    ListedRuns (*list)(const LevelPlanes &planes, const LevelPowers &powers, std::size_t vector, double shift,
                       double *centralLanes, float *values, std::uint32_t *times);

    /// How often each code occurs in each of the 16 runs of a vector of a type of four or five bits: a count a
    /// code, run by run.
    void (*count)(const LevelPlanes &planes, const LevelType &type, std::size_t vector, std::uint8_t *counts);

    static constexpr double FarLevels = 4;
    static constexpr double NearSquares = 0.25; ///< mean square of distances from `shift`, in levels
    static constexpr std::size_t MostListed = (std::size_t{1} << LevelPlanes::MaxBits) * LevelPlanes::Lanes + Lanes;
};

/// The kernels that go with the decoders in use.
const LevelKernels &levelKernels();
const LevelKernels &referenceLevelKernels();

namespace detail {
/// The implementations this machine can run, best first, without the reference. Several may have the name
/// of one decoder; the first is used.
std::span<const LevelKernels *const> simdLevelKernels();
} // namespace detail

} // namespace ql
