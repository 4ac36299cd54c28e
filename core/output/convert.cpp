// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/output/convert.h"

#include "core/output/storedbytes.h"
#include "core/parallel/guarded.h"
#include "core/parallel/orderedpipeline.h"
#include "core/quant/dequantize.h"
#include "core/stats/mapadvice.h"
#include "core/stats/scratchpool.h"

#include <algorithm>
#include <map>
#include <mutex>

namespace ql {

namespace {

/// For single rows that are copied: small tensors.
Result<void> checkFinite(const ConvertPlan &plan, const PlannedTensor &planned)
{
    if (!planned.mustBeFinite)
        return {};
    const auto view = TensorView::ofTensor(plan.model, planned.tensor);
    if (!view)
        return tl::unexpected(view.error());
    RequantizePass pass(*view, {});
    const Cutting groups = requantizeGroups(*view);
    for (std::uint64_t i = 0; i < groups.size(); ++i) {
        const auto found = pass.run(groups[i]);
        if (found.nonFiniteAt)
            return tl::unexpected(notFiniteError(plan.model->tensor(planned.tensor),
                                                 groups[i].firstColumn + *found.nonFiniteAt, found.nonFinite));
    }
    return {};
}

/// One call of writePlan.
class PlanWriter
{
public:
    PlanWriter(const ConvertPlan &plan, ByteSink &sink, const ParallelOptions &parallel, std::stop_token stop,
               const ProgressFn &progress)
        : m_plan(plan), m_sink(sink), m_parallel(parallel), m_stop(std::move(stop)), m_progress(progress)
    {
    }

    Result<ConvertReport> run();

private:
    Result<void> writeTensor(std::size_t i, const GgufWriter::Sink &sink);
    Result<void> copy(TensorIndex tensor, const GgufWriter::Sink &sink);
    Result<void> copySwapped(TensorIndex tensor, std::span<const std::byte> bytes, const GgufWriter::Sink &sink);
    Result<ErrorSums> encode(const PlannedTensor &planned, const GgufWriter::Sink &sink);
    Result<void> put(std::span<const std::byte> bytes);

    const ConvertPlan &m_plan;
    ByteSink &m_sink;
    ParallelOptions m_parallel;
    std::stop_token m_stop;
    const ProgressFn &m_progress;
    std::uint64_t m_written = 0;
    ConvertReport m_report;
};

/// What encoding a tensor's groups has come to, merged in file order.
class GroupMerger
{
public:
    GroupMerger(const PlannedTensor &planned, const TensorView &view, const Cutting &groups)
        : m_planned(planned), m_view(view), m_groups(groups)
    {
    }

    /// From any thread, in any order.
    void keep(std::size_t group, RequantizedGroup &&part)
    {
        const std::scoped_lock lock(m_mutex);
        m_parts.emplace(group, std::move(part));
    }

    /// In order, after keep() of the group.
    Result<void> merge(std::size_t group)
    {
        const Piece piece = m_groups[group];
        const std::uint64_t first = piece.firstRow * m_view.columns() + piece.firstColumn;
        const TensorInfo &tensor = m_view.model().tensor(m_view.tensor());
        RequantizedGroup part = take(group);
        if (part.nonFiniteAt)
            return tl::unexpected(notFiniteError(tensor, first + *part.nonFiniteAt, part.nonFinite));
        EncodedGroup &encoded = part.types.front();
        if (encoded.overflowAt)
            return tl::unexpected(scaleOverflowError(tensor, m_planned.type, first + *encoded.overflowAt));
        encoded.errors.maxAt += first;
        m_errors.merge(encoded.errors);
        return {};
    }

    const ErrorSums &errors() const { return m_errors; }

private:
    RequantizedGroup take(std::size_t group)
    {
        const std::scoped_lock lock(m_mutex);
        auto node = m_parts.extract(group);
        return std::move(node.mapped());
    }

