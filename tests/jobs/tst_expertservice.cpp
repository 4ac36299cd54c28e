// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/shardset.h"
#include "core/jobs/besideservice.h"
#include "core/jobs/expertservice.h"
#include "tests/support/testdata.h"

#include <QSignalSpy>
#include <QTest>

using namespace ql;

namespace {

constexpr int LongMs = 60000;

Document openDocument(const QString &path)
{
    const auto model = openModel(path.toStdString());
    return {*model, summarize(**model), 1};
}

Document openSample() { return openDocument(QStringLiteral(QL_SOURCE_DIR "/resources/sample/tiny-moe-Q4_K_M.gguf")); }

TensorStatsPtr scan(const Document &document, TensorIndex tensor)
{
    ScanOptions options;
    options.perExpert = true;
    options.heatMap = false;
    return scanTensor(TensorView::ofTensor(document.model, tensor).value(), options).value();
}

TensorIndex indexOf(const Document &document, const char *name) { return document.model->findTensor(name).value(); }

} // namespace

class ExpertServiceTest : public QObject
{
    Q_OBJECT

private slots:
    void init()
    {
        m_jobs = std::make_unique<JobRunner>();
        m_tables.clear();
    }

    void aScanBecomesATableWithScalesAndRouter()
    {
        const Document document = openSample();
        ExpertService service(*m_jobs);
        listen(service);
        service.setDocument(document);
        QCOMPARE(service.groups().size(), 6u);
        const TensorIndex up = indexOf(document, "blk.1.ffn_up_exps.weight");
        service.addScan(7, up, scan(document, up)); // of a file that was open before
        service.addScan(1, up, scan(document, up));
        QTRY_COMPARE_WITH_TIMEOUT(m_tables.size(), 1u, LongMs);
        const ExpertTable &table = *m_tables[0];
        const auto scales = meanScales(TensorView::ofTensor(document.model, up).value()).value();
        const TensorIndex router = indexOf(document, "blk.1.ffn_gate_inp.weight");
        const auto norms = rowNorms(TensorView::ofTensor(document.model, router).value()).value();
        QCOMPARE(table.experts.size(), 8u);
        for (std::size_t i = 0; i < 8; ++i) {
            QVERIFY(table.experts[i].meanScale.has_value());
            QCOMPARE(table.experts[i].meanScale, scales[i]);
            QCOMPARE(table.experts[i].routerNorm, std::optional(norms[i]));
        }
    }

    void oldFilesWaitForTheLastOfTheirTensors()
    {
        const Document document = openDocument(test::dataPath(QStringLiteral("cases/moe_old_2d_experts.gguf")));
        ExpertService service(*m_jobs);
        listen(service);
        service.setDocument(document);
        const ExpertGroup group = service.groups().front();
        const auto tensors = group.tensors();
        QVERIFY(tensors.size() > 1);
        for (const TensorIndex tensor : tensors) {
            QTest::qWait(20);
            QVERIFY(m_tables.empty());
            service.addScan(1, tensor, scan(document, tensor));
        }
        QTRY_COMPARE_WITH_TIMEOUT(m_tables.size(), 1u, LongMs);
        QCOMPARE(m_tables[0]->experts.size(), group.experts.size());
        // Or they are asked for together.
        service.requestTable(group);
        QTRY_COMPARE_WITH_TIMEOUT(m_tables.size(), 2u, LongMs);
        for (std::size_t i = 0; i < group.experts.size(); ++i)
            QCOMPARE(m_tables[1]->experts[i].moments.count, m_tables[0]->experts[i].moments.count);
    }

    void aTableThatIsAskedForIsTheScansOwn()
    {
        const Document document = openSample();
        ExpertService service(*m_jobs);
        listen(service);
        service.setDocument(document);
        service.requestTable(service.groups()[4]);
        QTRY_COMPARE_WITH_TIMEOUT(m_tables.size(), 1u, LongMs);
        const TensorIndex tensor = service.groups()[4].experts[0].tensor;
        service.addScan(1, tensor, scan(document, tensor));
        QTRY_COMPARE_WITH_TIMEOUT(m_tables.size(), 2u, LongMs);
        QCOMPARE(expertTableCsv(*m_tables[0]), expertTableCsv(*m_tables[1]));
        QCOMPARE(expertHistogramsCsv(*m_tables[0]), expertHistogramsCsv(*m_tables[1]));
    }

    void twoExpertsBesideEachOther()
    {
        const Document document = openSample();
        const TensorIndex up = indexOf(document, "blk.1.ffn_up_exps.weight");
        BesideService service(*m_jobs);
        std::vector<BesidePtr> answers;
        connect(&service, &BesideService::ready, this, [&](const BesidePtr &beside) { answers.push_back(beside); });
        service.request(document, {1, up, 5}, {1, up, 3});
        QTRY_COMPARE_WITH_TIMEOUT(answers.size(), 1u, LongMs);
        QCOMPARE(answers[0]->statsB->figures.moments.count, 65536u);
        QVERIFY(answers[0]->comparison->heatError && answers[0]->comparison->errorHistogram);
        service.request(document, {1, up, 1}, {1, up, 3});
        QTRY_COMPARE_WITH_TIMEOUT(answers.size(), 2u, LongMs);
        QCOMPARE(answers[1]->statsB, answers[0]->statsB); // B is not scanned again
        QSignalSpy stopped(&service, &BesideService::stopped);
        service.request(document, {1, up, 0}, {1, up, 4});
        service.cancel();
        QTRY_COMPARE_WITH_TIMEOUT(stopped.count() + int(answers.size()) - 2, 1, LongMs);
        QSignalSpy failed(&service, &BesideService::failed);
        service.request(document, {1, up, 0}, {1, up, 99});
        QVERIFY(failed.wait(LongMs));
    }

    void equalShapes()
    {
        const Document document = openSample();
        const auto info = [&](const char *name) { return document.model->tensor(indexOf(document, name)); };
        const TensorInfo up = info("blk.1.ffn_up_exps.weight");
        QVERIFY(haveSameShape(up, 0, up, 5));
        QVERIFY(haveSameShape(up, {}, info("blk.0.ffn_up_exps.weight"), {}));
        QVERIFY(!haveSameShape(up, {}, up, 5));
        QVERIFY(haveSameShape(info("blk.0.attn_q.weight"), {}, info("blk.1.attn_q.weight"), {}));
        QVERIFY(!haveSameShape(info("blk.0.attn_q.weight"), {}, info("blk.0.attn_k.weight"), {}));
        QVERIFY(haveSameShape(up, 2, info("blk.1.ffn_up_shexp.weight"), {})); // an expert and the shared one
    }

private:
    void listen(ExpertService &service)
    {
        connect(&service, &ExpertService::tableReady, this,
                [this](const ExpertTablePtr &table) { m_tables.push_back(table); });
    }

    std::unique_ptr<JobRunner> m_jobs;
    std::vector<ExpertTablePtr> m_tables;
};

QTEST_GUILESS_MAIN(ExpertServiceTest)
#include "tst_expertservice.moc"
