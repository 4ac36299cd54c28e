// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/error.h"
#include "core/model/tensorview.h"
#include "core/parallel/progress.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace ql {

/// A rectangle of weights in rows and columns of a tensor or expert; column 0 is the row's start.
struct ValuesWindow {
    std::uint64_t firstRow = 0;
    std::uint64_t rows = 0;
    std::uint64_t firstColumn = 0;
    std::uint64_t columns = 0;
    bool operator==(const ValuesWindow &) const = default;
};

/// How a weight is written so that it reads back the same.
enum class ValueFormat {
    Float32, ///< the shortest text that gives the same float
    Float64,
    Integer
};

/// Some weights of a tensor, decoded. Immutable once made, shared.
struct ValuesPage {
    static constexpr std::uint64_t MaxCells = 1u << 20;

    ValuesWindow window;
    std::uint64_t tensorRows = 0; ///< of the whole view
    std::uint64_t tensorColumns = 0;
    std::uint32_t blockSize = 1; ///< weights a block of the tensor's type
    ValueFormat format = ValueFormat::Float32;
    std::vector<double> values;          ///< row-major; floats are exact in it
    std::vector<std::int64_t> integers;  ///< I64 alone, which a double does not hold

    std::size_t index(std::uint64_t row, std::uint64_t column) const
    {
        return (row - window.firstRow) * window.columns + (column - window.firstColumn);
    }
    bool contains(std::uint64_t row, std::uint64_t column) const
    {
        return row - window.firstRow < window.rows && column - window.firstColumn < window.columns;
    }
    double value(std::uint64_t row, std::uint64_t column) const
    {
        return values[index(row, column)];
    }
    /// Exact, without locale: "0.011230469", "-3", "NaN".
    std::string text(std::uint64_t row, std::uint64_t column) const;
};
using ValuesPagePtr = std::shared_ptr<const ValuesPage>;

/// Decodes the blocks that the window touches and nothing else. Errors: "out-of-range" where the
/// window leaves the tensor, "too-many-cells" beyond MaxCells, "stopped", "file-changed".
Result<ValuesPagePtr> readValues(const TensorView &view, const ValuesWindow &window,
                                 std::stop_token stop = {});

/// What to look for. NaN never satisfies a bound.
struct FindQuery {
    enum class What {
        NaN,
        Inf,
        ZeroBlock,      ///< a block of zeros; 32 weights of a row for types whose block is smaller
        Above,          ///< w > bound
        Below,          ///< w < bound
        MagnitudeAbove  ///< |w| > bound
    };
    What what = What::NaN;
    double bound = 0;
    bool operator==(const FindQuery &) const = default;
};

struct FoundValue {
    std::uint64_t row = 0;
    std::uint64_t column = 0;
    double value = 0;
    bool wrapped = false; ///< found after starting again at the tensor's first weight
};

/// A place to search from: the weight after it is the first one looked at.
struct ValuePosition {
    std::uint64_t row = 0;
    std::uint64_t column = 0;
};

/// The next weight (or first weight of a block) that satisfies the query, in file order, going on
/// from the tensor's start after its end; nothing if there is none. From `after` on, or from the
/// very first weight. The same answer for any number of threads. Progress is in weights.
/// Errors: "stopped", "file-changed".
Result<std::optional<FoundValue>> findValue(const TensorView &view, const FindQuery &query,
                                            std::optional<ValuePosition> after,
                                            std::stop_token stop = {},
                                            const ProgressFn &progress = {}, unsigned threads = 0);

/// a - b, weight by weight in double, of two pages of one window; null where the windows or the shapes
/// differ.
ValuesPagePtr differenceOf(const ValuesPage &a, const ValuesPage &b);

/// Part of a page as tab-separated lines, exact and without locale: for the clipboard. The window
/// lies within the page's.
std::string valuesAsTsv(const ValuesPage &page, const ValuesWindow &window);

} // namespace ql
