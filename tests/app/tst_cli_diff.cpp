// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/app/comparereference.h"
#include "tests/support/ggufbuilder.h"
#include "tests/support/testdata.h"

#include <QFile>
#include <QSet>
#include <QTemporaryDir>

#include <limits>

using namespace ql;
using namespace ql::test;

namespace {

QString sample() { return QStringLiteral(QL_SOURCE_DIR "/resources/sample/tiny-moe-Q4_K_M.gguf"); }
QString caseFile(const char *name) { return dataPath(QStringLiteral("cases/") + QLatin1String(name)); }
QString modelFile(const char *name) { return dataPath(QStringLiteral("models/") + QLatin1String(name)); }

QStringList names(const QJsonValue &list)
{
    QStringList result;
    for (const auto &entry : list.toArray())
        result << (entry.isString() ? entry.toString() : entry[QStringLiteral("name")].toString());
    return result;
}

} // namespace

class CliDiffTest : public QObject
{
    Q_OBJECT

    QTemporaryDir m_dir;
    QString path(const char *name) const { return m_dir.filePath(QString::fromUtf8(name)); }

private slots:
    void agreesWithTheIndependentFigures()
    {
        compareDiff(sample(), modelFile("tiny-moe-Q2_K.gguf"), modelFile("compare-Q4_K_M-Q2_K.json"));
    }

    void theSplitModelIsTheWholeOne()
    {
        const CliRun run = runCli("diff --json %1 %2", sample(), modelFile("tiny-moe-Q4_K_M-split-00002-of-00003.gguf"));
        QCOMPARE(run.code, 0);
        const QJsonValue totals = run.json()[QStringLiteral("totals")];
        QCOMPARE(totals[QStringLiteral("compared")].toInt(), 29);
        QCOMPARE(totals[QStringLiteral("identical")].toInt(), 29);
        QVERIFY(totals[QStringLiteral("rmse")].isNull());
        const QJsonValue first = run.json()[QStringLiteral("tensors")][0];
        QCOMPARE(first[QStringLiteral("identical")].toBool(), true);
        QCOMPARE(first[QStringLiteral("rmse")].toDouble(-1), 0.0);
        QCOMPARE(first[QStringLiteral("relative_rmse")].toDouble(-1), 0.0);
        QVERIFY(first[QStringLiteral("cosine")].isNull());
        QVERIFY(first[QStringLiteral("sqnr_db")].isNull());
    }

    void aReportIsWrittenBesides()
    {
        const QString html = m_dir.filePath(QStringLiteral("r.html")), markdown = m_dir.filePath(QStringLiteral("r.md"));
        const CliRun run = runCli("diff --json --report %3 %1 %2", sample(), modelFile("tiny-moe-Q2_K.gguf"), html);
        QCOMPARE(run.code, 1);
        // The JSON is what it is without a report.
        const double error = run.json()[QStringLiteral("totals")][QStringLiteral("relative_rmse")].toDouble();
        QVERIFY(error > 0.1);
        QFile file(html);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray page = file.readAll();
        QVERIFY(page.startsWith("<!DOCTYPE html>"));
        QVERIFY(page.contains(QByteArray::number(error, 'g', 4)));
        // What stands there is not replaced unasked, and nothing was compared in vain.
        QCOMPARE(runCli("diff --report %3 %1 %2", sample(), modelFile("tiny-moe-Q2_K.gguf"), html).code, 2);
        QCOMPARE(runCli("diff --force --report %3 %1 %2", sample(), sample(), html).code, 0);
        QCOMPARE(runCli("diff --report %3 %1 %2", sample(), modelFile("tiny-moe-Q2_K.gguf"), markdown).code, 1);
        QVERIFY(QFile::exists(markdown));
        QCOMPARE(runCli("diff --report r.txt %1 %2", sample(), sample()).code, 2);
        QVERIFY(!QFile::exists(m_dir.filePath(QStringLiteral("r.txt"))));
    }

    void aReportNeverReplacesAnInput()
    {
        const QString copy = m_dir.filePath(QStringLiteral("input.html"));
        QVERIFY(QFile::copy(sample(), copy));
        QCOMPARE(runCli("diff --force --report %1 %1 %2", copy, sample()).code, 2);
        QCOMPARE(QFile(copy).size(), QFile(sample()).size());
    }

