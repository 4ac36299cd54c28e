// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/ratebench.h"
#include "core/stats/repeatedtensor.h"
#include "tests/support/ggufbuilder.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

using namespace ql;
using namespace ql::test;

namespace {

std::vector<float> ramp(std::size_t n)
{
    std::vector<float> weights(n);
    for (std::size_t i = 0; i < n; ++i)
        weights[i] = static_cast<float>(i % 1000) - 500.0f;
    return weights;
}

} // namespace

class RateBenchTest : public QObject
{
    Q_OBJECT

    QTemporaryDir m_dir;
    int m_files = 0;

    GgufModelPtr open(const GgufBuilder &builder)
    {
        const QString path = m_dir.filePath(QStringLiteral("%1.gguf").arg(m_files++));
        builder.writeTo(path);
        return openModel(path.toStdString()).value();
    }

    static TypeRates ratesOf(const GgufModelPtr &model)
    {
        BenchOptions options;
        options.parallel.threads = 1;
        options.secondsEach = 0.2;
        return measureRates(model, options).value().front();
    }

private slots:
    void repeatedBlocksAreTheTensorsOwn()
    {
        for (const bool big : {false, true}) {
            GgufBuilder builder;
            if (big)
                builder.bigEndian();
            const auto model = open(builder.floats("a", {3}, {1, 2, 3}).floats("b", {2}, {4, 5}));
            const std::vector<TensorView> views{TensorView::ofTensor(model, {0}).value(), TensorView::ofTensor(model, {1}).value()};
            const auto repeated = RepeatedTensor::of(views, 10000);
            QVERIFY(repeated);
            QCOMPARE(repeated->view().elements(), std::uint64_t{8192});
            std::vector<float> weights(8192);
            std::memcpy(weights.data(), repeated->view().bytes().data(), 8192 * sizeof(float));
            for (std::size_t i = 0; i < weights.size(); ++i)
                QCOMPARE(weights[i], static_cast<float>(i % 5 + 1));
        }
    }

    // Not how fast, which hangs on what else the machine does: over how much.
    void smallTensorsAreMeasuredOnALargeOneOfTheirBlocks()
    {
        constexpr std::uint64_t Large = 8u << 20;
        GgufBuilder many;
        for (int i = 0; i < 50; ++i)
            many.floats("w" + std::to_string(i), {64}, ramp(64));
        const TypeRates small = ratesOf(open(many));
        QCOMPARE(small.tensors, std::uint64_t{50});
        for (const Rate &rate : {small.decode, small.scan}) {
            QVERIFY(rate.weights > Large / 2); // a pass over their own 3,200 weights would end in no time
            QCOMPARE(rate.bytes, rate.weights * sizeof(float));
            QVERIFY(rate.seconds >= 0.04);
        }
    }

    void largeTensorsAreMeasuredAsTheyAre()
    {
        constexpr std::uint64_t Weights = 4096 * 2048;
        const TypeRates large = ratesOf(open(GgufBuilder().floats("w", {4096, 2048}, ramp(Weights))));
        QVERIFY(large.decode.weights >= Weights);
        QCOMPARE(large.decode.weights % Weights, std::uint64_t{0});
    }
};

QTEST_APPLESS_MAIN(RateBenchTest)
#include "tst_ratebench.moc"
