// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/jobs/modelscanservice.h"

#include "core/stats/modelscan.h"

#include <mutex>
#include <optional>
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

/// Tensors of which nothing is known, and why not of one of them.
struct Unreadable {
    quint64 tensors = 0;
    std::optional<Error> first;

    void add(const Error &error)
    {
        ++tensors;
        if (!first)
            first = error;
    }
};

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
    m_job = m_jobs.start<Unreadable>(
        Lane::Model, Slot, tr("Scanning the whole model"),
        [this, model = document.model, generation = document.generation](const JobContext &context) -> Result<Unreadable> {
            Unreadable unreadable;
            std::mutex mutex;
            const auto scanned = [&](TensorIndex tensor, const Result<TensorStatsPtr> &stats) {
                if (stats) {
                    context.post([=, this, stats = *stats] { emit tensorScanned(generation, tensor, stats); });
                    return;
                }
                const std::lock_guard lock(mutex);
                unreadable.add(stats.error());
            };
            const auto done = scanTensors(model, decodableTensors(*model), scanOptions(), scanned, context.stop,
                                          context.progress);
            if (!done)
                return tl::unexpected(done.error());
            return unreadable;
        },
        [this, generation = document.generation](const Result<Unreadable> &result) {
            if (!result)
                return emit failed(result.error());
            if (result->first)
                emit unreadable(generation, result->tensors, *result->first);
            emit finished(generation);
        });
}

void ModelScanService::cancel() { m_jobs.cancelSlot(Lane::Model, Slot); }

} // namespace ql
