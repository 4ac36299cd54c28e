// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/app/exportreader.h"
#include "tests/support/ggufbuilder.h"
#include "tests/support/testdata.h"

#include <QDir>
#include <QElapsedTimer>
#include <QTemporaryDir>

#include <signal.h>
#include <unistd.h>

using namespace ql;
using namespace ql::test;

namespace {

QString sample() { return QStringLiteral(QL_SOURCE_DIR "/resources/sample/tiny-moe-Q4_K_M.gguf"); }
QString caseFile(const char *name) { return dataPath(QStringLiteral("cases/") + QLatin1String(name)); }
QString shard(int i)
{
    return dataPath(QStringLiteral("models/tiny-moe-Q4_K_M-split-0000%1-of-00003.gguf").arg(i));
}

QByteArray contents(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("(missing)");
}

} // namespace

class CliExportTest : public QObject
{
    Q_OBJECT

    QTemporaryDir m_dir;

    QString path(const char *name) const { return m_dir.filePath(QString::fromUtf8(name)); }
    QStringList everything() const
    {
        return QDir(m_dir.path()).entryList(QDir::Files | QDir::Hidden | QDir::System);
    }

    /// A model of one big F32 tensor that takes seconds to export and no room on the disk.
    QString bigModel()
    {
        const QString big = path("big.gguf");
        GgufBuilder builder;
        builder.meta("general.architecture", "llama").tensorRaw("w", 0, {1u << 15, 1u << 15}, QByteArray(32, '\0'));
        writeFile(big, builder.bytes());
        QFile file(big);
        return file.resize((qint64(4) << 30) + file.size() - 32) ? big : QString();
    }

private slots:
    void cleanup()
    {
        for (const QString &name : everything())
            QFile::remove(m_dir.filePath(name));
    }

    void everyTypeOfTheCasesReadsBack_data()
    {
        QTest::addColumn<QString>("file");
        for (const char *name : {"deq_q4_q5_q8", "deq_q2k_q4k_q6k", "deq_mxfp4", "deq_iq4", "deq_bf16", "deq_ints_f64",
                                 "deq_grid_iq2xxs_iq3xxs_iq1s", "big_endian_f32", "csv_precision", "dims_0_scalar"})
            QTest::newRow(name) << caseFile((QByteArray(name) + ".gguf").constData());
    }

    void everyTypeOfTheCasesReadsBack()
    {
        QFETCH(QString, file);
        const QJsonArray tensors = runCli("info --json %1", file).json()[QStringLiteral("tensors")].toArray();
        QVERIFY(!tensors.isEmpty());
        for (const auto &tensor : tensors)
            compareExports(file, tensor.toObject());
    }

    void integersAreIntegersAndDoublesDoubles()
    {
        const QString file = caseFile("deq_ints_f64.gguf");
        for (const auto &tensor : runCli("info --json %1", file).json()[QStringLiteral("tensors")].toArray()) {
            const QString type = tensor[QStringLiteral("type")].toString();
            const QByteArray csv = runCli("export %1 %2 -o -", file, tensor[QStringLiteral("name")].toString()).out;
            QVERIFY(!csv.isEmpty());
            if (type.startsWith(QLatin1Char('I')))
                QVERIFY2(!csv.contains('.') && !csv.contains('e'), csv.constData());
        }
    }

    void theLongLayoutNumbersExpertsRowsAndColumns()
    {
        const CliRun run = runCli("export %1 blk.0.ffn_up_exps.weight --layout long --rows 255:257 -o -", sample());
        QCOMPARE(run.code, 0);
        const QList<QByteArray> lines = run.out.split('\n');
        QCOMPARE(lines.size(), 1 + 2 * 256 + 1);
        QCOMPARE(lines[0], "expert,row,column,value");
        QVERIFY(lines[1].startsWith("0,255,0,"));
        QVERIFY(lines[256].startsWith("0,255,255,"));
        QVERIFY(lines[257].startsWith("1,0,0,"));
        const QByteArray one = runCli("export %1 blk.0.ffn_up_exps.weight --layout long --expert 1 --rows :1 -o -", sample()).out;
        QVERIFY(one.startsWith("row,column,value\n0,0,"));
        QCOMPARE(one.mid(one.indexOf('\n') + 1).split('\n')[5], lines[262].mid(2));
    }

