// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/app/statsreference.h"
#include "tests/support/testdata.h"

using namespace ql;
using namespace ql::test;

/// Against all of the shared reference data, beyond the part that is in tests/data.
class SharedCliTest : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        if (!hasShared())
            QSKIP("not run: the shared reference data is not beside this checkout");
    }

    void statsAgreeForEveryModel_data()
    {
        QTest::addColumn<QString>("name");
        for (const char *name : {"F16", "IQ2_XS", "MXFP4_MOE", "Q2_K", "Q4_K_M"})
            QTest::newRow(name) << QString::fromLatin1(name);
    }

    void statsAgreeForEveryModel()
    {
        QFETCH(QString, name);
        const QString stem = QStringLiteral("models/tiny-moe-") + name;
        compareStats(sharedPath(stem + QStringLiteral(".gguf")), sharedPath(stem + QStringLiteral(".stats.json")));
    }

    void statsOfTheSplitModelAreThoseOfTheWhole()
    {
        compareStats(sharedPath(QStringLiteral("models/tiny-moe-Q4_K_M-split-00002-of-00003.gguf")),
                     sharedPath(QStringLiteral("models/tiny-moe-Q4_K_M.stats.json")));
    }

    void realVocabulariesHaveNothingWrong()
    {
        for (const char *name : {"bert-bge", "gpt-2", "llama-spm"}) {
            const QString file = sharedPath(QStringLiteral("models/ggml-vocab-%1.gguf").arg(QLatin1String(name)));
            const CliRun run = runCli("check --json %1", file);
            QVERIFY2(run.code == 0, run.out.constData());
            QCOMPARE(runCli("info --json --full %1", file).code, 0);
        }
    }
};

QL_CLI_TEST_MAIN(SharedCliTest)
#include "tst_shared_cli.moc"
