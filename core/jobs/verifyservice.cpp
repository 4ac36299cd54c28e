// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/jobs/verifyservice.h"

#include "core/format/mappedfile.h"
#include "core/model/tensorname.h"
#include "core/output/hashmanifest.h"
#include "core/stats/deepcheck.h"

namespace ql {

namespace {

const QString Slot = QStringLiteral("verify");

Result<Manifest> readManifest(const std::string &path)
{
    const auto file = MappedFile::open(path);
    if (!file)
        return tl::unexpected(file.error());
    const auto bytes = (*file)->bytes();
    Manifest manifest = parseManifest({reinterpret_cast<const char *>(bytes.data()), bytes.size()});
    if (manifest.entries.empty())
        return failure("bad-manifest", "'" + path + "' holds no digests", path);
    return manifest;
}

/// The tensor of "FILE:TENSOR", so that a click on the finding goes there; else the whole name.
std::string fieldOf(const GgufModel &model, const std::string &name)
{
    for (std::size_t colon = name.find(':'); colon != std::string::npos; colon = name.find(':', colon + 1))
        if (model.findTensor(name.substr(colon + 1)))
            return name.substr(colon + 1);
    return name;
}

Warning mismatch(const GgufModel &model, const Verdict &verdict)
{
    const std::string name = escapeBytes(verdict.entry.name);
    const std::string algorithm(traits(verdict.entry.algorithm).name);
    const std::string message = verdict.found.empty()
        ? "the manifest has a digest of '" + name + "', and there is nothing of that name"
        : algorithm + " of '" + name + "' is " + verdict.found + ", the manifest says " + verdict.entry.digest;
    return {Severity::Error, "hash-mismatch", message, fieldOf(model, verdict.entry.name), std::nullopt};
}

Result<void> addDigests(const GgufModelPtr &model, const std::string &manifestPath, const JobContext &context,
                        VerifyReport &report)
{
    const auto manifest = readManifest(manifestPath);
    if (!manifest)
        return tl::unexpected(manifest.error());
    const auto verdicts = checkManifest(*manifest, model->path(), model, {}, {0, true}, context.stop, context.progress);
    if (!verdicts)
        return tl::unexpected(verdicts.error());
    for (const Verdict &verdict : *verdicts) {
        ++report.digests;
        if (verdict.matches())
            ++report.matching;
        else
            report.findings.push_back(mismatch(*model, verdict));
    }
    return {};
}

quint64 decodableWeights(const GgufModel &model)
{
    quint64 weights = 0;
    for (const TensorInfo &tensor : model.tensors())
        weights += tensor.isDecodable() ? tensor.elements.value_or(0) : 0;
    return weights;
}

Result<void> addDeepFindings(const GgufModelPtr &model, const JobContext &context, VerifyReport &report)
{
    const quint64 total = decodableWeights(*model);
    quint64 before = 0;
    for (std::uint32_t i = 0; i < model->tensors().size(); ++i) {
        const auto view = TensorView::ofTensor(model, {i});
        if (!view)
            continue; // its row says why; the warnings have it already
        const auto found = deepCheck(*view, {0, true}, context.stop, [&](const Progress &part) {
            context.progress({before + part.done, total});
        });
        if (!found)
            return tl::unexpected(found.error());
        for (const Warning &finding : deepFindings(*view, *found))
            report.findings.push_back(finding);
        before += view->elements();
        ++report.tensors;
    }
    return {};
}

Result<VerifyReport> run(const GgufModelPtr &model, const VerifyOrder &order, const JobContext &context)
{
    VerifyReport report;
    if (!order.manifest.isEmpty()) {
        if (const auto done = addDigests(model, order.manifest.toStdString(), context, report); !done)
            return tl::unexpected(done.error());
    }
    if (order.deep) {
        if (const auto done = addDeepFindings(model, context, report); !done)
            return tl::unexpected(done.error());
    }
    if (model->changedOnDisk())
        return tl::unexpected(model->changedError());
    return report;
}

} // namespace

VerifyService::VerifyService(JobRunner &jobs, QObject *parent)
    : QObject(parent)
    , m_jobs(jobs)
{}

void VerifyService::verify(const Document &document, const VerifyOrder &order)
{
    m_jobs.start<VerifyReport>(
        Lane::Task, Slot, tr("Verifying the file"),
        [model = document.model, order](const JobContext &context) { return run(model, order, context); },
        [this, generation = document.generation](const Result<VerifyReport> &report) {
            if (report)
                emit verified(generation, *report);
            else
                emit failed(report.error());
        });
}

} // namespace ql
