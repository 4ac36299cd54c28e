// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/jobs/convertservice.h"

#include "core/output/atomicfile.h"
#include "core/output/convert.h"
#include "core/output/convertjson.h"

#include <QFileInfo>
#include <QLocale>
#include <QStorageInfo>

#include <algorithm>

namespace ql {

namespace {

const QString PreviewSlot = QStringLiteral("convert preview");
const QString TaskSlot = QStringLiteral("convert");

Result<MetadataEdit> parse(const GgufModel &model, const TypedMetadataEdit &change)
{
    const std::string key = change.key.toStdString();
    if (change.remove)
        return parseMetadataUnset(model, key);
    const std::string type = change.type.isEmpty() ? std::string() : ":" + change.type.toStdString();
    return parseMetadataSet(model, key + type + "=" + change.value.toStdString());
}

Result<ConvertPlan> planOf(const GgufModelPtr &model, const ConvertOrder &order)
{
    ConvertRequest request;
    request.type = order.type;
    request.choices = order.choices;
    for (const TypedMetadataEdit &change : order.changes) {
        const auto edit = parse(*model, change);
        if (!edit)
            return tl::unexpected(edit.error());
        request.changes.push_back(*edit);
    }
    return planConversion(model, request);
}

QStringList notesOf(const ConvertPlan &plan)
{
    QStringList notes;
    for (const std::string &note : plan.notes)
        notes += QString::fromStdString(note);
    return notes;
}

quint64 encodedTensors(const ConvertPlan &plan)
{
    return static_cast<quint64>(std::ranges::count_if(plan.tensors, &PlannedTensor::encode));
}

quint64 freeBytesAt(const QString &path)
{
    const QStorageInfo storage(QFileInfo(path).absolutePath());
    return storage.isValid() ? static_cast<quint64>(std::max<qint64>(0, storage.bytesAvailable())) : 0;
}

ConvertPreview previewOf(const ConvertPlan &plan, const QString &path)
{
    const ConvertSizes sizes = sizesOf(plan);
    return {sizes.before, sizes.after, plan.model->shards().size(), encodedTensors(plan),
            path.isEmpty() ? 0 : freeBytesAt(path), notesOf(plan)};
}

Result<void> checkRoom(const ConvertPlan &plan, const QString &path)
{
    const quint64 free = freeBytesAt(path);
    const quint64 needed = plan.file->fileSize();
    if (free == 0 || needed <= free) // 0: the folder itself is wrong, which opening the file will say
        return {};
    return failure(WriteFailedCode, "the new file needs " + std::to_string(needed) + " bytes, there are "
                                        + std::to_string(free) + " free in '"
                                        + QFileInfo(path).absolutePath().toStdString() + "'");
}

std::optional<double> errorOf(const ConvertReport &report)
{
    ErrorSums sums;
    for (const auto &errors : report.errors)
        if (errors)
            sums.merge(*errors);
    return sums.relativeRmse();
}

Result<ConvertOutcome> write(const GgufModelPtr &model, const ConvertOrder &order, const QString &path,
                             const JobContext &context)
{
    const auto plan = planOf(model, order);
    if (!plan)
        return tl::unexpected(plan.error());
    auto file = AtomicFile::create(path.toStdString(), true, filesOf(*model));
    if (!file)
        return tl::unexpected(file.error());
    if (const auto room = checkRoom(*plan, path); !room)
        return tl::unexpected(room.error());
    const auto report = writePlan(*plan, **file, {0, true}, context.stop, context.progress);
    if (!report)
        return tl::unexpected(report.error());
    if (const auto done = (*file)->commit(); !done)
        return tl::unexpected(done.error());
    return ConvertOutcome{path, plan->file->fileSize(), encodedTensors(*plan), errorOf(*report), notesOf(*plan)};
}

} // namespace

ConvertService::ConvertService(JobRunner &jobs, QObject *parent)
    : QObject(parent)
    , m_jobs(jobs)
    , m_running(jobs)
{
    connect(&m_running, &RunningFiles::stopped, this, &ConvertService::stopped);
}

void ConvertService::preview(const Document &document, const ConvertOrder &order, const QString &path)
{
    m_jobs.start<ConvertPreview>(
        Lane::View, PreviewSlot, tr("Planning a new file"),
        [model = document.model, order, path](const JobContext &) -> Result<ConvertPreview> {
            const auto plan = planOf(model, order);
            if (!plan)
                return tl::unexpected(plan.error());
            return previewOf(*plan, path);
        },
        [this](const Result<ConvertPreview> &preview) {
            if (preview)
                emit previewReady(*preview);
            else
                emit previewFailed(preview.error());
        });
}

JobId ConvertService::convert(const Document &document, const ConvertOrder &order, const QString &path)
{
    const JobId id = m_jobs.start<ConvertOutcome>(
        Lane::Task, TaskSlot, tr("Writing %1").arg(QFileInfo(path).fileName()),
        [model = document.model, order, path](const JobContext &context) { return write(model, order, path, context); },
        [this, path](const Result<ConvertOutcome> &outcome) {
            if (outcome)
                emit converted(*outcome);
            else
                emit failed(path, outcome.error());
        });
    m_running.add(id, path);
    return id;
}

} // namespace ql
