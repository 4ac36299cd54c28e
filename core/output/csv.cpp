// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/output/csv.h"

#include "core/output/numbertext.h"
#include "core/output/viewdecoder.h"

#include <algorithm>
#include <cstring>

namespace ql {

namespace {

template <class Value>
Value loadAt(const std::byte *bytes)
{
    Value value;
    std::memcpy(&value, bytes, sizeof value);
    return value;
}

// Sources of values: each reads a run of blocks and then writes value i of it as text.

/// Everything whose values are float32.
class FloatValues
{
public:
    explicit FloatValues(const TensorView &view) : m_blockSize(view.type().blockSize), m_decoder(view) {}

    void load(std::uint64_t first, std::size_t n)
    {
        m_values.resize(n * m_blockSize);
        m_decoder.floats(first, n, m_values.data());
    }
    float value(std::size_t i) const { return m_values[i]; }
    char *write(char *out, std::size_t i) { return writeShortest(out, m_values[i]); }

private:
    std::size_t m_blockSize;
    ViewDecoder m_decoder;
    std::vector<float> m_values;
};

/// The same where values repeat. 2^CacheBits texts are remembered.
template <unsigned CacheBits>
class RepeatingValues
{
public:
    explicit RepeatingValues(const TensorView &view) : m_values(view), m_cache(CacheBits) {}

    void load(std::uint64_t first, std::size_t n) { m_values.load(first, n); }
    char *write(char *out, std::size_t i) { return m_cache.write(out, m_values.value(i)); }

private:
    FloatValues m_values;
    FloatTextCache m_cache;
};

/// A block of a coarse type has at most sixteen values a scale: 6 KB hold several blocks' in the
/// first-level cache. Half floats in use are some ten thousand: 384 KB, in the second.
using CoarseValues = RepeatingValues<8>;
using HalfValues = RepeatingValues<14>;

/// F64 and the integers: the value itself, wherever it is stored.
template <class Stored, class Printed>
class PlainValues
{
public:
    explicit PlainValues(const TensorView &view) : m_decoder(view) {}

    void load(std::uint64_t first, std::size_t n) { m_bytes = m_decoder.littleEndian(first, n); }
    char *write(char *out, std::size_t i)
    {
        return writeShortest(out, static_cast<Printed>(loadAt<Stored>(m_bytes.data() + i * sizeof(Stored))));
    }

private:
    ViewDecoder m_decoder;
    std::span<const std::byte> m_bytes;
};

/// A line a row, or a line a value.
template <class Values, bool Long>
class Formatter final : public CsvFormatter
{
public:
    explicit Formatter(const ExportSource &source) : m_source(source), m_values(source.view) {}

    void append(std::string &text, std::uint64_t first, std::size_t n) override
    {
        const std::uint64_t blockSize = m_source.view.type().blockSize;
        const std::size_t count = n * blockSize;
        if (!hasWanted(first * blockSize, count))
            return;
        m_values.load(first, n);
        // Four numbers a line at most; what is not needed is cut off at the end.
        const std::size_t start = text.size(), perValue = Long ? 4 * MaxNumberText : MaxNumberText;
        text.resize(start + count * perValue);
        char *out = writeRun(text.data() + start, first * blockSize, count);
        text.resize(static_cast<std::size_t>(out - text.data()));
    }

private:
    /// False for a run within one row that lies beside the wanted columns.
    bool hasWanted(std::uint64_t firstWeight, std::size_t count) const
    {
        const std::uint64_t columns = m_source.view.columns(), column = firstWeight % columns;
        return column + count > columns || (column < m_source.columns.last && column + count > m_source.columns.first);
    }

    /// Row by row: what of each lies in the run and in the wanted columns.
    char *writeRun(char *out, std::uint64_t firstWeight, std::size_t count)
    {
        const std::uint64_t columns = m_source.view.columns();
        const auto [first, last] = m_source.columns;
        std::uint64_t row = firstWeight / columns, column = firstWeight % columns;
        for (std::size_t i = 0; i < count; ++row, column = 0) {
            const std::uint64_t end = std::min<std::uint64_t>(columns, column + (count - i));
            const std::uint64_t to = std::min(end, last);
            for (std::uint64_t c = std::max(column, first); c < to; ++c) {
                if constexpr (Long)
                    out = writePlace(out, row, c);
                out = m_values.write(out, i + (c - column));
                *out++ = Long || c + 1 == last ? '\n' : ',';
            }
            i += end - column;
        }
        return out;
    }

    char *writePlace(char *out, std::uint64_t row, std::uint64_t column)
    {
        row += m_source.firstRow;
        if (m_source.expertRows) {
            out = writeShortest(out, row / *m_source.expertRows);
            *out++ = ',';
            row %= *m_source.expertRows;
        }
        out = writeShortest(out, row);
        *out++ = ',';
        out = writeShortest(out, column);
        *out++ = ',';
        return out;
    }

    const ExportSource &m_source;
    Values m_values;
};

using Maker = std::unique_ptr<CsvFormatter> (*)(const ExportSource &, CsvLayout);

template <class Values>
std::unique_ptr<CsvFormatter> make(const ExportSource &source, CsvLayout layout)
{
    if (layout == CsvLayout::Long)
        return std::make_unique<Formatter<Values, true>>(source);
    return std::make_unique<Formatter<Values, false>>(source);
}

struct Row {
    GgmlType type;
    Maker make;
};

/// Types whose values are their own, or repeat over the whole tensor.
constexpr Row Makers[] = {
    {GgmlType::F16, make<HalfValues>},
    {GgmlType::BF16, make<HalfValues>},
    {GgmlType::F64, make<PlainValues<double, double>>},
    {GgmlType::I8, make<PlainValues<std::int8_t, std::int64_t>>},
    {GgmlType::I16, make<PlainValues<std::int16_t, std::int64_t>>},
    {GgmlType::I32, make<PlainValues<std::int32_t, std::int64_t>>},
    {GgmlType::I64, make<PlainValues<std::int64_t, std::int64_t>>},
};

/// At most so many bits a weight: sixteen values or fewer share a scale.
constexpr double CoarseBits = 5.0;

} // namespace

std::unique_ptr<CsvFormatter> makeCsvFormatter(const ExportSource &source, CsvLayout layout)
{
    const TypeTraits &type = source.view.type();
    for (const Row &row : Makers) {
        if (row.type == type.type)
            return row.make(source, layout);
    }
    const bool coarse = type.bitsPerWeight() <= CoarseBits;
    return coarse ? make<CoarseValues>(source, layout) : make<FloatValues>(source, layout);
}

std::string_view csvHeader(const ExportSource &source, CsvLayout layout)
{
    if (layout == CsvLayout::Matrix)
        return {};
    return source.expertRows ? "expert,row,column,value\n" : "row,column,value\n";
}

} // namespace ql
