// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/jobs/modelscanservice.h"

#include "core/model/tensorview.h"

namespace ql {

namespace {

const QString Slot = QStringLiteral("model scan");

std::uint64_t decodableWeights(const GgufModel &model)
{
    std::uint64_t total = 0;
    for (const auto &tensor : model.tensors())
        if (tensor.isDecodable() && tensor.elements)
            total += *tensor.elements;
    return total;
}

ScanOptions scanOptions()
{
    ScanOptions options;
    options.perExpert = true;
    options.heatMap = false;
    options.lowPriority = true;
    return options;
}

/// Turns a tensor's own progress into the whole model's.
ProgressFn within(const ProgressFn &progress, std::uint64_t before, std::uint64_t weights, std::uint64_t total)
{
    return [=](const Progress &own) {
        const double share = own.total ? static_cast<double>(own.done) / static_cast<double>(own.total) : 1.0;
        progress({before + static_cast<std::uint64_t>(share * static_cast<double>(weights)), total});
    };
}

using OnTensor = std::function<void(TensorIndex, TensorStatsPtr)>;

Result<bool> scanModel(const GgufModelPtr &model, const JobContext &context, const OnTensor &scanned)
{
    const std::uint64_t total = decodableWeights(*model);
    std::uint64_t done = 0;
    for (std::uint32_t i = 0; i < model->tensors().size(); ++i) {
        const auto view = TensorView::ofTensor(model, TensorIndex{i});
        if (!view)
            continue; // its row already says why
        const auto stats = scanTensor(*view, scanOptions(), context.stop,
                                      within(context.progress, done, view->elements(), total));
        if (!stats)
            return tl::unexpected(stats.error());
        done += view->elements();
        scanned(TensorIndex{i}, *stats);
    }
    return true;
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
        [this, model = document.model, generation = document.generation](const JobContext &context) {
            return scanModel(model, context, [&](TensorIndex tensor, TensorStatsPtr stats) {
                context.post([this, generation, tensor, stats] { emit tensorScanned(generation, tensor, stats); });
            });
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
