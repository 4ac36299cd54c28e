// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/app/statsreference.h"
#include "tests/support/ggufbuilder.h"
#include "tests/support/testdata.h"

#include <QSet>
#include <QTemporaryDir>

using namespace ql;
using namespace ql::test;

namespace {

QString sample() { return QStringLiteral(QL_SOURCE_DIR "/resources/sample/tiny-moe-Q4_K_M.gguf"); }
QString caseFile(const char *name) { return dataPath(QStringLiteral("cases/") + QLatin1String(name)); }

QJsonObject firstTensor(const CliRun &run) { return run.json()[QStringLiteral("tensors")][0].toObject(); }

qint64 sumOf(const QJsonValue &counts)
{
    qint64 sum = 0;
    for (const auto &count : counts.toArray())
        sum += count.toInteger();
    return sum;
}

} // namespace

class CliStatsTest : public QObject
{
    Q_OBJECT

private slots:
    void agreesWithTheIndependentFigures_data()
    {
        QTest::addColumn<QString>("model");
        QTest::addColumn<QString>("reference");
        const auto row = [](const QString &model, const char *name) {
            QTest::newRow(name) << model << dataPath(QStringLiteral("models/tiny-moe-%1.stats.json").arg(QLatin1String(name)));
        };
        row(sample(), "Q4_K_M");
        row(dataPath(QStringLiteral("models/tiny-moe-Q2_K.gguf")), "Q2_K");
        row(dataPath(QStringLiteral("models/tiny-moe-IQ2_XS.gguf")), "IQ2_XS");
    }

    void agreesWithTheIndependentFigures()
    {
        QFETCH(QString, model);
        QFETCH(QString, reference);
        compareStats(model, reference);
    }

    void theSameBytesForAnyNumberOfThreads()
    {
        const CliRun one = runCli("stats --json --experts --threads 1 %1", sample());
        QCOMPARE(one.code, 0);
        QVERIFY(one.out.size() > 10000);
        QVERIFY(runCli("stats --json --experts --threads 3 %1", sample()).out == one.out);
        const CliRun together = runCli("stats --json --threads 1 %1", sample()); // all tensors as one job
        QCOMPARE(together.code, 0);
        QVERIFY(together.out.size() > 10000);
        for (const char *threads : {"2", "3", "8"})
            QVERIFY(runCli("stats --json --threads %1 %2", QLatin1String(threads), sample()).out == together.out);
    }

    void everyKeyOfTheContract()
    {
        const QJsonObject tensor = firstTensor(
            runCli("stats --json --experts --tensor blk.1.ffn_up_exps.weight %1", sample()));
        for (const char *key : {"name", "type", "shape", "count", "nan", "inf", "zeros", "min", "max", "absmax", "mean",
                                "std", "rms", "mean_abs", "kurtosis", "percentiles", "histogram", "experts"})
            QVERIFY2(tensor.contains(QLatin1String(key)), key);
        for (const char *key : {"p0.1", "p1", "p25", "p50", "p75", "p99", "p99.9"})
            QVERIFY2(tensor[QStringLiteral("percentiles")].toObject().contains(QLatin1String(key)), key);
        QVERIFY(!tensor.contains(QLatin1String("expert")));
    }

    void expertHistogramsAddUpToTheTensors()
    {
        const QJsonObject tensor = firstTensor(
            runCli("stats --json --experts --bins 100 --tensor blk.1.ffn_up_exps.weight %1", sample()));
        const QJsonArray whole = tensor[QStringLiteral("histogram")][QStringLiteral("counts")].toArray();
        QCOMPARE(whole.size(), 100);
        QCOMPARE(sumOf(whole), 524288);
        const QJsonArray experts = tensor[QStringLiteral("experts")].toArray();
        QCOMPARE(experts.size(), 8);
        for (int bin = 0; bin < 100; ++bin) {
            qint64 sum = 0;
            for (const auto &expert : experts)
                sum += expert[QStringLiteral("histogram")][QStringLiteral("counts")][bin].toInteger();
            QCOMPARE(sum, whole[bin].toInteger());
        }
        QCOMPARE(experts[3][QStringLiteral("histogram")][QStringLiteral("lo")], tensor[QStringLiteral("min")]);
    }

    void oneExpertHasItsOwnRangeAndTheSameMoments()
    {
        const QJsonObject one = firstTensor(
            runCli("stats --json --expert 5 --tensor blk.1.ffn_up_exps.weight %1", sample()));
        QCOMPARE(one[QStringLiteral("expert")].toInt(-1), 5);
        QCOMPARE(one[QStringLiteral("shape")].toArray(), (QJsonArray{256, 256}));
        QCOMPARE(one[QStringLiteral("histogram")][QStringLiteral("lo")], one[QStringLiteral("min")]);
        const QJsonObject all = firstTensor(
            runCli("stats --json --experts --tensor blk.1.ffn_up_exps.weight %1", sample()));
        const QJsonValue fifth = all[QStringLiteral("experts")][5];
        for (const char *key : {"count", "zeros", "min", "max", "absmax"})
            QCOMPARE(one[QLatin1String(key)], fifth[QLatin1String(key)]);
        QVERIFY(qAbs(one[QStringLiteral("std")].toDouble() / fifth[QStringLiteral("std")].toDouble() - 1) < 1e-12);
    }

