// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/modelscan.h"
#include "tests/support/figurecheck.h"
#include "tests/support/ggufbuilder.h"
#include "tests/support/testdata.h"

#include <QTest>

#include <map>
#include <memory>

using namespace ql;
using namespace ql::test;

namespace {

GgufModelPtr someModel() { return openOrFail(dataPath(QStringLiteral("models/tiny-moe-Q2_K.gguf"))); }

std::vector<TensorIndex> allTensors(const GgufModelPtr &model)
{
    std::vector<TensorIndex> tensors;
    for (std::uint32_t i = 0; i < model->tensors().size(); ++i)
        tensors.push_back(TensorIndex{i});
    return tensors;
}

ScanOptions expertOptions(unsigned threads)
{
    ScanOptions options;
    options.perExpert = true;
    options.threads = threads;
    return options;
}

} // namespace

class TestModelScan : public QObject
{
    Q_OBJECT

private slots:
    void resultsAreThoseOfSingleScans();
    void oneBadTensorSpoilsNothing();
    void progressReachesTheTotal();
    void stops();
    void pairsAreThoseOfSingleComparisons();
};

void TestModelScan::resultsAreThoseOfSingleScans()
{
    const auto model = someModel();
    for (const unsigned threads : {1u, 2u, 8u}) {
        std::map<TensorIndex, TensorStatsPtr> results;
        const auto done = scanTensors(model, allTensors(model), expertOptions(threads),
                                      [&](TensorIndex tensor, const Result<TensorStatsPtr> &stats) {
                                          results[tensor] = stats.value();
                                      });
        QVERIFY(done);
        QCOMPARE(results.size(), model->tensors().size());
        for (const auto &[tensor, stats] : results) {
            const auto view = TensorView::ofTensor(model, tensor).value();
            QVERIFY(areSameBits(*stats, *scanTensor(view, expertOptions(1)).value()));
        }
    }
}

void TestModelScan::oneBadTensorSpoilsNothing()
{
    const auto model = openOrFail(dataPath(QStringLiteral("cases/data_past_eof.gguf")));
    std::size_t good = 0, bad = 0;
    QVERIFY(scanTensors(model, allTensors(model), {}, [&](TensorIndex tensor, const Result<TensorStatsPtr> &stats) {
        QCOMPARE(stats.has_value(), model->tensor(tensor).isDecodable());
        ++(stats ? good : bad);
    }));
    QCOMPARE(good + bad, model->tensors().size());
    QVERIFY(bad > 0);
}

void TestModelScan::progressReachesTheTotal()
{
    const auto model = someModel();
    std::uint64_t total = 0;
    for (const auto &info : model->tensors())
        total += *info.elements;
    std::atomic<std::uint64_t> most = 0;
    QVERIFY(scanTensors(model, allTensors(model), expertOptions(1), [](TensorIndex, const Result<TensorStatsPtr> &) {}, {},
                        [&](const Progress &progress) {
                            QCOMPARE(progress.total, total);
                            most = std::max(most.load(), progress.done);
                        }));
    QCOMPARE(most.load(), total);
}

void TestModelScan::stops()
{
    const auto model = someModel();
    const auto source = std::make_unique<std::stop_source>();
    int results = 0;
    const auto done = scanTensors(
        model, allTensors(model), expertOptions(2),
        [&](TensorIndex, const Result<TensorStatsPtr> &) {
            if (++results == 2)
                source->request_stop();
        },
        source->get_token());
    QVERIFY(!done);
    QCOMPARE(done.error().code, std::string(StoppedCode));
    QVERIFY(results < 10);
}

void TestModelScan::pairsAreThoseOfSingleComparisons()
{
    const auto b = someModel();
    const auto a = openOrFail(dataPath(QStringLiteral("models/tiny-moe-Q4_K_M-split-00001-of-00003.gguf")));
    const auto pairing = pairTensors(*a, *b);
    CompareOptions options;
    options.perExpert = true;
    std::size_t compared = 0;
    QVERIFY(comparePairs(a, b, pairing.pairs, options, [&](std::size_t i, const Result<ComparisonPtr> &result) {
        const auto single = comparePair(a, b, pairing.pairs[i], options).value();
        QCOMPARE(result.value()->sums.sumSqError, single->sums.sumSqError);
        QCOMPARE(result.value()->experts.size(), single->experts.size());
        QCOMPARE(result.value()->identical, single->identical);
        ++compared;
    }));
    QCOMPARE(compared, pairing.pairs.size());
}

QTEST_APPLESS_MAIN(TestModelScan)
#include "tst_modelscan.moc"
