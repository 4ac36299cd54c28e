// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/comparison.h"
#include "core/stats/tensorstats.h"
#include "tests/support/comparecheck.h"
#include "tests/support/ggufbuilder.h"
#include "tests/support/testdata.h"

#include <nlohmann/json.hpp>

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <random>

using namespace ql;
using namespace ql::test;

namespace {

std::vector<float> gaussian(std::size_t n, unsigned seed = 1)
{
    std::mt19937 random(seed);
    std::normal_distribution<float> normal(0.001f, 1);
    std::vector<float> weights(n);
    for (float &w : weights)
        w = normal(random);
    return weights;
}

std::vector<float> disturbed(std::vector<float> weights, unsigned seed = 9)
{
    const auto noise = gaussian(weights.size(), seed);
    for (std::size_t i = 0; i < weights.size(); ++i)
        weights[i] += 0.01f * noise[i];
    return weights;
}

/// The measures once more, in long double.
struct Slow {
    long double sqError = 0, absError = 0, sqA = 0, sqB = 0, ab = 0;
    double max = 0;
    std::uint64_t maxAt = 0;
    std::uint64_t n = 0;

    void add(double a, double b, std::uint64_t at)
    {
        const long double error = static_cast<long double>(a) - static_cast<long double>(b);
        sqError += error * error;
        absError += std::abs(error);
        sqA += static_cast<long double>(a) * a;
        sqB += static_cast<long double>(b) * b;
        ab += static_cast<long double>(a) * b;
        if (std::abs(a - b) > max || n == 0) {
            max = std::abs(a - b);
            maxAt = at;
        }
        ++n;
    }
};

bool isNear(std::optional<double> value, long double right)
{
    return value && std::abs(static_cast<long double>(*value) - right) <= 1e-11L * std::abs(right);
}

bool agrees(const ErrorSums &sums, const Slow &slow)
{
    return sums.compared() == slow.n && isNear(sums.rmse(), std::sqrt(slow.sqError / slow.n))
        && isNear(sums.relativeRmse(), std::sqrt(slow.sqError / slow.sqA))
        && isNear(sums.meanAbsError(), slow.absError / slow.n)
        && isNear(sums.cosine(), slow.ab / std::sqrt(slow.sqA * slow.sqB))
        && isNear(sums.sqnrDb(), 10 * std::log10(slow.sqA / slow.sqError))
        && sums.maxAbsError == slow.max && sums.maxAt == slow.maxAt;
}

bool sameBits(const ErrorSums &a, const ErrorSums &b)
{
    return a.count == b.count && a.nonfinite == b.nonfinite && a.sumSqError == b.sumSqError
        && a.sumAbsError == b.sumAbsError && a.sumSqA == b.sumSqA && a.sumSqB == b.sumSqB
        && a.sumAB == b.sumAB && a.maxAbsError == b.maxAbsError && a.maxAt == b.maxAt;
}

std::string nameOf(const GgufModelPtr &model, TensorIndex i) { return model->tensor(i).name; }

} // namespace

class TestComparison : public QObject
{
    Q_OBJECT

private slots:
    void referencePair();
    void cosinesStayWithinOne();
    void manifestPairs_data();
    void manifestPairs();
    void measuresAreExact_data();
    void measuresAreExact();
    void equalBytesAreIdentical();
    void otherTypeIsNotIdentical();
    void sameBitsForAnyThreads();
    void expertsAddUpAndHaveTheirOwnMaximum();
    void nonFinitePairsAreLeftOut();
    void firstOfEqualErrorsIsTheMaximum();
    void zeroSidesHaveNoRatios();
    void integersAndDoublesInDouble();
    void errorHistogramHoldsEveryPair();
    void heatMapsShareAGrid();
    void identicalPairsHaveHeatMapsToo();
    void oldExpertsPairWithSlabs();
    void fusedHalvesPairWithTheirOwn();
    void shapesThatDifferAreMismatched();
    void trailingOnesAreNoDifference();
    void repeatedNamesPairInOrder();
    void tiedOutputHasAHint();
    void stopAndProgress();
    void changedFileIsAnError();
    void pickedByHandOfOtherShapeIsAnError();

private:
    GgufModelPtr model(const GgufBuilder &builder)
    {
        m_lastPath = m_dir.filePath(QStringLiteral("%1.gguf").arg(m_files++));
        builder.writeTo(m_lastPath);
        return openOrFail(m_lastPath);
    }
    GgufModelPtr floats(const std::vector<std::uint64_t> &ne, const std::vector<float> &weights)
    {
        return model(GgufBuilder().floats("blk.0.ffn_up_exps.weight", ne, weights));
    }
    static ComparisonPtr compared(const GgufModelPtr &a, const GgufModelPtr &b,
                                  const CompareOptions &options = {}, std::size_t pair = 0)
    {
        const auto result = comparePair(a, b, pairTensors(*a, *b).pairs.at(pair), options);
        return result ? *result : nullptr;
    }

