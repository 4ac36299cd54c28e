// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/quant/quantize.h"

#include "core/quant/dequantize.h"
#include "tests/support/goldenquantize.h"
#include "tests/support/testdata.h"

#include <hwy/highway.h>
#include <hwy/targets.h>

#include <QTest>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

using namespace ql;

namespace {

constexpr std::size_t MostBlock = 256;

std::vector<float> gaussian(std::size_t n, float sigma = 0.02f)
{
    std::mt19937 random(7);
    std::vector<float> weights(n);
    for (float &w : weights) {
        // Twelve uniform numbers: the same on every standard library, unlike normal_distribution.
        double sum = -6;
        for (int i = 0; i < 12; ++i)
            sum += static_cast<double>(random()) / 4294967296.0;
        w = static_cast<float>(sum) * sigma;
    }
    return weights;
}

std::vector<std::byte> encode(GgmlType type, const std::vector<float> &weights)
{
    const TypeTraits &t = traits(type);
    std::vector<std::byte> bytes(weights.size() / t.blockSize * t.blockBytes);
    quantizer(type)(weights.data(), bytes.data(), weights.size() / t.blockSize);
    return bytes;
}

std::vector<float> decode(GgmlType type, const std::vector<std::byte> &bytes)
{
    const TypeTraits &t = traits(type);
    std::vector<float> weights(bytes.size() / t.blockBytes * t.blockSize);
    referenceDequantizer(type)(bytes.data(), weights.data(), bytes.size() / t.blockBytes);
    return weights;
}

double relativeError(GgmlType type, const std::vector<float> &weights)
{
    return test::relativeRmse(weights, decode(type, encode(type, weights)));
}

QByteArray nameOf(GgmlType type)
{
    const std::string_view name = traits(type).name;
    return QByteArray(name.data(), static_cast<qsizetype>(name.size()));
}

void addTypes()
{
    QTest::addColumn<GgmlType>("type");
    for (const GgmlType type : quantizableTypes())
        QTest::newRow(nameOf(type).constData()) << type;
}

/// Weights of all kinds, so that every branch of a search is taken.
std::vector<float> mixedWeights()
{
    std::vector<float> weights = gaussian(8 * MostBlock);
    for (std::size_t i = 0; i < 2 * MostBlock; ++i)
        weights[i] = std::fabs(weights[i]) + (i < MostBlock ? 0.0f : 1.0f);
    std::fill_n(weights.begin() + 2 * MostBlock, MostBlock, -0.3f);
    for (std::size_t i = 3 * MostBlock; i < 4 * MostBlock; ++i)
        weights[i] *= i % 17 == 0 ? 1e4f : 1e-4f;
    for (std::size_t i = 4 * MostBlock; i < 5 * MostBlock; ++i)
        weights[i] = i % 50 == 0 ? weights[i] : 0.0f;
    return weights;
}

} // namespace

Q_DECLARE_METATYPE(ql::GgmlType)

class QuantizeTest : public QObject
{
    Q_OBJECT

private slots:
    void cleanup() { hwy::SetSupportedTargetsForTest(0); }

    void typesStandMostBitsFirst()
    {
        const auto types = quantizableTypes();
        QCOMPARE(types.size(), std::size_t{21});
        const auto bits = [](GgmlType type) { return traits(type).bitsPerWeight(); };
        QVERIFY(std::ranges::is_sorted(types, std::greater(), bits));
        for (const GgmlType type : types)
            QVERIFY(quantizer(type));
        QVERIFY(!quantizer(GgmlType::IQ2_XXS));
        QVERIFY(!quantizer(GgmlType::I32));
        QVERIFY(!quantizer(static_cast<GgmlType>(4711)));
    }

    void goldenBytesAndErrors()
    {
        const auto table = test::quantizeGolden(test::dataPath(QStringLiteral("golden/golden-small.gguf")));
        QCOMPARE(table.size(), std::size_t{21});
        for (const test::GoldenQuantized &row : table) {
            QVERIFY2(!row.mustMatch || row.differingBytes == 0, row.summary().c_str());
            QVERIFY2(row.worstRatio() <= 1.0, row.summary().c_str());
        }
    }

