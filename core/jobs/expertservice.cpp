// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/jobs/expertservice.h"

#include "core/model/tensorview.h"

#include <algorithm>

namespace ql {

namespace {

const QString MatrixSlot = QStringLiteral("cosines");
const QString RouterSlot = QStringLiteral("router");

} // namespace

ExpertService::ExpertService(JobRunner &jobs, QObject *parent)
    : QObject(parent)
    , m_jobs(jobs)
{}

void ExpertService::setDocument(const Document &document)
{
    m_jobs.cancelSlot(Lane::View, MatrixSlot);
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
    const auto table = makeExpertTable(*group, [this](TensorIndex index) -> TensorStatsPtr {
        const auto found = m_waiting.find(index);
        return found == m_waiting.end() ? nullptr : found->second;
    });
    if (!table)
        return;
    for (const TensorIndex index : group->tensors())
        m_waiting.erase(index);
    emit tableReady(table);
}

void ExpertService::requestMatrix(const ExpertGroup &group)
{
    if (!m_document)
        return;
    m_jobs.start<CosineMatrixPtr>(
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

void ExpertService::requestRouter(std::optional<std::uint32_t> layer)
{
    const auto router = m_document ? findRouter(m_document.summary->tensors, layer) : std::nullopt;
    if (!router)
        return;
    m_jobs.start<std::vector<double>>(
        Lane::View, RouterSlot, tr("Reading a router"),
        [model = m_document.model, router = *router](const JobContext &context) -> Result<std::vector<double>> {
            const auto view = TensorView::ofTensor(model, router);
            if (!view)
                return tl::unexpected(view.error());
            return rowNorms(*view, context.stop);
        },
        [this, layer](const Result<std::vector<double>> &norms) {
            if (norms)
                emit routerReady(layer, *norms);
            else
                emit failed(norms.error());
        });
}

} // namespace ql