    QTemporaryDir m_dir;
    QString m_lastPath;
    int m_files = 0;
};

void TestComparison::cosinesStayWithinOne()
{
    ErrorSums sums;
    sums.count = 3;
    sums.sumSqA = 0.1;
    sums.sumSqB = 0.7;
    for (const double sign : {1.0, -1.0}) {
        sums.sumAB = sign * std::nextafter(std::sqrt(0.1) * std::sqrt(0.7), 1.0);
        QCOMPARE(sums.cosine().value(), sign);
    }
}

void TestComparison::referencePair()
{
    int checked = 0;
    QCOMPARE(comparisonDifferences(dataPath(QStringLiteral("models/tiny-moe-Q4_K_M-split-00001-of-00003.gguf")),
                                   dataPath(QStringLiteral("models/tiny-moe-Q2_K.gguf")),
                                   dataPath(QStringLiteral("models/compare-Q4_K_M-Q2_K.json")), &checked),
             QStringList());
    QCOMPARE(checked, 29);
}

void TestComparison::manifestPairs_data()
{
    QTest::addColumn<QString>("a");
    QTest::addColumn<QString>("b");
    QTest::addColumn<QString>("expected");
    QFile file(dataPath(QStringLiteral("cases/manifest.json")));
    QVERIFY(file.open(QIODevice::ReadOnly));
    const auto manifest = nlohmann::json::parse(file.readAll().toStdString());
    for (const auto &entry : manifest.at("cases")) {
        if (!entry.contains("compare"))
            continue;
        const auto path = [&](std::size_t i) {
            return dataPath(QStringLiteral("cases/")
                            + QString::fromStdString(entry.at("compare")[i].get<std::string>()));
        };
        QTest::newRow(entry.at("id").get<std::string>().c_str())
            << path(0) << path(1) << QString::fromStdString(entry.at("expect_compare").dump());
    }
}

void TestComparison::manifestPairs()
{
    QFETCH(QString, a);
    QFETCH(QString, b);
    QFETCH(QString, expected);
    const auto modelA = openOrFail(a);
    const auto modelB = openOrFail(b);
    const auto wanted = nlohmann::json::parse(expected.toStdString());
    const Pairing pairing = pairTensors(*modelA, *modelB);
    const auto names = [](const GgufModelPtr &model, const std::vector<Unpaired> &list) {
        std::vector<std::string> result;
        for (const Unpaired &unpaired : list)
            result.push_back(nameOf(model, unpaired.tensor));
        return result;
    };
    if (wanted.contains("only_in_A")) {
        QCOMPARE(names(modelA, pairing.onlyA), wanted.at("only_in_A").get<std::vector<std::string>>());
        QCOMPARE(names(modelB, pairing.onlyB), wanted.at("only_in_B").get<std::vector<std::string>>());
    }
    if (!wanted.contains("max_abs_diff"))
        return;
    for (const auto &[name, difference] : wanted.at("max_abs_diff").items()) {
        const auto pair = std::ranges::find_if(
            pairing.pairs, [&](const TensorPair &p) { return nameOf(modelA, p.a) == name; });
        QVERIFY(pair != pairing.pairs.end());
        const auto comparison = comparePair(modelA, modelB, *pair, {}).value();
        const double right = difference.get<double>();
        QVERIFY(std::abs(comparison->sums.maxAbsError - right) <= 1e-3 * right);
    }
}

void TestComparison::measuresAreExact_data()
{
    QTest::addColumn<quint64>("columns");
    QTest::addColumn<quint64>("rows");
    QTest::newRow("rows") << quint64{640} << quint64{3000};
    QTest::newRow("odd rows") << quint64{333} << quint64{5000};
    QTest::newRow("one long row") << quint64{2500003} << quint64{1};
    QTest::newRow("few") << quint64{5} << quint64{1};
}

