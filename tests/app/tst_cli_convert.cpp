// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/shardset.h"
#include "tests/app/clirunner.h"
#include "tests/support/ggufbuilder.h"
#include "tests/support/testdata.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>

#include <unistd.h>

#include <random>

using namespace ql;
using namespace ql::test;

namespace {

QString sample() { return QStringLiteral(QL_SOURCE_DIR "/resources/sample/tiny-moe-Q4_K_M.gguf"); }
QString caseFile(const char *name) { return dataPath(QStringLiteral("cases/") + QLatin1String(name)); }

QStringList typesIn(const QString &path)
{
    QStringList types;
    for (const auto &tensor : runCli("info --json %1", path).json()[QStringLiteral("tensors")].toArray())
        types << tensor[QStringLiteral("type")].toString();
    return types;
}

} // namespace

class CliConvertTest : public QObject
{
    Q_OBJECT

    QTemporaryDir m_dir;
    QString path(const char *name) const { return m_dir.filePath(QString::fromUtf8(name)); }

private slots:
    void initTestCase()
    {
        std::mt19937 random(1);
        std::vector<float> weights(512 * 64);
        for (float &w : weights)
            w = static_cast<float>(random() >> 8) * 0x1p-26f - 0.125f;
        GgufBuilder()
            .meta("general.architecture", "llama")
            .floats("blk.0.attn_norm.weight", {512}, std::vector<float>(512, 1.0f))
            .floats("blk.0.attn_q.weight", {512, 64}, weights)
            .floats("blk.0.attn_k.weight", {512, 64}, weights)
            .writeTo(path("in.gguf"));
    }

    void aDryRunPromisesWhatIsWritten()
    {
        const QString out = path("out.gguf");
        const QJsonObject dry = runCli("convert --dry-run --json --type q4_K --tensor-type attn_k=q6_k %1 %2", path("in.gguf"), out).json();
        QVERIFY(!QFile::exists(out));
        const CliRun run = runCli("convert --json --type q4_K --tensor-type attn_k=q6_k %1 %2", path("in.gguf"), out);
        QCOMPARE(run.code, 0);
        QCOMPARE(run.json(), dry);
        QCOMPARE(typesIn(out), (QStringList{QStringLiteral("F32"), QStringLiteral("Q4_K"), QStringLiteral("Q6_K")}));
        const QJsonObject totals = dry[QStringLiteral("totals")].toObject();
        QCOMPARE(totals[QStringLiteral("size")].toInteger(), QFile(out).size());
        QCOMPARE(totals[QStringLiteral("size_from")].toInteger(), QFile(path("in.gguf")).size());
        const QJsonObject q = dry[QStringLiteral("tensors")].toArray()[1].toObject();
        QCOMPARE(q[QStringLiteral("type_from")].toString(), QStringLiteral("F32"));
        QCOMPARE(q[QStringLiteral("bytes")].toInteger(), 64 * 2 * 144);
        QVERIFY(q[QStringLiteral("relative_rmse")].toDouble() > 0.03 && q[QStringLiteral("relative_rmse")].toDouble() < 0.09);
        QVERIFY(!dry[QStringLiteral("tensors")].toArray()[0].toObject().contains(QStringLiteral("rmse")));
    }

    void peopleGetATable()
    {
        const CliRun run = runCli("convert --dry-run --type Q8_0 %1", path("in.gguf"));
        QCOMPARE(run.code, 0);
        QVERIFY(run.out.contains("blk.0.attn_q.weight"));
        QVERIFY(run.out.contains("become"));
        QVERIFY(run.err.isEmpty());
    }

    void outputsAreNotReplacedUnasked()
    {
        const QString in = path("in.gguf"), out = path("keep.gguf");
        writeFile(out, "precious");
        QCOMPARE(runCli("convert %1 %2", in, out).code, 2);
        QFile kept(out);
        QVERIFY(kept.open(QIODevice::ReadOnly));
        QCOMPARE(kept.readAll(), QByteArray("precious"));
        QCOMPARE(runCli("convert --force %1 %2", in, out).code, 0);
        QCOMPARE(typesIn(out).size(), 3);
    }

