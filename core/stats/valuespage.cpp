// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/valuespage.h"

#include "core/model/checkedmath.h"
#include "core/parallel/guarded.h"
#include "core/stats/lanes.h"
#include "core/stats/tilereader.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <functional>

namespace ql {

namespace {

ValueFormat formatOf(const TypeTraits &type)
{
    if (type.type == GgmlType::F64)
        return ValueFormat::Float64;
    return type.family == TypeFamily::Integer ? ValueFormat::Integer : ValueFormat::Float32;
}

template <class Number>
std::string shortest(Number value)
{
    std::array<char, 40> buffer;
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
    return {buffer.data(), end};
}

std::string floatText(double value, ValueFormat format)
{
    if (std::isnan(value))
        return "NaN";
    if (std::isinf(value))
        return value < 0 ? "-inf" : "inf";
    return format == ValueFormat::Float64 ? shortest(value) : shortest(static_cast<float>(value));
}

bool fits(std::uint64_t first, std::uint64_t n, std::uint64_t total)
{
    const auto end = checkedAdd(first, n);
    return end && *end <= total;
}

std::optional<Error> windowError(const TensorView &view, const ValuesWindow &window)
{
    const std::string &name = view.model().tensor(view.tensor()).name;
    if (!fits(window.firstRow, window.rows, view.rows())
        || !fits(window.firstColumn, window.columns, view.columns()))
        return Error{"out-of-range",
                     std::to_string(window.rows) + " rows from " + std::to_string(window.firstRow)
                         + " and " + std::to_string(window.columns) + " columns from "
                         + std::to_string(window.firstColumn) + " reach beyond "
                         + std::to_string(view.rows()) + " rows of "
                         + std::to_string(view.columns()) + " weights",
                     name,
                     {}};
    const auto cells = checkedMul(window.rows, window.columns);
    if (!cells || *cells > ValuesPage::MaxCells)
        return Error{"too-many-cells",
                     std::to_string(window.rows) + " rows of " + std::to_string(window.columns)
                         + " weights are more than the " + std::to_string(ValuesPage::MaxCells)
                         + " that are read at once",
                     name, {}};
    return std::nullopt;
}

/// Weights [firstColumn, firstColumn + out.size()) of one row, from the blocks that hold them.
template <class T>
void decodeRow(TileReader &reader, std::uint64_t row, std::uint64_t firstColumn,
               std::span<double> out)
{
    const std::uint64_t blockSize = reader.view().type().blockSize;
    const std::uint64_t end = firstColumn + out.size();
    const std::uint64_t endOfBlocks = (end + blockSize - 1) / blockSize * blockSize;
    for (std::uint64_t at = firstColumn / blockSize * blockSize; at < endOfBlocks;
         at += TileWeights) {
        const auto weights =
            reader.read<T>({row, 1, at, std::min<std::uint64_t>(TileWeights, endOfBlocks - at)});
        const std::uint64_t from = std::max(firstColumn, at);
        const std::uint64_t to = std::min(end, at + weights.size());
        std::copy_n(weights.begin() + static_cast<std::ptrdiff_t>(from - at), to - from,
                    out.begin() + static_cast<std::ptrdiff_t>(from - firstColumn));
    }
}

std::int64_t readInt64(std::span<const std::byte> bytes, bool bigEndian)
{
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < sizeof value; ++i)
        value = value << 8
                | std::to_integer<std::uint64_t>(bytes[bigEndian ? i : sizeof value - 1 - i]);
    return std::bit_cast<std::int64_t>(value);
}

void appendIntegers(const TensorView &view, std::uint64_t row, const ValuesWindow &window,
                    std::vector<std::int64_t> &out)
{
    for (std::uint64_t i = 0; i < window.columns; ++i) {
        const std::uint64_t weight = row * view.columns() + window.firstColumn + i;
        out.push_back(readInt64(view.blockRange(weight, 1), view.bigEndian()));
    }
}

Result<ValuesPagePtr> decodePage(const TensorView &view, const ValuesWindow &window,
                                 std::stop_token stop)
{
    auto page = std::make_shared<ValuesPage>();
    page->window = window;
    page->tensorRows = view.rows();
    page->tensorColumns = view.columns();
    page->blockSize = view.type().blockSize;
    page->format = formatOf(view.type());
    page->values.resize(window.rows * window.columns);
    TileReader reader(view);
    const auto decode = needsDouble(view.type()) ? decodeRow<double> : decodeRow<float>;
    for (std::uint64_t i = 0; i < window.rows; ++i) {
        if (stop.stop_requested())
            return failure(StoppedCode, "stopped");
        decode(reader, window.firstRow + i, window.firstColumn,
               std::span(page->values).subspan(i * window.columns, window.columns));
        if (view.type().type == GgmlType::I64)
            appendIntegers(view, window.firstRow + i, window, page->integers);
    }
    if (view.model().changedOnDisk())
        return tl::unexpected(view.model().changedError());
    return page;
}

} // namespace

std::string ValuesPage::text(std::uint64_t row, std::uint64_t column) const
{
    if (format != ValueFormat::Integer)
        return floatText(value(row, column), format);
    const std::int64_t integer = integers.empty() ? static_cast<std::int64_t>(value(row, column))
                                                  : integers[index(row, column)];
    return std::to_string(integer);
}

Result<ValuesPagePtr> readValues(const TensorView &view, const ValuesWindow &window,
                                 std::stop_token stop)
{
    if (auto error = windowError(view, window))
        return tl::unexpected(std::move(*error));
    return guarded([&] { return decodePage(view, window, stop); });
}

ValuesPagePtr differenceOf(const ValuesPage &a, const ValuesPage &b)
{
    const bool isPair = a.window == b.window && a.tensorRows == b.tensorRows && a.tensorColumns == b.tensorColumns
        && a.values.size() == b.values.size();
    if (!isPair)
        return nullptr;
    auto page = std::make_shared<ValuesPage>(a);
    page->format = ValueFormat::Float64;
    page->blockSize = std::max(a.blockSize, b.blockSize);
    page->integers.clear();
    std::ranges::transform(a.values, b.values, page->values.begin(), std::minus<>());
    return page;
}

std::string valuesAsTsv(const ValuesPage &page, const ValuesWindow &window)
{
    std::string text;
    for (std::uint64_t r = 0; r < window.rows; ++r) {
        for (std::uint64_t c = 0; c < window.columns; ++c) {
            text += page.text(window.firstRow + r, window.firstColumn + c);
            text += c + 1 < window.columns ? '\t' : '\n';
        }
    }
    return text;
}

} // namespace ql