    void splitKeysAreListedOnce()
    {
        const CliRun run = runCli("diff --json --metadata-only %1 %2", sample(), modelFile("tiny-moe-Q4_K_M-split-00002-of-00003.gguf"));
        const QStringList onlyB = names(run.json()[QStringLiteral("metadata")][QStringLiteral("only_b")]);
        QCOMPARE(onlyB.filter(QStringLiteral("split.")).size(), 3);
        QCOMPARE(QSet<QString>(onlyB.begin(), onlyB.end()).size(), onlyB.size());
    }

    void unknownTypesAreIdenticalByTheirBytes()
    {
        const QString file = caseFile("type_99_unknown.gguf");
        const CliRun same = runCli("diff --json %1 %1", file);
        QCOMPARE(same.code, 0);
        const QJsonArray tensors = same.json()[QStringLiteral("tensors")].toArray();
        QVERIFY(!tensors.isEmpty());
        for (const auto &tensor : tensors)
            QCOMPARE(tensor[QStringLiteral("identical")].toBool(), true);
        // With another byte in it, it is neither identical nor decoded, but a pair all the same.
        QFile in(file);
        QVERIFY(in.open(QIODevice::ReadOnly));
        QByteArray bytes = in.readAll();
        for (const auto &tensor : runCli("info --json %1", file).json()[QStringLiteral("tensors")].toArray())
            if (tensor[QStringLiteral("type_id")].toInt() == 99)
                bytes[tensor[QStringLiteral("offset")].toInteger()] = static_cast<char>(bytes[tensor[QStringLiteral("offset")].toInteger()] ^ 1);
        writeFile(path("other.gguf"), bytes);
        const CliRun other = runCli("diff --json %1 %2", file, path("other.gguf"));
        QCOMPARE(other.code, 1);
        QCOMPARE(other.json()[QStringLiteral("totals")][QStringLiteral("compared")].toInt(), tensors.size());
        QCOMPARE(other.json()[QStringLiteral("totals")][QStringLiteral("identical")].toInt(), tensors.size() - 1);
        const CliRun text = runCli("diff %1 %2", file, path("other.gguf"));
        QCOMPARE(text.out.count("tensor '"), 1);
    }

    void floatsOfTheMetadataReadAsInInfo()
    {
        GgufBuilder().meta("x.epsilon", 1e-5f).writeTo(path("eps1.gguf"));
        GgufBuilder().meta("x.epsilon", 1e-6f).writeTo(path("eps2.gguf"));
        const CliRun run = runCli("diff %1 %2", path("eps1.gguf"), path("eps2.gguf"));
        QVERIFY2(run.out.contains("1e-05") && run.out.contains("1e-06"), run.out.constData());
    }

    void everyKeyOfTheContract()
    {
        const QJsonObject diff = runCli("diff --json --tensor output_norm.weight --tensor *attn_q.weight %1 %2", sample(),
                                        modelFile("tiny-moe-Q2_K.gguf")).json();
        QCOMPARE(diff.keys().size(), 6);
        for (const char *key : {"metadata", "tensors", "only_a", "only_b", "mismatched", "totals"})
            QVERIFY2(diff.contains(QLatin1String(key)), key);
        const QJsonObject tensor = diff[QStringLiteral("tensors")][0].toObject();
        for (const char *key : {"name", "type_a", "type_b", "shape", "bytes_a", "bytes_b", "identical", "nonfinite", "rmse",
                                "relative_rmse", "max_abs_error", "max_at", "mean_abs_error", "cosine", "sqnr_db"})
            QVERIFY2(tensor.contains(QLatin1String(key)), key);
        QCOMPARE(diff[QStringLiteral("tensors")].toArray().size(), 3);
        QCOMPARE(tensor[QStringLiteral("max_at")].toArray().size(), 2);
        QVERIFY(!tensor.contains(QLatin1String("name_b")));
    }

