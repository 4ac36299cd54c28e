// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/shardset.h"
#include "core/quant/dequantize.h"
#include "core/quant/kernels.h"
#include "core/stats/tensorstats.h"
#include "tests/support/figurecheck.h"
#include "tests/support/ggufbuilder.h"
#include "tests/support/testdata.h"

#include <QTemporaryDir>
#include <QTest>

#include <atomic>
#include <cmath>
#include <limits>
#include <random>

using namespace ql;
using namespace ql::test;

namespace {

std::vector<float> gaussian(std::size_t n, float sigma = 1, unsigned seed = 1)
{
    std::mt19937 random(seed);
    std::normal_distribution<float> normal(0, sigma);
    std::vector<float> weights(n);
    for (float &w : weights)
        w = normal(random);
    return weights;
}

/// Random Q8_0 blocks with sane scales.
QByteArray randomQ8(std::size_t blocks)
{
    std::mt19937 random(3);
    QByteArray data(static_cast<qsizetype>(blocks * 34), 0);
    for (std::size_t b = 0; b < blocks; ++b) {
        char *block = data.data() + b * 34;
        block[0] = static_cast<char>(random());
        block[1] = static_cast<char>(0x20 + random() % 8);
        for (int i = 2; i < 34; ++i)
            block[i] = static_cast<char>(random());
    }
    return data;
}

template <class T>
QByteArray rawBytes(const std::vector<T> &values)
{
    return {reinterpret_cast<const char *>(values.data()),
            static_cast<qsizetype>(values.size() * sizeof(T))};
}

TensorStatsPtr scanned(const TensorView &view, const ScanOptions &options = {})
{
    const auto stats = scanTensor(view, options);
    return stats ? *stats : nullptr;
}

} // namespace

class TestTensorStats : public QObject
{
    Q_OBJECT

private slots:
    void referenceModels_data();
    void referenceModels();
    void sameBitsForAnyThreads_data();
    void sameBitsForAnyThreads();
    void sameBitsForAnyKernel();
    void expertsAddUp();
    void expertsDoNotChangeTheTotals();
    void tinySlabsHaveFigures();
    void viewOfAnExpertIsItsFigures();
    void askedBinsAreCounted();
    void askedBinsOfExpertsAddUp();
    void coreShowsTheBulk();
    void doublesKeepTheirOwnValues();
    void hugeDoublesHaveFigures();
    void subnormalFloatsHaveFigures_data();
    void subnormalFloatsHaveFigures();
    void bigEndianIsTheSame();
    void nonFiniteAreCounted();
    void emptyTensorsHaveEmptyFigures();
    void scalarsHaveFigures();
    void estimatesAreMarkedAndRepeatable();
    void estimateOfASmallTensorIsExact();
    void estimateOfOneLongRow();
    void stopIsAnError();
    void progressReachesTheTotal();
    void changedFileIsAnError();
    void impossibleRequestsAreErrors();
    void heatMapFollowsTheWeights();
    void heatMapOfAWindow();
    void heatMapScalesAreStoredScales();
    void lowPriorityIsTheSame();

private:
    TensorView viewOf(const GgufBuilder &builder, std::uint32_t tensor = 0);
    TensorView floatView(const std::vector<std::uint64_t> &ne, const std::vector<float> &weights)
    {
        return viewOf(GgufBuilder().floats("blk.0.ffn_up_exps.weight", ne, weights));
    }

    QTemporaryDir m_dir;
    int m_files = 0;
    QString m_lastPath;
};

TensorView TestTensorStats::viewOf(const GgufBuilder &builder, std::uint32_t tensor)
{
    m_lastPath = m_dir.filePath(QStringLiteral("%1.gguf").arg(m_files++));
    builder.writeTo(m_lastPath);
    return TensorView::ofTensor(openModel(m_lastPath.toStdString()).value(), TensorIndex{tensor}).value();
}

void TestTensorStats::referenceModels_data()
{
    QTest::addColumn<QString>("model");
    QTest::addColumn<QString>("stats");
    QTest::newRow("Q2_K") << "models/tiny-moe-Q2_K.gguf" << "models/tiny-moe-Q2_K.stats.json";
    QTest::newRow("IQ2_XS") << "models/tiny-moe-IQ2_XS.gguf" << "models/tiny-moe-IQ2_XS.stats.json";
    QTest::newRow("Q4_K_M") << "models/tiny-moe-Q4_K_M-split-00002-of-00003.gguf"
                            << "models/tiny-moe-Q4_K_M.stats.json";
}

