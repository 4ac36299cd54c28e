// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/jobs/modelscanservice.h"

#include "core/stats/modelscan.h"

#include <vector>

namespace ql {

namespace {

const QString Slot = QStringLiteral("model scan");

std::vector<TensorIndex> decodableTensors(const GgufModel &model)
{
    std::vector<TensorIndex> result;
    for (std::uint32_t i = 0; i < model.tensors().size(); ++i)
        if (model.tensors()[i].isDecodable())
            result.push_back(TensorIndex{i});
    return result;
}

ScanOptions scanOptions()
{
    ScanOptions options;
    options.perExpert = true;
    options.heatMap = false;
    options.lowPriority = true;
    return options;
}

} // namespace

ModelScanService::ModelScanService(JobRunner &jobs, QObject *parent)
    : QObject(parent)
    , m_jobs(jobs)
{
    connect(&m_jobs, &JobRunner::stopped, this, [this](JobId id) {
        if (id == m_job)
            emit stopped();
    });
}

bool ModelScanService::isBusy() const { return m_jobs.isActive(m_job); }

void ModelScanService::start(const Document &document)
{
    m_job = m_jobs.start<bool>(
        Lane::Model, Slot, tr("Scanning the whole model"),
        [this, model = document.model, generation = document.generation](const JobContext &context) -> Result<bool> {
            const auto scanned = [&](TensorIndex tensor, const Result<TensorStatsPtr> &stats) {
                if (stats) // a tensor that can't be read says so in its own row
                    context.post([=, this, stats = *stats] { emit tensorScanned(generation, tensor, stats); });
            };
            const auto done = scanTensors(model, decodableTensors(*model), scanOptions(), scanned, context.stop,
                                          context.progress);
            return done ? Result<bool>(true) : tl::unexpected(done.error());
        },
        [this, generation = document.generation](const Result<bool> &result) {
            if (result)
                emit finished(generation);
            else
                emit failed(result.error());
        });
}

void ModelScanService::cancel() { m_jobs.cancelSlot(Lane::Model, Slot); }

} // namespace ql
