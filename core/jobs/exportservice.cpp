// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/jobs/exportservice.h"

#include "core/output/atomicfile.h"
#include "core/output/storedbytes.h"

#include <algorithm>

namespace ql {

namespace {

const QString Slot = QStringLiteral("export");
const QString EstimateSlot = QStringLiteral("export estimate");

/// Needs no decoder: also for types that there is none for.
bool isWholeRaw(const ExportOptions &options)
{
    return options.format == ExportFormat::Raw && !options.expert && !options.rows && !options.columns;
}

Result<void> writeInto(ByteSink &sink, const GgufModelPtr &model, TensorIndex tensor, const ExportOptions &options,
                       const JobContext &context)
{
    if (isWholeRaw(options))
        return writeStored(*model, tensor, sink, context.stop, context.progress);
    const auto source = exportSource(model, tensor, options);
    if (!source)
        return tl::unexpected(source.error());
    return exportTensor(*source, options, sink, context.stop, context.progress);
}

struct Estimate {
    quint64 bytes = 0;
    bool exact = false;
};

Result<Estimate> estimateOf(const GgufModelPtr &model, TensorIndex tensor, const ExportOptions &options)
{
    if (isWholeRaw(options)) {
        const auto bytes = storedBytes(*model, tensor);
        return bytes ? Result<Estimate>(Estimate{bytes->size(), true}) : tl::unexpected(bytes.error());
    }
    const auto source = exportSource(model, tensor, options);
    if (!source)
        return tl::unexpected(source.error());
    return Estimate{estimateExportSize(*source, options), options.format != ExportFormat::Csv};
}

Result<quint64> writeTensor(const GgufModelPtr &model, TensorIndex tensor, const ExportOptions &options,
                            const std::string &path, const JobContext &context)
{
    auto file = AtomicFile::create(path, true, filesOf(*model));
    if (!file)
        return tl::unexpected(file.error());
    if (const auto written = writeInto(**file, model, tensor, options, context); !written)
        return tl::unexpected(written.error());
    const quint64 bytes = (*file)->bytesWritten();
    if (const auto committed = (*file)->commit(); !committed)
        return tl::unexpected(committed.error());
    return bytes;
}

} // namespace

ExportService::ExportService(JobRunner &jobs, QObject *parent)
    : QObject(parent)
    , m_jobs(jobs)
    , m_running(jobs)
{
    connect(&m_running, &RunningFiles::stopped, this, &ExportService::stopped);
}

void ExportService::estimate(const Document &document, TensorIndex tensor, const ExportOptions &options)
{
    m_jobs.start<Estimate>(
        Lane::View, EstimateSlot, tr("Estimating a file's size"),
        [model = document.model, tensor, options](const JobContext &) { return estimateOf(model, tensor, options); },
        [this](const Result<Estimate> &estimate) {
            if (estimate)
                emit estimated(estimate->bytes, estimate->exact);
            else
                emit estimateFailed(estimate.error());
        });
}

JobId ExportService::exportTensor(const Document &document, TensorIndex tensor, const ExportOptions &options,
                                  const QString &path)
{
    const JobId id = m_jobs.start<quint64>(
        Lane::Task, Slot, tr("Exporting %1").arg(QString::fromStdString(document.model->tensor(tensor).name)),
        [model = document.model, tensor, options, path = path.toStdString()](const JobContext &context) {
            return writeTensor(model, tensor, options, path, context);
        },
        [this, path](const Result<quint64> &bytes) {
            if (bytes)
                emit exported(path, *bytes);
            else
                emit failed(path, bytes.error());
        });
    m_running.add(id, path);
    return id;
}

} // namespace ql
