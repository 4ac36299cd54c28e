// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/deepcheck.h"

#include "core/parallel/guarded.h"
#include "core/stats/blockdecoder.h"
#include "core/stats/scratchpool.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ql {

namespace {

constexpr std::uint64_t GroupWeights = 1u << 20;

/// What one group of blocks found. Rows that begin or end in a neighbouring group are settled at
/// the merge.
struct GroupFindings {
    DeepReport report;                      ///< zeroRows: the rows wholly inside
    std::optional<std::uint64_t> headRow;   ///< a row begun before or ended after this group
    std::optional<std::uint64_t> tailRow;
    bool headZero = true;
    bool tailZero = true;
};

bool allZero(std::span<const double> values)
{
    return std::ranges::all_of(values, [](double v) { return v == 0; });
}

/// Walks one group's weights in order.
class GroupScan
{
public:
    GroupScan(const TensorView &view, BlockDecoder &decoder, std::uint64_t firstBlock, std::uint64_t blocks)
        : m_view(view), m_decoder(decoder), m_blockSize(view.type().blockSize), m_firstBlock(firstBlock),
          m_endBlock(firstBlock + blocks), m_first(firstBlock * m_blockSize), m_end(m_endBlock * m_blockSize)
    {
    }

    GroupFindings run()
    {
        const std::uint64_t step = m_decoder.blocksPerTile();
        for (std::uint64_t at = m_firstBlock; at < m_endBlock; at += step)
            look(m_decoder.decode(at, std::min(step, m_endBlock - at)), at * m_blockSize);
        return m_found;
    }

private:
    void look(std::span<const double> tile, std::uint64_t at)
    {
        // Finite weights have a finite difference with themselves: one vectorized pass decides
        // whether a closer look is needed.
        double suspicion = 0;
        for (const double v : tile)
            suspicion += v - v;
        if (suspicion != 0)
            countNonFinite(tile, at);
        if (m_blockSize > 1)
            countZeroBlocks(tile, at);
        for (std::size_t i = 0; i < tile.size();) {
            const std::uint64_t column = (at + i) % m_view.columns();
            const auto n = static_cast<std::size_t>(
                std::min<std::uint64_t>(m_view.columns() - column, tile.size() - i));
            rowPiece((at + i) / m_view.columns(), column, n, allZero(tile.subspan(i, n)));
            i += n;
        }
    }

    void countNonFinite(std::span<const double> tile, std::uint64_t at)
    {
        for (std::size_t i = 0; i < tile.size(); ++i) {
            if (std::isnan(tile[i]))
                m_found.report.nan.add(at + i);
            else if (std::isinf(tile[i]))
                m_found.report.inf.add(at + i);
        }
    }

    void countZeroBlocks(std::span<const double> tile, std::uint64_t at)
    {
        for (std::size_t i = 0; i < tile.size(); i += m_blockSize) {
            if (allZero(tile.subspan(i, m_blockSize)))
                m_found.report.zeroBlocks.add((at + i) / m_blockSize);
        }
    }

    /// n weights of one row from a column on, all zero or not.
    void rowPiece(std::uint64_t row, std::uint64_t column, std::uint64_t n, bool zero)
    {
        m_rowZero = (column == 0 || row * m_view.columns() + column == m_first || m_rowZero) && zero;
        const bool ends = column + n == m_view.columns();
        const bool begunHere = row * m_view.columns() >= m_first;
        if (ends && begunHere) {
            if (m_rowZero)
                m_found.report.zeroRows.add(row);
        } else if (ends || row * m_view.columns() + column + n == m_end) {
            keepPiece(row, begunHere);
        }
    }

    void keepPiece(std::uint64_t row, bool begunHere)
    {
        (begunHere ? m_found.tailRow : m_found.headRow) = row;
        (begunHere ? m_found.tailZero : m_found.headZero) = m_rowZero;
    }

    const TensorView &m_view;
    BlockDecoder &m_decoder;
    std::uint64_t m_blockSize;
    std::uint64_t m_firstBlock;
    std::uint64_t m_endBlock;
    std::uint64_t m_first;
    std::uint64_t m_end;
    bool m_rowZero = true;
    GroupFindings m_found;
};

/// Puts groups together in order.
class Merger
{
public:
    explicit Merger(std::uint64_t columns, std::uint64_t groupWeights)
        : m_columns(columns), m_groupWeights(groupWeights)
    {
    }

