// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/jobs/metadatadiffservice.h"

namespace ql {

namespace {

const QString Slot = QStringLiteral("metadata diff");

} // namespace

MetadataDiffService::MetadataDiffService(JobRunner &jobs, QObject *parent)
    : QObject(parent)
    , m_jobs(jobs)
{}

void MetadataDiffService::request(const Document &a, const Document &b)
{
    m_jobs.start<MetadataComparisonPtr>(
        Lane::View, Slot, tr("Comparing metadata"),
        [a = a.model, b = b.model](const JobContext &context) { return compareMetadata(*a, *b, context.stop); },
        [this](const Result<MetadataComparisonPtr> &comparison) {
            if (comparison)
                emit ready(*comparison);
            else
                emit failed(comparison.error());
        });
}

void MetadataDiffService::cancel() { m_jobs.cancelSlot(Lane::View, Slot); }

} // namespace ql
