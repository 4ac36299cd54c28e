// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/quant/levelplanes.h"
#include "core/stats/tally.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace ql {

/// Finds the rows of tables that have one for each scale that occurred, by its stored bits.
class ScaleRows
{
public:
    ScaleRows() : m_rowOf(65536) {}

    static constexpr std::size_t None = ~std::size_t{0};
    std::size_t find(std::uint16_t bits) const { return std::size_t{m_rowOf[bits]} - 1; }
    /// A row that was not there.
    std::size_t add(std::uint16_t bits);
    std::size_t size() const { return m_bits.size(); }
    std::uint16_t bitsOf(std::size_t row) const { return m_bits[row]; }
    /// The rows in the order of their scales' bits.
    std::vector<std::size_t> inOrder() const;
    void clear();

private:
    std::vector<std::uint32_t> m_rowOf; ///< counted from 1; 0: none
    std::vector<std::uint16_t> m_bits;
};

/// Counts how often each code occurs with each scale. Not thread-safe: one a worker.
class ScaledCounter
{
public:
    /// So many codes, a multiple of 16.
    explicit ScaledCounter(std::size_t codes) : m_codes(codes) {}

    /// How many weights of each run, of at most 32, have each code; and the bits of each run's scale.
    void add(const std::uint8_t *counts, const std::uint16_t *bits, std::size_t runs);
    bool isEmpty() const { return m_rows.size() == 0; }
    void clear();

    Tally tally(GgmlType type) const;

private:
    friend class ScaledTotals;

    /// Counters added to at once.
    struct alignas(32) Counters {
        static constexpr std::size_t Size = 16;
        std::uint16_t counts[Size] = {};
    };

    std::size_t newRow(std::uint16_t bits);
    void spill(std::size_t row);
    /// Adds all of a row.
    void addTo(std::uint64_t *sum, std::size_t row) const;

    std::size_t m_codes;
    ScaleRows m_rows;
    std::vector<Counters> m_counts;       ///< of 16 bits: many are added to all the time
    std::vector<std::uint16_t> m_runs;    ///< in a row's counters: 32 weights each at most
    std::vector<std::uint64_t> m_spilled; ///< what did not fit in there, m_codes a row; or of fewer rows
};

/// Adds up what counters counted.
class ScaledTotals
{
public:
    void add(const ScaledCounter &counter);
    void add(const ScaledTotals &other);
    bool isEmpty() const { return m_counts.empty(); }
    void clear();

    /// In the order of the scales' bits, and of the codes.
    Tally tally(GgmlType type) const;

private:
    std::uint64_t *rowOf(std::uint16_t bits);

    std::size_t m_codes = 0;
    std::unique_ptr<ScaleRows> m_rows; ///< null while there is nothing
    std::vector<std::uint64_t> m_counts; ///< m_codes a row
};

} // namespace ql
