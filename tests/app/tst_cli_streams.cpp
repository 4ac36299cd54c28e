// SPDX-License-Identifier: GPL-3.0-or-later
// The command line among shells: redirections, closed descriptors, limits and signals.
#include "tests/app/clirunner.h"
#include "tests/support/ggufbuilder.h"
#include "tests/support/testdata.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>

#include <csignal>

using namespace ql;
using namespace ql::test;

class CliStreamsTest : public QObject
{
    Q_OBJECT

private slots:
    void init()
    {
        m_dir = std::make_unique<QTemporaryDir>();
        QVERIFY(QFile::copy(dataPath(QStringLiteral("models/tiny-moe-Q2_K.gguf")), path("a.gguf")));
        QFile(path("a.gguf")).setPermissions(QFile::ReadOwner | QFile::WriteOwner);
    }

    void standardOutputIsNoInput_data()
    {
        QTest::addColumn<QString>("words");
        QTest::newRow("convert") << QStringLiteral("convert a.gguf - --type Q8_0 >> a.gguf");
        QTest::newRow("export") << QStringLiteral("export a.gguf token_embd.weight -o - --format raw 1<> a.gguf");
    }
    void standardOutputIsNoInput()
    {
        QFETCH(QString, words);
        const QByteArray before = contents("a.gguf");
        const CliRun run = shell(QStringLiteral("\"$0\" --cli ") + words);
        QCOMPARE(run.code, 2);
        QVERIFY(run.err.contains("is an input"));
        QCOMPARE(contents("a.gguf"), before);
    }

    void closedDescriptorsGetNothingOfTheOutput()
    {
        QCOMPARE(shell("\"$0\" --cli convert a.gguf right.gguf --type Q8_0").code, 0);
        shell("\"$0\" --cli convert a.gguf x.gguf --type Q8_0 0<&- 1>&- 2>&-");
        QCOMPARE(contents("x.gguf"), contents("right.gguf"));
        QCOMPARE(shell("\"$0\" --cli info a.gguf >&-").code, 3);
    }

    void standardOutputHasOtherNames()
    {
        const QByteArray right = shell("\"$0\" --cli convert a.gguf - --type Q8_0").out;
        QVERIFY(right.size() > 100000);
        QCOMPARE(shell("\"$0\" --cli convert a.gguf /dev/stdout --type Q8_0").out, right);
        QCOMPARE(shell("\"$0\" --cli convert a.gguf /dev/fd/1 --force --type Q8_0 > x.gguf").code, 0);
        QCOMPARE(contents("x.gguf"), right);
    }

    void whatCantBePrintedIsSaid()
    {
        if (!QFileInfo::exists(QStringLiteral("/dev/full")))
            QSKIP("not run: no /dev/full");
        for (const char *words : {"info a.gguf", "stats a.gguf", "--help"}) {
            const CliRun run = shell(QStringLiteral("\"$0\" --cli %1 > /dev/full").arg(QLatin1String(words)));
            QCOMPARE(run.code, 3);
            QVERIFY2(run.err.contains("standard output"), words);
        }
    }

    void theVersionMindsNoClosedPipe()
    {
        const CliRun run = shell("(sleep 0.3; \"$0\" --cli --version; echo code $? >&2) | true");
        QVERIFY2(run.err.contains("code 0"), run.err.constData());
    }

    void aLimitOfTheFilesSizeIsAnError()
    {
        const CliRun run = shell("ulimit -f 1; \"$0\" --cli export a.gguf token_embd.weight -o z.csv");
        QCOMPARE(run.code, 3);
        QVERIFY2(run.err.contains("Can't write"), run.err.constData());
        QVERIFY(!QFileInfo::exists(path("z.csv")));
    }

    void tooFewDescriptorsAreAnError()
    {
        const CliRun run = shell("ulimit -n 4; exec timeout 20 \"$0\" --cli stats a.gguf");
        QVERIFY2(run.code == 3 || run.code == 127, run.err.constData()); // 127: not even a program starts
    }

    void ignoredSignalsStayIgnored()
    {
        QProcess process;
        process.setWorkingDirectory(m_dir->path());
        process.start(QStringLiteral("/bin/sh"), {QStringLiteral("-c"),
                                                  QStringLiteral("trap '' TERM; exec \"$0\" --cli export a.gguf token_embd.weight -o -"),
                                                  QCoreApplication::applicationFilePath()});
        QVERIFY(process.waitForStarted());
        QTest::qSleep(500); // it waits for somebody to read by now
        ::kill(static_cast<pid_t>(process.processId()), SIGTERM);
        QTest::qSleep(200);
        QCOMPARE(finishCli(process).code, 0);
    }

    void aTensorWithoutANameIsChecked()
    {
        GgufBuilder().tensor("", GgmlType::F32, {32}).tensor("a", GgmlType::F32, {32}).writeTo(path("em.gguf"));
        QByteArray manifest = shell("\"$0\" --cli hash em.gguf").out;
        QVERIFY2(manifest.contains("em.gguf:\n"), manifest.constData());
        char &digit = manifest[manifest.indexOf("  em.gguf:\n") - 1];
        digit = digit == '0' ? '1' : '0';
        QFile file(path("m.txt"));
        QVERIFY(file.open(QFile::WriteOnly) && file.write(manifest) == manifest.size());
        file.close();
        QCOMPARE(shell("\"$0\" --cli hash em.gguf --check m.txt").code, 1);
    }

    void keysThatCantBeSetAreWrongUse()
    {
        for (const char *word : {":u32=5", "split.count:u16=3"}) {
            const CliRun run = shell(QStringLiteral("\"$0\" --cli convert a.gguf k.gguf --set %1").arg(QLatin1String(word)));
            QCOMPARE(run.code, 2);
            QVERIFY(!QFileInfo::exists(path("k.gguf")));
        }
    }

    void suffixesInCapitalsDecideAsWell()
    {
        QCOMPARE(shell("\"$0\" --cli export a.gguf token_embd.weight -o m.NPY").code, 0);
        QVERIFY(contents("m.NPY").startsWith("\x93NUMPY"));
    }

private:
    QString path(const char *name) const { return m_dir->filePath(QLatin1String(name)); }

    QByteArray contents(const char *name) const
    {
        QFile file(path(name));
        return file.open(QFile::ReadOnly) ? file.readAll() : QByteArray();
    }

    /// In the folder; "$0" is the program.
    CliRun shell(const QString &line) const
    {
        QProcess process;
        process.setWorkingDirectory(m_dir->path());
        process.start(QStringLiteral("/bin/sh"), {QStringLiteral("-c"), line, QCoreApplication::applicationFilePath()});
        return finishCli(process);
    }
    CliRun shell(const char *line) const { return shell(QLatin1String(line)); }

    std::unique_ptr<QTemporaryDir> m_dir;
};

QL_CLI_TEST_MAIN(CliStreamsTest)
#include "tst_cli_streams.moc"
