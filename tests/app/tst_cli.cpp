// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/app/clirunner.h"

using namespace ql;
using namespace ql::test;

namespace {

QString sample() { return QStringLiteral(QL_SOURCE_DIR "/resources/sample/tiny-moe-Q4_K_M.gguf"); }

} // namespace

class CliTest : public QObject
{
    Q_OBJECT

private slots:
    void helpOfEverySubcommandListsItsOptions()
    {
        const CliRun overall = runCli("--help");
        QCOMPARE(overall.code, 0);
        QVERIFY(overall.out.contains("quantloupe [A [B]]"));
        QVERIFY(overall.out.contains("--screenshots DIR A [B]"));
        for (const cli::Command *command : cli::commands()) {
            const QString name = QString::fromStdString(std::string(command->name));
            QVERIFY(overall.out.contains("  " + name.toUtf8() + " "));
            const CliRun run = runCli("%1 --help", name);
            QCOMPARE(run.code, 0);
            QVERIFY(run.err.isEmpty());
            for (const cli::OptionSpec &option : command->options)
                QVERIFY(run.out.contains(QByteArray::fromStdString(std::string(option.name))));
            QVERIFY(run.out.contains("--threads N"));
        }
    }

    void versionIsPrinted()
    {
        const CliRun run = runCli("--version");
        QCOMPARE(run.code, 0);
        QCOMPARE(run.out, "quantloupe " QL_VERSION "\n");
    }

    void wrongUseSaysWhatAndExitsWith2_data()
    {
        QTest::addColumn<QByteArray>("hint");
        const auto row = [](const char *arguments, const char *hint) {
            QTest::newRow(arguments) << QByteArray(hint);
        };
        row("inof x.gguf", "did you mean 'info'");
        row("--jsn", "there is no option '--jsn'");
        row("info", "quantloupe info FILE");
        row("info %1 more", "'more' is one too many");
        row("info --ful %1", "did you mean '--full'");
        row("stats --bins", "'--bins' needs a value");
        row("stats %1 --bins 0", "from 1 to 1048576");
        row("stats %1 --bins 1048577", "from 1 to 1048576");
        row("stats %1 --threads x", "not 'x'");
        row("info --json=1 %1", "takes no value");
        row("stats --expert 1 --expert 2 %1", "given twice");
        row("stats --expert 1 --experts %1", "exclude each other");
        row("stats --expert -1 %1", "takes a whole number, not '-1'");
        row("stats --tensor output.weigth %1", "did you mean 'output.weight'");
        row("stats --tensor blk.9.* %1", "no tensor 'blk.9.*'");
        row("stats --tensor blk.0.ffn_up_exps.weight --expert 8 %1", "experts 0 to 7");
        row("stats --tensor output.weight --expert 0 %1", "has no experts");
    }

    void wrongUseSaysWhatAndExitsWith2()
    {
        QFETCH(QByteArray, hint);
        const CliRun run = runCli(QTest::currentDataTag(), sample());
        QCOMPARE(run.code, 2);
        QVERIFY2(run.err.contains(hint), run.err.constData());
        QVERIFY(run.out.isEmpty());
    }

    void theWindowKeepsItsOwnArguments()
    {
        const auto forCli = [](std::initializer_list<const char *> words) {
            std::vector<const char *> argv{"quantloupe"};
            argv.insert(argv.end(), words);
            return cli::isForCli(static_cast<int>(argv.size()), argv.data());
        };
        QVERIFY(!forCli({}));
        QVERIFY(!forCli({"--screenshots", "dir", "a.gguf"}));
        QVERIFY(!forCli({"-platform", "offscreen"}));
        const QByteArray file = sample().toUtf8();
        QVERIFY(!forCli({file.constData()}));
        QVERIFY(!forCli({"/tmp"}));
        QVERIFY(forCli({"info", "a.gguf"}));
        QVERIFY(forCli({"--help"}));
        QVERIFY(forCli({"--version"}));
        QVERIFY(forCli({"nonsense"}));
        QVERIFY(forCli({"/nowhere/x.gguf"}));
        QVERIFY(forCli({"nowhere/"}));
        QVERIFY(forCli({"--nonsense"}));
        QVERIFY(cli::isSubcommand("stats"));
        QVERIFY(!cli::isSubcommand("stat"));
    }