void TestComparison::measuresAreExact()
{
    QFETCH(quint64, columns);
    QFETCH(quint64, rows);
    const auto a = gaussian(columns * rows);
    const auto b = disturbed(a);
    Slow slow;
    for (std::size_t i = 0; i < a.size(); ++i)
        slow.add(static_cast<double>(a[i]), static_cast<double>(b[i]), i);
    const auto result = compared(floats({columns, rows}, a), floats({columns, rows}, b));
    QVERIFY(result && !result->identical);
    QVERIFY(agrees(result->sums, slow));
}

void TestComparison::equalBytesAreIdentical()
{
    auto weights = gaussian(3 << 20);
    weights[100] = std::numeric_limits<float>::quiet_NaN();
    const auto a = floats({1 << 10, 3 << 10}, weights);
    const auto same = compared(a, floats({1 << 10, 3 << 10}, weights), {.perExpert = true});
    QVERIFY(same->identical);
    QCOMPARE(same->sums.count, std::uint64_t{3 << 20});
    QCOMPARE(same->sums.rmse().value(), 0.0);
    QVERIFY(!same->sums.cosine() && !same->sums.sqnrDb() && !same->sums.relativeRmse());
    QCOMPARE(same->experts.at(0).count, std::uint64_t{3 << 20});
    weights.back() = 5;
    QVERIFY(!compared(a, floats({1 << 10, 3 << 10}, weights))->identical);
}

void TestComparison::otherTypeIsNotIdentical()
{
    const QByteArray zeros(64, 0);
    const auto a = model(GgufBuilder().tensor("t", GgmlType::F16, {32}, zeros));
    const auto b = model(GgufBuilder().tensor("t", GgmlType::BF16, {32}, zeros));
    const auto result = compared(a, b);
    QVERIFY(!result->identical);
    QCOMPARE(result->sums.rmse().value(), 0.0);
    QCOMPARE(result->sums.maxAt, std::uint64_t{0});
}

void TestComparison::sameBitsForAnyThreads()
{
    const auto weights = gaussian(700 * 640 * 8);
    const auto a = floats({640, 700, 8}, weights);
    const auto b = floats({640, 700, 8}, disturbed(weights));
    CompareOptions options{.perExpert = true, .heatMaps = true, .errorHistogram = true, .threads = 1};
    const auto one = compared(a, b, options);
    for (const unsigned threads : {2u, 3u, 8u}) {
        options.threads = threads;
        const auto many = compared(a, b, options);
        QVERIFY(sameBits(one->sums, many->sums));
        QVERIFY(std::ranges::equal(one->experts, many->experts, sameBits));
        QCOMPARE(one->errorHistogram->counts, many->errorHistogram->counts);
        QCOMPARE(one->heatError->rms, many->heatError->rms);
        QCOMPARE(one->heatA->mean, many->heatA->mean);
    }
    const auto plain = compared(a, b);
    QVERIFY(sameBits(one->sums, plain->sums));
}

void TestComparison::expertsAddUpAndHaveTheirOwnMaximum()
{
    const std::size_t slab = 96 * 50;
    const auto weights = gaussian(slab * 6);
    auto other = disturbed(weights);
    other[slab * 4 + 77] += 3;
    const auto result = compared(floats({96, 50, 6}, weights), floats({96, 50, 6}, other), {.perExpert = true});
    QCOMPARE(result->experts.size(), std::size_t{6});
    QCOMPARE(result->experts[4].maxAt, std::uint64_t{77});
    QCOMPARE(result->sums.maxAt, std::uint64_t{slab * 4 + 77});
    ErrorSums sum;
    for (std::size_t k = 0; k < 6; ++k) {
        Slow slow;
        for (std::size_t i = 0; i < slab; ++i)
            slow.add(static_cast<double>(weights[k * slab + i]), static_cast<double>(other[k * slab + i]), i);
        QVERIFY(agrees(result->experts[k], slow));
        sum.count += result->experts[k].count;
    }
    QCOMPARE(sum.count, result->sums.count);
}

void TestComparison::nonFinitePairsAreLeftOut()
{
    const auto clean = gaussian(1000);
    auto a = clean;
    auto b = disturbed(clean);
    a[3] = std::numeric_limits<float>::quiet_NaN();
    b[500] = std::numeric_limits<float>::infinity();
    Slow slow;
    for (std::size_t i = 0; i < 1000; ++i) {
        if (i != 3 && i != 500)
            slow.add(static_cast<double>(a[i]), static_cast<double>(b[i]), i);
    }
    const auto result = compared(floats({100, 10}, a), floats({100, 10}, b), {.heatMaps = true, .errorHistogram = true});
    QCOMPARE(result->sums.nonfinite, std::uint64_t{2});
    QVERIFY(agrees(result->sums, slow));
    QCOMPARE(result->errorHistogram->total(), std::uint64_t{998});
    QCOMPARE(result->heatError->nonFinite[0], std::uint32_t{1});
}