    void anExpertIsItsRowsOfTheWhole()
    {
        const QByteArray whole = runCli("export %1 blk.1.ffn_down_exps.weight --rows 768:1024 -o -", sample()).out;
        const QByteArray third = runCli("export %1 blk.1.ffn_down_exps.weight --expert 3 -o -", sample()).out;
        QCOMPARE(third.count('\n'), 256);
        QVERIFY(whole == third);
        QVERIFY(runCli("export %1 blk.1.ffn_down_exps.weight --expert 3 --rows -6: -o -", sample()).out
                == third.mid(third.indexOf(third.split('\n')[250])));
        const NpyFile npy = readNpy(runCli("export %1 blk.1.ffn_down_exps.weight --expert 3 --format npy -o -", sample()).out);
        QCOMPARE(npy.shape, (QList<qint64>{256, 256}));
    }

    void shapesOfArraysAreNumpys()
    {
        const auto shape = [](const char *line) { return readNpy(runCli(line, sample()).out).shape; };
        QCOMPARE(shape("export %1 blk.0.ffn_up_exps.weight --format npy -o -"), (QList<qint64>{8, 256, 256}));
        QCOMPARE(shape("export %1 token_embd.weight --format npy -o -"), (QList<qint64>{384, 256}));
        QCOMPARE(shape("export %1 output_norm.weight --format npy -o -"), (QList<qint64>{256}));
        QCOMPARE(shape("export %1 token_embd.weight --rows 3:7 --format npy -o -"), (QList<qint64>{4, 256}));
        QCOMPARE(shape("export %1 token_embd.weight --rows 7:3 --format npy -o -"), (QList<qint64>{0, 256}));
    }

    void rawIsTheFilesOwnBytes()
    {
        const QJsonValue tensor = runCli("info --json %1", sample()).json()[QStringLiteral("tensors")][4];
        const CliRun run = runCli("export %1 %2 -o %3", sample(), tensor[QStringLiteral("name")].toString(), path("w.raw"));
        QCOMPARE(run.code, 0);
        const QByteArray file = contents(sample());
        const QByteArray bytes = file.mid(tensor[QStringLiteral("offset")].toInteger(), tensor[QStringLiteral("bytes")].toInteger());
        QVERIFY(contents(path("w.raw")) == bytes);
        const QByteArray row = runCli("export %1 %2 --format raw --rows 1:2 -o -", sample(), tensor[QStringLiteral("name")].toString()).out;
        QVERIFY(row == bytes.mid(210, 210)); // a row is one block of Q6_K
    }

    void theSameBytesForAnyNumberOfThreads()
    {
        const QByteArray one = runCli("export %1 blk.0.ffn_up_exps.weight --threads 1 -o -", sample()).out;
        QVERIFY(one.size() > 1000000);
        QVERIFY(runCli("export %1 blk.0.ffn_up_exps.weight --threads 5 -o -", sample()).out == one);
    }

    void aGermanLocaleChangesNothing()
    {
        QProcessEnvironment german = QProcessEnvironment::systemEnvironment();
        for (const char *name : {"LC_ALL", "LC_NUMERIC", "LANG"})
            german.insert(QLatin1String(name), QStringLiteral("de_DE.UTF-8"));
        const QStringList words{QStringLiteral("export"), caseFile("csv_precision.gguf"), QStringLiteral("w"), QStringLiteral("-o"), QStringLiteral("-")};
        QStringList named = words;
        named[2] = runCli("info --json %1", words[1]).json()[QStringLiteral("tensors")][0][QStringLiteral("name")].toString();
        const CliRun run = runCli(named, german);
        QCOMPARE(run.code, 0);
        QVERIFY(run.out.contains("0.1,"));
        QVERIFY(run.out == runCli(named).out);
    }

    void anExistingOutputIsRefused()
    {
        writeFile(path("out.csv"), "mine");
        const CliRun refused = runCli("export %1 output_norm.weight -o %2", sample(), path("out.csv"));
        QCOMPARE(refused.code, 2);
        QVERIFY(refused.err.contains("--force"));
        QCOMPARE(contents(path("out.csv")), "mine");
        QCOMPARE(runCli("export %1 output_norm.weight --force -o %2", sample(), path("out.csv")).code, 0);
        QVERIFY(contents(path("out.csv")).startsWith("1.0009997,"));
        QCOMPARE(everything().size(), 1);
    }

    void anInputIsNeverAnOutput()
    {
        for (const int i : {1, 2, 3})
            QVERIFY(QFile::copy(shard(i), m_dir.filePath(QFileInfo(shard(i)).fileName())));
        const QString first = m_dir.filePath(QFileInfo(shard(1)).fileName());
        const QString second = m_dir.filePath(QFileInfo(shard(2)).fileName());
        QVERIFY(QFile::link(second, path("soft")));
        QVERIFY(::link(second.toUtf8(), path("hard").toUtf8()) == 0);
        const QByteArray before = contents(second);
        for (const QString &out : {first, second, path("soft"), path("hard")}) {
            const CliRun run = runCli("export %1 output_norm.weight --force -o %2", first, out);
            QCOMPARE(run.code, 2);
            QVERIFY2(run.err.contains("is an input"), run.err.constData());
        }
        QVERIFY(contents(second) == before);
    }

