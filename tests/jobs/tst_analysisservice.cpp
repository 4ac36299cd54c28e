// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/shardset.h"
#include "core/jobs/analysisservice.h"
#include "core/jobs/inspectservice.h"
#include "core/jobs/modelscanservice.h"
#include "core/jobs/statscodec.h"

#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace ql;

namespace {

constexpr int LongMs = 20000;

Document openSample()
{
    const auto model = openModel(QL_SOURCE_DIR "/resources/sample/tiny-moe-Q4_K_M.gguf");
    return {*model, summarize(**model), 1};
}

/// The answer of the service to a request, as a value.
TensorStatsPtr awaitStats(AnalysisService &service, const Document &document, TensorIndex tensor,
                          std::optional<std::uint64_t> expert = {})
{
    TensorStatsPtr result;
    const auto connection = QObject::connect(&service, &AnalysisService::statsReady, &service,
                                             [&](Side, const StatsKey &, const TensorStatsPtr &stats) { result = stats; });
    QSignalSpy ready(&service, &AnalysisService::statsReady);
    service.requestStats(Side::A, document, tensor, expert);
    ready.wait(LongMs);
    QObject::disconnect(connection);
    return result;
}

} // namespace

class AnalysisServiceTest : public QObject
{
    Q_OBJECT

private slots:
    void init()
    {
        m_document = openSample();
        m_jobs = std::make_unique<JobRunner>();
    }

    void hitsComeFromTheCacheThroughTheSamePath()
    {
        AnalysisService service(*m_jobs);
        const auto first = awaitStats(service, m_document, TensorIndex{0});
        QVERIFY(first);
        service.requestStats(Side::A, m_document, TensorIndex{0}, {});
        QVERIFY(!service.isBusy(Side::A));
        QCOMPARE(awaitStats(service, m_document, TensorIndex{0}), first);
    }

    void expertsAreAnsweredAlone()
    {
        AnalysisService service(*m_jobs);
        const TensorIndex experts = m_document.model->findTensor("blk.0.ffn_gate_exps.weight").value();
        const auto expert = awaitStats(service, m_document, experts, 2);
        QVERIFY(expert);
        QCOMPARE(expert->figures.moments.zeros, expert->figures.moments.count); // the dead one
    }

    void resultsOutliveTheProgram()
    {
        QTemporaryDir folder;
        const auto store = std::make_shared<ResultStore>(folder.filePath(QStringLiteral("results.sqlite")));
        TensorStatsPtr first;
        {
            AnalysisService service(*m_jobs, store, 0);
            first = awaitStats(service, m_document, TensorIndex{0});
        }
        const QByteArray key = storeKey(*m_document.model, StatsKey{1, TensorIndex{0}, {}});
        QVERIFY(store->find(key));
        AnalysisService service(*m_jobs, store, 0);
        const auto again = awaitStats(service, m_document, TensorIndex{0});
        QVERIFY(again && again != first);
        QCOMPARE(encodeStats(*again), encodeStats(*first));
        // What lies there damaged is scanned anew.
        store->insert(key, QByteArray(100, 'x'));
        AnalysisService third(*m_jobs, store, 0);
        QCOMPARE(encodeStats(*awaitStats(third, m_document, TensorIndex{0})), encodeStats(*first));
    }

    void onlyTheNewestRequestIsAnswered()
    {
        AnalysisService service(*m_jobs);
        std::vector<TensorIndex> answered;
        connect(&service, &AnalysisService::statsReady, this,
                [&](Side, const StatsKey &key, const TensorStatsPtr &) { answered.push_back(key.tensor); });
        for (std::uint32_t i = 0; i < 10; ++i)
            service.requestStats(Side::A, m_document, TensorIndex{i}, {});
        QTRY_VERIFY_WITH_TIMEOUT(!answered.empty(), LongMs);
        QCOMPARE(answered, std::vector<TensorIndex>{TensorIndex{9}});
    }

    void aTensorThatIsNotThereFails()
    {
        AnalysisService service(*m_jobs);
        QSignalSpy failed(&service, &AnalysisService::statsFailed);
        service.requestStats(Side::A, m_document, TensorIndex{0}, 99);
        QVERIFY(failed.wait(LongMs));
    }

    void aWholeModelIsScannedTensorByTensor()
    {
        ModelScanService service(*m_jobs);
        std::size_t scanned = 0;
        std::uint64_t weights = 0;
        connect(&service, &ModelScanService::tensorScanned, this,
                [&](quint64, TensorIndex, const TensorStatsPtr &stats) {
                    ++scanned;
                    weights += stats->figures.moments.count;
                });
        QSignalSpy finished(&service, &ModelScanService::finished);
        service.start(m_document);
        QVERIFY(finished.wait(LongMs));
        QCOMPARE(scanned, m_document.model->tensors().size());
        QCOMPARE(weights, m_document.summary->totals.parameters);
    }

    void pagesAndBlocksAreRead()
    {
        InspectService service(*m_jobs);
        const StatsKey key{1, TensorIndex{0}, {}};
        ValuesPagePtr page;
        BlockViewPtr block;
        connect(&service, &InspectService::pageReady, this,
                [&](Side, const StatsKey &, const ValuesPagePtr &p) { page = p; });
        connect(&service, &InspectService::blockReady, this,
                [&](Side, const StatsKey &, const BlockViewPtr &b) { block = b; });
        service.requestPage(Side::A, m_document, key, {0, 2, 0, 256});
        service.requestBlock(Side::A, m_document, key, 1, 0);
        QTRY_VERIFY_WITH_TIMEOUT(page && block, LongMs);
        // The block's own arithmetic and the kernels agree.
        for (std::uint64_t i = 0; i < block->fields.weights.size(); ++i)
            QCOMPARE(double(block->fields.weights[i].value), page->value(1, i));
    }

private:
    Document m_document;
    std::unique_ptr<JobRunner> m_jobs;
};

QTEST_GUILESS_MAIN(AnalysisServiceTest)
#include "tst_analysisservice.moc"
