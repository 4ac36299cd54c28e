// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/jobs/comparisonservice.h"

namespace ql {

namespace {

const QString AllSlot = QStringLiteral("compare all");
const QString PairSlot = QStringLiteral("compare pair");

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

std::uint64_t weightsOf(const GgufModel &a, const Pairing &pairing)
{
    std::uint64_t total = 0;
    for (const auto &pair : pairing.pairs)
        total += a.tensor(pair.a).elements.value_or(0);
    return total;
}

using OnPair = std::function<void(std::size_t, ComparisonPtr)>;

Result<bool> comparePairs(const GgufModelPtr &a, const GgufModelPtr &b, const Pairing &pairing,
                          const JobContext &context, const OnPair &compared)
{
    const std::uint64_t total = weightsOf(*a, pairing);
    std::uint64_t before = 0;
    for (std::size_t i = 0; i < pairing.pairs.size(); ++i) {
        const TensorPair &pair = pairing.pairs[i];
        const bool decodable = a->tensor(pair.a).isDecodable() && b->tensor(pair.b).isDecodable();
        if (!decodable)
            continue; // its row already says why
        const auto progress = [&](const Progress &own) { context.progress({before + own.done, total}); };
        const auto result = comparePair(a, b, pair, tableOptions(), context.stop, progress);
        if (!result)
            return tl::unexpected(result.error());
        before += a->tensor(pair.a).elements.value_or(0);
        compared(i, *result);
    }
    return true;
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
        [this, a = a.model, b = b.model](const JobContext &context) {
            const auto pairing = std::make_shared<const Pairing>(pairTensors(*a, *b));
            context.post([this, pairing] { emit paired(pairing); });
            return comparePairs(a, b, *pairing, context, [&](std::size_t i, ComparisonPtr comparison) {
                context.post([this, i, comparison] { emit pairCompared(i, comparison); });
            });
        },
        [this](const Result<bool> &result) {
            if (result)
                emit finished();
            else
                emit failed(result.error());
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

void ComparisonService::cancelAll() { m_jobs.cancelSlot(Lane::Model, AllSlot); }

void ComparisonService::cancelPair() { m_jobs.cancelSlot(Lane::View, PairSlot); }

} // namespace ql