void TestComparison::firstOfEqualErrorsIsTheMaximum()
{
    std::vector<float> a(5000, 0.0f);
    auto b = a;
    b[4999] = b[4321] = b[1234] = -0.5f;
    const auto result = compared(floats({50, 100}, a), floats({50, 100}, b));
    QCOMPARE(result->sums.maxAt, std::uint64_t{1234});
    QCOMPARE(result->sums.maxAbsError, 0.5);
}

void TestComparison::zeroSidesHaveNoRatios()
{
    const std::vector<float> zeros(64, 0.0f);
    const auto some = gaussian(64);
    const auto a = compared(floats({64}, zeros), floats({64}, some));
    QVERIFY(!a->sums.relativeRmse() && !a->sums.cosine() && !a->sums.sqnrDb() && a->sums.rmse());
    const auto b = compared(floats({64}, some), floats({64}, zeros));
    QVERIFY(b->sums.relativeRmse() && !b->sums.cosine() && b->sums.sqnrDb());
}

void TestComparison::integersAndDoublesInDouble()
{
    const std::vector<double> doubles{1.0 + 1e-12, 2, 3};
    const std::vector<float> ones{1, 2, 3};
    const QByteArray raw(reinterpret_cast<const char *>(doubles.data()), 24);
    const auto a = model(GgufBuilder().tensor("t", GgmlType::F64, {3}, raw));
    const auto b = model(GgufBuilder().floats("t", {3}, ones));
    const auto result = compared(a, b);
    QCOMPARE(result->sums.maxAbsError, doubles[0] - 1.0);
    QCOMPARE(result->sums.maxAt, std::uint64_t{0});
}

void TestComparison::errorHistogramHoldsEveryPair()
{
    const auto a = gaussian(100000);
    const auto b = disturbed(a);
    const auto result = compared(floats({1000, 100}, a), floats({1000, 100}, b), {.errorHistogram = true});
    const Histogram &histogram = *result->errorHistogram;
    QCOMPARE(histogram.counts.size(), FineBins);
    std::vector<std::uint64_t> expected(FineBins);
    for (std::size_t i = 0; i < a.size(); ++i)
        ++expected[histogram.binOf(static_cast<double>(a[i]) - static_cast<double>(b[i]))];
    QCOMPARE(histogram.counts, expected);
}

void TestComparison::heatMapsShareAGrid()
{
    const auto a = openOrFail(dataPath(QStringLiteral("models/tiny-moe-Q4_K_M-split-00001-of-00003.gguf")));
    const auto b = openOrFail(dataPath(QStringLiteral("models/tiny-moe-Q2_K.gguf")));
    const auto index = a->findTensor("blk.0.attn_q.weight").value();
    const auto other = b->findTensor("blk.0.attn_q.weight").value();
    const TensorPair pair{index, other, {}, {}, TensorPair::Half::Whole, TensorPair::Half::Whole};
    CompareOptions options;
    options.heatMaps = true;
    const auto result = comparePair(a, b, pair, options).value();
    const auto own = scanTensor(TensorView::ofTensor(a, index).value(), {}).value();
    // A scan sums up the codes of such types, a comparison the weights.
    QVERIFY(std::ranges::equal(result->heatA->rms, own->heatMap->rms,
                               [](float x, float y) { return std::abs(x - y) <= 1e-6f * y; }));
    QCOMPARE(result->heatA->maxScale, own->heatMap->maxScale);
    QCOMPARE(result->heatB->window, result->heatA->window);
    QCOMPARE(result->heatError->rows, result->heatA->rows);
    QVERIFY(result->heatB->hasScale && !result->heatError->hasScale);
    double sum = 0;
    for (const float rms : result->heatError->rms)
        sum += static_cast<double>(rms) * static_cast<double>(rms);
    const double rmse = std::sqrt(sum / static_cast<double>(result->heatError->rms.size()));
    QVERIFY(std::abs(rmse / *result->sums.rmse() - 1) < 1e-5);
}