void TestTensorStats::referenceModels()
{
    QFETCH(QString, model);
    QFETCH(QString, stats);
    int checked = 0;
    QCOMPARE(modelDifferences(dataPath(model), dataPath(stats), &checked), QStringList());
    QVERIFY(checked > 70);
}

void TestTensorStats::sameBitsForAnyThreads_data()
{
    QTest::addColumn<std::vector<std::uint64_t>>("ne");
    QTest::newRow("rows") << std::vector<std::uint64_t>{1000, 4000};
    QTest::newRow("one row") << std::vector<std::uint64_t>{3500001};
    QTest::newRow("experts") << std::vector<std::uint64_t>{640, 700, 7};
    QTest::newRow("short rows") << std::vector<std::uint64_t>{32, 90000};
}

void TestTensorStats::sameBitsForAnyThreads()
{
    QFETCH(std::vector<std::uint64_t>, ne);
    std::size_t n = 1;
    for (const auto dim : ne)
        n *= dim;
    const TensorView view = floatView(ne, gaussian(n));
    ScanOptions options{.bins = 100, .perExpert = true, .threads = 1};
    const auto one = scanned(view, options);
    QVERIFY(one);
    QCOMPARE(one->figures.moments.count, n);
    for (const unsigned threads : {2u, 3u, 8u}) {
        options.threads = threads;
        const auto many = scanned(view, options);
        QVERIFY(many && areSameBits(*one, *many));
    }
}

void TestTensorStats::sameBitsForAnyKernel()
{
    const auto model = openOrFail(dataPath(QStringLiteral("models/tiny-moe-Q2_K.gguf")));
    for (const char *name : {"token_embd.weight", "blk.0.ffn_down_exps.weight", "output_norm.weight"}) {
        const auto view = TensorView::ofTensor(model, model->findTensor(name).value()).value();
        const auto best = scanned(view, {.perExpert = true});
        for (const auto implementation : availableImplementations()) {
            QVERIFY(forceImplementation(implementation));
            QVERIFY(areSameBits(*best, *scanned(view, {.perExpert = true})));
        }
        QVERIFY(forceImplementation(""));
    }
}

void TestTensorStats::expertsAddUp()
{
    const TensorView view = floatView({320, 410, 5}, gaussian(320 * 410 * 5));
    const auto stats = scanned(view, {.perExpert = true});
    QCOMPARE(stats->experts.size(), std::size_t{5});
    std::vector<std::uint64_t> sum(FineBins);
    for (const Figures &expert : stats->experts) {
        QCOMPARE(expert.moments.count, std::uint64_t{320 * 410});
        QCOMPARE(expert.fine.lo, stats->figures.fine.lo);
        QCOMPARE(expert.fine.hi, stats->figures.fine.hi);
        for (std::size_t i = 0; i < FineBins; ++i)
            sum[i] += expert.fine.counts[i];
    }
    QCOMPARE(sum, stats->figures.fine.counts);
}

void TestTensorStats::expertsDoNotChangeTheTotals()
{
    for (const auto &ne : {std::vector<std::uint64_t>{320, 410, 5}, {64, 10, 50}}) {
        const TensorView view = floatView(ne, gaussian(ne[0] * ne[1] * ne[2]));
        const auto with = scanned(view, {.perExpert = true});
        auto without = std::make_shared<TensorStats>(*scanned(view, {.perExpert = false}));
        QVERIFY(without->experts.empty());
        without->experts = with->experts;
        QVERIFY(areSameBits(*with, *without));
    }
}

void TestTensorStats::tinySlabsHaveFigures()
{
    const auto weights = gaussian(33 * 7 * 40);
    const TensorView view = floatView({33, 7, 40}, weights);
    const auto stats = scanned(view, {.perExpert = true});
    QCOMPARE(stats->experts.size(), std::size_t{40});
    for (std::uint64_t k = 0; k < 40; ++k) {
        const auto expert = TensorView::ofExpert(view.modelPtr(), view.tensor(), k).value();
        QCOMPARE(stats->experts[k].moments, scanned(expert)->figures.moments);
        QCOMPARE(stats->experts[k].fine.total(), std::uint64_t{33 * 7});
    }
}