    const PlannedTensor &m_planned;
    const TensorView &m_view;
    const Cutting &m_groups;
    std::mutex m_mutex;
    std::map<std::size_t, RequantizedGroup> m_parts; ///< as many as the pipeline has buffers
    ErrorSums m_errors;
};

Result<ConvertReport> PlanWriter::run()
{
    m_report.errors.resize(m_plan.tensors.size());
    const auto written = m_plan.file->write(
        [this](std::size_t i, const GgufWriter::Sink &sink) { return writeTensor(i, sink); },
        [this](std::span<const std::byte> bytes) { return put(bytes); });
    // First: writing from a page that is gone fails as a bad address, which says nothing of the cause.
    if (m_plan.model->changedOnDisk())
        return tl::unexpected(m_plan.model->changedError());
    if (!written)
        return tl::unexpected(written.error());
    return std::move(m_report);
}

Result<void> PlanWriter::writeTensor(std::size_t i, const GgufWriter::Sink &sink)
{
    const PlannedTensor &planned = m_plan.tensors[i];
    if (m_stop.stop_requested())
        return failure(StoppedCode, "stopped");
    if (auto checked = checkFinite(m_plan, planned); !checked)
        return checked;
    if (!planned.encode)
        return copy(planned.tensor, sink);
    const auto errors = encode(planned, sink);
    if (!errors)
        return tl::unexpected(errors.error());
    m_report.errors[i] = *errors;
    return {};
}

Result<void> PlanWriter::put(std::span<const std::byte> bytes)
{
    m_written += bytes.size();
    auto written = m_sink.write(bytes);
    if (written && m_progress)
        m_progress({m_written, m_plan.file->fileSize()});
    return written;
}

Result<void> PlanWriter::copy(TensorIndex tensor, const GgufWriter::Sink &sink)
{
    const auto bytes = storedBytes(*m_plan.model, tensor);
    if (!bytes)
        return tl::unexpected(bytes.error());
    const ShardInfo &shard = m_plan.model->shards()[m_plan.model->tensor(tensor).shard];
    if (shard.bigEndian)
        return copySwapped(tensor, *bytes, sink);
    Result<void> written;
    const bool complete = forEachSlice(shard, *bytes, m_stop, [&](std::span<const std::byte> slice) {
        written = sink(slice);
        return written.has_value();
    });
    if (!written || complete)
        return written;
    if (m_plan.model->changedOnDisk())
        return tl::unexpected(m_plan.model->changedError());
    return failure(StoppedCode, "stopped");
}

Result<void> PlanWriter::copySwapped(TensorIndex tensor, std::span<const std::byte> bytes,
                                     const GgufWriter::Sink &sink)
{
    constexpr std::size_t BlocksAtOnce = 4096;
    const TypeTraits &type = *m_plan.model->tensor(tensor).type;
    std::vector<std::byte> swapped;
    for (std::size_t at = 0; at < bytes.size(); at += swapped.size()) {
        if (m_stop.stop_requested())
            return failure(StoppedCode, "stopped");
        const auto part = bytes.subspan(at, std::min(BlocksAtOnce * type.blockBytes, bytes.size() - at));
        swapped.resize(part.size());
        swapBlocks(type.type, part.data(), swapped.data(), part.size() / type.blockBytes);
        if (auto written = sink(swapped); !written)
            return written;
    }
    return {};
}

Result<ErrorSums> PlanWriter::encode(const PlannedTensor &planned, const GgufWriter::Sink &sink)
{
    const auto view = TensorView::ofTensor(m_plan.model, planned.tensor);
    if (!view)
        return tl::unexpected(view.error());
    const GgmlType types[] = {planned.type};
    const Cutting groups = requantizeGroups(*view);
    const MapAdvice advice(*view);
    GroupMerger merger(planned, *view, groups);
    using Pool = ScratchPool<RequantizePass>;
    Pool pool([&] { return std::make_unique<RequantizePass>(*view, types); });
    Result<void> written;
    const bool complete = orderedPipeline(
        groups.size(), m_parallel, m_stop,
        [&](std::size_t i, std::string &out) {
            Pool::Loan pass(pool);
            merger.keep(i, pass->run(groups[i], &out));
        },
        [&](std::size_t i, const std::string &out) {
            written = merger.merge(i);
            if (written)
                written = sink(std::as_bytes(std::span(out)));
            advice.haveRead(groups[i]);
            return written.has_value();
        });
    if (view->model().changedOnDisk())
        return tl::unexpected(view->model().changedError());
    if (!written)
        return tl::unexpected(written.error());
    if (!complete)
        return failure(StoppedCode, "stopped");
    return merger.errors();
}

} // namespace

Result<ConvertReport> measurePlan(const ConvertPlan &plan, const ParallelOptions &parallel, std::stop_token stop,
                                  const ProgressFn &progress)
{
    ConvertReport report;
    const std::uint64_t total = plan.encodedWeights();
    std::uint64_t before = 0;
    for (const PlannedTensor &planned : plan.tensors) {
        report.errors.emplace_back();
        if (auto checked = checkFinite(plan, planned); !checked)
            return tl::unexpected(checked.error());
        if (!planned.encode)
            continue;
        const GgmlType types[] = {planned.type};
        const auto values = measureTypes(plan.model, planned.tensor, types, {parallel.threads, parallel.lowPriority, {}},
                                         stop, [&](const Progress &part) {
                                             if (progress)
                                                 progress({before + part.done, total});
                                         });
        if (!values)
            return tl::unexpected(values.error());
        const WhatIfValue &value = values->front();
        const TensorInfo &tensor = plan.model->tensor(planned.tensor);
        if (value.overflowAt)
            return tl::unexpected(scaleOverflowError(tensor, planned.type, *value.overflowAt));
        report.errors.back() = value.errors;
        before += tensor.elements.value_or(0);
    }
    return report;
}

Result<ConvertReport> writePlan(const ConvertPlan &plan, ByteSink &sink, const ParallelOptions &parallel,
                                std::stop_token stop, const ProgressFn &progress)
{
    return guarded([&]() -> Result<ConvertReport> {
        return PlanWriter(plan, sink, parallel, std::move(stop), progress).run();
    });
}

} // namespace ql