void TestComparison::identicalPairsHaveHeatMapsToo()
{
    const auto weights = gaussian(6400);
    const auto result = compared(floats({64, 100}, weights), floats({64, 100}, weights),
                                 {.heatMaps = true, .errorHistogram = true});
    QVERIFY(result->identical && result->heatA && result->heatError);
    QVERIFY(!result->sums.cosine());
    QVERIFY(std::ranges::all_of(result->heatError->rms, [](float x) { return x == 0; }));
    QCOMPARE(result->errorHistogram->counts[0], std::uint64_t{6400});
}

void TestComparison::oldExpertsPairWithSlabs()
{
    const auto weights = gaussian(64 * 3 * 2);
    const std::vector<float> first(weights.begin(), weights.begin() + 64 * 3);
    const std::vector<float> second(weights.begin() + 64 * 3, weights.end());
    const auto merged = model(GgufBuilder().floats("blk.1.ffn_gate_exps.weight", {64, 3, 2}, weights));
    const auto own = model(GgufBuilder()
                               .floats("blk.1.ffn_gate.1.weight", {64, 3}, second)
                               .floats("blk.1.ffn_gate.0.weight", {64, 3}, first)
                               .floats("blk.1.ffn_gate.7.weight", {64, 3}, first));
    const Pairing pairing = pairTensors(*merged, *own);
    QCOMPARE(pairing.pairs.size(), std::size_t{2});
    QCOMPARE(pairing.pairs[0].expertA.value(), std::uint64_t{0});
    QCOMPARE(nameOf(own, pairing.pairs[0].b), std::string("blk.1.ffn_gate.0.weight"));
    QVERIFY(pairing.onlyA.empty());
    QCOMPARE(pairing.onlyB.size(), std::size_t{1});
    for (const auto &pair : pairing.pairs)
        QVERIFY(comparePair(merged, own, pair, {}).value()->identical);
    const Pairing back = pairTensors(*own, *merged);
    QCOMPARE(back.pairs.size(), std::size_t{2});
    QCOMPARE(back.pairs[0].expertB.value(), std::uint64_t{1});
    for (const auto &pair : back.pairs)
        QVERIFY(comparePair(own, merged, pair, {}).value()->identical);
}

void TestComparison::fusedHalvesPairWithTheirOwn()
{
    const std::uint64_t columns = 64, rows = 5, experts = 3;
    const auto gate = gaussian(columns * rows * experts, 1);
    const auto up = gaussian(columns * rows * experts, 2);
    std::vector<float> fusedWeights;
    for (std::uint64_t k = 0; k < experts; ++k) {
        const auto slab = [&](const std::vector<float> &from) {
            const auto begin = from.begin() + static_cast<std::ptrdiff_t>(k * columns * rows);
            fusedWeights.insert(fusedWeights.end(), begin, begin + static_cast<std::ptrdiff_t>(columns * rows));
        };
        slab(gate);
        slab(up);
    }
    auto spoiledUp = up;
    spoiledUp[columns * rows * 2 + 9] += 1; // in the last expert
    const auto fused = model(GgufBuilder().floats("blk.0.ffn_gate_up_exps.weight", {columns, 2 * rows, experts}, fusedWeights));
    const auto halves = model(GgufBuilder()
                                  .floats("blk.0.ffn_gate_exps.weight", {columns, rows, experts}, gate)
                                  .floats("blk.0.ffn_up_exps.weight", {columns, rows, experts}, spoiledUp));
    const Pairing pairing = pairTensors(*fused, *halves);
    QCOMPARE(pairing.pairs.size(), std::size_t{2});
    QVERIFY(pairing.onlyA.empty() && pairing.onlyB.empty());
    QCOMPARE(pairing.pairs[0].halfA, TensorPair::Half::Gate);
    QVERIFY(comparePair(fused, halves, pairing.pairs[0], {}).value()->identical);
    const auto second = comparePair(fused, halves, pairing.pairs[1], {.perExpert = true}).value();
    QCOMPARE(second->sums.count, columns * rows * experts);
    QCOMPARE(second->sums.maxAt, columns * rows * 2 + 9);
    QCOMPARE(second->experts.at(2).maxAt, std::uint64_t{9});
    QCOMPARE(second->experts.at(1).rmse().value(), 0.0);
    const Pairing back = pairTensors(*halves, *fused);
    QCOMPARE(back.pairs.size(), std::size_t{2});
    QCOMPARE(back.pairs[1].halfB, TensorPair::Half::Up);
    QVERIFY(comparePair(halves, fused, back.pairs[0], {}).value()->identical);
}

