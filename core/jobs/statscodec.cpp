// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/jobs/statscodec.h"

#include <QCryptographicHash>

#include <cstring>
#include <type_traits>

namespace ql {

namespace {

// Raise with every change to what a scan computes or how it is stored.
constexpr quint32 FormatVersion = 3;
constexpr auto Digest = QCryptographicHash::Sha1;
constexpr qsizetype DigestBytes = 20;

/// Appends plain values in this machine's byte order: the cache never leaves the machine.
class Writer
{
public:
    template <class T>
    void put(const T &value)
    {
        static_assert(std::is_trivially_copyable_v<T>);
        m_bytes.append(reinterpret_cast<const char *>(&value), sizeof(T));
    }
    template <class T>
    void put(const std::vector<T> &values)
    {
        put(static_cast<quint64>(values.size()));
        m_bytes.append(reinterpret_cast<const char *>(values.data()), static_cast<qsizetype>(values.size() * sizeof(T)));
    }
    template <class T>
    void put(const std::optional<T> &value)
    {
        put(static_cast<quint8>(value.has_value()));
        if (value)
            put(*value);
    }
    void put(const Histogram &histogram)
    {
        put(histogram.lo);
        put(histogram.hi);
        put(histogram.counts);
    }
    const QByteArray &bytes() const { return m_bytes; }

private:
    QByteArray m_bytes;
};

/// The mirror of Writer; once anything does not fit, ok() is false and values stay empty.
class Reader
{
public:
    explicit Reader(QByteArrayView bytes)
        : m_bytes(bytes)
    {}

    bool ok() const { return m_ok; }
    bool atEnd() const { return m_bytes.isEmpty(); }

    template <class T>
    void get(T &value)
    {
        static_assert(std::is_trivially_copyable_v<T>);
        if (const char *from = take(sizeof(T)))
            std::memcpy(&value, from, sizeof(T));
    }
    template <class T>
    void get(std::vector<T> &values)
    {
        quint64 size = 0;
        get(size);
        if (size > static_cast<quint64>(m_bytes.size()) / sizeof(T)) {
            m_ok = false;
            return;
        }
        const char *from = take(size * sizeof(T));
        if (!from || size == 0)
            return;
        values.resize(size);
        std::memcpy(values.data(), from, size * sizeof(T));
    }
    template <class T>
    void get(std::optional<T> &value)
    {
        quint8 present = 0;
        get(present);
        if (present && m_ok) {
            value.emplace();
            get(*value);
        }
    }
    void get(Histogram &histogram)
    {
        get(histogram.lo);
        get(histogram.hi);
        get(histogram.counts);
    }

private:
    const char *take(std::size_t bytes)
    {
        if (!m_ok || static_cast<std::size_t>(m_bytes.size()) < bytes) {
            m_ok = false;
            return nullptr;
        }
        const char *from = m_bytes.data();
        m_bytes = m_bytes.sliced(static_cast<qsizetype>(bytes));
        return from;
    }

    QByteArrayView m_bytes;
    bool m_ok = true;
};

/// Visits the fields of a result in the order they are stored; one list for both directions.
template <class Stream, class FiguresType>
void visitFigures(Stream &&stream, FiguresType &figures)
{
    stream(figures.moments);
    stream(figures.fine);
    stream(figures.core);
    for (auto &percentile : figures.percentiles)
        stream(percentile);
}

template <class Stream, class HeatMapType>
void visitHeatMap(Stream &&stream, HeatMapType &map)
{
    stream(map.window);
    stream(map.tensorRows);
    stream(map.tensorColumns);
    stream(map.cellWeights);
    stream(map.rowsPerCell);
    stream(map.weightsPerCell);
    stream(map.rows);
    stream(map.columns);
    stream(map.hasScale);
    stream(map.absMax);
    stream(map.rms);
    stream(map.maxRms);
    stream(map.mean);
    stream(map.maxMean);
    stream(map.zeroShare);
    stream(map.scale);
    stream(map.maxScale);
    stream(map.nonFinite);
    stream(map.sampledShare);
}

bool isConsistent(const HeatMap &map)
{
    if (map.rows > HeatMap::MaxRows || map.columns > HeatMap::MaxColumns)
        return false;
    const std::size_t cells = map.rows * map.columns;
    const std::size_t scales = map.hasScale ? cells : 0;
    return map.absMax.size() == cells && map.rms.size() == cells && map.maxRms.size() == cells
           && map.mean.size() == cells && map.maxMean.size() == cells && map.zeroShare.size() == cells
           && map.nonFinite.size() == cells && map.scale.size() == scales && map.maxScale.size() == scales;
}

QByteArray digestOf(QByteArrayView payload)
{
    return QCryptographicHash::hash(payload.toByteArray(), Digest);
}

void readExperts(Reader &reader, std::vector<Figures> &experts)
{
    quint64 count = 0;
    reader.get(count);
    for (quint64 i = 0; i < count && reader.ok(); ++i)
        visitFigures([&](auto &field) { reader.get(field); }, experts.emplace_back());
}

void readHeatMap(Reader &reader, std::optional<HeatMap> &map)
{
    quint8 present = 0;
    reader.get(present);
    if (present)
        visitHeatMap([&](auto &field) { reader.get(field); }, map.emplace());
}

} // namespace

QByteArray encodeStats(const TensorStats &stats)
{
    Writer writer;
    const auto put = [&](const auto &field) { writer.put(field); };
    writer.put(FormatVersion);
    visitFigures(put, stats.figures);
    writer.put(static_cast<quint64>(stats.experts.size()));
    for (const auto &expert : stats.experts)
        visitFigures(put, expert);
    writer.put(static_cast<quint8>(stats.histogram.has_value()));
    if (stats.histogram)
        writer.put(*stats.histogram);
    writer.put(static_cast<quint8>(stats.heatMap.has_value()));
    if (stats.heatMap)
        visitHeatMap(put, *stats.heatMap);
    writer.put(stats.sampledShare);
    return digestOf(writer.bytes()) + writer.bytes();
}

TensorStatsPtr decodeStats(const QByteArray &bytes)
{
    if (bytes.size() < DigestBytes)
        return nullptr;
    const QByteArrayView payload = QByteArrayView(bytes).sliced(DigestBytes);
    if (digestOf(payload) != QByteArrayView(bytes).first(DigestBytes))
        return nullptr;
    Reader reader(payload);
    quint32 version = 0;
    reader.get(version);
    if (version != FormatVersion)
        return nullptr;
    auto stats = std::make_shared<TensorStats>();
    visitFigures([&](auto &field) { reader.get(field); }, stats->figures);
    readExperts(reader, stats->experts);
    reader.get(stats->histogram);
    readHeatMap(reader, stats->heatMap);
    reader.get(stats->sampledShare);
    const bool whole = reader.ok() && reader.atEnd() && (!stats->heatMap || isConsistent(*stats->heatMap));
    return whole ? stats : nullptr;
}

} // namespace ql
