// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/jobs/document.h"
#include "core/jobs/jobrunner.h"

#include <QObject>

namespace ql {

/// Compares two open files whole and writes the report, in the task lane: ended only by its own cancel,
/// the file whole or not at all. GUI thread.
class ReportService final : public QObject
{
    Q_OBJECT

public:
    explicit ReportService(JobRunner &jobs, QObject *parent = nullptr);

    /// HTML or Markdown by the path's suffix, HTML for any other. The person has chosen the path, and has
    /// agreed to replace what stands there. A file of the two models is refused all the same.
    JobId write(const Document &a, const Document &b, const QString &path);

signals:
    void written(const QString &path, quint64 bytes);
    void failed(const QString &path, const ql::Error &error);

private:
    JobRunner &m_jobs;
};

} // namespace ql
