// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/tensorname.h"
#include "core/output/hashmanifest.h"
#include "tests/app/clirunner.h"
#include "tests/support/ggufbuilder.h"
#include "tests/support/testdata.h"

#include <QCryptographicHash>
#include <QFile>
#include <QTemporaryDir>

using namespace ql;
using namespace ql::test;

namespace {

QString sample() { return QStringLiteral(QL_SOURCE_DIR "/resources/sample/tiny-moe-Q4_K_M.gguf"); }
QString caseFile(const char *name) { return dataPath(QStringLiteral("cases/") + QLatin1String(name)); }

QByteArray contents(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

QByteArray digest(QCryptographicHash::Algorithm algorithm, const QByteArray &bytes)
{
    return QCryptographicHash::hash(bytes, algorithm).toHex();
}

} // namespace

class CliHashTest : public QObject
{
    Q_OBJECT

    QTemporaryDir m_dir;
    QString path(const char *name) const { return m_dir.filePath(QString::fromUtf8(name)); }

private slots:
    void linesAreGgufHashsAndDigestsRight()
    {
        // Qt's digests are the independent ones here.
        const CliRun run = runCli("hash --algorithm sha256 --algorithm sha1 %1", sample());
        QCOMPARE(run.code, 0);
        const QByteArray file = contents(sample());
        QByteArray expected, all;
        const auto line = [&](const char *name, QCryptographicHash::Algorithm algorithm, const QByteArray &bytes, const QByteArray &what) {
            expected += QByteArray(name).leftJustified(8) + "  " + digest(algorithm, bytes) + "  " + what + "\n";
        };
        for (const auto &tensor : runCli("info --json %1", sample()).json()[QStringLiteral("tensors")].toArray()) {
            const QByteArray bytes = file.mid(tensor[QStringLiteral("offset")].toInteger(), tensor[QStringLiteral("bytes")].toInteger());
            const QByteArray what = sample().toUtf8() + ":" + tensor[QStringLiteral("name")].toString().toUtf8();
            line("sha1", QCryptographicHash::Sha1, bytes, what);
            line("sha256", QCryptographicHash::Sha256, bytes, what);
            all += bytes;
        }
        line("sha1", QCryptographicHash::Sha1, all, sample().toUtf8());
        line("sha256", QCryptographicHash::Sha256, all, sample().toUtf8());
        QVERIFY(run.out == expected);
        const CliRun total = runCli("hash --no-layer --algorithm sha1 --algorithm sha256 %1", sample());
        QCOMPARE(total.out, expected.right(total.out.size()));
        QCOMPARE(total.out.count('\n'), 2);
    }

    void xxh64IsTheDefault()
    {
        const CliRun run = runCli("hash %1", sample());
        QCOMPARE(run.out.count('\n'), 30);
        QVERIFY(run.out.startsWith("xxh64     "));
        QVERIFY(runCli("hash --threads 1 %1", sample()).out == run.out);
    }

    void fileHashesItsBytesWhateverTheyAre()
    {
        for (const QString &file : {sample(), caseFile("html_instead.gguf"), caseFile("empty_file.gguf")}) {
            const CliRun run = runCli("hash --file --algorithm sha256 %1", file);
            QCOMPARE(run.code, 0);
            QCOMPARE(run.out, "sha256    " + digest(QCryptographicHash::Sha256, contents(file)) + "  " + file.toUtf8() + "\n");
        }
        QCOMPARE(runCli("hash %1", caseFile("html_instead.gguf")).code, 3);
    }

    void theSplitModelHasTheSameTensors()
    {
        const QString shard = dataPath(QStringLiteral("models/tiny-moe-Q4_K_M-split-00003-of-00003.gguf"));
        const auto digests = [](const CliRun &run) {
            QList<QByteArray> list;
            for (const QByteArray &line : run.out.split('\n'))
                list << line.left(26);
            return list;
        };
        QCOMPARE(digests(runCli("hash %1", shard)), digests(runCli("hash %1", sample())));
        QCOMPARE(runCli("hash --file %1", shard).out.count('\n'), 3);
    }

    void manifestsCheckOut()
    {
        writeFile(path("own"), runCli("hash --algorithm xxh64 --algorithm sha256 %1", sample()).out
                                   + runCli("hash --file --algorithm sha1 %1", sample()).out);
        const CliRun run = runCli("hash %1 --check %2", sample(), path("own"));
        QVERIFY2(run.code == 0, run.out.constData());
        QCOMPARE(run.out.count("OK\n"), 61);
        QCOMPARE(runCli("hash %1 --check %2 --algorithm sha1", sample(), path("own")).out.count("OK\n"), 1);
    }

    void sha256sumsLinesCheckOut()
    {
        const QByteArray hex = digest(QCryptographicHash::Sha256, contents(sample()));
        writeFile(path("sums"), "0123456789abcdef0123456789abcdef01234567  other.gguf\n" + hex.toUpper()
                                    + " *some/where/tiny-moe-Q4_K_M.gguf\r\n");
        const CliRun run = runCli("hash %1 --check %2", sample(), path("sums"));
        QCOMPARE(run.code, 0);
        QCOMPARE(run.out.count('\n'), 1);
    }

