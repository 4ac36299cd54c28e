// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/scaledcounter.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <utility>

namespace ql {

namespace {

/// Runs that fit a row's counters even where all of their weights have one code.
constexpr std::size_t MostRuns = std::numeric_limits<std::uint16_t>::max() / 32;

} // namespace

namespace {

/// In the order of the scales' bits, and of the codes. addRow(row, counts) adds a row to counts that are 0.
template <class AddRow>
Tally tallyOf(GgmlType type, const ScaleRows &rows, const AddRow &addRow)
{
    const LevelType &levels = *levelType(type);
    TallyBuilder builder(rows.size() * levels.codes());
    std::uint64_t counts[LevelType::MostCodes];
    for (const std::size_t row : rows.inOrder()) {
        std::ranges::fill(counts, std::uint64_t{0});
        addRow(row, counts);
        const float scale = scaleOfBits(type, rows.bitsOf(row));
        for (std::size_t code = 0; code < levels.codes(); ++code)
            builder.add(levels.levels[code] * scale, counts[code]);
    }
    return Tally(std::move(builder));
}

} // namespace

std::size_t ScaleRows::add(std::uint16_t bits)
{
    m_bits.push_back(bits);
    m_rowOf[bits] = static_cast<std::uint32_t>(m_bits.size());
    return m_bits.size() - 1;
}

std::vector<std::size_t> ScaleRows::inOrder() const
{
    std::vector<std::size_t> rows(m_bits.size());
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    std::ranges::sort(rows, {}, [this](std::size_t row) { return m_bits[row]; });
    return rows;
}

void ScaleRows::clear()
{
    for (const std::uint16_t bits : m_bits)
        m_rowOf[bits] = 0;
    m_bits.clear();
}

std::size_t ScaledCounter::newRow(std::uint16_t bits)
{
    const std::size_t row = m_rows.add(bits);
    m_counts.resize(m_rows.size() * (m_codes / Counters::Size));
    m_runs.push_back(0);
    return row;
}

void ScaledCounter::addTo(std::uint64_t *sum, std::size_t row) const
{
    for (std::size_t code = 0; code < m_codes; ++code) {
        const Counters &counters = m_counts[(row * m_codes + code) / Counters::Size];
        sum[code] += counters.counts[code % Counters::Size];
        if (row * m_codes < m_spilled.size())
            sum[code] += m_spilled[row * m_codes + code];
    }
}

void ScaledCounter::spill(std::size_t row)
{
    std::vector<std::uint64_t> sum(m_codes);
    addTo(sum.data(), row);
    m_spilled.resize(m_rows.size() * m_codes);
    std::ranges::copy(sum, m_spilled.begin() + static_cast<std::ptrdiff_t>(row * m_codes));
    const std::size_t parts = m_codes / Counters::Size;
    std::fill_n(m_counts.begin() + static_cast<std::ptrdiff_t>(row * parts), parts, Counters{});
    m_runs[row] = 0;
}

void ScaledCounter::add(const std::uint8_t *counts, const std::uint16_t *bits, std::size_t runs)
{
    const std::size_t parts = m_codes / Counters::Size;
    for (std::size_t run = 0; run < runs; ++run) {
        std::size_t row = m_rows.find(bits[run]);
        if (row == ScaleRows::None) [[unlikely]]
            row = newRow(bits[run]);
        if (m_runs[row] == MostRuns) [[unlikely]]
            spill(row);
        ++m_runs[row];
        for (std::size_t part = 0; part < parts; ++part, counts += Counters::Size) {
            Counters &counters = m_counts[row * parts + part];
            Counters sum; // of its own: in place compilers don't see that a vector will do
            std::memcpy(&sum, &counters, sizeof sum);
            for (std::size_t i = 0; i < Counters::Size; ++i)
                sum.counts[i] = static_cast<std::uint16_t>(sum.counts[i] + counts[i]);
            std::memcpy(&counters, &sum, sizeof sum);
        }
    }
}

void ScaledCounter::clear()
{
    m_rows.clear();
    m_counts.clear();
    m_runs.clear();
    m_spilled.clear();
}

Tally ScaledCounter::tally(GgmlType type) const
{
    return tallyOf(type, m_rows, [&](std::size_t row, std::uint64_t *counts) { addTo(counts, row); });
}

std::uint64_t *ScaledTotals::rowOf(std::uint16_t bits)
{
    if (!m_rows)
        m_rows = std::make_unique<ScaleRows>();
    std::size_t row = m_rows->find(bits);
    if (row == ScaleRows::None) {
        row = m_rows->add(bits);
        m_counts.resize(m_rows->size() * m_codes);
    }
    return m_counts.data() + row * m_codes;
}

void ScaledTotals::add(const ScaledCounter &counter)
{
    m_codes = counter.m_codes;
    for (std::size_t row = 0; row < counter.m_rows.size(); ++row)
        counter.addTo(rowOf(counter.m_rows.bitsOf(row)), row);
}

void ScaledTotals::add(const ScaledTotals &other)
{
    if (other.isEmpty())
        return;
    m_codes = other.m_codes;
    for (std::size_t row = 0; row < other.m_rows->size(); ++row) {
        std::uint64_t *const total = rowOf(other.m_rows->bitsOf(row));
        for (std::size_t code = 0; code < m_codes; ++code)
            total[code] += other.m_counts[row * m_codes + code];
    }
}

void ScaledTotals::clear()
{
    m_rows.reset();
    m_counts.clear();
}

Tally ScaledTotals::tally(GgmlType type) const
{
    return tallyOf(type, m_rows ? *m_rows : ScaleRows(), [&](std::size_t row, std::uint64_t *counts) {
        std::copy_n(m_counts.data() + row * m_codes, m_codes, counts);
    });
}

} // namespace ql
