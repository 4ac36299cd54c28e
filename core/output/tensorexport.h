// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/tensorview.h"
#include "core/output/bytesink.h"
#include "core/parallel/progress.h"
#include "core/parallel/reduce.h"

#include <optional>
#include <stop_token>
#include <string_view>

namespace ql {

enum class ExportFormat { Csv, Npy, Raw };
enum class CsvLayout {
    Matrix, ///< a line a row
    Long    ///< row,column,value a line, with a header
};

struct ExportTraits {
    ExportFormat format;
    std::string_view name;   ///< "csv"
    std::string_view suffix; ///< ".csv"
};
inline constexpr ExportTraits ExportTable[] = {
    {ExportFormat::Csv, "csv", ".csv"}, {ExportFormat::Npy, "npy", ".npy"}, {ExportFormat::Raw, "raw", ".bin"}};

/// Half-open, over the flattened rows of the view.
struct RowRange {
    std::uint64_t first = 0;
    std::uint64_t last = 0;
};

/// "A:B" as a Python slice of a sequence of `rows`: either end may be missing or negative, and both
/// are clipped. Nothing if the text is no slice.
std::optional<RowRange> parseRowRange(std::string_view text, std::uint64_t rows);

struct ExportOptions {
    ExportFormat format = ExportFormat::Csv;
    CsvLayout layout = CsvLayout::Matrix;
    std::optional<std::uint64_t> expert; ///< slab along ne[2]
    std::optional<RowRange> rows;        ///< within the expert where there is one
    std::optional<RowRange> columns;     ///< of each row; not for raw bytes
    ParallelOptions parallel;
};

/// Part of a tensor that export writes: its view, and what headers need to know.
struct ExportSource {
    TensorView view;              ///< the rows to write
    Ne shape;                     ///< of what is written
    std::uint64_t firstRow = 0;   ///< number of the view's first row in the tensor or expert
    std::optional<std::uint64_t> expertRows; ///< rows an expert, where a whole expert tensor is written
    RowRange columns;             ///< of each row, half-open

    bool isCut() const { return columns.last - columns.first < view.columns(); }
    std::uint64_t elements() const { return view.rows() * (columns.last - columns.first); }
};
/// Errors: those of TensorView, "no-such-rows" for columns that aren't there, "usage" for some
/// columns of raw bytes.
Result<ExportSource> exportSource(const GgufModelPtr &model, TensorIndex tensor, const ExportOptions &options);

/// Size of the result in bytes: exact for npy and raw, estimated from a sample for csv.
std::uint64_t estimateExportSize(const ExportSource &source, const ExportOptions &options);

/// Writes it all. CSV: comma, point, LF, no locale; each value in the shortest form that reads back
/// to the same value of its own type (float32 for F16, BF16 and quantized types). NPY: version 1.0,
/// little-endian, C order, ne reversed; `<f4`, or the type's own for F16, F64 and integers. Raw: the
/// tensor's bytes as they are. Formats in parallel, writes in order; memory is a few MB a thread.
/// Progress in weights. Errors: "stopped", "file-changed", those of the sink.
Result<void> exportTensor(const ExportSource &source, const ExportOptions &options, ByteSink &sink,
                          std::stop_token stop = {}, const ProgressFn &progress = {});

} // namespace ql
