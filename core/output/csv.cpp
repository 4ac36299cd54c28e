// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/output/csv.h"

#include "core/output/numbertext.h"
#include "core/output/viewdecoder.h"

#include <cmath>
#include <cstring>
#include <limits>

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

/// Everything whose values are float32. Remembers texts where few distinct values are to be expected.
template <bool Cached>
class FloatValues
{
public:
    explicit FloatValues(const TensorView &view) : m_blockSize(view.type().blockSize), m_decoder(view) {}

    void load(std::uint64_t first, std::size_t n)
    {
        m_values.resize(n * m_blockSize);
        m_decoder.floats(first, n, m_values.data());
    }
    char *write(char *out, std::size_t i)
    {
        if constexpr (Cached)
            return m_cache.write(out, m_values[i]);
        else
            return writeShortest(out, m_values[i]);
    }

private:
    std::size_t m_blockSize;
    ViewDecoder m_decoder;
    std::vector<float> m_values;
    struct Nothing {};
    std::conditional_t<Cached, FloatTextCache, Nothing> m_cache;
};

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
        m_values.load(first, n);
        const std::uint64_t blockSize = m_source.view.type().blockSize;
        const std::size_t count = n * blockSize;
        // Four numbers a line at most; what is not needed is cut off at the end.
        const std::size_t start = text.size(), perValue = Long ? 4 * MaxNumberText : MaxNumberText;
        text.resize(start + count * perValue);
        char *out = writeRun(text.data() + start, first * blockSize, count);
        text.resize(static_cast<std::size_t>(out - text.data()));
    }

private:
    char *writeRun(char *out, std::uint64_t firstWeight, std::size_t count)
    {
        const std::uint64_t columns = m_source.view.columns();
        std::uint64_t row = firstWeight / columns, column = firstWeight % columns;
        for (std::size_t i = 0; i < count; ++i) {
            if constexpr (Long)
                out = writePlace(out, row, column);
            out = m_values.write(out, i);
            const bool ends = ++column == columns;
            *out++ = Long || ends ? '\n' : ',';
            row += ends;
            column = ends ? 0 : column;
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

/// Types whose own values are not float32, and the one type whose values hardly ever repeat.
constexpr Row Makers[] = {
    {GgmlType::F32, make<FloatValues<false>>},
    {GgmlType::F64, make<PlainValues<double, double>>},
    {GgmlType::I8, make<PlainValues<std::int8_t, std::int64_t>>},
    {GgmlType::I16, make<PlainValues<std::int16_t, std::int64_t>>},
    {GgmlType::I32, make<PlainValues<std::int32_t, std::int64_t>>},
    {GgmlType::I64, make<PlainValues<std::int64_t, std::int64_t>>},
};

} // namespace

std::unique_ptr<CsvFormatter> makeCsvFormatter(const ExportSource &source, CsvLayout layout)
{
    for (const Row &row : Makers) {
        if (row.type == source.view.type().type)
            return row.make(source, layout);
    }
    return make<FloatValues<true>>(source, layout);
}

std::string_view csvHeader(const ExportSource &source, CsvLayout layout)
{
    if (layout == CsvLayout::Matrix)
        return {};
    return source.expertRows ? "expert,row,column,value\n" : "row,column,value\n";
}

} // namespace ql
