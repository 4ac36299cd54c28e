// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/figurecheck.h"
#include "tests/support/testdata.h"

#include <QDir>
#include <QTest>

using namespace ql::test;

class TestSharedStats : public QObject
{
    Q_OBJECT

private slots:
    void allModels_data();
    void allModels();
};

void TestSharedStats::allModels_data()
{
    QTest::addColumn<QString>("model");
    QTest::addColumn<QString>("stats");
    if (!hasShared())
        QSKIP("not run: no shared reference data beside the checkout");
    const QDir models(sharedPath(QStringLiteral("models")));
    const auto files = models.entryList({QStringLiteral("*.stats.json")});
    QVERIFY(files.size() >= 5);
    for (const QString &file : files) {
        const QString name = file.chopped(int(qstrlen(".stats.json")));
        QTest::newRow(qPrintable(name)) << models.filePath(name + QLatin1String(".gguf"))
                                        << models.filePath(file);
    }
}

void TestSharedStats::allModels()
{
    QFETCH(QString, model);
    QFETCH(QString, stats);
    int checked = 0;
    QCOMPARE(modelDifferences(model, stats, &checked), QStringList());
    QVERIFY(checked >= 29);
}

QTEST_APPLESS_MAIN(TestSharedStats)
#include "tst_shared_stats.moc"
