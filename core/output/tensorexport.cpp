// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/output/tensorexport.h"

#include "core/format/mappedfile.h"
#include "core/output/csv.h"
#include "core/output/npy.h"
#include "core/parallel/guarded.h"
#include "core/parallel/orderedpipeline.h"
#include "core/stats/scratchpool.h"

#include <algorithm>
#include <charconv>

namespace ql {

namespace {

/// Weights a buffer: half a MB of CSV, small enough to stay in the caches until it is written.
constexpr std::uint64_t ChunkWeights = 1u << 15;

/// One end of a slice, clipped: an index from the start or, negative, from the end.
std::optional<std::uint64_t> sliceEnd(std::string_view text, std::uint64_t missing, std::uint64_t rows)
{
    if (text.empty())
        return missing;
    const bool negative = text[0] == '-';
    const std::string_view digits = text.substr(negative);
    std::uint64_t value = 0;
    const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (digits.empty() || end != digits.data() + digits.size() || problem == std::errc::invalid_argument)
        return std::nullopt;
    if (problem == std::errc::result_out_of_range)
        value = rows;
    value = std::min(value, rows);
    return negative && value > 0 ? rows - value : value; // -0 is 0, as in Python
}

std::string headerOf(const ExportSource &source, const ExportOptions &options)
{
    if (options.format == ExportFormat::Npy)
        return npyHeader(source.view.type().type, source.shape);
    if (options.format == ExportFormat::Csv)
        return std::string(csvHeader(source, options.layout));
    return {};
}

/// The wanted columns of a run of blocks.
void appendCut(std::string &out, const ExportSource &source, std::uint64_t firstBlock, std::size_t n)
{
    const TensorView &view = source.view;
    const std::size_t valueBytes = npyValueBytes(view.type().type);
    std::string all;
    appendNpy(all, view, firstBlock, n);
    std::uint64_t weight = firstBlock * view.type().blockSize;
    for (std::size_t at = 0; at < all.size();) {
        const std::uint64_t column = weight % view.columns();
        const std::uint64_t inRun = std::min<std::uint64_t>(view.columns() - column, (all.size() - at) / valueBytes);
        const std::uint64_t from = std::max(column, source.columns.first);
        const std::uint64_t to = std::min(column + inRun, source.columns.last);
        if (from < to)
            out.append(all, at + (from - column) * valueBytes, (to - from) * valueBytes);
        at += inRun * valueBytes;
        weight += inRun;
    }
}

using AppendBlocks = std::function<void(std::string &, std::uint64_t, std::size_t)>;

AppendBlocks blockWriter(const ExportSource &source, const ExportOptions &options)
{
    if (options.format == ExportFormat::Csv) {
        const auto pool = std::make_shared<ScratchPool<CsvFormatter>>(
            [&source, layout = options.layout] { return makeCsvFormatter(source, layout); });
        return [pool](std::string &out, std::uint64_t first, std::size_t n) {
            ScratchPool<CsvFormatter>::Loan formatter(*pool);
            formatter->append(out, first, n);
        };
    }
    if (options.format == ExportFormat::Npy && source.isCut())
        return [&source](std::string &out, std::uint64_t first, std::size_t n) { appendCut(out, source, first, n); };
    if (options.format == ExportFormat::Npy)
        return [&source](std::string &out, std::uint64_t first, std::size_t n) {
            appendNpy(out, source.view, first, n);
        };
    return [&source](std::string &out, std::uint64_t first, std::size_t n) {
        const auto bytes = source.view.blockRange(first, n);
        out.append(reinterpret_cast<const char *>(bytes.data()), bytes.size());
    };
}

/// Lets go of pages that have been written out, a few MB at a time, so that they don't push other
/// things out of memory.
class PageRelease
{
public:
    explicit PageRelease(const TensorView &view)
        : m_bytes(view.bytes()), m_file(view.model().shards()[view.model().tensor(view.tensor()).shard].file)
    {
    }

