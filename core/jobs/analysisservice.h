// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/jobs/document.h"
#include "core/jobs/jobrunner.h"
#include "core/jobs/resultcache.h"
#include "core/jobs/resultstore.h"
#include "core/jobs/statskey.h"
#include "core/stats/tensorstats.h"

#include <QObject>

#include <array>
#include <optional>

namespace ql {

/// Answers what views ask about a selected tensor: figures, histogram and heat map in one job.
/// A hit in the cache answers through the same queued path as a job. Only the newest request of
/// a side is ever answered. Lives on the GUI thread.
class AnalysisService final : public QObject
{
    Q_OBJECT

public:
    /// Scans of fewer weights are done before a file on disk has answered.
    static constexpr std::uint64_t StoreAbove = 16u << 20;

    /// The store keeps results of large tensors between runs; null keeps none.
    explicit AnalysisService(JobRunner &jobs, std::shared_ptr<ResultStore> store = {},
                             std::uint64_t storeAbove = StoreAbove, QObject *parent = nullptr);

    /// Asks for the figures of a tensor (or expert). Answered by statsReady (an estimate first where
    /// the tensor is large, then the exact result), statsFailed or statsStopped.
    void requestStats(Side side, const Document &document, TensorIndex tensor,
                      std::optional<std::uint64_t> expert);
    /// Asks for finer cells of a part of the heat map of the newest stats request.
    void requestHeatMap(Side side, const Document &document, const HeatMapWindow &window);
    /// Forgets the newest request of a side and stops its work.
    void abandon(Side side);
    /// Stops the work of a side; the panel keeps what it has.
    void cancel(Side side);

    std::optional<StatsKey> current(Side side) const { return m_current[index(side)]; }
    bool isBusy(Side side) const;
    /// Forgets all results of a file that is no longer open.
    void dropCache() { m_cache.clear(); }

signals:
    void statsStarted(ql::Side side, const ql::StatsKey &key);
    void statsReady(ql::Side side, const ql::StatsKey &key, const ql::TensorStatsPtr &stats);
    void statsFailed(ql::Side side, const ql::StatsKey &key, const ql::Error &error);
    void statsStopped(ql::Side side, const ql::StatsKey &key);
    void heatMapReady(ql::Side side, const ql::StatsKey &key, const std::shared_ptr<const ql::HeatMap> &map);

private:
    static std::size_t index(Side side) { return side == Side::A ? 0 : 1; }
    void answerFromCache(Side side, const StatsKey &key, const TensorStatsPtr &stats);
    void startScan(Side side, const Document &document, const StatsKey &key);
    void deliver(Side side, const StatsKey &key, const Result<TensorStatsPtr> &result);

    JobRunner &m_jobs;
    std::shared_ptr<ResultStore> m_store;
    std::uint64_t m_storeAbove;
    ResultCache<StatsKey, TensorStats> m_cache;
    std::array<std::optional<StatsKey>, 2> m_current;
    std::array<JobId, 2> m_scans{};
};

/// Names a scan on disk: the file's identity (so that another state of it is another key), the
/// tensor and the expert.
QByteArray storeKey(const GgufModel &model, const StatsKey &key);

/// The bytes a result holds, for caches.
std::size_t byteCost(const TensorStats &stats);

} // namespace ql
