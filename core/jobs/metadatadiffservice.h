// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/jobs/document.h"
#include "core/jobs/jobrunner.h"
#include "core/stats/metadatacomparison.h"

#include <QObject>

namespace ql {

/// Compares the metadata of two open files off the GUI thread: a vocabulary is read whole. The newest
/// request is the one that is answered. GUI thread.
class MetadataDiffService final : public QObject
{
    Q_OBJECT

public:
    explicit MetadataDiffService(JobRunner &jobs, QObject *parent = nullptr);

    void request(const Document &a, const Document &b);
    void cancel();

signals:
    void ready(const ql::MetadataComparisonPtr &comparison);
    void failed(const ql::Error &error);

private:
    JobRunner &m_jobs;
};

} // namespace ql