    void casesComeOutAsWritten_data()
    {
        QTest::addColumn<QJsonObject>("wanted");
        QFile file(caseFile("manifest.json"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        for (const auto &entry : QJsonDocument::fromJson(file.readAll()).object()[QStringLiteral("cases")].toArray()) {
            if (entry[QStringLiteral("compare")].isArray())
                QTest::newRow(entry[QStringLiteral("id")].toString().toUtf8()) << entry.toObject();
        }
    }

    void casesComeOutAsWritten()
    {
        QFETCH(QJsonObject, wanted);
        const auto file = [&](int i) { return dataPath(QStringLiteral("cases/") + wanted[QStringLiteral("compare")][i].toString()); };
        const CliRun run = runCli("diff --json %1 %2", file(0), file(1));
        QVERIFY(run.code == 0 || run.code == 1);
        const QJsonObject expected = wanted[QStringLiteral("expect_compare")].toObject();
        if (expected.contains(QLatin1String("only_in_A")))
            QCOMPARE(names(run.json()[QStringLiteral("only_a")]), names(expected[QStringLiteral("only_in_A")]));
        if (expected.contains(QLatin1String("only_in_B")))
            QCOMPARE(names(run.json()[QStringLiteral("only_b")]), names(expected[QStringLiteral("only_in_B")]));
        const QJsonObject errors = expected[QStringLiteral("max_abs_diff")].toObject();
        for (const QString &name : errors.keys()) {
            for (const auto &tensor : run.json()[QStringLiteral("tensors")].toArray()) {
                if (tensor[QStringLiteral("name")] == name)
                    QVERIFY(qAbs(tensor[QStringLiteral("max_abs_error")].toDouble(-1) - errors[name].toDouble()) < 1e-4);
            }
        }
    }

    void tiedEmbeddingsAreHinted()
    {
        const QJsonObject diff = runCli("diff --json %1 %2", caseFile("cmp_tied_A.gguf"), caseFile("cmp_tied_B.gguf")).json();
        QCOMPARE(diff[QStringLiteral("only_a")][0][QStringLiteral("hint")].toString(), QStringLiteral("tied to token_embd.weight"));
    }

    void metadataAlone()
    {
        const CliRun run = runCli("diff --json --metadata-only %1 %2", caseFile("cmp_meta_A.gguf"), caseFile("cmp_meta_B.gguf"));
        QCOMPARE(run.code, 1);
        QVERIFY(run.json()[QStringLiteral("tensors")].toArray().isEmpty());
        QVERIFY(!run.json()[QStringLiteral("metadata")][QStringLiteral("changed")].toArray().isEmpty());
        // The chosen tensors alone decide; they are equal.
        QCOMPARE(runCli("diff --tensor a.weight %1 %2", caseFile("cmp_meta_A.gguf"), caseFile("cmp_meta_B.gguf")).code, 0);
        QCOMPARE(runCli("diff %1 %1", caseFile("cmp_meta_A.gguf")).code, 0);
    }

    void nonFinitePairsAreCountedAndTheFirstMaximumNamed()
    {
        const float nan = std::numeric_limits<float>::quiet_NaN();
        GgufBuilder().meta("general.architecture", "llama").floats("w", {3, 2}, {1, 2, 3, 4, nan, 6}).writeTo(path("a.gguf"));
        GgufBuilder().meta("general.architecture", "llama").floats("w", {3, 2}, {1, 2, 1, 6, 0, 6}).writeTo(path("b.gguf"));
        const QJsonValue tensor = runCli("diff --json %1 %2", path("a.gguf"), path("b.gguf")).json()[QStringLiteral("tensors")][0];
        QCOMPARE(tensor[QStringLiteral("nonfinite")].toInt(), 1);
        QCOMPARE(tensor[QStringLiteral("max_abs_error")].toDouble(), 2.0);
        QCOMPARE(tensor[QStringLiteral("max_at")].toArray(), (QJsonArray{2, 0}));
        QVERIFY(qAbs(tensor[QStringLiteral("rmse")].toDouble() - std::sqrt(8.0 / 5)) < 1e-12);
        QVERIFY(qAbs(tensor[QStringLiteral("mean_abs_error")].toDouble() - 0.8) < 1e-12);
    }

    void fusedGateUpIsComparedByHalves()
    {
        std::vector<float> gate{1, 2, 3, 4}, up{5, 6, 7, 8}, fused{1, 2, 3, 4, 5, 6, 7, 9};
        GgufBuilder().meta("general.architecture", "llama").floats("blk.0.ffn_gate_up.weight", {2, 4}, fused).writeTo(path("a.gguf"));
        GgufBuilder().meta("general.architecture", "llama").floats("blk.0.ffn_gate.weight", {2, 2}, gate)
            .floats("blk.0.ffn_up.weight", {2, 2}, up).writeTo(path("b.gguf"));
        const QJsonObject diff = runCli("diff --json %1 %2", path("a.gguf"), path("b.gguf")).json();
        const QJsonArray tensors = diff[QStringLiteral("tensors")].toArray();
        QCOMPARE(tensors.size(), 2);
        QCOMPARE(tensors[0][QStringLiteral("part")].toString(), QStringLiteral("gate"));
        QCOMPARE(tensors[0][QStringLiteral("name_b")].toString(), QStringLiteral("blk.0.ffn_gate.weight"));
        QCOMPARE(tensors[0][QStringLiteral("identical")].toBool(), true);
        QCOMPARE(tensors[1][QStringLiteral("shape")].toArray(), (QJsonArray{2, 2}));
        QCOMPARE(tensors[1][QStringLiteral("max_at")].toArray(), (QJsonArray{1, 1}));
        QCOMPARE(tensors[1][QStringLiteral("bytes_a")].toInt(), 16);
        QVERIFY(diff[QStringLiteral("only_b")].toArray().isEmpty());
    }

    void otherShapesAreListedAndWhatCannotBeDecodedSaysSo()
    {
        GgufBuilder().meta("general.architecture", "llama").tensor("w", GgmlType::F32, {2, 3}).writeTo(path("a.gguf"));
        GgufBuilder().meta("general.architecture", "llama").tensor("w", GgmlType::F32, {3, 2}).writeTo(path("b.gguf"));
        const CliRun shapes = runCli("diff --json %1 %2", path("a.gguf"), path("b.gguf"));
        QCOMPARE(shapes.code, 1);
        QCOMPARE(shapes.json()[QStringLiteral("mismatched")][0][QStringLiteral("shape_b")].toArray(), (QJsonArray{3, 2}));
        QVERIFY(shapes.json()[QStringLiteral("tensors")].toArray().isEmpty());
        const CliRun unknown = runCli("diff --json %1 %1", caseFile("types_removed.gguf"));
        QCOMPARE(unknown.code, 1);
        QVERIFY(unknown.json()[QStringLiteral("tensors")][0][QStringLiteral("error")].isString());
    }

    void forkTypesAreIdenticalByTheirBytes()
    {
        // IQ4_K: 144 bytes a 256, not decoded here.
        const QByteArray bytes(144, 'x');
        GgufBuilder().meta("general.architecture", "llama").tensorRaw("w", 139, {256}, bytes).writeTo(path("a.gguf"));
        QCOMPARE(runCli("diff %1 %1", path("a.gguf")).code, 0);
        GgufBuilder().meta("general.architecture", "llama").tensorRaw("w", 139, {256}, QByteArray(144, 'y')).writeTo(path("b.gguf"));
        QCOMPARE(runCli("diff %1 %2", path("a.gguf"), path("b.gguf")).code, 1);
    }

    void wordsForPeople()
    {
        const CliRun run = runCli("diff %1 %2", sample(), modelFile("tiny-moe-Q2_K.gguf"));
        QVERIFY(run.out.startsWith("tensor "));
        QVERIFY(run.out.contains("  Q6_K / Q3_K  "));
        QVERIFY(run.out.contains("general.file_type"));
        QVERIFY(run.out.contains("29 compared, 8 identical"));
        QVERIFY(!run.out.contains("attn_norm"));
        QCOMPARE(runCli("diff %1 %2 --tensor nothing", sample(), sample()).code, 2);
        QCOMPARE(runCli("diff %1", sample()).code, 2);
        QCOMPARE(runCli("diff %1 /nowhere.gguf", sample()).code, 3);
    }
};

QL_CLI_TEST_MAIN(CliDiffTest)
#include "tst_cli_diff.moc"
