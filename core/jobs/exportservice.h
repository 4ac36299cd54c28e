// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/jobs/document.h"
#include "core/jobs/jobrunner.h"
#include "core/output/tensorexport.h"

#include <QObject>

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

signals:
    void exported(const QString &path, quint64 bytes);
    void failed(const QString &path, const ql::Error &error);

private:
    JobRunner &m_jobs;
};

/// The format that a file name's suffix asks for; CSV for any other.
ExportFormat exportFormatOf(const QString &path);

} // namespace ql