    void blocksDoNotDependOnTheirNumber_data() { addTypes(); }
    void blocksDoNotDependOnTheirNumber()
    {
        QFETCH(GgmlType, type);
        const TypeTraits &t = traits(type);
        const std::vector<float> weights = gaussian(19 * t.blockSize);
        const std::vector<std::byte> whole = encode(type, weights);
        for (const std::size_t n : {0, 1, 2, 3, 5, 16, 17, 18}) {
            std::vector<std::byte> part(n * t.blockBytes + 1, std::byte{0xa5});
            quantizer(type)(weights.data(), part.data(), n);
            QVERIFY(std::equal(part.begin(), part.end() - 1, whole.begin()));
            QCOMPARE(part.back(), std::byte{0xa5});
        }
    }

    void unalignedPlacesGiveTheSame_data() { addTypes(); }
    void unalignedPlacesGiveTheSame()
    {
        QFETCH(GgmlType, type);
        const TypeTraits &t = traits(type);
        const std::vector<float> weights = gaussian(2 * t.blockSize);
        const std::vector<std::byte> expected = encode(type, weights);
        std::vector<float> shiftedWeights(weights.size() + 1);
        std::ranges::copy(weights, shiftedWeights.begin() + 1);
        std::vector<std::byte> shifted(expected.size() + 1);
        quantizer(type)(shiftedWeights.data() + 1, shifted.data() + 1, 2);
        QVERIFY(std::equal(expected.begin(), expected.end(), shifted.begin() + 1));
    }

    /// Whatever vectors the machine has, the file comes out the same.
    void everyTargetGivesTheSameBytes_data() { addTypes(); }
    void everyTargetGivesTheSameBytes()
    {
        QFETCH(GgmlType, type);
        const std::vector<float> weights = mixedWeights();
        const auto best = encode(type, weights);
        const auto targets = hwy::SupportedAndGeneratedTargets();
        for (const std::int64_t target : targets) {
            hwy::SetSupportedTargetsForTest(target);
            QVERIFY2(encode(type, weights) == best, hwy::TargetName(target));
        }
        hwy::SetSupportedTargetsForTest(HWY_STATIC_TARGET);
        QVERIFY2(encode(type, weights) == best, hwy::TargetName(HWY_STATIC_TARGET));
    }

    void zerosStayZero_data() { addTypes(); }
    void zerosStayZero()
    {
        QFETCH(GgmlType, type);
        const auto decoded = decode(type, encode(type, std::vector<float>(3 * MostBlock)));
        QVERIFY(std::ranges::all_of(decoded, [](float w) { return w == 0.0f; }));
        // Between other blocks too.
        std::vector<float> weights = gaussian(3 * MostBlock);
        std::fill_n(weights.begin() + MostBlock, MostBlock, 0.0f);
        const auto mixed = decode(type, encode(type, weights));
        QVERIFY(std::all_of(mixed.begin() + MostBlock, mixed.begin() + 2 * MostBlock,
                            [](float w) { return w == 0.0f; }));
    }

    /// Decoding and encoding again changes no value: the largest weight names the scale again.
    void requantizingKeepsTheValues_data()
    {
        QTest::addColumn<GgmlType>("type");
        for (const GgmlType type : {GgmlType::F32, GgmlType::F16, GgmlType::BF16, GgmlType::Q4_0,
                                    GgmlType::Q5_0, GgmlType::Q8_0, GgmlType::MXFP4, GgmlType::NVFP4,
                                    GgmlType::TQ1_0, GgmlType::TQ2_0, GgmlType::Q1_0, GgmlType::Q2_0})
            QTest::newRow(nameOf(type).constData()) << type;
    }
    void requantizingKeepsTheValues()
    {
        QFETCH(GgmlType, type);
        const auto once = decode(type, encode(type, gaussian(16 * MostBlock)));
        const auto twice = decode(type, encode(type, once));
        QCOMPARE(twice, once);
    }

    void searchedTypesBeatTheObviousScale()
    {
        const std::vector<float> weights = gaussian(64 * MostBlock);
        const auto atMost = [&](GgmlType type, double error) {
            const double found = relativeError(type, weights);
            QVERIFY2(found < error, (nameOf(type) + ' ' + QByteArray::number(found)).constData());
        };
        atMost(GgmlType::Q6_K, 0.0170);
        atMost(GgmlType::Q5_K, 0.0350);
        atMost(GgmlType::Q4_K, 0.0705);
        atMost(GgmlType::IQ4_NL, 0.0745);
        atMost(GgmlType::IQ4_XS, 0.0750);
        atMost(GgmlType::NVFP4, 0.0900);
        atMost(GgmlType::Q3_K, 0.1450);
        atMost(GgmlType::Q2_K, 0.2620);
    }