    void aMismatchShowsBothDigestsAndExitsWith1()
    {
        const CliRun run = runCli("hash %1 --check %2", caseFile("hash_mismatch.gguf"), caseFile("hash_mismatch.gguf.sha256"));
        QCOMPARE(run.code, 1);
        QVERIFY(run.out.contains("MISMATCH"));
        QVERIFY(run.out.contains(contents(caseFile("hash_mismatch.gguf.sha256")).left(64)));
        QVERIFY(run.out.contains(digest(QCryptographicHash::Sha256, contents(caseFile("hash_mismatch.gguf")))));
    }

    void oneFlippedBitIsFoundInItsTensor()
    {
        writeFile(path("manifest"), runCli("hash %1", sample()).out);
        QByteArray bytes = contents(sample());
        bytes[100000] = static_cast<char>(bytes[100000] ^ 1);
        writeFile(path("tiny-moe-Q4_K_M.gguf"), bytes);
        const CliRun run = runCli("hash %1 --check %2", path("tiny-moe-Q4_K_M.gguf"), path("manifest"));
        QCOMPARE(run.code, 1);
        QCOMPARE(run.out.count("MISMATCH"), 2); // the tensor and the whole
        QVERIFY(run.out.contains("attn_q.weight  MISMATCH"));
        QVERIFY(run.err.contains("2 of 30"));
    }

    void nothingCheckedIsNotSuccess()
    {
        writeFile(path("foreign"), "0123456789abcdef0123456789abcdef01234567  other.gguf\n");
        QCOMPARE(runCli("hash %1 --check %2", sample(), path("foreign")).code, 2);
        writeFile(path("rubbish"), "not a digest at all\n");
        const CliRun run = runCli("hash %1 --check %2", sample(), path("rubbish"));
        QCOMPARE(run.code, 3);
        QVERIFY(run.err.contains("rubbish:1:"));
        QCOMPARE(runCli("hash %1 --check /nowhere", sample()).code, 3);
        QCOMPARE(runCli("hash %1 --algorithm md5", sample()).code, 2);
    }

    void aManifestIsReadLineByLine()
    {
        const Manifest manifest = parseManifest("# comment\n\nxxh64     00112233445566FF  a:b c.gguf:w:1\n"
                                                "uuid      x  y\nsha1  short  f\n"
                                                "\\0123456789abcdef0123456789abcdef01234567  a\\\\b\\nc");
        QCOMPARE(manifest.entries.size(), 2u);
        QCOMPARE(manifest.entries[0].digest, "00112233445566ff");
        QCOMPARE(manifest.entries[0].name, "a:b c.gguf:w:1");
        QVERIFY(!manifest.entries[0].ofFile);
        QCOMPARE(manifest.entries[1].name, "a\\b\nc");
        QVERIFY(manifest.entries[1].ofFile);
        QCOMPARE(manifest.unreadable, std::vector<std::size_t>{5});
    }

    void oddNamesComeBackFromTheirManifest_data()
    {
        QTest::addColumn<QString>("name");
        QTest::newRow("backslash") << QStringLiteral("a\\b.gguf");
        QTest::newRow("newline") << QStringLiteral("a\nb.gguf");
        QTest::newRow("escape") << QStringLiteral("a\x1b[31m.gguf");
        QTest::newRow("like an escape") << QStringLiteral("a\\xff.gguf");
    }

    void oddNamesComeBackFromTheirManifest()
    {
        QFETCH(QString, name);
        const QString file = m_dir.filePath(name);
        GgufBuilder().floats("x\\y", {4}, {1, 2, 3, 4}).floats("z", {2}, {5, 6}).writeTo(file);
        const CliRun made = runCli({QStringLiteral("hash"), file});
        QCOMPARE(made.code, 0);
        QCOMPARE(made.out.count('\n'), 3);
        QVERIFY(made.out.startsWith("\\xxh64     ") && !made.out.contains('\x1b'));
        writeFile(path("odd"), made.out + runCli({QStringLiteral("hash"), QStringLiteral("--file"), file}).out);
        const CliRun run = runCli({QStringLiteral("hash"), file, QStringLiteral("--check"), path("odd")});
        QVERIFY2(run.code == 0, (run.out + run.err).constData());
        QCOMPARE(run.out.count("OK\n"), 4);
        QVERIFY(run.err.isEmpty());
    }

    void namesThatAreNotUtf8ComeBackFromTheirLine()
    {
        const std::string raw = "a\xff\\n\nb.gguf:w";
        const Manifest manifest = parseManifest(hashLine(HashAlgorithm::Xxh64, "00112233445566ff", escapeBytes(raw)));
        QCOMPARE(manifest.entries.size(), 1u);
        QCOMPARE(manifest.entries[0].name, raw);
        QCOMPARE(hashLine(HashAlgorithm::Sha1, "00", "f:w"), "sha1      00  f:w\n");
    }

    void tensorsWithoutBytesAreLeftOutAndSaid()
    {
        const CliRun run = runCli("hash %1", caseFile("download_cut_mid_data.gguf"));
        QCOMPARE(run.code, 1);
        QVERIFY(run.err.contains("b.weight"));
        QVERIFY(run.out.contains(":a.weight\n"));
        QVERIFY(!run.out.contains(":b.weight\n"));
        QVERIFY(!run.out.contains("download_cut_mid_data.gguf\n"));
    }
};

QL_CLI_TEST_MAIN(CliHashTest)
#include "tst_cli_hash.moc"
