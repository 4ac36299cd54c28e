// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/jobs/runningfiles.h"

#include <algorithm>

namespace ql {

RunningFiles::RunningFiles(JobRunner &jobs, QObject *parent) : QObject(parent)
{
    connect(&jobs, &JobRunner::finished, this, &RunningFiles::take);
    connect(&jobs, &JobRunner::stopped, this, [this](JobId job) {
        if (const QString path = take(job); !path.isNull())
            emit stopped(path);
    });
}

QString RunningFiles::take(JobId job)
{
    const auto found = std::ranges::find(m_files, job, &std::pair<JobId, QString>::first);
    if (found == m_files.end())
        return {};
    const QString path = found->second;
    m_files.erase(found);
    return path;
}

} // namespace ql
