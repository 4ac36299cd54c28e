// SPDX-License-Identifier: GPL-3.0-or-later
// A tensor in another type, in memory, as a model to compare with.

#include "core/stats/candidatemodel.h"

#include "core/output/atomicfile.h"
#include "core/output/convert.h"
#include "core/stats/comparison.h"
#include "tests/support/ggufbuilder.h"
#include "tests/support/testdata.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <limits>

using namespace ql;
using namespace ql::test;
using enum GgmlType;

class CandidateModelTest : public QObject
{
    Q_OBJECT

    GgufModelPtr sample() { return openOrFail(dataPath(QStringLiteral("models/tiny-moe-Q4_K_M-split-00001-of-00003.gguf"))); }

private slots:
    void itsBytesAreThoseThatConvertWrites()
    {
        const auto source = sample();
        const TensorIndex tensor = *source->findTensor("blk.1.ffn_down_exps.weight");
        const auto candidate = candidateModel(source, {tensor, Q3_K});
        QVERIFY2(candidate, candidate ? "" : candidate.error().message.c_str());
        QVERIFY(isInMemory(**candidate) && !isInMemory(*source));

        QTemporaryDir dir;
        const std::string path = dir.filePath(QStringLiteral("out.gguf")).toStdString();
        ConvertRequest request;
        request.choices = {{tensor, Q3_K}};
        const auto plan = planConversion(source, request);
        auto file = AtomicFile::create(path, false, {});
        QVERIFY(plan && file && writePlan(*plan, **file, {}) && (*file)->commit());
        const auto written = openOrFail(QString::fromStdString(path));
        const auto a = TensorView::ofTensor(*candidate, tensor);
        const auto b = TensorView::ofTensor(written, tensor);
        QVERIFY(a && b);
        QVERIFY(std::ranges::equal(a->bytes(), b->bytes()));
        QCOMPARE(a->type().type, Q3_K);
        QCOMPARE(summarizeCandidate(**candidate, *summarize(*source))->totals.bytes, summarize(*written)->totals.bytes);
    }

    void itComparesAsAFileWould()
    {
        const auto source = sample();
        const TensorIndex tensor = *source->findTensor("blk.0.attn_q.weight");
        const auto candidate = candidateModel(source, {tensor, Q2_K});
        QVERIFY(candidate);
        const Pairing pairing = pairTensors(*source, **candidate);
        QCOMPARE(pairing.pairs.size(), source->tensors().size());
        QVERIFY(pairing.onlyA.empty() && pairing.onlyB.empty());
        const auto promised = measureTypes(source, tensor, std::vector{Q2_K});
        for (const TensorPair &pair : pairing.pairs) {
            const auto comparison = comparePair(source, *candidate, pair, {});
            QVERIFY(comparison);
            QCOMPARE((*comparison)->identical, pair.a != tensor);
            if (pair.a == tensor)
                QCOMPARE((*comparison)->sums.sumSqError, promised->front().errors.sumSqError);
        }
    }

    void itOutlivesTheSourceHandle()
    {
        auto source = sample();
        const TensorIndex tensor = *source->findTensor("blk.0.attn_q.weight");
        auto candidate = candidateModel(source, {tensor, Q8_0});
        QVERIFY(candidate);
        source.reset();
        QVERIFY(!(*candidate)->changedOnDisk());
        QVERIFY(TensorView::ofTensor(*candidate, {0}));
    }

    void tooLargeIsRefusedInWords()
    {
        const auto source = sample();
        const TensorIndex tensor = *source->findTensor("blk.0.attn_q.weight");
        const auto refused = candidateModel(source, {tensor, Q8_0}, {1000, false});
        QVERIFY(!refused);
        QCOMPARE(refused.error().code, std::string("out-of-memory"));
        QVERIFY(refused.error().message.find("write a file instead") != std::string::npos);
    }

    void whatCantBeEncodedIsRefused()
    {
        QTemporaryDir dir;
        const QString path = dir.filePath(QStringLiteral("nan.gguf"));
        std::vector<float> weights(512, 1.0f);
        weights[300] = std::numeric_limits<float>::quiet_NaN();
        GgufBuilder().floats("blk.0.ffn_up.weight", {256, 2}, weights).writeTo(path);
        const auto source = openOrFail(path);
        const auto refused = candidateModel(source, {{0}, Q4_K});
        QVERIFY(!refused);
        QVERIFY2(refused.error().message.find("a NaN at element 300") != std::string::npos, refused.error().message.c_str());
        QCOMPARE(candidateModel(source, {{0}, IQ2_XXS}).error().code, std::string(NeedsMatrixCode));
    }

    void aStopIsAStop()
    {
        const auto stop = std::make_unique<std::stop_source>();
        stop->request_stop();
        const auto source = sample();
        const auto stopped = candidateModel(source, {*source->findTensor("blk.0.attn_q.weight"), Q8_0}, {}, stop->get_token());
        QVERIFY(!stopped);
        QCOMPARE(stopped.error().code, std::string(StoppedCode));
    }
};

QTEST_APPLESS_MAIN(CandidateModelTest)
#include "tst_candidatemodel.moc"
