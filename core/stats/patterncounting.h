// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/stats/countedscan.h"
#include "core/stats/patterncounter.h"
#include "core/stats/tilereader.h"

#include <cstdint>

namespace ql {

/// Counts the bit patterns of types of two bytes; see CountedScan.
struct PatternCounting {
    class Worker
    {
    public:
        Worker(const TensorView &view, std::uint32_t cellWeights, bool withHeatMap);
        void run(const Piece &group, HeatMapPart *part);
        bool isFull() const;
        bool isEmpty() const { return m_counter.counted() == 0; }
        void clear() { m_counter.clear(); }
        std::span<const std::uint32_t> counts() { return m_counter.counts(); }

    private:
        void addTile(const Piece &tile, HeatMapPart &part);

        TileReader m_reader;
        StripReader m_strips;
        PatternCounter m_counter;
        CountStripsFn m_countStrips;
        std::uint32_t m_cellWeights;
    };

    class Totals
    {
    public:
        void add(Worker &worker) { m_totals.add(worker.counts()); }
        void add(const Totals &other) { m_totals.add(other.m_totals.counts()); }
        bool isEmpty() const { return m_totals.isEmpty(); }
        void clear() { m_totals.clear(); }
        Tally tally(GgmlType type) const { return Tally(type, m_totals.counts()); }

    private:
        PatternTotals m_totals;
    };

    class Range
    {
    public:
        explicit Range(const TensorView &view) : m_reader(view) {}
        Moments run(const Piece &group);

    private:
        TileReader m_reader;
    };

    /// Whether the strategy fits a view and is the faster one.
    static bool pays(const TensorView &view);
    static Tally tallyOf(Worker &worker, GgmlType type) { return Tally(type, worker.counts()); }
};

extern template class CountedScan<PatternCounting>;

} // namespace ql