    void expertWithoutATensorTakesAllExpertTensors()
    {
        const QJsonArray tensors = runCli("stats --json --expert 0 %1", sample()).json()[QStringLiteral("tensors")].toArray();
        QCOMPARE(tensors.size(), 6);
        for (const auto &tensor : tensors)
            QVERIFY(tensor[QStringLiteral("name")].toString().contains(QLatin1String("_exps")));
    }

    void globsChooseInFileOrder()
    {
        QStringList names;
        const CliRun run = runCli("stats --json --tensor output.weight --tensor blk.*.attn_[qk].weight %1", sample());
        for (const auto &tensor : run.json()[QStringLiteral("tensors")].toArray())
            names << tensor[QStringLiteral("name")].toString();
        QCOMPARE(names, (QStringList{QStringLiteral("blk.0.attn_q.weight"), QStringLiteral("blk.0.attn_k.weight"),
                                     QStringLiteral("blk.1.attn_q.weight"), QStringLiteral("blk.1.attn_k.weight"),
                                     QStringLiteral("output.weight")}));
    }

    void aDeadExpertHasZeroStdAndNoKurtosis()
    {
        const QJsonObject dead = firstTensor(
            runCli("stats --json --expert 2 --tensor blk.0.ffn_up_exps.weight %1", sample()));
        QCOMPARE(dead[QStringLiteral("zeros")].toInteger(), 65536);
        QCOMPARE(dead[QStringLiteral("std")].toDouble(-1), 0.0);
        QVERIFY(dead[QStringLiteral("kurtosis")].isNull());
        QCOMPARE(dead[QStringLiteral("histogram")][QStringLiteral("counts")][0].toInteger(), 65536);
    }

    void whatCannotBeDecodedSaysSoAndTheRestIsThere()
    {
        const CliRun run = runCli("stats --json %1", caseFile("type_99_unknown.gguf"));
        QCOMPARE(run.code, 1);
        int errors = 0, figures = 0;
        for (const auto &tensor : run.json()[QStringLiteral("tensors")].toArray()) {
            errors += tensor[QStringLiteral("error")].isString();
            figures += tensor[QStringLiteral("mean")].isDouble();
            QVERIFY(tensor[QStringLiteral("name")].isString());
        }
        QCOMPARE(errors, 1);
        QVERIFY(figures >= 1);
    }

    void nothingFiniteMeansNoFigures()
    {
        const QJsonObject tensor = firstTensor(
            runCli("stats --json --tensor blk.0.ffn_down_exps.weight %1", caseFile("nan_scale_in_expert.gguf")));
        QCOMPARE(tensor[QStringLiteral("nan")].toInteger() + tensor[QStringLiteral("inf")].toInteger(), 64);
        const QJsonObject empty = firstTensor(runCli("stats --json %1", caseFile("dim_zero.gguf")));
        QCOMPARE(empty[QStringLiteral("count")].toInteger(-1), 0);
        QVERIFY(empty[QStringLiteral("mean")].isNull());
        QVERIFY(empty[QStringLiteral("histogram")][QStringLiteral("lo")].isNull());
        QCOMPARE(sumOf(empty[QStringLiteral("histogram")][QStringLiteral("counts")]), 0);
        QCOMPARE(empty[QStringLiteral("histogram")][QStringLiteral("counts")].toArray().size(), 256);
    }

    void narrowRangesHaveDigitsEnough()
    {
        std::vector<float> weights(4096);
        for (std::size_t i = 0; i < weights.size(); ++i)
            weights[i] = 3000.0f + 0.001f * static_cast<float>(i % 100);
        const QTemporaryDir folder;
        const QString file = folder.filePath(QStringLiteral("narrow.gguf"));
        GgufBuilder().floats("narrow", {4096}, weights).floats("same", {64}, std::vector<float>(64, 3000.0f)).writeTo(file);
        const auto labels = [](const CliRun &run) {
            QList<QByteArray> lines = run.out.split('\n');
            QList<QByteArray> first;
            for (qsizetype i = 7; i < lines.size(); ++i)
                if (!lines[i].isEmpty())
                    first << lines[i].simplified().split(' ').first();
            return first;
        };
        const QList<QByteArray> bars = labels(runCli("stats --tensor narrow %1", file));
        QCOMPARE(bars.size(), 32);
        QCOMPARE(QSet<QByteArray>(bars.begin(), bars.end()).size(), 32);
        QCOMPARE(labels(runCli("stats --tensor narrow --bins 10 %1", file)).size(), 10);
        QCOMPARE(labels(runCli("stats --tensor same %1", file)), QList<QByteArray>{"3000"});
    }

    void problemsNameATensorOnce()
    {
        const CliRun all = runCli("stats %1", caseFile("type_99_unknown.gguf"));
        const qsizetype at = all.out.indexOf("tensor '");
        QVERIFY2(at > 0 && all.out[at - 1] == '\n', all.out.constData());
    }

    void tablesForPeopleLineUp()
    {
        const CliRun run = runCli("stats --experts --tensor blk.0.ffn_up_exps.weight %1", sample());
        const QList<QByteArray> lines = run.out.split('\n');
        QVERIFY(lines[0].startsWith("tensor"));
        QVERIFY(lines[1].startsWith("blk.0.ffn_up_exps.weight  Q4_K"));
        QCOMPARE(lines[0].size(), lines[1].size());
        QVERIFY(lines[9].startsWith("  expert 7"));
    }
};

QL_CLI_TEST_MAIN(CliStatsTest)
#include "tst_cli_stats.moc"