void TestComparison::shapesThatDifferAreMismatched()
{
    const auto a = model(GgufBuilder().floats("t", {4, 2}, gaussian(8)).floats("u", {2}, {1, 2}));
    const auto b = model(GgufBuilder().floats("t", {2, 4}, gaussian(8)).floats("v", {2}, {1, 2}));
    const Pairing pairing = pairTensors(*a, *b);
    QVERIFY(pairing.pairs.empty());
    QCOMPARE(pairing.mismatched.size(), std::size_t{1});
    QCOMPARE(nameOf(a, pairing.onlyA.at(0).tensor), std::string("u"));
    QCOMPARE(nameOf(b, pairing.onlyB.at(0).tensor), std::string("v"));
}

void TestComparison::trailingOnesAreNoDifference()
{
    const auto a = model(GgufBuilder().floats("t", {4}, gaussian(4)));
    const auto b = model(GgufBuilder().floats("t", {4, 1, 1}, gaussian(4)));
    QCOMPARE(pairTensors(*a, *b).pairs.size(), std::size_t{1});
    QVERIFY(compared(a, b)->identical);
}

void TestComparison::repeatedNamesPairInOrder()
{
    const auto a = openOrFail(dataPath(QStringLiteral("cases/dup_tensor_name.gguf")));
    const Pairing pairing = pairTensors(*a, *a);
    QCOMPARE(pairing.pairs.size(), a->tensors().size());
    for (const TensorPair &pair : pairing.pairs)
        QCOMPARE(pair.a, pair.b);
}

void TestComparison::tiedOutputHasAHint()
{
    const auto a = openOrFail(dataPath(QStringLiteral("cases/cmp_tied_A.gguf")));
    const auto b = openOrFail(dataPath(QStringLiteral("cases/cmp_tied_B.gguf")));
    QCOMPARE(pairTensors(*a, *b).onlyA.at(0).hint, std::string("tied to token_embd.weight"));
    QCOMPARE(pairTensors(*b, *a).onlyB.at(0).hint, std::string("tied to token_embd.weight"));
}

void TestComparison::stopAndProgress()
{
    const auto weights = gaussian(6 << 20);
    const auto a = floats({1 << 10, 6 << 10}, weights);
    const auto b = floats({1 << 10, 6 << 10}, disturbed(weights));
    const auto pair = pairTensors(*a, *b).pairs.at(0);
    const auto source = std::make_unique<std::stop_source>();
    const auto stopped = comparePair(a, b, pair, {.threads = 1}, source->get_token(),
                                     [&](const Progress &) { source->request_stop(); });
    QVERIFY(!stopped);
    QCOMPARE(stopped.error().code, std::string(StoppedCode));
    std::uint64_t last = 0;
    CompareOptions options{.errorHistogram = true, .threads = 1};
    QVERIFY(comparePair(a, b, pair, options, {}, [&](const Progress &progress) {
        QVERIFY(progress.done > last && progress.done <= progress.total);
        last = progress.done;
    }));
    QCOMPARE(last, std::uint64_t{6 << 20});
    std::atomic<std::uint64_t> most = 0; // on all threads, several at once
    QVERIFY(comparePair(a, a, pair, {}, {}, [&](const Progress &progress) {
        std::uint64_t seen = most;
        while (progress.done > seen && !most.compare_exchange_weak(seen, progress.done)) {
        }
    }).value()->identical);
    QCOMPARE(most.load(), std::uint64_t{6 << 20});
}

void TestComparison::changedFileIsAnError()
{
    const auto a = floats({64, 100}, gaussian(6400));
    const auto b = floats({64, 100}, gaussian(6400, 2));
    const auto pair = pairTensors(*a, *b).pairs.at(0);
    QVERIFY(QFile::resize(m_lastPath, 200));
    const auto result = comparePair(a, b, pair, {});
    QVERIFY(!result);
    QCOMPARE(result.error().code, std::string("file-changed"));
}

void TestComparison::pickedByHandOfOtherShapeIsAnError()
{
    const auto a = floats({64, 100}, gaussian(6400));
    const auto b = floats({32, 100}, gaussian(3200));
    const auto result = comparePair(a, b, TensorPair{{0}, {0}, {}, {}, {}, {}}, {});
    QVERIFY(!result);
    QCOMPARE(result.error().code, std::string("shapes-differ"));
    const auto noExpert = comparePair(a, a, TensorPair{{0}, {0}, 3, {}, {}, {}}, {});
    QVERIFY(!noExpert);
}

QTEST_APPLESS_MAIN(TestComparison)
#include "tst_comparison.moc"