    void add(std::size_t group, const GroupFindings &found)
    {
        m_report.nan.merge(found.report.nan);
        m_report.inf.merge(found.report.inf);
        m_report.zeroBlocks.merge(found.report.zeroBlocks);
        if (found.headRow) {
            m_openZero = m_openZero && found.headZero;
            const bool ends = (*found.headRow + 1) * m_columns <= (group + 1) * m_groupWeights;
            if (ends && m_openZero)
                m_report.zeroRows.add(*found.headRow);
        }
        m_report.zeroRows.merge(found.report.zeroRows);
        if (found.tailRow)
            m_openZero = found.tailZero;
    }

    const DeepReport &report() const { return m_report; }

private:
    std::uint64_t m_columns;
    std::uint64_t m_groupWeights;
    bool m_openZero = true; ///< the row that the last group left open is zero so far
    DeepReport m_report;
};

Warning finding(const TensorView &view, Severity severity, const char *code, const Occurrence &what,
                const std::string &text, std::uint64_t firstBlock)
{
    const TensorInfo &tensor = view.model().tensor(view.tensor());
    const std::uint64_t start = static_cast<std::uint64_t>(
        view.bytes().data() - TensorView::ofTensor(view.modelPtr(), view.tensor())->bytes().data());
    return {severity, code, "'" + tensor.name + "' has " + std::to_string(what.count) + " " + text, tensor.name,
            tensor.absoluteOffset.value_or(0) + start + firstBlock * view.type().blockBytes};
}

} // namespace

Result<DeepReport> deepCheck(const TensorView &view, const ParallelOptions &options, std::stop_token stop,
                             const ProgressFn &progress)
{
    return guarded([&]() -> Result<DeepReport> {
        const std::uint64_t groupBlocks = std::max<std::uint64_t>(1, GroupWeights / view.type().blockSize);
        const std::uint64_t groups = (view.blocks() + groupBlocks - 1) / groupBlocks;
        Merger merger(view.columns(), groupBlocks * view.type().blockSize);
        ScratchPool<BlockDecoder> decoders([&] { return std::make_unique<BlockDecoder>(view); });
        const bool complete = reduce<GroupFindings>(
            groups, options, stop,
            [&](std::size_t group) {
                const std::uint64_t first = group * groupBlocks;
                ScratchPool<BlockDecoder>::Loan decoder(decoders);
                return GroupScan(view, *decoder, first, std::min(groupBlocks, view.blocks() - first)).run();
            },
            [&](std::size_t group, GroupFindings &&found) {
                merger.add(group, found);
                if (progress)
                    progress({std::min((group + 1) * groupBlocks, view.blocks()) * view.type().blockSize,
                              view.elements()});
            });
        if (!complete)
            return failure(StoppedCode, "stopped");
        if (view.model().changedOnDisk())
            return tl::unexpected(view.model().changedError());
        return merger.report();
    });
}

std::vector<Warning> deepFindings(const TensorView &view, const DeepReport &report)
{
    const std::uint64_t blockSize = view.type().blockSize, blocksPerRow = view.blocksPerRow();
    const auto weightPlace = [&](std::uint64_t weight) {
        return "weights, the first at row " + std::to_string(weight / view.columns()) + ", column "
            + std::to_string(weight % view.columns()) + " (block " + std::to_string(weight / blockSize)
            + ", element " + std::to_string(weight % blockSize) + " of it)";
    };
    const auto weights = [&](const Occurrence &what, const char *code, const std::string &kind) {
        return finding(view, Severity::Error, code, what, kind + " " + weightPlace(what.first), what.first / blockSize);
    };
    std::vector<Warning> found;
    if (report.nan.count)
        found.push_back(weights(report.nan, "nan-weights", "NaN"));
    if (report.inf.count)
        found.push_back(weights(report.inf, "inf-weights", "infinite"));
    if (report.zeroBlocks.count)
        found.push_back(finding(view, Severity::Info, "zero-blocks", report.zeroBlocks,
                                "all-zero blocks of " + std::to_string(view.blocks()) + ", the first is block "
                                    + std::to_string(report.zeroBlocks.first) + " (row "
                                    + std::to_string(report.zeroBlocks.first / blocksPerRow) + ")",
                                report.zeroBlocks.first));
    if (report.zeroRows.count)
        found.push_back(finding(view, Severity::Info, "zero-rows", report.zeroRows,
                                "all-zero rows of " + std::to_string(view.rows()) + ", the first is row "
                                    + std::to_string(report.zeroRows.first),
                                report.zeroRows.first * blocksPerRow));
    return found;
}

} // namespace ql
