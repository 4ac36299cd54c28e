// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/jobs/reportservice.h"

#include "core/output/atomicfile.h"
#include "core/output/report.h"
#include "core/stats/modelscan.h"

#include <algorithm>
#include <iterator>

namespace ql {

namespace {

const QString Slot = QStringLiteral("report");

struct Work {
    GgufModelPtr a;
    GgufModelPtr b;
    std::string path;
};

Result<ModelDiff> compare(const Work &work, const JobContext &context)
{
    Pairing pairing = pairTensors(*work.a, *work.b);
    ModelDiff diff;
    diff.metadata = diffMetadata(*work.a, *work.b);
    for (const TensorPair &pair : pairing.pairs)
        diff.pairs.push_back({pair, failure("not-decodable", "was not compared")});
    CompareOptions options;
    options.perExpert = true;
    options.lowPriority = true;
    const auto compared = [&](std::size_t i, const Result<ComparisonPtr> &outcome) { diff.pairs[i].outcome = outcome; };
    const auto done = comparePairs(work.a, work.b, pairing.pairs, options, compared, context.stop, context.progress);
    if (!done)
        return tl::unexpected(done.error());
    diff.onlyA = std::move(pairing.onlyA);
    diff.onlyB = std::move(pairing.onlyB);
    diff.mismatched = std::move(pairing.mismatched);
    return diff;
}

ReportRequest requestFor(const Work &work)
{
    ReportRequest request;
    request.format = reportFormatOf(work.path).value_or(ReportFormat::Html);
    request.command = diffCommandLine(work.a->path(), work.b->path(), {"--experts"});
    request.program = "Quantloupe " QL_VERSION;
    return request;
}

Result<quint64> writeReport(const Work &work, const JobContext &context)
{
    std::vector<std::string> inputs = filesOf(*work.a);
    std::ranges::copy(filesOf(*work.b), std::back_inserter(inputs));
    auto file = AtomicFile::create(work.path, true, inputs);
    if (!file)
        return tl::unexpected(file.error());
    const auto diff = compare(work, context);
    if (!diff)
        return tl::unexpected(diff.error());
    for (const GgufModelPtr &model : {work.a, work.b})
        if (model->changedOnDisk())
            return tl::unexpected(model->changedError());
    if (const auto written = (*file)->write(comparisonReport(*work.a, *work.b, *diff, requestFor(work))); !written)
        return tl::unexpected(written.error());
    const quint64 bytes = (*file)->bytesWritten();
    if (const auto done = (*file)->commit(); !done)
        return tl::unexpected(done.error());
    return bytes;
}

} // namespace

ReportService::ReportService(JobRunner &jobs, QObject *parent)
    : QObject(parent)
    , m_jobs(jobs)
{}

JobId ReportService::write(const Document &a, const Document &b, const QString &path)
{
    return m_jobs.start<quint64>(
        Lane::Task, Slot, tr("Writing the report"),
        [work = Work{a.model, b.model, path.toStdString()}](const JobContext &context) { return writeReport(work, context); },
        [this, path](const Result<quint64> &bytes) {
            if (bytes)
                emit written(path, *bytes);
            else
                emit failed(path, bytes.error());
        });
}

} // namespace ql