    void wrongUse_data()
    {
        QTest::addColumn<int>("code");
        QTest::addColumn<QByteArray>("hint");
        const auto row = [](const char *line, int code, const char *hint) {
            QTest::newRow(line) << code << QByteArray(hint);
        };
        row("export %1 output_norm.weight", 2, "'-o OUT' is missing");
        row("export %1 -o -", 2, "something is missing");
        row("export %1 output_norm.weigh -o -", 2, "did you mean 'output_norm.weight'");
        row("export %1 blk.*.weight -o -", 2, "no tensor 'blk.*.weight'");
        row("export %1 output_norm.weight --expert 0 -o -", 2, "has no experts");
        row("export %1 blk.0.ffn_up_exps.weight --expert 8 -o -", 2, "experts 0 to 7");
        row("export %1 output_norm.weight --rows 1 -o -", 2, "takes A:B");
        row("export %1 output_norm.weight --format txt -o -", 2, "csv, npy or raw");
        row("export %1 output_norm.weight --layout wide -o -", 2, "matrix or long");
        row("export %1 output_norm.weight --format npy --layout long -o -", 2, "csv alone");
        row("export %1 output_norm.weight -o /nowhere/x.csv", 3, "No such file or directory");
        row("export /nowhere/x.gguf w -o -", 3, "/nowhere/x.gguf");
    }

    void wrongUse()
    {
        QFETCH(int, code);
        QFETCH(QByteArray, hint);
        const CliRun run = runCli(QTest::currentDataTag(), sample());
        QCOMPARE(run.code, code);
        QVERIFY2(run.err.contains(hint), run.err.constData());
        QVERIFY(run.out.isEmpty());
    }

    void whatCannotBeDecodedExitsWith3AndLeavesNothing()
    {
        const QString file = caseFile("type_99_unknown.gguf");
        QString name;
        for (const auto &tensor : runCli("info --json %1", file).json()[QStringLiteral("tensors")].toArray()) {
            if (tensor[QStringLiteral("type_id")].toInt() == 99)
                name = tensor[QStringLiteral("name")].toString();
        }
        for (const char *format : {"csv", "npy", "raw"}) {
            const CliRun run = runCli("export %1 %2 --format %3 -o %4", file, name, QLatin1String(format), path("out"));
            QCOMPARE(run.code, 3);
            QVERIFY(!run.err.isEmpty());
            QCOMPARE(everything(), QStringList());
        }
    }

    void ctrlCStopsAndLeavesNothing()
    {
        const QString big = bigModel();
        QVERIFY(!big.isEmpty());
        QProcess process;
        startCli(process, {QStringLiteral("export"), big, QStringLiteral("w"), QStringLiteral("-o"), path("out.csv")});
        QVERIFY(process.waitForStarted());
        QTest::qWait(300);
        QCOMPARE(process.state(), QProcess::Running);
        QElapsedTimer timer;
        timer.start();
        ::kill(static_cast<pid_t>(process.processId()), SIGINT);
        const CliRun run = finishCli(process);
        QCOMPARE(run.code, 130);
        QVERIFY(timer.elapsed() < 3000);
        QVERIFY(run.err.contains("stopped"));
        QCOMPARE(everything(), QStringList{QStringLiteral("big.gguf")});
    }

    void aKillLeavesNoFileUnderTheName()
    {
        const QString big = bigModel();
        QProcess process;
        startCli(process, {QStringLiteral("export"), big, QStringLiteral("w"), QStringLiteral("-o"), path("out.npy")});
        QVERIFY(process.waitForStarted());
        QTest::qWait(300);
        QCOMPARE(process.state(), QProcess::Running);
        process.kill();
        process.waitForFinished();
        QVERIFY(!everything().contains(QStringLiteral("out.npy")));
    }

    void aFileThatShrinksMeanwhileIsAnError()
    {
        const QString big = bigModel();
        QProcess process;
        startCli(process, {QStringLiteral("export"), big, QStringLiteral("w"), QStringLiteral("-o"), path("out.csv")});
        QVERIFY(process.waitForStarted());
        QTest::qWait(300);
        QCOMPARE(process.state(), QProcess::Running);
        QVERIFY(QFile::resize(big, 100000));
        const CliRun run = finishCli(process);
        QCOMPARE(run.code, 3);
        QVERIFY2(run.err.contains("changed"), run.err.constData());
        QCOMPARE(everything(), QStringList{QStringLiteral("big.gguf")});
    }
};

QL_CLI_TEST_MAIN(CliExportTest)
#include "tst_cli_export.moc"