    /// False once the file has shrunk under the map: zeros are not worth writing.
    bool doneUpTo(std::size_t end)
    {
        if (m_file->faulted())
            return false;
        if (end - m_released < Step)
            return true;
        m_file->dontNeed(m_bytes.subspan(m_released, end - m_released));
        m_released = end;
        return true;
    }

private:
    static constexpr std::size_t Step = 16u << 20;
    std::span<const std::byte> m_bytes;
    std::shared_ptr<const MappedFile> m_file;
    std::size_t m_released = 0;
};

std::uint64_t chunkBlocks(const TensorView &view)
{
    return std::max<std::uint64_t>(1, ChunkWeights / view.type().blockSize);
}

Result<void> writeBlocks(const ExportSource &source, const ExportOptions &options, ByteSink &sink,
                         std::stop_token stop, const ProgressFn &progress)
{
    const TensorView &view = source.view;
    const std::uint64_t perChunk = chunkBlocks(view), blocks = view.blocks();
    const AppendBlocks append = blockWriter(source, options);
    PageRelease pages(view);
    Result<void> written;
    const bool complete = orderedPipeline(
        (blocks + perChunk - 1) / perChunk, options.parallel, stop,
        [&](std::size_t i, std::string &out) {
            const std::uint64_t first = i * perChunk;
            append(out, first, std::min(perChunk, blocks - first));
        },
        [&](std::size_t i, const std::string &out) {
            const std::uint64_t done = std::min((i + 1) * perChunk, blocks);
            written = sink.write(std::string_view(out));
            if (!pages.doneUpTo(done * view.type().blockBytes))
                written = tl::unexpected(view.model().changedError());
            if (progress)
                progress({done * view.type().blockSize, view.elements()});
            return written.has_value();
        });
    if (!written || complete)
        return written;
    return failure(StoppedCode, "stopped");
}

} // namespace

std::optional<RowRange> parseRowRange(std::string_view text, std::uint64_t rows)
{
    const auto colon = text.find(':');
    if (colon == std::string_view::npos)
        return std::nullopt;
    const auto first = sliceEnd(text.substr(0, colon), 0, rows);
    const auto last = sliceEnd(text.substr(colon + 1), rows, rows);
    if (!first || !last)
        return std::nullopt;
    return RowRange{*first, std::max(*first, *last)};
}

namespace {

Result<void> checkColumns(const TensorInfo &tensor, const RowRange &columns, ExportFormat format)
{
    if (columns.first > columns.last || columns.last > tensor.ne[0])
        return failure("no-such-rows",
                       "columns " + std::to_string(columns.first) + " to " + std::to_string(columns.last)
                           + " are not within the " + std::to_string(tensor.ne[0]) + " columns there are",
                       tensor.name);
    if (format == ExportFormat::Raw && columns.last - columns.first < tensor.ne[0])
        return failure("usage", "raw bytes are written in whole rows", tensor.name);
    return {};
}

Ne withColumns(const Ne &shape, const RowRange &columns)
{
    Ne cut{columns.last - columns.first};
    for (const std::uint64_t dim : shape.dims().subspan(1))
        cut.push(dim);
    return cut;
}

} // namespace

Result<ExportSource> exportSource(const GgufModelPtr &model, TensorIndex tensor, const ExportOptions &options)
{
    const TensorInfo &info = model->tensor(tensor);
    auto view = options.expert ? TensorView::ofExpert(model, tensor, *options.expert)
                               : TensorView::ofTensor(model, tensor);
    if (!view)
        return tl::unexpected(view.error());
    const RowRange columns = options.columns.value_or(RowRange{0, view->columns()});
    if (const auto checked = checkColumns(info, columns, options.format); !checked)
        return tl::unexpected(checked.error());
    ExportSource source{*view, options.expert ? Ne{info.ne[0], info.ne[1]} : info.ne, 0, {}, columns};
    if (!options.expert && info.experts && source.view.slabRows() > 0)
        source.expertRows = source.view.slabRows();
    if (!options.rows) {
        if (source.isCut())
            source.shape = withColumns(source.shape, columns);
        return source;
    }
    auto rows = view->rowRange(options.rows->first, options.rows->last);
    if (!rows)
        return tl::unexpected(rows.error());
    source.view = *rows;
    source.shape = Ne{columns.last - columns.first, source.view.rows()};
    source.firstRow = options.rows->first;
    return source;
}

std::uint64_t estimateExportSize(const ExportSource &source, const ExportOptions &options)
{
    const TensorView &view = source.view;
    const std::uint64_t header = headerOf(source, options).size();
    if (options.format == ExportFormat::Raw || view.blocks() == 0)
        return header + view.bytes().size();
    if (options.format == ExportFormat::Npy)
        return header + source.elements() * npyValueBytes(view.type().type);
    // The middle is as good as any other place.
    ExportSource whole = source;
    whole.columns = {0, view.columns()};
    std::string sample;
    const std::uint64_t n = std::min<std::uint64_t>(chunkBlocks(view), view.blocks());
    makeCsvFormatter(whole, options.layout)->append(sample, (view.blocks() - n) / 2, n);
    const double share = static_cast<double>(source.elements()) / static_cast<double>(n * view.type().blockSize);
    return header + static_cast<std::uint64_t>(static_cast<double>(sample.size()) * share);
}

Result<void> exportTensor(const ExportSource &source, const ExportOptions &options, ByteSink &sink,
                          std::stop_token stop, const ProgressFn &progress)
{
    return guarded([&]() -> Result<void> {
        if (auto written = sink.write(std::string_view(headerOf(source, options))); !written)
            return written;
        if (auto written = writeBlocks(source, options, sink, stop, progress); !written)
            return written;
        if (source.view.model().changedOnDisk())
            return tl::unexpected(source.view.model().changedError());
        return {};
    });
}

} // namespace ql
