// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/deepcheck.h"
#include "tests/support/ggufbuilder.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <limits>

using namespace ql;
using namespace ql::test;

namespace {

constexpr float NaN = std::numeric_limits<float>::quiet_NaN();
constexpr float Inf = std::numeric_limits<float>::infinity();

/// What a plain loop over the same weights finds.
DeepReport expectedReport(const std::vector<float> &weights, std::size_t columns)
{
    DeepReport report;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        if (std::isnan(weights[i]))
            report.nan.add(i);
        if (std::isinf(weights[i]))
            report.inf.add(i);
    }
    for (std::size_t row = 0; row < weights.size() / columns; ++row) {
        const auto first = weights.begin() + static_cast<std::ptrdiff_t>(row * columns);
        if (std::all_of(first, first + static_cast<std::ptrdiff_t>(columns), [](float w) { return w == 0; }))
            report.zeroRows.add(row);
    }
    return report;
}

} // namespace

class DeepCheckTest : public QObject
{
    Q_OBJECT

    QTemporaryDir m_dir;

    GgufModelPtr modelOf(const GgufBuilder &builder)
    {
        const QString path = m_dir.filePath(QStringLiteral("m.gguf"));
        builder.writeTo(path);
        return openOrFail(path);
    }

private slots:
    void rowsMayBeCutByGroupsAndTiles_data()
    {
        QTest::addColumn<int>("columns");
        QTest::addColumn<int>("rows");
        QTest::newRow("short rows") << 7 << 400000;
        QTest::newRow("a row is a group") << (1 << 20) << 3;
        QTest::newRow("a row is more than a group") << (1 << 20) + 4321 << 3;
        QTest::newRow("a row is several groups") << 2500000 << 2;
    }

    void rowsMayBeCutByGroupsAndTiles()
    {
        QFETCH(int, columns);
        QFETCH(int, rows);
        std::vector<float> weights(static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows), 0.0f);
        weights[weights.size() / 2 + 17] = 1.0f;  // one row is not zero
        weights[weights.size() - 1] = NaN;        // nor is the last
        weights[weights.size() - 2] = -Inf;
        const auto model = modelOf(GgufBuilder().meta("general.architecture", "llama").floats(
            "w", {static_cast<std::uint64_t>(columns), static_cast<std::uint64_t>(rows)}, weights));
        const DeepReport expected = expectedReport(weights, static_cast<std::size_t>(columns));
        for (const unsigned threads : {1u, 4u}) {
            const auto report = deepCheck(*TensorView::ofTensor(model, {0}), {threads, false});
            QVERIFY(report);
            QVERIFY(report->nan == expected.nan);
            QVERIFY(report->inf == expected.inf);
            QCOMPARE(report->zeroRows.count, expected.zeroRows.count);
            QVERIFY(report->zeroRows == expected.zeroRows);
            QCOMPARE(report->zeroBlocks.count, 0u); // a plain type's block is one weight
        }
    }

    void zeroBlocksOfQuantizedTypes()
    {
        QByteArray data(34 * 6, '\0');
        for (const int block : {0, 2, 3}) { // three of six blocks have a weight
            data[34 * block + 1] = 0x3c;      // d = 1
            data[34 * block + 2 + 5] = 7;
        }
        const auto model = modelOf(GgufBuilder().meta("general.architecture", "llama")
                                       .tensor("w", GgmlType::Q8_0, {64, 3}, data));
        const auto view = TensorView::ofTensor(model, {0});
        const auto report = deepCheck(*view, {});
        QCOMPARE(report->zeroBlocks.count, 3u);
        QCOMPARE(report->zeroBlocks.first, 1u);
        QCOMPARE(report->zeroRows.count, 1u);
        QCOMPARE(report->zeroRows.first, 2u);
        const auto findings = deepFindings(*view, *report);
        QCOMPARE(findings.size(), 2u);
        QCOMPARE(findings[0].code, "zero-blocks");
        QCOMPARE(findings[0].severity, Severity::Info);
        QCOMPARE(*findings[0].offset, *model->tensor({0}).absoluteOffset + 34);
    }

    void findingsNameBlockAndElement()
    {
        std::vector<float> weights(100, 1.0f);
        weights[42] = NaN;
        weights[43] = Inf;
        const auto model = modelOf(GgufBuilder().meta("general.architecture", "llama").floats("w", {10, 10}, weights));
        const auto view = TensorView::ofTensor(model, {0});
        const auto findings = deepFindings(*view, *deepCheck(*view, {}));
        QCOMPARE(findings.size(), 2u);
        QCOMPARE(findings[0].code, "nan-weights");
        QCOMPARE(findings[0].severity, Severity::Error);
        QCOMPARE(findings[0].field, "w");
        QVERIFY(findings[0].message.find("row 4, column 2 (block 42, element 0 of it)") != std::string::npos);
        QCOMPARE(findings[1].code, "inf-weights");
    }

    void doublesBeyondFloatAreFinite()
    {
        GgufBuilder builder;
        const double values[] = {1e300, 0.0, 1e-300};
        builder.meta("general.architecture", "llama")
            .tensor("w", GgmlType::F64, {1, 3}, QByteArray(reinterpret_cast<const char *>(values), sizeof values));
        const auto report = deepCheck(*TensorView::ofTensor(modelOf(builder), {0}), {});
        QCOMPARE(report->inf.count, 0u);
        QCOMPARE(report->zeroRows.count, 1u);
        QCOMPARE(report->zeroRows.first, 1u);
    }

    void stoppedIsNotAResult()
    {
        const auto model = modelOf(GgufBuilder().meta("general.architecture", "llama")
                                       .tensor("w", GgmlType::F32, {4096, 1024}));
        std::stop_source source;
        source.request_stop();
        QCOMPARE(deepCheck(*TensorView::ofTensor(model, {0}), {}, source.get_token()).error().code, StoppedCode);
    }
};

QTEST_APPLESS_MAIN(DeepCheckTest)
#include "tst_deepcheck.moc"
