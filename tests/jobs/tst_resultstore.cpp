// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/jobs/resultstore.h"
#include "core/jobs/statscodec.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <thread>

using namespace ql;

namespace {

Histogram someHistogram()
{
    return {-1.0, 2.0, {1, 2, 3, 4}};
}

HeatMap someHeatMap()
{
    HeatMap map;
    map.rows = 2;
    map.columns = 3;
    map.hasScale = true;
    for (auto *values : {&map.absMax, &map.rms, &map.maxRms, &map.mean, &map.maxMean, &map.zeroShare, &map.scale, &map.maxScale})
        values->assign(6, 0.25f);
    map.nonFinite.assign(6, 1);
    return map;
}

TensorStats someStats()
{
    TensorStats stats;
    stats.figures.moments.count = 10;
    stats.figures.moments.mean = 0.125;
    stats.figures.fine = someHistogram();
    stats.figures.core = someHistogram();
    stats.figures.percentiles[2] = 0.5;
    stats.experts.resize(2, stats.figures);
    stats.heatMap = someHeatMap();
    stats.sampledShare = 0.5;
    return stats;
}

} // namespace

class ResultStoreTest : public QObject
{
    Q_OBJECT

private slots:
    void init()
    {
        m_dir = std::make_unique<QTemporaryDir>();
        QDir(m_dir->path()).mkdir(QStringLiteral("cache"));
    }

    void keepsResultsBetweenRuns()
    {
        ResultStore(path()).insert("a", "first");
        ResultStore store(path());
        QCOMPARE(store.find("a"), std::optional<QByteArray>("first"));
        QVERIFY(!store.find("b"));
        store.remove("a");
        QVERIFY(!store.find("a"));
    }

    void throwsTheLeastRecentlyUsedAway()
    {
        ResultStore store(path(), 25);
        store.insert("a", QByteArray(10, 'a'));
        QTest::qSleep(2);
        store.insert("b", QByteArray(10, 'b'));
        QTest::qSleep(2);
        store.find("a");
        QTest::qSleep(2);
        store.insert("c", QByteArray(10, 'c'));
        QVERIFY(store.find("a"));
        QVERIFY(!store.find("b"));
        QVERIFY(store.find("c"));
        QCOMPARE(store.bytes(), 20);
        store.insert("too large", QByteArray(26, 'x'));
        QVERIFY(!store.find("too large"));
    }

    void aDamagedFileIsBegunAnew()
    {
        QFile file(path());
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(QByteArray(5000, 'x'));
        file.close();
        ResultStore store(path());
        QVERIFY(!store.find("a"));
        store.insert("a", "value");
        QCOMPARE(store.find("a"), std::optional<QByteArray>("value"));
    }

    void aFileDamagedWhileOpenIsBegunAnew()
    {
        ResultStore store(path());
        store.insert("a", "value");
        QFile::remove(path() + QStringLiteral("-wal"));
        QFile file(path());
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(QByteArray(5000, 'x'));
        file.close();
        store.insert("b", "other");
        QCOMPARE(store.find("b"), std::optional<QByteArray>("other"));
    }

    void anUnwritableFolderIsOnlyAnEmptyCache()
    {
        ResultStore store(QStringLiteral("/proc/nowhere/results.sqlite"));
        store.insert("a", "value");
        QVERIFY(!store.find("a"));
    }

    void twoStoresShareAFile()
    {
        const auto work = [this](const char *prefix) {
            ResultStore store(path());
            for (int i = 0; i < 20; ++i)
                store.insert(QByteArray(prefix) + QByteArray::number(i), "value");
        };
        {
            ResultStore(path()).insert("x", "y"); // the file stands before both write
            std::jthread one(work, "one");
            std::jthread two(work, "two");
        }
        ResultStore store(path());
        QCOMPARE(store.bytes(), 40 * 5 + 1);
    }

    void statsSurviveTheRoundTrip()
    {
        const TensorStats stats = someStats();
        const QByteArray bytes = encodeStats(stats);
        const TensorStatsPtr back = decodeStats(bytes);
        QVERIFY(back);
        QCOMPARE(encodeStats(*back), bytes);
        QCOMPARE(back->figures.moments.mean, 0.125);
        QCOMPARE(back->experts.size(), 2u);
        QCOMPARE(back->heatMap->scale.size(), 6u);
        QCOMPARE(back->figures.percentiles[2], std::optional<double>(0.5));
        QVERIFY(!back->figures.percentiles[0]);
    }

    void damagedStatsAreRefused()
    {
        const QByteArray bytes = encodeStats(someStats());
        for (qsizetype cut = 0; cut < bytes.size(); cut += 7)
            QVERIFY(!decodeStats(bytes.first(cut)));
        for (qsizetype at = 0; at < bytes.size(); at += 13) {
            QByteArray flipped = bytes;
            flipped[at] = static_cast<char>(flipped[at] ^ 0x10);
            QVERIFY(!decodeStats(flipped));
        }
    }

private:
    QString path() const { return m_dir->filePath(QStringLiteral("cache/results.sqlite")); }
    std::unique_ptr<QTemporaryDir> m_dir;
};

QTEST_GUILESS_MAIN(ResultStoreTest)
#include "tst_resultstore.moc"
