// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/app/comparereference.h"
#include "tests/app/exportreader.h"
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

    void diffsAgree()
    {
        const auto model = [](const char *name) { return sharedPath(QStringLiteral("models/tiny-moe-%1.gguf").arg(QLatin1String(name))); };
        compareDiff(model("F16"), model("Q4_K_M"), sharedPath(QStringLiteral("models/compare-F16-Q4_K_M.json")));
        compareDiff(model("Q4_K_M"), model("Q2_K"), sharedPath(QStringLiteral("models/compare-Q4_K_M-Q2_K.json")));
    }

    void everyGoldenTensorReadsBackFromCsvAndNpy()
    {
        const QString golden = sharedPath(QStringLiteral("golden/golden.gguf"));
        int compared = 0;
        for (const auto &entry : runCli("info --json %1", golden).json()[QStringLiteral("tensors")].toArray()) {
            const QString name = entry[QStringLiteral("name")].toString();
            if (name.endsWith(QLatin1String(".f32")))
                continue;
            compareExports(golden, entry.toObject());
            // The figures that the reference gives, where there are some, and not only our decoder's.
            const QByteArray wanted = runCli("export %1 %2.f32 --format raw -o -", golden, name).out;
            if (!wanted.isEmpty()) {
                const QByteArray csv = runCli("export %1 %2 -o -", golden, name).out;
                compareWith<float>(wanted, csv, {}, entry[QStringLiteral("shape")][0].toInteger());
                ++compared;
            }
            if (QTest::currentTestFailed())
                QFAIL(qPrintable(name));
        }
        QVERIFY2(compared >= 58, qPrintable(QString::number(compared)));
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
