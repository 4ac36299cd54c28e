// SPDX-License-Identifier: GPL-3.0-or-later
// Heat maps of a part of a pair: as fine as can be, the same numbers as by hand.

#include "core/stats/comparison.h"
#include "tests/support/ggufbuilder.h"
#include "tests/support/testdata.h"

#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <random>

using namespace ql;
using namespace ql::test;

namespace {

std::vector<float> gaussian(std::size_t n, unsigned seed)
{
    std::mt19937 random(seed);
    std::normal_distribution<float> normal(0, 1);
    std::vector<float> weights(n);
    for (float &w : weights)
        w = normal(random);
    return weights;
}

TensorPair firstPair(const GgufModelPtr &a, const GgufModelPtr &b) { return pairTensors(*a, *b).pairs.at(0); }

double rmsOf(const std::vector<float> &a, const std::vector<float> *b, std::uint64_t first, std::uint64_t n)
{
    double sum = 0;
    for (std::uint64_t i = first; i < first + n; ++i) {
        const double w = static_cast<double>(a[i]) - (b ? static_cast<double>((*b)[i]) : 0.0);
        sum += w * w;
    }
    return std::sqrt(sum / static_cast<double>(n));
}

bool isClose(double a, double b) { return std::abs(a - b) <= 1e-6 * std::abs(b); }

} // namespace

class TestPairMaps : public QObject
{
    Q_OBJECT

private slots:
    void theWholeIsTheComparisonsOwn()
    {
        const auto a = openOrFail(dataPath(QStringLiteral("models/tiny-moe-Q4_K_M-split-00001-of-00003.gguf")));
        const auto b = openOrFail(dataPath(QStringLiteral("models/tiny-moe-Q2_K.gguf")));
        const TensorPair pair{a->findTensor("blk.0.attn_q.weight").value(), b->findTensor("blk.0.attn_q.weight").value(),
                              {}, {}};
        CompareOptions options;
        options.heatMaps = true;
        const auto whole = comparePair(a, b, pair, options).value();
        const auto maps = comparePairMaps(a, b, pair, {0, 1u << 30, 0, 1u << 30}).value();
        QCOMPARE(maps->a.window, whole->heatA->window);
        QCOMPARE(maps->a.rms, whole->heatA->rms);
        QCOMPARE(maps->b.maxScale, whole->heatB->maxScale);
        QCOMPARE(maps->error.absMax, whole->heatError->absMax);
        QVERIFY(maps->a.hasScale && !maps->error.hasScale);
    }

    void aWindowIsAsFineAsCanBe()
    {
        const std::uint64_t columns = 96, rows = 2000;
        const auto weights = gaussian(columns * rows, 1), others = gaussian(columns * rows, 2);
        const auto a = floats({columns, rows}, weights), b = floats({columns, rows}, others);
        const auto maps = comparePairMaps(a, b, firstPair(a, b), {1501, 40, 33, 20}).value();
        QCOMPARE(maps->error.window, (HeatMapWindow{1501, 40, 32, 32})); // whole cell columns
        QCOMPARE(maps->error.rowsPerCell, std::uint64_t{1});
        QCOMPARE(maps->error.tensorRows, rows);
        for (std::size_t row = 0; row < 40; ++row) {
            const std::uint64_t first = (1501 + row) * columns + 32;
            QVERIFY(isClose(double(maps->a.rms[row]), rmsOf(weights, nullptr, first, 32)));
            QVERIFY(isClose(double(maps->b.rms[row]), rmsOf(others, nullptr, first, 32)));
            QVERIFY(isClose(double(maps->error.rms[row]), rmsOf(weights, &others, first, 32)));
        }
    }

    void halvesSkipTheOtherHalf()
    {
        const std::uint64_t columns = 32, rows = 4, experts = 3, slab = columns * rows;
        const auto gate = gaussian(slab * experts, 1), up = gaussian(slab * experts, 2);
        std::vector<float> fused;
        for (std::uint64_t k = 0; k < experts; ++k)
            for (const auto *half : {&gate, &up})
                fused.insert(fused.end(), half->begin() + std::ptrdiff_t(k * slab), half->begin() + std::ptrdiff_t((k + 1) * slab));
        const auto a = model(GgufBuilder().floats("blk.0.ffn_up_exps.weight", {columns, rows, experts}, up));
        const auto b = model(GgufBuilder().floats("blk.0.ffn_gate_up_exps.weight", {columns, 2 * rows, experts}, fused));
        const TensorPair pair = firstPair(a, b);
        QCOMPARE(pair.halfB, TensorPair::Half::Up);
        const auto maps = comparePairMaps(a, b, pair, {2, 8, 0, columns}).value(); // over two ends of slabs
        QCOMPARE(maps->b.rms, maps->a.rms);
        for (std::size_t row = 0; row < 8; ++row) {
            QCOMPARE(maps->error.rms[row], 0.0f);
            QVERIFY(isClose(double(maps->a.rms[row]), rmsOf(up, nullptr, (2 + row) * columns, columns)));
        }
    }

    void theBitsDoNotDependOnThreads()
    {
        const std::uint64_t columns = 4096, rows = 700;
        const auto a = floats({columns, rows}, gaussian(columns * rows, 1));
        const auto b = floats({columns, rows}, gaussian(columns * rows, 2));
        const auto one = comparePairMaps(a, b, firstPair(a, b), {7, 690, 64, 3000}, 1).value();
        const auto three = comparePairMaps(a, b, firstPair(a, b), {7, 690, 64, 3000}, 3).value();
        QCOMPARE(one->error.rms, three->error.rms);
        QCOMPARE(one->a.maxMean, three->a.maxMean);
    }

    void aStopIsAnswered()
    {
        const auto a = floats({32, 4}, gaussian(128, 1));
        std::stop_source source;
        source.request_stop();
        const auto result = comparePairMaps(a, a, firstPair(a, a), {0, 4, 0, 32}, 1, source.get_token());
        QVERIFY(!result);
        QCOMPARE(result.error().code, StoppedCode);
    }

private:
    GgufModelPtr model(const GgufBuilder &builder)
    {
        const QString path = m_dir.filePath(QStringLiteral("%1.gguf").arg(m_files++));
        builder.writeTo(path);
        return openOrFail(path);
    }
    GgufModelPtr floats(const std::vector<std::uint64_t> &ne, const std::vector<float> &weights)
    {
        return model(GgufBuilder().floats("blk.0.ffn_up.weight", ne, weights));
    }

    QTemporaryDir m_dir;
    int m_files = 0;
};

QTEST_APPLESS_MAIN(TestPairMaps)
#include "tst_pairmaps.moc"