void TestTensorStats::viewOfAnExpertIsItsFigures()
{
    const TensorView view = floatView({320, 410, 3}, gaussian(320 * 410 * 3));
    const auto all = scanned(view, {.perExpert = true});
    const auto expert = TensorView::ofExpert(view.modelPtr(), view.tensor(), 1).value();
    const auto own = scanned(expert);
    QCOMPARE(own->figures.moments, all->experts[1].moments);
    QCOMPARE(own->figures.fine.lo, own->figures.moments.minValue());
    QCOMPARE(own->figures.fine.hi, own->figures.moments.maxValue());
}

void TestTensorStats::askedBinsAreCounted()
{
    const auto weights = gaussian(50000);
    const TensorView view = floatView({500, 100}, weights);
    const auto [lo, hi] = std::ranges::minmax(weights);
    for (const std::size_t bins : {1u, 3u, 100u, 256u, 1000u, 4096u, 8192u, 1048576u}) {
        const auto stats = scanned(view, {.bins = bins, .heatMap = false});
        std::vector<std::uint64_t> expected(bins);
        for (const float w : weights) {
            const double position = (static_cast<double>(w) - static_cast<double>(lo))
                / (static_cast<double>(hi) - static_cast<double>(lo)) * static_cast<double>(bins);
            ++expected[std::min(bins - 1, static_cast<std::size_t>(position))];
        }
        QCOMPARE(binned(*stats, stats->figures, bins).counts, expected);
    }
}

void TestTensorStats::askedBinsOfExpertsAddUp()
{
    const TensorView view = floatView({320, 410, 3}, gaussian(320 * 410 * 3));
    for (const std::size_t bins : {100u, 256u}) {
        const auto stats = scanned(view, {.bins = bins, .perExpert = true});
        std::vector<std::uint64_t> sum(bins);
        for (const Figures &expert : stats->experts) {
            const auto histogram = binned(*stats, expert, bins);
            for (std::size_t i = 0; i < bins; ++i)
                sum[i] += histogram.counts.at(i);
        }
        QCOMPARE(sum, binned(*stats, stats->figures, bins).counts);
    }
}

void TestTensorStats::coreShowsTheBulk()
{
    auto weights = gaussian(1 << 20);
    const auto plain = scanned(floatView({1 << 10, 1 << 10}, weights));
    QVERIFY(!plain->figures.core);
    weights[12345] = 1000;
    const auto stats = scanned(floatView({1 << 10, 1 << 10}, weights));
    QVERIFY(stats->figures.core);
    const Histogram &core = *stats->figures.core;
    QCOMPARE(core.counts.size(), CoreBins);
    QCOMPARE(core.total(), std::uint64_t{(1 << 20) - 1});
    QVERIFY(*core.hi < 20 && *core.lo == *stats->figures.fine.lo);
    // The median of a thousandfold squashed histogram, found in the core's bins.
    std::ranges::nth_element(weights, weights.begin() + (1 << 19));
    QVERIFY(std::abs(*stats->figures.percentiles[3] - static_cast<double>(weights[1 << 19])) < core.binWidth() * 1.01);
}

void TestTensorStats::doublesKeepTheirOwnValues()
{
    std::vector<double> weights(5000);
    for (std::size_t i = 0; i < weights.size(); ++i)
        weights[i] = 1.0 + static_cast<double>(i) * 1e-12; // one float for all
    const auto stats = scanned(viewOf(GgufBuilder().tensor("a", GgmlType::F64, {100, 50}, rawBytes(weights))));
    QCOMPARE(stats->figures.moments.max, weights.back());
    const double sigma = 1e-12 * std::sqrt((5000.0 * 5000.0 - 1) / 12);
    QVERIFY(std::abs(stats->figures.moments.std().value() / sigma - 1) < 1e-4);
    std::vector<std::int64_t> integers{std::numeric_limits<std::int64_t>::min(), -1, 0, 5,
                                       (std::int64_t{1} << 53) - 1};
    const auto ints = scanned(viewOf(GgufBuilder().tensor("a", GgmlType::I64, {5}, rawBytes(integers))));
    QCOMPARE(ints->figures.moments.min, -0x1p63);
    QCOMPARE(ints->figures.moments.max, 0x1p53 - 1);
    QCOMPARE(ints->figures.moments.zeros, std::uint64_t{1});
}

