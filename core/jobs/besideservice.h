// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/jobs/document.h"
#include "core/jobs/jobrunner.h"
#include "core/jobs/statskey.h"
#include "core/stats/comparison.h"
#include "core/stats/tensorstats.h"

#include <QObject>

namespace ql {

/// A tensor or expert beside another one of the same file.
struct Beside {
    StatsKey a;
    StatsKey b;
    TensorStatsPtr statsB;
    ComparisonPtr comparison; ///< with heat maps and error histogram
};
using BesidePtr = std::shared_ptr<const Beside>;

/// True where two tensors, or experts of them, have as many rows and columns (and slabs).
bool haveSameShape(const TensorInfo &a, std::optional<std::uint64_t> expertA, const TensorInfo &b,
                   std::optional<std::uint64_t> expertB);

/// Compares two tensors, or two experts, of one file. The newest request wins; the scan of B is kept
/// while B stays the same. GUI thread.
class BesideService final : public QObject
{
    Q_OBJECT

public:
    explicit BesideService(JobRunner &jobs, QObject *parent = nullptr);

    /// Answered by ready, failed or stopped. The keys are of `document` and of equal shape.
    void request(const Document &document, const StatsKey &a, const StatsKey &b);
    void cancel();
    /// The work behind the newest request, for its progress.
    JobId job() const { return m_job; }

signals:
    void ready(const ql::BesidePtr &beside);
    void failed(const ql::Error &error);
    void stopped();

private:
    JobRunner &m_jobs;
    JobId m_job = 0;
    BesidePtr m_last;
};

} // namespace ql
