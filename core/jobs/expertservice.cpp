// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/jobs/expertservice.h"

#include "core/model/tensorview.h"
#include "core/parallel/guarded.h"

#include <algorithm>

namespace ql {

namespace {

const QString TableSlot = QStringLiteral("experts of the selected");
const QString MatrixSlot = QStringLiteral("cosines");

using Scales = std::map<TensorIndex, std::vector<std::optional<double>>>;

/// Figures beside a scan's are worth nothing to someone who can't have them: what can't be read is
/// left out, and the scan's own error has said why.
Scales readScales(const GgufModelPtr &model, const ExpertGroup &group, const std::stop_token &stop)
{
    Scales scales;
    for (const TensorIndex tensor : group.storesScale ? group.tensors() : std::vector<TensorIndex>()) {
        const auto view = TensorView::ofTensor(model, tensor);
        if (auto means = view ? meanScales(*view, stop) : tl::unexpected(view.error()))
            scales[tensor] = std::move(*means);
    }
    return scales;
}

std::vector<double> readRouter(const GgufModelPtr &model, const ExpertGroup &group, const std::stop_token &stop)
{
    const auto router = findRouter(model->tensors(), group.layer);
    const auto view = router ? TensorView::ofTensor(model, *router) : tl::unexpected(Error());
    return view ? rowNorms(*view, stop).value_or(std::vector<double>()) : std::vector<double>();
}

using Scans = std::map<TensorIndex, TensorStatsPtr>;

Result<ExpertTablePtr> tabulate(const GgufModelPtr &model, const ExpertGroup &group, const Scans &scans,
                                const std::stop_token &stop)
{
    const Scales scales = readScales(model, group, stop);
    const auto scaleOf = [&](const ExpertRef &expert) -> std::optional<double> {
        const auto found = scales.find(expert.tensor);
        const std::size_t slab = expert.slab.value_or(0);
        return found != scales.end() && slab < found->second.size() ? found->second[slab] : std::nullopt;
    };
    const std::vector<double> norms = readRouter(model, group, stop);
    return guarded([&]() -> Result<ExpertTablePtr> {
        return makeExpertTable(group, [&](TensorIndex index) { return scans.at(index); }, scaleOf, norms);
    });
}

Result<ExpertTablePtr> scanGroup(const GgufModelPtr &model, const ExpertGroup &group, const JobContext &context)
{
    ScanOptions options;
    options.perExpert = true;
    options.heatMap = false;
    options.lowPriority = true;
    Scans scans;
    const auto tensors = group.tensors();
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        const auto view = TensorView::ofTensor(model, tensors[i]);
        if (!view)
            return tl::unexpected(view.error());
        const auto progress = [&](const Progress &part) { // old files keep a tensor an expert, all of one size
            context.progress({i * part.total + part.done, tensors.size() * part.total});
        };
        const auto stats = scanTensor(*view, options, context.stop, progress);
        if (!stats)
            return tl::unexpected(stats.error());
        scans[tensors[i]] = *stats;
    }
    return tabulate(model, group, scans, context.stop);
}

} // namespace

ExpertService::ExpertService(JobRunner &jobs, QObject *parent)
    : QObject(parent)
    , m_jobs(jobs)
{
    connect(&m_jobs, &JobRunner::stopped, this, [this](JobId id) {
        if (id == m_matrixJob)
            emit matrixStopped();
        else if (id == m_tableJob)
            emit tableStopped();
    });
}

void ExpertService::setDocument(const Document &document)
{
    cancelMatrix();
    cancelTable();
    m_document = document;
    m_waiting.clear();
    m_groups = document ? findExpertGroups(document.summary->tensors) : std::vector<ExpertGroup>();
}

void ExpertService::addScan(quint64 generation, TensorIndex tensor, const TensorStatsPtr &stats)
{
    if (!m_document || generation != m_document.generation)
        return;
    const auto group = expertGroupOf(m_document.summary->tensors, tensor);
    if (!group)
        return;
    m_waiting[tensor] = stats;
    const auto tensors = group->tensors();
    if (!std::ranges::all_of(tensors, [this](TensorIndex index) { return m_waiting.contains(index); }))
        return;
    Scans scans;
    for (const TensorIndex index : tensors)
        scans.insert(m_waiting.extract(index));
    startTable(*group, std::move(scans));
}

void ExpertService::startTable(const ExpertGroup &group, Scans scans)
{
    const QString slot = QStringLiteral("experts of %1").arg(group.experts.front().tensor.value);
    m_jobs.start<ExpertTablePtr>(
        Lane::View, slot, tr("Gathering experts"),
        [model = m_document.model, group, scans = std::move(scans)](const JobContext &context) -> Result<ExpertTablePtr> {
            return tabulate(model, group, scans, context.stop);
        },
        [this, generation = m_document.generation](const Result<ExpertTablePtr> &table) {
            if (table && *table && generation == m_document.generation)
                emit tableReady(*table);
        });
}

void ExpertService::requestTable(const ExpertGroup &group)
{
    if (!m_document)
        return;
    m_tableJob = m_jobs.start<ExpertTablePtr>(
        Lane::View, TableSlot, tr("Scanning experts"),
        [model = m_document.model, group](const JobContext &context) { return scanGroup(model, group, context); },
        [this, generation = m_document.generation](const Result<ExpertTablePtr> &table) {
            if (generation != m_document.generation)
                return;
            if (!table)
                emit tableFailed(table.error());
            else if (*table)
                emit tableReady(*table);
        });
}

void ExpertService::cancelTable() { m_jobs.cancelSlot(Lane::View, TableSlot); }

void ExpertService::requestMatrix(const ExpertGroup &group)
{
    if (!m_document)
        return;
    m_matrixJob = m_jobs.start<CosineMatrixPtr>(
        Lane::View, MatrixSlot, tr("Comparing experts"),
        [model = m_document.model, group](const JobContext &context) {
            return cosineMatrix(model, group, context.stop, context.progress);
        },
        [this](const Result<CosineMatrixPtr> &matrix) {
            if (matrix)
                emit matrixReady(*matrix);
            else
                emit failed(matrix.error());
        });
}

void ExpertService::cancelMatrix() { m_jobs.cancelSlot(Lane::View, MatrixSlot); }

} // namespace ql