    void inputsAreNeverWrittenTo()
    {
        const QString in = path("in.gguf"), link = path("link.gguf"), hard = path("hard.gguf");
        const qint64 size = QFile(in).size();
        QVERIFY(QFile::link(in, link));
        QCOMPARE(::link(QFile::encodeName(in).constData(), QFile::encodeName(hard).constData()), 0);
        for (const QString &out : {in, link, hard})
            QCOMPARE(runCli("convert --force --type q4_0 %1 %2", in, out).code, 2);
        QCOMPARE(QFile(in).size(), size);
        // Nor a shard that was not named.
        const QString first = caseFile("shards3/shards3-00001-of-00003.gguf");
        QCOMPARE(runCli("convert --force %1 %2", first, caseFile("shards3/shards3-00003-of-00003.gguf")).code, 2);
    }

    void shardsAreJoinedAndMetadataSet()
    {
        const QString out = path("joined.gguf");
        const CliRun run = runCli("convert --set general.name=Joined --set a.b:u32=7 %1 %2", caseFile("shards3/shards3-00002-of-00003.gguf"), out);
        QCOMPARE(run.code, 0);
        const QByteArray info = runCli("info --json %1", out).out;
        QVERIFY(info.contains("\"Joined\""));
        QVERIFY(!info.contains("split."));
        QCOMPARE(runCli("check %1", out).code, 0);
    }

    /// The model's shards in a folder of its own, without the second.
    QString setWithoutTheSecond(const char *folder)
    {
        QDir(m_dir.path()).mkpath(QString::fromUtf8(folder));
        for (const char *shard : {"00001", "00003"}) {
            const QString name = QStringLiteral("/tiny-moe-Q4_K_M-split-%1-of-00003.gguf").arg(QLatin1String(shard));
            if (!QFile::copy(dataPath(QStringLiteral("models") + name), path(folder) + name))
                return {};
        }
        return path(folder) + QStringLiteral("/tiny-moe-Q4_K_M-split-00001-of-00003.gguf");
    }

    void aMissingShardIsNotDroppedSilently()
    {
        const QString first = setWithoutTheSecond("missing"), out = path("part.gguf");
        QVERIFY(!first.isEmpty());
        const CliRun run = runCli("convert --json %1 %2", first, out);
        QCOMPARE(run.code, 3);
        QVERIFY2(run.err.contains("split-00002-of-00003.gguf' is missing") && run.err.contains("of 29 tensors"), run.err.constData());
        QCOMPARE(run.json()[QStringLiteral("error")][QStringLiteral("code")].toString(), QStringLiteral("shard-missing"));
        QVERIFY(!QFile::exists(out));
        QCOMPARE(runCli("convert --dry-run %1", first).code, 3);
    }

    void aBrokenShardIsNotDroppedSilently()
    {
        const QString first = setWithoutTheSecond("broken"), out = path("part.gguf");
        QVERIFY(!first.isEmpty());
        writeFile(QString(first).replace(QLatin1String("-00001-"), QLatin1String("-00002-")), QByteArray("GGUF\3\0\0\0", 8).leftJustified(50, '\0'));
        QFile cut(QString(first).replace(QLatin1String("-00001-"), QLatin1String("-00003-")));
        QVERIFY(cut.resize(50));
        const CliRun run = runCli("convert %1 %2", first, out);
        QCOMPARE(run.code, 3);
        QVERIFY2(run.err.contains("split-00003-of-00003.gguf' can't be read"), run.err.constData());
        QVERIFY(!QFile::exists(out));
    }

