// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/jobs/document.h"
#include "core/jobs/jobrunner.h"
#include "core/stats/cosinematrix.h"
#include "core/stats/expertgroups.h"
#include "core/stats/expertstats.h"

#include <QObject>

#include <map>
#include <vector>

namespace ql {

/// Gathers scans into expert tables, with the mean stored scales and the norms of the router's rows,
/// and answers what the Experts view asks on top: cosines between the experts of a layer. GUI thread.
class ExpertService final : public QObject
{
    Q_OBJECT

public:
    explicit ExpertService(JobRunner &jobs, QObject *parent = nullptr);

    /// Another file: its groups; forgets what was gathered.
    void setDocument(const Document &document);
    const std::vector<ExpertGroup> &groups() const { return m_groups; }
    /// A tensor has been scanned, merged ones per expert. Once all tensors of a group are known its
    /// table is made in the background; tableReady follows.
    void addScan(quint64 generation, TensorIndex tensor, const TensorStatsPtr &stats);
    /// Scans a group whose tensors nothing else has scanned. The newest request wins; tableReady,
    /// tableFailed or tableStopped follows.
    void requestTable(const ExpertGroup &group);
    void cancelTable();
    JobId tableJob() const { return m_tableJob; }
    void requestMatrix(const ExpertGroup &group);
    void cancelMatrix();
    /// The work behind the newest matrix, for its progress.
    JobId matrixJob() const { return m_matrixJob; }

signals:
    void tableReady(const ql::ExpertTablePtr &table);
    void tableStopped();
    void tableFailed(const ql::Error &error);
    void matrixReady(const ql::CosineMatrixPtr &matrix);
    void matrixStopped();
    void failed(const ql::Error &error);

private:
    using Scans = std::map<TensorIndex, TensorStatsPtr>;
    void startTable(const ExpertGroup &group, Scans scans);

    JobRunner &m_jobs;
    JobId m_tableJob = 0;
    JobId m_matrixJob = 0;
    Document m_document;
    std::vector<ExpertGroup> m_groups;
    /// Scans of groups that are made of several tensors, until the last of them comes.
    Scans m_waiting;
};

} // namespace ql
