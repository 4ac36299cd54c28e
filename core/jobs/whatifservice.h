// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/jobs/document.h"
#include "core/jobs/jobrunner.h"
#include "core/stats/whatiftable.h"

#include <QObject>

namespace ql {

/// Measures tensors in candidate types, one after another, in the model lane; each row is told as
/// it comes. The newest order wins. GUI thread.
class WhatIfService final : public QObject
{
    Q_OBJECT

public:
    explicit WhatIfService(JobRunner &jobs, QObject *parent = nullptr);

    void measure(const Document &document, const WhatIfOrder &order);
    /// What has been measured stays valid; `stopped` follows.
    void cancel();
    bool isBusy() const;
    bool isJob(JobId id) const { return id != 0 && id == m_job; }

signals:
    void rowMeasured(quint64 generation, const ql::WhatIfRowPtr &row);
    void finished(quint64 generation);
    void stopped();
    void failed(const ql::Error &error);

private:
    JobRunner &m_jobs;
    JobId m_job = 0;
};

} // namespace ql