void TestTensorStats::hugeDoublesHaveFigures()
{
    const auto floats = gaussian(6000);
    const auto reference = scanned(floatView({60, 100}, floats));
    for (const int exponent : {-980, 1000}) {
        std::vector<double> weights;
        for (const float w : floats)
            weights.push_back(std::ldexp(static_cast<double>(w), exponent));
        const auto stats = scanned(viewOf(GgufBuilder().tensor("a", GgmlType::F64, {60, 100}, rawBytes(weights))));
        const Moments &m = stats->figures.moments;
        const auto same = [&](double value, double right) {
            return std::abs(std::ldexp(value, -exponent) / right - 1) < 1e-12;
        };
        const Moments &r = reference->figures.moments;
        QVERIFY(same(m.std().value(), r.std().value()));
        QVERIFY(same(m.rms().value(), r.rms().value()));
        QVERIFY(same(m.meanAbs().value(), r.meanAbs().value()));
        QVERIFY(std::abs(m.kurtosis().value() - r.kurtosis().value()) < 1e-12);
        QCOMPARE(stats->figures.fine.counts, reference->figures.fine.counts);
    }
    const double most = std::numeric_limits<double>::max();
    const auto ends = scanned(viewOf(GgufBuilder().tensor(
        "a", GgmlType::F64, {4}, rawBytes(std::vector<double>{-most, most, 0, most}))));
    QCOMPARE(ends->figures.fine.total(), std::uint64_t{4});
    QVERIFY(std::isfinite(ends->figures.moments.std().value()));
}

void TestTensorStats::subnormalFloatsHaveFigures_data()
{
    QTest::addColumn<float>("size");
    for (const float size : {1e-37f, 1e-40f, 1e-42f, 1e-44f})
        QTest::addRow("%g", static_cast<double>(size)) << size;
}

void TestTensorStats::subnormalFloatsHaveFigures()
{
    QFETCH(float, size);
    std::vector<float> weights = gaussian(4096);
    double sum = 0, sumAbs = 0, sumSq = 0;
    for (float &w : weights) {
        w *= size;
        const auto x = static_cast<double>(w);
        sum += x;
        sumAbs += std::abs(x);
        sumSq += x * x;
    }
    const auto n = static_cast<double>(weights.size());
    const auto stats = scanned(floatView({4096}, weights));
    QVERIFY(stats);
    const Moments &m = stats->figures.moments;
    const double rms = std::sqrt(sumSq / n);
    QVERIFY(rms > 0);
    QVERIFY(std::abs(m.rms().value() / rms - 1) < 1e-9);
    QVERIFY(std::abs(m.std().value() / std::sqrt(sumSq / n - sum / n * (sum / n)) - 1) < 1e-9);
    QVERIFY(std::abs(m.meanAbs().value() / (sumAbs / n) - 1) < 1e-9);
    QVERIFY(std::abs(m.meanValue().value() - sum / n) < 1e-9 * sumAbs / n);
    QVERIFY(std::abs(m.kurtosis().value() - 3) < 0.5);
}

void TestTensorStats::bigEndianIsTheSame()
{
    const auto weights = gaussian(10000);
    const auto little = scanned(floatView({100, 100}, weights));
    const auto big = scanned(viewOf(GgufBuilder().bigEndian().floats("a", {100, 100}, weights)));
    QVERIFY(big && areSameBits(*little, *big));
}

void TestTensorStats::nonFiniteAreCounted()
{
    const auto model = openOrFail(dataPath(QStringLiteral("cases/nan_scale_in_expert.gguf")));
    const auto index = model->findTensor("blk.0.ffn_down_exps.weight").value();
    const auto stats = scanned(TensorView::ofTensor(model, index).value(), {.perExpert = true});
    QCOMPARE(stats->figures.moments.nan + stats->figures.moments.inf, std::uint64_t{64});
    QVERIFY(stats->experts.at(2).moments.nan > 0);
    QVERIFY(stats->experts.at(3).moments.inf > 0);
    QCOMPARE(stats->experts.at(0).moments.finite(), stats->experts.at(0).moments.count);
    std::uint64_t marked = 0;
    for (const auto n : stats->heatMap->nonFinite)
        marked += n;
    QCOMPARE(marked, std::uint64_t{64});
}

