// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/jobs/comparisonservice.h"

#include "core/stats/modelscan.h"

namespace ql {

namespace {

const QString AllSlot = QStringLiteral("compare all");
const QString PairSlot = QStringLiteral("compare pair");
const QString MapsSlot = QStringLiteral("compare maps");

CompareOptions tableOptions()
{
    CompareOptions options;
    options.perExpert = true;
    options.lowPriority = true;
    return options;
}

CompareOptions pairOptions()
{
    CompareOptions options;
    options.perExpert = true;
    options.heatMaps = true;
    options.errorHistogram = true;
    options.lowPriority = true;
    return options;
}

} // namespace

ComparisonService::ComparisonService(JobRunner &jobs, QObject *parent)
    : QObject(parent)
    , m_jobs(jobs)
{
    connect(&m_jobs, &JobRunner::stopped, this, [this](JobId id) {
        if (id == m_job)
            emit stopped();
    });
}

bool ComparisonService::isBusy() const { return m_jobs.isActive(m_job); }

void ComparisonService::compareAll(const Document &a, const Document &b)
{
    m_job = m_jobs.start<bool>(
        Lane::Model, AllSlot, tr("Comparing"),
        [this, a = a.model, b = b.model](const JobContext &context) -> Result<bool> {
            const auto pairing = std::make_shared<const Pairing>(pairTensors(*a, *b));
            context.post([this, pairing] { emit paired(pairing); });
            const auto compared = [&](std::size_t i, const Result<ComparisonPtr> &outcome) {
                if (outcome)
                    context.post([this, i, comparison = *outcome] { emit pairCompared(i, comparison); });
                else // a tensor that can't be read says so in its own row
                    context.post([this, i, error = outcome.error()] { emit pairUnreadable(i, error); });
            };
            const auto done = comparePairs(a, b, pairing->pairs, tableOptions(), compared, context.stop, context.progress);
            return done ? Result<bool>(true) : tl::unexpected(done.error());
        },
        [this](const Result<bool> &result) {
            if (result)
                emit finished();
            else
                emit failed(result.error());
        });
}

void ComparisonService::compareByHand(const Document &a, const Document &b, const TensorPair &pair)
{
    emit pairedByHand(pair);
    m_jobs.start<ComparisonPtr>(
        Lane::Model, QStringLiteral("compare by hand %1").arg(++m_handPairs),
        tr("Comparing %1").arg(QString::fromStdString(a.model->tensor(pair.a).name)),
        [a = a.model, b = b.model, pair](const JobContext &context) {
            return comparePair(a, b, pair, tableOptions(), context.stop, context.progress);
        },
        [this, pair](const Result<ComparisonPtr> &result) {
            if (result)
                emit handPairCompared(pair, *result);
            else
                emit handPairFailed(pair, result.error());
        });
}

void ComparisonService::requestPair(const Document &a, const Document &b, const TensorPair &pair)
{
    m_jobs.start<ComparisonPtr>(
        Lane::View, PairSlot, tr("Comparing %1").arg(QString::fromStdString(a.model->tensor(pair.a).name)),
        [a = a.model, b = b.model, pair](const JobContext &context) {
            return comparePair(a, b, pair, pairOptions(), context.stop, context.progress);
        },
        [this, pair](const Result<ComparisonPtr> &result) {
            if (result)
                emit pairReady(pair, *result);
            else
                emit pairFailed(pair, result.error());
        });
}

void ComparisonService::requestMaps(const Document &a, const Document &b, const TensorPair &pair,
                                    const HeatMapWindow &window)
{
    m_jobs.start<PairMapsPtr>(
        Lane::View, MapsSlot, tr("Finer cells of %1").arg(QString::fromStdString(a.model->tensor(pair.a).name)),
        [a = a.model, b = b.model, pair, window](const JobContext &context) {
            return comparePairMaps(a, b, pair, window, 0, context.stop, context.progress);
        },
        [this, pair](const Result<PairMapsPtr> &result) {
            if (result)
                emit mapsReady(pair, *result);
        });
}

void ComparisonService::cancelAll() { m_jobs.cancelSlot(Lane::Model, AllSlot); }

void ComparisonService::cancelPair()
{
    m_jobs.cancelSlot(Lane::View, PairSlot);
    m_jobs.cancelSlot(Lane::View, MapsSlot);
}

} // namespace ql
