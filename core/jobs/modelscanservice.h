// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/jobs/document.h"
#include "core/jobs/jobrunner.h"
#include "core/stats/tensorstats.h"

#include <QObject>

namespace ql {

/// Scans every tensor of a model, for the table's columns and the expert maps: on request, in the
/// model lane, one result after another. Heat maps are left out. GUI thread.
class ModelScanService final : public QObject
{
    Q_OBJECT

public:
    explicit ModelScanService(JobRunner &jobs, QObject *parent = nullptr);

    void start(const Document &document);
    void cancel();
    bool isBusy() const;
    /// Of the newest scan; 0 before the first.
    JobId job() const { return m_job; }

signals:
    void tensorScanned(quint64 generation, ql::TensorIndex tensor, const ql::TensorStatsPtr &stats);
    /// Before finished(): so many tensors could not be read, the first of them for that reason.
    void unreadable(quint64 generation, quint64 tensors, const ql::Error &first);
    void finished(quint64 generation);
    void stopped();
    void failed(const ql::Error &error);

private:
    JobRunner &m_jobs;
    JobId m_job = 0;
};

} // namespace ql
