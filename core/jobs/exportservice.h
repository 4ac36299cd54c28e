// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/jobs/document.h"
#include "core/jobs/jobrunner.h"
#include "core/jobs/runningfiles.h"
#include "core/output/tensorexport.h"

#include <QObject>

#include <vector>

namespace ql {

/// Writes tensors to files in the task lane: one after another, each ended only by its own cancel,
/// each file whole or not at all. GUI thread.
class ExportService final : public QObject
{
    Q_OBJECT

public:
    explicit ExportService(JobRunner &jobs, QObject *parent = nullptr);

    /// The person has chosen the path, and has agreed to replace what stands there. An input of
    /// the model is refused all the same.
    JobId exportTensor(const Document &document, TensorIndex tensor, const ExportOptions &options, const QString &path);

    /// What the file's size will be, in the view lane; the newest request is answered.
    void estimate(const Document &document, TensorIndex tensor, const ExportOptions &options);

signals:
    void estimated(quint64 bytes, bool exact);
    void estimateFailed(const ql::Error &error);
    /// Cancelled: nothing is left of the file.
    void stopped(const QString &path);
    void exported(const QString &path, quint64 bytes);
    void failed(const QString &path, const ql::Error &error);

private:
    JobRunner &m_jobs;
    RunningFiles m_running;
};

} // namespace ql