    /// The error of a block does not depend on the unit its weights are in, as long as halves hold the scale.
    void anyMagnitudeIsFine_data() { addTypes(); }
    void anyMagnitudeIsFine()
    {
        QFETCH(GgmlType, type);
        const bool isBounded = type == GgmlType::NVFP4; // its scales span 2^-10 to 224, with three digits
        const double expected = relativeError(type, gaussian(8 * MostBlock));
        for (const float factor : {0x1p-4f, 0x1p4f, 0x1p9f, 0x1p14f}) {
            if (isBounded && factor != 0x1p4f)
                continue;
            std::vector<float> weights = gaussian(8 * MostBlock);
            for (float &w : weights)
                w *= factor;
            const double found = relativeError(type, weights);
            // Small scales are subnormal halves, with fewer digits: a little better or worse.
            QVERIFY2(found <= 1.02 * expected + 1e-9, qPrintable(QString::number(found / expected)));
        }
    }

    /// Tiny, subnormal and enormous weights, single outliers, alternating extremes: nothing but finite
    /// numbers, or a scale that scaleOverflows() tells of.
    void extremesAreFiniteOrReported_data() { addTypes(); }
    void extremesAreFiniteOrReported()
    {
        QFETCH(GgmlType, type);
        constexpr float Largest = std::numeric_limits<float>::max();
        for (const float size : {1e-45f, 1e-41f, 1e-38f, 1e-30f, 1e-9f, 6e-8f, 1e3f, 7e4f, 1e7f, 1e30f, Largest}) {
            std::vector<std::vector<float>> inputs(4, std::vector<float>(MostBlock, 0.0f));
            inputs[0][77] = size;
            inputs[1].assign(MostBlock, -size);
            for (std::size_t i = 0; i < MostBlock; ++i) {
                inputs[2][i] = i % 2 ? size : -size;
                inputs[3][i] = size * (static_cast<float>(i) / 256.0f);
            }
            for (const auto &weights : inputs) {
                const auto bytes = encode(type, weights);
                const auto decoded = decode(type, bytes);
                const bool finite = std::ranges::all_of(decoded, [](float w) { return std::isfinite(w); });
                QVERIFY2(finite || scaleOverflows(type, bytes), qPrintable(QString::number(double(size))));
            }
        }
    }

    void overflowingScalesAreReported()
    {
        std::vector<float> weights(MostBlock, 0.25f);
        for (const GgmlType type : quantizableTypes())
            QVERIFY(!scaleOverflows(type, encode(type, weights)));
        weights[3] = 1e7f;
        QVERIFY(scaleOverflows(GgmlType::Q8_0, encode(GgmlType::Q8_0, weights)));
        QVERIFY(scaleOverflows(GgmlType::F16, encode(GgmlType::F16, weights)));
        QVERIFY(!scaleOverflows(GgmlType::BF16, encode(GgmlType::BF16, weights)));
        QVERIFY(!scaleOverflows(GgmlType::MXFP4, encode(GgmlType::MXFP4, weights)));
        QVERIFY(!scaleOverflows(GgmlType::IQ2_XXS, {}));
        weights[3] = -1e12f;
        for (const GgmlType type : {GgmlType::Q4_1, GgmlType::Q5_1, GgmlType::Q2_K, GgmlType::Q4_K,
                                    GgmlType::Q5_K, GgmlType::Q6_K, GgmlType::IQ4_XS, GgmlType::TQ1_0})
            QVERIFY2(scaleOverflows(type, encode(type, weights)), nameOf(type).constData());
    }

    /// The type with the most levels that stores its scale plainly: halves round away from zero.
    void halvesRoundAwayFromZero()
    {
        std::vector<float> weights(32);
        weights[0] = 127;
        for (std::size_t i = 1; i < 32; ++i) {
            const float half = static_cast<float>(i * 4) - 0.5f;
            const float below = std::nextafter(half, 0.0f);
            weights[i] = (i % 2 ? 1.0f : -1.0f) * (i % 4 < 2 ? half : below);
        }
        const auto decoded = decode(GgmlType::Q8_0, encode(GgmlType::Q8_0, weights));
        for (std::size_t i = 0; i < 32; ++i)
            QCOMPARE(decoded[i], std::round(weights[i]));
    }
};

QTEST_APPLESS_MAIN(QuantizeTest)
#include "tst_quantize.moc"
