// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/jobs/besideservice.h"

namespace ql {

namespace {

const QString Slot = QStringLiteral("beside");

Result<TensorStatsPtr> scanOf(const GgufModelPtr &model, const StatsKey &key, const JobContext &context)
{
    const auto view = viewOf(model, key);
    if (!view)
        return tl::unexpected(view.error());
    ScanOptions options;
    options.lowPriority = true;
    return scanTensor(*view, options, context.stop, context.progress);
}

Result<ComparisonPtr> compare(const GgufModelPtr &model, const StatsKey &a, const StatsKey &b,
                              const JobContext &context)
{
    TensorPair pair;
    pair.a = a.tensor;
    pair.b = b.tensor;
    pair.expertA = a.expert;
    pair.expertB = b.expert;
    CompareOptions options;
    options.heatMaps = true;
    options.errorHistogram = true;
    options.lowPriority = true;
    return comparePair(model, model, pair, options, context.stop, context.progress);
}

/// Dimensions without trailing ones; an expert is one slab.
std::vector<std::uint64_t> shapeOf(const TensorInfo &tensor, std::optional<std::uint64_t> expert)
{
    std::vector<std::uint64_t> shape;
    for (std::size_t i = 0; i < tensor.ne.size() && !(expert && i >= 2); ++i)
        shape.push_back(tensor.ne[i]);
    while (!shape.empty() && shape.back() == 1)
        shape.pop_back();
    return shape;
}

} // namespace

bool haveSameShape(const TensorInfo &a, std::optional<std::uint64_t> expertA, const TensorInfo &b,
                   std::optional<std::uint64_t> expertB)
{
    return shapeOf(a, expertA) == shapeOf(b, expertB);
}

BesideService::BesideService(JobRunner &jobs, QObject *parent)
    : QObject(parent)
    , m_jobs(jobs)
{
    connect(&m_jobs, &JobRunner::stopped, this, [this](JobId id) {
        if (id == m_job)
            emit stopped();
    });
}

void BesideService::request(const Document &document, const StatsKey &a, const StatsKey &b)
{
    const TensorStatsPtr known = m_last && m_last->b == b ? m_last->statsB : nullptr;
    m_job = m_jobs.start<BesidePtr>(
        Lane::View, Slot, tr("Comparing %1").arg(QString::fromStdString(document.model->tensor(a.tensor).name)),
        [model = document.model, a, b, known](const JobContext &context) -> Result<BesidePtr> {
            const Result<TensorStatsPtr> stats = known ? Result<TensorStatsPtr>(known) : scanOf(model, b, context);
            if (!stats)
                return tl::unexpected(stats.error());
            const auto comparison = compare(model, a, b, context);
            if (!comparison)
                return tl::unexpected(comparison.error());
            return std::make_shared<const Beside>(Beside{a, b, *stats, *comparison});
        },
        [this](const Result<BesidePtr> &result) {
            if (!result)
                return emit failed(result.error());
            m_last = *result;
            emit ready(m_last);
        });
}

void BesideService::cancel() { m_jobs.cancelSlot(Lane::View, Slot); }

} // namespace ql