    void aMissingFileExitsWith3AndAnErrorInJson()
    {
        const CliRun run = runCli("info /nowhere/x.gguf --json");
        QCOMPARE(run.code, 3);
        QCOMPARE(run.json()[QStringLiteral("error")][QStringLiteral("code")].toString(),
                 QStringLiteral("file-not-found"));
        QVERIFY(run.err.contains("/nowhere/x.gguf"));
    }

    void aWindowOnAMissingFileIsRefused()
    {
        for (const char *path : {"nowhere/", "/nowhere/x.gguf", "nowhere.gguf"}) {
            const CliRun run = runCli(path);
            QCOMPARE(run.code, 3);
            QCOMPARE(run.err, QByteArray("quantloupe: there is no file '") + path + "'\n");
        }
    }

    void optionsMayStandAnywhereAndEndWithTwoDashes()
    {
        const CliRun first = runCli("info --json %1", sample());
        QCOMPARE(first.code, 0);
        QCOMPARE(runCli("info %1 --json --threads=1", sample()).out, first.out);
        QCOMPARE(runCli("info --json -- %1", sample()).out, first.out);
    }

    void oddFileNamesAreEscaped()
    {
        const CliRun run = runCli({QStringLiteral("info"), QStringLiteral("/nowhere/\x1b[31m\\x.gguf")});
        QCOMPARE(run.code, 3);
        QVERIFY2(run.err.contains("'/nowhere/\\x1b[31m\\\\x.gguf' can't"), run.err.constData());
        // Bytes that are no UTF-8 don't fit a QString.
        QProcess process;
        process.start(QStringLiteral("/bin/sh"),
                      {QStringLiteral("-c"), QStringLiteral("exec \"$0\" --cli info --json \"$(printf '/nowhere/a\\377b')\""),
                       QCoreApplication::applicationFilePath()});
        const CliRun raw = finishCli(process);
        QCOMPARE(raw.code, 3);
        QVERIFY(raw.err.contains("a\\xffb'"));
        const QJsonValue error = raw.json().value(QStringLiteral("error")); // a copy: the document is a temporary
        QCOMPARE(error[QStringLiteral("field")].toString(), QStringLiteral("/nowhere/a\\xffb"));
        QVERIFY(error[QStringLiteral("message")].toString().contains(QLatin1String("a\\xffb'")));
    }

    void benchMeasuresEveryTypePresent()
    {
        const CliRun run = runCli("bench --json --threads 1 %1", sample());
        QCOMPARE(run.code, 0);
        QCOMPARE(run.json()[QStringLiteral("threads")].toInt(), 1);
        QStringList types;
        for (const auto &type : run.json()[QStringLiteral("types")].toArray()) {
            types << type[QStringLiteral("type")].toString();
            QVERIFY(type[QStringLiteral("decode")][QStringLiteral("weights_per_s")].toDouble() > 0);
            QVERIFY(type[QStringLiteral("scan")][QStringLiteral("gb_per_s")].toDouble() > 0);
            QVERIFY(!type[QStringLiteral("kernel")].toString().isEmpty());
        }
        QCOMPARE(types, (QStringList{QStringLiteral("F32"), QStringLiteral("Q4_K"), QStringLiteral("Q6_K")}));
    }

    void aFullDeviceIsAnErrorAndAClosedPipeIsNot()
    {
        QProcess full;
        full.setStandardOutputFile(QStringLiteral("/dev/full"));
        startCli(full, {QStringLiteral("info"), sample()});
        QCOMPARE(finishCli(full).code, 3);

        QProcess first, closed; // `info | true`
        first.setStandardOutputProcess(&closed);
        closed.start(QStringLiteral("true"), QStringList());
        startCli(first, {QStringLiteral("stats"), QStringLiteral("--json"), QStringLiteral("--experts"),
                         QStringLiteral("--bins"), QStringLiteral("4096"), sample()});
        closed.waitForFinished();
        const CliRun run = finishCli(first);
        QCOMPARE(run.code, 0);
        QVERIFY2(run.err.isEmpty(), run.err.constData());
    }
};

QL_CLI_TEST_MAIN(CliTest)
#include "tst_cli.moc"
