// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/jobs/jobrunner.h"

#include <QObject>

#include <utility>
#include <vector>

namespace ql {

/// Which job writes which file, so that a stop can be told by the file's name. GUI thread.
class RunningFiles final : public QObject
{
    Q_OBJECT

public:
    explicit RunningFiles(JobRunner &jobs, QObject *parent = nullptr);

    void add(JobId job, const QString &path) { m_files.emplace_back(job, path); }

signals:
    /// The job that wrote this file was stopped; nothing of it is left.
    void stopped(const QString &path);

private:
    QString take(JobId job);

    std::vector<std::pair<JobId, QString>> m_files;
};

} // namespace ql
