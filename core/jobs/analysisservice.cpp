// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/jobs/analysisservice.h"

#include "core/format/mappedfile.h"
#include "core/jobs/statscodec.h"

#include <QDataStream>
#include <QIODevice>

namespace ql {

namespace {

constexpr std::size_t CacheBytes = 32u << 20;
// Below this many weights the exact result comes within a blink, and an estimate would only flicker.
constexpr std::uint64_t EstimateAbove = 48u << 20;
constexpr double EstimateWeights = 8u << 20;

QString scanSlot(Side side) { return side == Side::A ? QStringLiteral("scan A") : QStringLiteral("scan B"); }
QString zoomSlot(Side side) { return side == Side::A ? QStringLiteral("zoom A") : QStringLiteral("zoom B"); }

ScanOptions scanOptions(const TensorView &view)
{
    ScanOptions options;
    // Of any 3-D tensor, as far as scans go.
    options.perExpert = view.slabs() > 1 && view.slabs() <= MaxSlabs && view.model().tensor(view.tensor()).ne.size() == 3;
    options.lowPriority = true;
    return options;
}

ScanOptions estimateOptions(const TensorView &view)
{
    ScanOptions options = scanOptions(view);
    options.sampleShare = EstimateWeights / static_cast<double>(view.elements());
    options.lowPriority = false; // a few milliseconds that a person waits for
    return options;
}

using OnEstimate = std::function<void(TensorStatsPtr)>;

Result<TensorStatsPtr> scan(const TensorView &view, const JobContext &context, const OnEstimate &estimated)
{
    if (view.elements() > EstimateAbove) {
        auto estimate = scanTensor(view, estimateOptions(view), context.stop);
        if (!estimate)
            return estimate;
        estimated(*estimate);
    }
    return scanTensor(view, scanOptions(view), context.stop, context.progress);
}

/// The scan, or what an earlier run of the program kept of it.
Result<TensorStatsPtr> scanOrRecall(const TensorView &view, ResultStore *store, const QByteArray &key,
                                    const JobContext &context, const OnEstimate &estimated)
{
    if (!store)
        return scan(view, context, estimated);
    if (const auto kept = store->find(key))
        if (auto stats = decodeStats(*kept))
            return stats;
    auto stats = scan(view, context, estimated);
    if (stats)
        store->insert(key, encodeStats(**stats));
    return stats;
}

template <class T>
std::size_t vectorBytes(const std::vector<T> &values)
{
    return values.capacity() * sizeof(T);
}

std::size_t byteCost(const HeatMap &map)
{
    return vectorBytes(map.absMax) + vectorBytes(map.rms) + vectorBytes(map.maxRms) + vectorBytes(map.mean)
           + vectorBytes(map.maxMean) + vectorBytes(map.zeroShare) + vectorBytes(map.scale)
           + vectorBytes(map.maxScale) + vectorBytes(map.nonFinite);
}

std::size_t byteCost(const Figures &figures)
{
    return sizeof(Figures) + vectorBytes(figures.fine.counts)
           + (figures.core ? vectorBytes(figures.core->counts) : 0);
}

} // namespace

std::size_t byteCost(const TensorStats &stats)
{
    std::size_t bytes = sizeof(TensorStats) + byteCost(stats.figures);
    for (const auto &expert : stats.experts)
        bytes += byteCost(expert);
    if (stats.heatMap)
        bytes += byteCost(*stats.heatMap);
    return bytes;
}

QByteArray storeKey(const GgufModel &model, const StatsKey &key)
{
    const TensorInfo &tensor = model.tensor(key.tensor);
    const MappedFile &file = *model.shards()[tensor.shard].file;
    const FileIdentity &identity = file.identity();
    QByteArray bytes;
    QDataStream stream(&bytes, QIODevice::WriteOnly);
    stream << QByteArray::fromStdString(file.path()) << quint64(identity.device) << quint64(identity.inode)
           << quint64(identity.size) << qint64(identity.modifiedNs) << quint32(key.tensor.value) << quint32(tensor.typeId)
           << quint64(tensor.absoluteOffset.value_or(0)) << quint64(tensor.elements.value_or(0))
           << qint64(key.expert ? static_cast<qint64>(*key.expert) : -1);
    return bytes;
}

AnalysisService::AnalysisService(JobRunner &jobs, std::shared_ptr<ResultStore> store, std::uint64_t storeAbove,
                                 QObject *parent)
    : QObject(parent)
    , m_jobs(jobs)
    , m_store(std::move(store))
    , m_storeAbove(storeAbove)
    , m_cache(CacheBytes)
{
    connect(&m_jobs, &JobRunner::stopped, this, [this](JobId id) {
        for (const Side side : {Side::A, Side::B})
            if (m_scans[index(side)] == id && m_current[index(side)])
                emit statsStopped(side, *m_current[index(side)]);
    });
}

bool AnalysisService::isBusy(Side side) const { return m_jobs.isActive(m_scans[index(side)]); }

void AnalysisService::requestStats(Side side, const Document &document, TensorIndex tensor,
                                   std::optional<std::uint64_t> expert)
{
    const StatsKey key{document.generation, tensor, expert};
    m_current[index(side)] = key;
    m_jobs.cancelSlot(Lane::View, zoomSlot(side));
    if (const auto hit = m_cache.find(key)) {
        m_jobs.cancelSlot(Lane::View, scanSlot(side));
        m_scans[index(side)] = 0;
        answerFromCache(side, key, hit);
        return;
    }
    startScan(side, document, key);
}

void AnalysisService::answerFromCache(Side side, const StatsKey &key, const TensorStatsPtr &stats)
{
    QMetaObject::invokeMethod(
        this,
        [this, side, key, stats] {
            if (m_current[index(side)] == key)
                emit statsReady(side, key, stats);
        },
        Qt::QueuedConnection);
}

void AnalysisService::startScan(Side side, const Document &document, const StatsKey &key)
{
    const auto estimated = [this, side, key](const JobContext &context) {
        return [this, side, key, &context](TensorStatsPtr stats) {
            context.post([this, side, key, stats] { emit statsReady(side, key, stats); });
        };
    };
    const QString title = QString::fromStdString(document.model->tensor(key.tensor).name);
    m_scans[index(side)] = m_jobs.start<TensorStatsPtr>(
        Lane::View, scanSlot(side), title,
        [model = document.model, store = m_store, above = m_storeAbove, key,
         estimated](const JobContext &context) -> Result<TensorStatsPtr> {
            const auto view = viewOf(model, key);
            if (!view)
                return tl::unexpected(view.error());
            ResultStore *worthKeeping = view->elements() >= above ? store.get() : nullptr;
            return scanOrRecall(*view, worthKeeping, storeKey(*model, key), context, estimated(context));
        },
        [this, side, key](const Result<TensorStatsPtr> &result) { deliver(side, key, result); });
    emit statsStarted(side, key);
}

void AnalysisService::deliver(Side side, const StatsKey &key, const Result<TensorStatsPtr> &result)
{
    if (m_current[index(side)] != key)
        return;
    if (!result) {
        emit statsFailed(side, key, result.error());
        return;
    }
    m_cache.insert(key, *result, byteCost(**result));
    emit statsReady(side, key, *result);
}

void AnalysisService::requestHeatMap(Side side, const Document &document, const HeatMapWindow &window)
{
    const auto key = m_current[index(side)];
    if (!key || key->generation != document.generation)
        return;
    using MapPtr = std::shared_ptr<const HeatMap>;
    m_jobs.start<MapPtr>(
        Lane::View, zoomSlot(side), tr("heat map"),
        [model = document.model, key = *key, window](const JobContext &context) -> Result<MapPtr> {
            const auto view = viewOf(model, key);
            if (!view)
                return tl::unexpected(view.error());
            return scanHeatMap(*view, window, 0, context.stop, context.progress);
        },
        [this, side, key = *key](const Result<MapPtr> &result) {
            if (result && m_current[index(side)] == key)
                emit heatMapReady(side, key, *result);
            else if (!result)
                emit statsFailed(side, key, result.error());
        });
}

void AnalysisService::abandon(Side side)
{
    m_current[index(side)].reset();
    cancel(side);
}

void AnalysisService::cancel(Side side)
{
    m_jobs.cancelSlot(Lane::View, scanSlot(side));
    m_jobs.cancelSlot(Lane::View, zoomSlot(side));
}

} // namespace ql
