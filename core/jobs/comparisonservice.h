// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/jobs/document.h"
#include "core/jobs/jobrunner.h"
#include "core/stats/comparison.h"

#include <QObject>

#include <memory>

namespace ql {

using PairingPtr = std::shared_ptr<const Pairing>;

/// Compares two open files: the table of all pairs in the model lane, the selected pair (with heat
/// maps and error histogram) in the view lane. GUI thread.
class ComparisonService final : public QObject
{
    Q_OBJECT

public:
    explicit ComparisonService(JobRunner &jobs, QObject *parent = nullptr);

    /// Pairs the tensors, then compares pair after pair: paired, pairCompared (or pairUnreadable) …, finished.
    void compareAll(const Document &a, const Document &b);
    /// A pair that names don't bring together: pairedByHand at once, then handPairCompared or
    /// handPairFailed. The shapes must be the same; see pairByHand().
    void compareByHand(const Document &a, const Document &b, const TensorPair &pair);
    /// One pair in full; answered by pairReady or pairFailed. The newest request wins.
    void requestPair(const Document &a, const Document &b, const TensorPair &pair);
    /// Finer heat maps of a part of a pair, in rows and weights of the pair; answered by mapsReady. The
    /// newest request wins; one that fails leaves the coarse maps as they are.
    void requestMaps(const Document &a, const Document &b, const TensorPair &pair, const HeatMapWindow &window);
    void cancelAll();
    /// The pair and its finer maps.
    void cancelPair();
    bool isBusy() const;
    /// Whether a job is that of compareAll().
    bool isTableJob(JobId id) const { return id == m_job; }

signals:
    void paired(const ql::PairingPtr &pairing);
    void pairCompared(std::size_t pair, const ql::ComparisonPtr &comparison);
    /// It can't be decoded; the others go on.
    void pairUnreadable(std::size_t pair, const ql::Error &error);
    void pairedByHand(const ql::TensorPair &pair);
    void handPairCompared(const ql::TensorPair &pair, const ql::ComparisonPtr &comparison);
    void handPairFailed(const ql::TensorPair &pair, const ql::Error &error);
    void finished();
    void stopped();
    void failed(const ql::Error &error);
    void pairReady(const ql::TensorPair &pair, const ql::ComparisonPtr &comparison);
    void pairFailed(const ql::TensorPair &pair, const ql::Error &error);
    void mapsReady(const ql::TensorPair &pair, const ql::PairMapsPtr &maps);

private:
    JobRunner &m_jobs;
    JobId m_job = 0;
    quint64 m_handPairs = 0; ///< a slot each: none supersedes another
};

} // namespace ql
