// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/stats/countedscan.h"
#include "core/stats/levelreader.h"
#include "core/stats/scaledcounter.h"

#include <cstdint>
#include <memory>

namespace ql {

/// Counts how often each code occurs with each scale, for types of 16 or 32 codes whose runs store a scale
/// of at most 16 bits; see CountedScan.
struct ScaledCounting {
    class Worker
    {
    public:
        Worker(const TensorView &view, std::uint32_t cellWeights, bool withHeatMap);
        void run(const Piece &group, HeatMapPart *part);
        bool isFull() const { return false; }
        bool isEmpty() const { return m_counter.isEmpty(); }
        void clear() { m_counter.clear(); }
        const ScaledCounter &counter() const { return m_counter; }

    private:
        void count(const LevelReader::Tile &tile);
        void readScales(std::span<const std::byte> blocks, std::size_t run);

        const TypeTraits &m_type;
        std::unique_ptr<LevelReader> m_reader;
        RangePass m_pass; ///< for the heat map
        ScaledCounter m_counter;
        const LevelKernels &m_kernels;
        std::uint16_t m_bits[StripTable::Capacity]; ///< of the scales of a tile's blocks
    };

    class Totals : public ScaledTotals
    {
    public:
        using ScaledTotals::add;
        void add(const Worker &worker) { ScaledTotals::add(worker.counter()); }
    };

    class Range
    {
    public:
        explicit Range(const TensorView &view) : m_pass(view, cellWeightsOf(view.type().blockSize), false) {}
        Moments run(const Piece &group) { return m_pass.run<float>(group, 1.0, nullptr).counts; }

    private:
        RangePass m_pass;
    };

    /// Whether the strategy fits a view and is the faster one.
    static bool pays(const TensorView &view);
    static Tally tallyOf(const Worker &worker, GgmlType type) { return worker.counter().tally(type); }
};

extern template class CountedScan<ScaledCounting>;

} // namespace ql