void TestTensorStats::emptyTensorsHaveEmptyFigures()
{
    const auto stats = scanned(viewOf(GgufBuilder().floats("a", {0, 7}, {}).floats("b", {1}, {1})), {.perExpert = true});
    QVERIFY(stats);
    QCOMPARE(stats->figures.moments.count, std::uint64_t{0});
    QVERIFY(!stats->figures.moments.meanValue() && !stats->figures.fine.lo);
    QVERIFY(!stats->figures.percentiles[3]);
    QCOMPARE(binned(*stats, stats->figures, 256).total(), std::uint64_t{0});
    QCOMPARE(binned(*stats, stats->figures, 256).counts.size(), std::size_t{256});
}

void TestTensorStats::scalarsHaveFigures()
{
    const auto stats = scanned(floatView({1}, {2.5f}));
    QCOMPARE(stats->figures.moments.std().value(), 0.0);
    QCOMPARE(stats->figures.percentiles[0].value(), 2.5);
    QCOMPARE(stats->heatMap->rms.size(), std::size_t{1});
}

void TestTensorStats::estimatesAreMarkedAndRepeatable()
{
    const TensorView view = floatView({1024, 8192}, gaussian(1024 * 8192));
    const auto exact = scanned(view);
    ScanOptions options{.sampleShare = 0.05, .threads = 1};
    const auto estimate = scanned(view, options);
    QVERIFY(estimate->sampledShare > 0.04 && estimate->sampledShare < 0.06);
    QCOMPARE(estimate->heatMap->sampledShare, estimate->sampledShare);
    const double error = *estimate->figures.moments.std() / *exact->figures.moments.std() - 1;
    QVERIFY(std::abs(error) < 0.02);
    options.threads = 3;
    QVERIFY(areSameBits(*estimate, *scanned(view, options)));
    QVERIFY(std::ranges::any_of(estimate->heatMap->rms, [](float x) { return std::isnan(x); }));
}

void TestTensorStats::estimateOfASmallTensorIsExact()
{
    const TensorView view = floatView({100, 100}, gaussian(10000));
    const auto estimate = scanned(view, {.sampleShare = 0.01});
    QCOMPARE(estimate->sampledShare, 1.0);
    QVERIFY(areSameBits(*estimate, *scanned(view)));
}

void TestTensorStats::estimateOfOneLongRow()
{
    const TensorView view = floatView({8 << 20}, gaussian(8 << 20));
    const auto estimate = scanned(view, {.sampleShare = 0.1});
    QVERIFY(estimate->sampledShare > 0.05 && estimate->sampledShare < 0.15);
    QCOMPARE(estimate->figures.moments.count,
             static_cast<std::uint64_t>(std::llround(estimate->sampledShare * (8 << 20))));
}

void TestTensorStats::stopIsAnError()
{
    const TensorView view = floatView({1024, 8192}, gaussian(1024 * 8192));
    const auto source = std::make_unique<std::stop_source>();
    std::atomic<int> groups = 0;
    const auto stopped = scanTensor(view, {.threads = 2}, source->get_token(), [&](const Progress &) {
        ++groups;
        source->request_stop();
    });
    QVERIFY(!stopped);
    QCOMPARE(stopped.error().code, std::string(StoppedCode));
    QVERIFY(groups <= 4);
}

void TestTensorStats::progressReachesTheTotal()
{
    const TensorView view = floatView({1024, 4096}, gaussian(1024 * 4096));
    std::atomic<std::uint64_t> most = 0;
    std::atomic<int> calls = 0;
    const auto stats = scanTensor(view, {.threads = 1}, {}, [&](const Progress &progress) {
        QCOMPARE(progress.total, std::uint64_t{1024 * 4096});
        QVERIFY(progress.done > most);
        most = progress.done;
        ++calls;
    });
    QVERIFY(stats);
    QCOMPARE(most.load(), std::uint64_t{1024 * 4096});
    QCOMPARE(calls.load(), 8);
}