    void aPartOfAModelIsSaidByTheOthers()
    {
        const QString first = setWithoutTheSecond("others");
        QVERIFY(!first.isEmpty());
        const QByteArray missing = "split-00002-of-00003.gguf' is missing";
        for (const char *line : {"hash %1", "hash --no-layer %1"}) {
            const CliRun run = runCli(line, first);
            QCOMPARE(run.code, 3);
            QVERIFY(run.out.isEmpty());
            QVERIFY(run.err.contains(missing));
        }
        QVERIFY(runCli("hash --file %1", first).err.contains(missing));
        QVERIFY(runCli("stats --tensor output_norm.weight %1", first).err.contains("of 29 tensors"));
        QVERIFY(runCli("diff %1 %2", sample(), first).err.contains(missing));
        QVERIFY(runCli("stats --tensor output_norm.weight %1", sample()).err.isEmpty());
    }

    void wrongUse_data()
    {
        QTest::addColumn<QString>("options");
        for (const char *options : {"--type q9_9", "--type iq2_xxs", "--tensor-type attn_q", "--tensor-type (=q4_0",
                                    "--set nonsense", "--set n:u8=300", "--set n:u33=3", "--set general.name:str=x", "--type i8", "--type q8_1", "--unset no.such.key", "--set general.alignment=3"})
            QTest::newRow(options) << QString::fromUtf8(options);
    }
    void wrongUse()
    {
        QFETCH(QString, options);
        const QString out = path("wrong.gguf");
        QStringList words = options.split(QLatin1Char(' '));
        words.prepend(QStringLiteral("convert"));
        const CliRun run = runCli(words + QStringList{path("in.gguf"), out});
        QCOMPARE(run.code, 2);
        QVERIFY(!run.err.isEmpty());
        QVERIFY(!QFile::exists(out));
        QCOMPARE(runCli("convert %1", path("in.gguf")).code, 2); // no OUT
    }

    void slipsInTypesAreNamed()
    {
        const QString in = path("in.gguf");
        QVERIFY(runCli("convert --dry-run --set n:u33=3 %1", in).err.contains("'u33' is no type of a value: u8 i8"));
        QVERIFY(runCli("convert --dry-run --type i8 %1", in).err.contains("can't be encoded as I8"));
        QVERIFY(runCli("convert --dry-run --type iq1_s %1", in).err.contains("importance matrix"));
    }

    void aKeyMayHoldAColon()
    {
        const QString once = path("colon1.gguf"), twice = path("colon2.gguf");
        QCOMPARE(runCli("convert --set a:b:u8=1 %1 %2", path("in.gguf"), once).code, 0);
        QCOMPARE(runCli("convert --set a:b=2 %1 %2", once, twice).code, 0);
        bool found = false;
        for (const auto &entry : runCli("info --json %1", twice).json()[QStringLiteral("metadata")].toArray()) {
            if (entry[QStringLiteral("key")].toString() != QStringLiteral("a:b"))
                continue;
            found = true;
            QCOMPARE(entry[QStringLiteral("type")].toString(), QStringLiteral("u8"));
            QCOMPARE(entry[QStringLiteral("value")].toInt(), 2);
        }
        QVERIFY(found);
    }

    void whatIsAssumedOrLeftOutIsSaid()
    {
        QVERIFY(runCli("convert --dry-run --set my.count=5 %1", path("in.gguf")).err.contains("'my.count' is a new key without a type"));
        QVERIFY(runCli("convert --dry-run --set my.count:u8=5 %1", path("in.gguf")).err.isEmpty());
        QVERIFY(runCli("convert --dry-run %1", caseFile("dup_key.gguf")).err.contains("'general.name' stands more than once"));
        QVERIFY(runCli("convert --dry-run --set general.name=x %1", caseFile("dup_key.gguf")).err.isEmpty());
    }

