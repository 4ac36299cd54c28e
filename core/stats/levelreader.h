// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/quant/levelplanes.h"
#include "core/stats/levelkernels.h"
#include "core/stats/lanes.h"
#include "core/stats/tilereader.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace ql {

/// Reads groups of a type with levels as bit planes. Not thread-safe: one a worker.
class LevelReader
{
public:
    /// nullptr for a type without levels.
    static std::unique_ptr<LevelReader> make(const TensorView &view);

    /// Some blocks of a group, one after the other in the file.
    struct Tile {
        std::size_t first = 0; ///< block of the group
        std::span<const std::byte> blocks; ///< little-endian
        const LevelPlanes &planes;
    };
    /// Calls handle(tile) for all of a group in file order; a tile is valid until the next.
    template <class Handle>
    void forEachTile(const Piece &group, const Handle &handle)
    {
        const std::size_t blocks = group.weights() / m_blockSize;
        const std::size_t atOnce = TileWeights / m_blockSize;
        for (std::size_t first = 0; first < blocks; first += atOnce)
            handle(read(group, first, std::min(atOnce, blocks - first)));
    }

    const LevelType &type() const { return m_type; }

private:
    LevelReader(const TensorView &view, const LevelType &type);
    Tile read(const Piece &group, std::size_t first, std::size_t n);

    const LevelType &m_type;
    std::size_t m_blockSize;
    SplitLevelsFn m_split;
    TileReader m_reader;
    LevelPlanes m_planes;
};

/// The values of a group's runs and how often each occurs, gathered until a kernel has enough to do.
class ValueList
{
public:
    explicit ValueList(const LevelType &type) : m_powers(type), m_kernels(levelKernels()) {}

    /// Adds the runs of one vector of lanes, and their central sums about `shift` to 16 lanes each.
    void add(const LevelPlanes &planes, std::size_t vector, double shift, double *centralLanes);

    bool isFull() const { return m_size >= Full; }
    std::span<const float> values() const { return {m_values, m_size}; }
    std::span<const std::uint32_t> times() const { return {m_times, m_size}; }
    /// How many weights that is at most.
    std::size_t weights() const { return m_weights; }
    /// How many values make whole runs of a kernel.
    std::size_t whole() const { return m_size / RunValues * RunValues; }
    /// Removes the first n.
    void drop(std::size_t n);

private:
    static constexpr std::size_t Full = 1024;
    static constexpr std::size_t RunValues = 64;
    static constexpr std::size_t MostTimes = 32; ///< that a value occurs in a run

    LevelPowers m_powers;
    const LevelKernels &m_kernels;
    std::size_t m_size = 0;
    std::size_t m_weights = 0;
    alignas(64) float m_values[Full + LevelKernels::MostListed];
    alignas(64) std::uint32_t m_times[Full + LevelKernels::MostListed];
};

} // namespace ql