void TestTensorStats::changedFileIsAnError()
{
    const TensorView view = floatView({1024, 100}, gaussian(1024 * 100));
    QVERIFY(scanned(view));
    QFile file(m_lastPath);
    QVERIFY(file.resize(file.size() / 2));
    const auto stats = scanTensor(view, {});
    QVERIFY(!stats);
    QCOMPARE(stats.error().code, std::string("file-changed"));
}

void TestTensorStats::impossibleRequestsAreErrors()
{
    const TensorView slabs = floatView({1, 1, 20000}, gaussian(20000));
    const auto many = scanTensor(slabs, {.perExpert = true});
    QVERIFY(!many);
    QCOMPARE(many.error().code, std::string("too-many-slabs"));
    const auto bins = scanTensor(slabs, {.bins = std::size_t{1} << 40});
    QVERIFY(!bins);
    QCOMPARE(bins.error().code, std::string("too-many-bins"));
    QVERIFY(!scanTensor(slabs, {.bins = 0}));
}

void TestTensorStats::heatMapFollowsTheWeights()
{
    std::vector<float> weights(64 * 3, 0.0f);
    weights[5] = -4;       // row 0, first cell
    weights[64 + 40] = 2;  // row 1, second cell
    const auto stats = scanned(floatView({64, 3}, weights));
    const HeatMap &map = *stats->heatMap;
    QCOMPARE(map.rows, std::size_t{3});
    QCOMPARE(map.columns, std::size_t{2});
    QCOMPARE(map.tensorColumns, std::uint64_t{64});
    QCOMPARE(map.absMax, (std::vector<float>{-4, 0, 0, 2, 0, 0}));
    QCOMPARE(map.rms[0], std::sqrt(0.5f));
    QCOMPARE(map.zeroShare[3], 31.0f / 32);
    QVERIFY(!map.hasScale && map.scale.empty());
}

void TestTensorStats::heatMapOfAWindow()
{
    const std::size_t columns = 32 * 40;
    const TensorView view = floatView({columns, 300}, gaussian(columns * 300));
    const auto whole = *scanned(view)->heatMap;
    const auto part = scanHeatMap(view, {100, 50, 64, 320}).value();
    QCOMPARE(part->rows, std::size_t{50});
    QCOMPARE(part->columns, std::size_t{10});
    QCOMPARE(part->tensorRows, std::uint64_t{300});
    for (std::size_t row = 0; row < 50; ++row) {
        for (std::size_t column = 0; column < 10; ++column) {
            const std::size_t there = whole.index(row + 100, column + 2);
            QCOMPARE(part->rms[part->index(row, column)], whole.rms[there]);
            QCOMPARE(part->absMax[part->index(row, column)], whole.absMax[there]);
        }
    }
    const auto clipped = scanHeatMap(view, {290, 1000, 33, 1}).value();
    QCOMPARE(clipped->window, (HeatMapWindow{290, 10, 32, 32}));
    QCOMPARE(scanHeatMap(view, {500, 10, 0, 32}).value()->rms.size(), std::size_t{0});
}

void TestTensorStats::heatMapScalesAreStoredScales()
{
    const QByteArray data = randomQ8(4 * 6);
    const TensorView view = viewOf(GgufBuilder().tensor("a", GgmlType::Q8_0, {128, 6}, data));
    const auto stats = scanned(view);
    const HeatMap &map = *stats->heatMap;
    QVERIFY(map.hasScale);
    QCOMPARE(map.scale.size(), std::size_t{24});
    for (std::size_t i = 0; i < 24; ++i) {
        const float d = blockScale(GgmlType::Q8_0)(view.blockRange(i, 1).data());
        QCOMPARE(map.scale[i], std::abs(d));
        QCOMPARE(map.maxScale[i], std::abs(d));
    }
}

void TestTensorStats::lowPriorityIsTheSame()
{
    const TensorView view = floatView({1024, 2048}, gaussian(1024 * 2048));
    QVERIFY(areSameBits(*scanned(view), *scanned(view, {.lowPriority = true})));
}

QTEST_APPLESS_MAIN(TestTensorStats)
#include "tst_tensorstats.moc"