    void refusalsNameTensorAndElement()
    {
        const QString out = path("refused.gguf");
        const CliRun nan = runCli("convert --json --type q4_k %1 %2", caseFile("requant_nan_source.gguf"), out);
        QCOMPARE(nan.code, 3);
        QVERIFY(nan.err.contains("blk.0.ffn_up.weight") && nan.err.contains("element 77"));
        QCOMPARE(nan.json()[QStringLiteral("error")].toObject()[QStringLiteral("code")].toString(), QStringLiteral("not-finite"));
        const CliRun overflow = runCli("convert --tensor-type w=q8_0 %1 %2", caseFile("q8_scale_overflow.gguf"), out);
        QCOMPARE(overflow.code, 3);
        QVERIFY(overflow.err.contains("w.weight"));
        QVERIFY(!QFile::exists(out));
        QVERIFY(QDir(m_dir.path()).entryList({QStringLiteral("*.part")}, QDir::Files | QDir::Hidden).isEmpty());
    }

    void fallbacksAndQuantizedSourcesAreSaid()
    {
        const CliRun fallback = runCli("convert --dry-run --type q4_k %1", caseFile("quant_cols_288.gguf"));
        QCOMPARE(fallback.code, 0);
        QVERIFY(fallback.err.contains("IQ4_NL instead"));
        const CliRun again = runCli("convert --dry-run --type q8_0 %1", sample());
        QCOMPARE(again.code, 0);
        QVERIFY(again.err.contains("quantized already"));
    }

    void standardOutputTakesTheFile()
    {
        const CliRun run = runCli("convert --type q8_0 %1 -", path("in.gguf"));
        QCOMPARE(run.code, 0);
        writeFile(path("piped.gguf"), run.out);
        QCOMPARE(typesIn(path("piped.gguf")), (QStringList{QStringLiteral("F32"), QStringLiteral("Q8_0"), QStringLiteral("Q8_0")}));
    }

    void aKillInTheMiddleLeavesNoFileUnderTheName()
    {
        // 2^28 weights of holes: seconds of encoding.
        GgufBuilder builder;
        builder.meta("general.architecture", "llama")
            .tensorRaw("blk.0.ffn_up.weight", 0, {1u << 14, 1u << 14}, QByteArray(32, '\0'));
        const QString folder = path("killed");
        QVERIFY(QDir().mkpath(folder));
        const QString big = folder + QStringLiteral("/big.gguf"), out = folder + QStringLiteral("/out.gguf");
        writeFile(big, builder.bytes());
        QFile file(big);
        QVERIFY(file.resize((qint64(1) << 30) + file.size() - 32));
        QProcess process;
        startCli(process, {QStringLiteral("convert"), QStringLiteral("--type"), QStringLiteral("q6_k"), QStringLiteral("--threads"),
                           QStringLiteral("1"), big, out});
        QVERIFY(process.waitForStarted());
        QTest::qWait(300);
        QCOMPARE(process.state(), QProcess::Running);
        process.kill(); // SIGKILL
        QVERIFY(process.waitForFinished());
        QCOMPARE(process.exitStatus(), QProcess::CrashExit);
        QVERIFY(!QFile::exists(out));
        QCOMPARE(QDir(folder).entryList(QDir::Files), QStringList{QStringLiteral("big.gguf")});
        QFile::remove(big);
    }

    void aGermanLocaleChangesNothing()
    {
        QProcessEnvironment german = QProcessEnvironment::systemEnvironment();
        for (const char *name : {"LC_ALL", "LC_NUMERIC", "LANG"})
            german.insert(QLatin1String(name), QStringLiteral("de_DE.UTF-8"));
        const QStringList words{QStringLiteral("convert"), QStringLiteral("--type"), QStringLiteral("q4_k"), QStringLiteral("--set"),
                                QStringLiteral("a.number:f32=0.5"), path("in.gguf"), QStringLiteral("-")};
        const CliRun run = runCli(words, german);
        QCOMPARE(run.code, 0);
        QVERIFY(run.out == runCli(words).out);
    }
};

QL_CLI_TEST_MAIN(CliConvertTest)
#include "tst_cli_convert.moc"
