// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/whatif.h"

#include "core/parallel/guarded.h"
#include "core/parallel/reduce.h"
#include "core/stats/mapadvice.h"
#include "core/stats/scratchpool.h"

#include <algorithm>
#include <atomic>
#include <cmath>

namespace ql {

namespace {

/// Every so many groups one is looked at.
std::uint64_t stepOf(const WhatIfOptions &options)
{
    const double share = options.sampleShare.value_or(1.0);
    return share > 0 && share < 1 ? static_cast<std::uint64_t>(std::llround(1.0 / share)) : 1;
}

/// One call of measureTypes, over the types that need work.
class Measurement
{
public:
    Measurement(const TensorView &view, std::vector<GgmlType> types, const WhatIfOptions &options,
                std::stop_token stop, const ProgressFn &progress)
        : m_view(view)
        , m_types(std::move(types))
        , m_parallel{options.threads, options.lowPriority}
        , m_stop(std::move(stop))
        , m_progress(progress)
        , m_groups(requantizeGroups(view))
        , m_step(stepOf(options))
        , m_results(m_types.size())
    {
    }

    Result<void> run();
    const EncodedGroup &result(GgmlType type) const
    {
        return m_results[static_cast<std::size_t>(std::ranges::find(m_types, type) - m_types.begin())];
    }
    bool isSample() const { return m_step > 1 && m_groups.size() > 1; }

private:
    using Pool = ScratchPool<RequantizePass>;

    void merge(std::uint64_t group, RequantizedGroup &&part);
    void report(std::uint64_t weights);

    const TensorView &m_view;
    std::vector<GgmlType> m_types;
    ParallelOptions m_parallel;
    std::stop_token m_stop;
    const ProgressFn &m_progress;
    Cutting m_groups;
    std::uint64_t m_step;
    std::vector<EncodedGroup> m_results;
    std::optional<Error> m_problem;
    std::atomic<std::uint64_t> m_done = 0;
};

Result<void> Measurement::run()
{
    Pool pool([this] { return std::make_unique<RequantizePass>(m_view, m_types); });
    const MapAdvice advice(m_view);
    // The first weight that can't be encoded ends the work, as does the caller.
    const auto ended = std::make_unique<std::stop_source>();
    const std::stop_callback passOn(m_stop, [&] { ended->request_stop(); });
    const bool complete = reduce<RequantizedGroup>(
        (m_groups.size() + m_step - 1) / m_step, m_parallel, ended->get_token(),
        [&](std::size_t i) {
            const Piece group = m_groups[i * m_step];
            Pool::Loan pass(pool);
            auto part = pass->run(group);
            report(group.weights());
            return part;
        },
        [&](std::size_t i, RequantizedGroup &&part) {
            merge(i * m_step, std::move(part));
            advice.haveRead(m_groups[i * m_step]);
            if (m_problem)
                ended->request_stop();
        });
    if (m_view.model().changedOnDisk())
        return tl::unexpected(m_view.model().changedError());
    if (m_problem)
        return tl::unexpected(*m_problem);
    if (!complete)
        return failure(StoppedCode, "stopped");
    return {};
}

void Measurement::merge(std::uint64_t group, RequantizedGroup &&part)
{
    const Piece piece = m_groups[group];
    const std::uint64_t first = piece.firstRow * m_view.columns() + piece.firstColumn;
    if (m_problem)
        return;
    if (part.nonFiniteAt) {
        m_problem = notFiniteError(m_view.model().tensor(m_view.tensor()), first + *part.nonFiniteAt,
                                   part.nonFinite);
        return;
    }
    for (std::size_t i = 0; i < m_results.size(); ++i) {
        part.types[i].errors.maxAt += first;
        m_results[i].errors.merge(part.types[i].errors);
        if (part.types[i].overflowAt && !m_results[i].overflowAt)
            m_results[i].overflowAt = first + *part.types[i].overflowAt;
    }
}

void Measurement::report(std::uint64_t weights)
{
    const std::uint64_t done = m_done.fetch_add(weights, std::memory_order_relaxed) + weights;
    if (m_progress)
        m_progress({std::min(done * m_step, m_view.elements()), m_view.elements()});
}

/// The table without its errors.
Result<std::vector<WhatIfValue>> sizesOf(const TensorInfo &info, std::span<const GgmlType> candidates)
{
    std::vector<WhatIfValue> values;
    for (const GgmlType candidate : candidates) {
        WhatIfValue value;
        value.wanted = candidate;
        value.identical = info.type && info.type->type == candidate;
        const auto type = value.identical ? Result<GgmlType>(candidate) : fittingType(info, candidate);
        if (!type)
            return tl::unexpected(type.error());
        value.type = *type;
        value.identical = info.type->type == *type;
        value.bytes = encodedBytes(info, *type).value_or(0);
        value.bitsPerWeight = traits(*type).bitsPerWeight();
        value.errors.count = *info.elements;
        values.push_back(value);
    }
    return values;
}

std::vector<GgmlType> typesToEncode(const std::vector<WhatIfValue> &values)
{
    std::vector<GgmlType> types;
    for (const WhatIfValue &value : values)
        if (!value.identical && std::ranges::find(types, value.type) == types.end())
            types.push_back(value.type);
    return types;
}

} // namespace

Result<std::vector<WhatIfValue>> measureTypes(const GgufModelPtr &model, TensorIndex tensor,
                                              std::span<const GgmlType> candidates,
                                              const WhatIfOptions &options, std::stop_token stop,
                                              const ProgressFn &progress)
{
    return guarded([&]() -> Result<std::vector<WhatIfValue>> {
        const auto view = TensorView::ofTensor(model, tensor);
        if (!view)
            return tl::unexpected(view.error());
        auto values = sizesOf(model->tensor(tensor), candidates);
        if (!values)
            return values;
        const auto types = typesToEncode(*values);
        if (types.empty())
            return values;
        Measurement measurement(*view, types, options, std::move(stop), progress);
        if (auto done = measurement.run(); !done)
            return tl::unexpected(done.error());
        for (WhatIfValue &value : *values) {
            if (value.identical)
                continue;
            value.errors = measurement.result(value.type).errors;
            value.overflowAt = measurement.result(value.type).overflowAt;
            value.estimated = measurement.isSample();
        }
        return values;
    });
}

} // namespace ql
