// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/jobs/exportservice.h"

#include "core/output/atomicfile.h"

namespace ql {

namespace {

const QString Slot = QStringLiteral("export");

Result<quint64> writeTensor(const GgufModelPtr &model, TensorIndex tensor, const ExportOptions &options,
                            const std::string &path, const JobContext &context)
{
    const auto source = exportSource(model, tensor, options);
    if (!source)
        return tl::unexpected(source.error());
    auto file = AtomicFile::create(path, true, filesOf(*model));
    if (!file)
        return tl::unexpected(file.error());
    if (const auto written = exportTensor(*source, options, **file, context.stop, context.progress); !written)
        return tl::unexpected(written.error());
    const quint64 bytes = (*file)->bytesWritten();
    if (const auto committed = (*file)->commit(); !committed)
        return tl::unexpected(committed.error());
    return bytes;
}

} // namespace

ExportFormat exportFormatOf(const QString &path)
{
    for (const auto &row : ExportTable)
        if (path.endsWith(QLatin1String(row.suffix.data(), static_cast<qsizetype>(row.suffix.size())), Qt::CaseInsensitive))
            return row.format;
    return ExportFormat::Csv;
}

ExportService::ExportService(JobRunner &jobs, QObject *parent)
    : QObject(parent)
    , m_jobs(jobs)
{}

JobId ExportService::exportTensor(const Document &document, TensorIndex tensor, const ExportOptions &options,
                                  const QString &path)
{
    return m_jobs.start<quint64>(
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
}

} // namespace ql
