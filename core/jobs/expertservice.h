// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/jobs/document.h"
#include "core/jobs/jobrunner.h"
#include "core/stats/cosinematrix.h"
#include "core/stats/expertgroups.h"
#include "core/stats/expertstats.h"

#include <QObject>

#include <map>
#include <optional>
#include <vector>

namespace ql {

/// Gathers scans into expert tables, and answers what the Experts view asks on top: cosines between
/// the experts of a layer, norms of its router's rows. GUI thread.
class ExpertService final : public QObject
{
    Q_OBJECT

public:
    explicit ExpertService(JobRunner &jobs, QObject *parent = nullptr);

    /// Another file: its groups; forgets what was gathered.
    void setDocument(const Document &document);
    const std::vector<ExpertGroup> &groups() const { return m_groups; }
    /// A tensor has been scanned, merged ones per expert. The table of its group follows once all
    /// of the group's tensors are known.
    void addScan(quint64 generation, TensorIndex tensor, const TensorStatsPtr &stats);
    void requestMatrix(const ExpertGroup &group);
    void requestRouter(std::optional<std::uint32_t> layer);

signals:
    void tableReady(const ql::ExpertTablePtr &table);
    void matrixReady(const ql::CosineMatrixPtr &matrix);
    void routerReady(std::optional<std::uint32_t> layer, const std::vector<double> &norms);
    void failed(const ql::Error &error);

private:
    JobRunner &m_jobs;
    Document m_document;
    std::vector<ExpertGroup> m_groups;
    /// Scans of groups that are made of several tensors, until the last of them comes.
    std::map<TensorIndex, TensorStatsPtr> m_waiting;
};

} // namespace ql
