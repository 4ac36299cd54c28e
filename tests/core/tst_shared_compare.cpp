// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/comparecheck.h"
#include "tests/support/testdata.h"

#include <QTest>

using namespace ql::test;

class TestSharedCompare : public QObject
{
    Q_OBJECT

private slots:
    void referencePairs_data()
    {
        QTest::addColumn<QString>("a");
        QTest::addColumn<QString>("b");
        if (!hasShared())
            QSKIP("not run: no shared reference data beside the checkout");
        QTest::newRow("F16 Q4_K_M") << "F16" << "Q4_K_M";
        QTest::newRow("Q4_K_M Q2_K") << "Q4_K_M" << "Q2_K";
    }

    void referencePairs()
    {
        QFETCH(QString, a);
        QFETCH(QString, b);
        const auto model = [](const QString &type) {
            return sharedPath(QStringLiteral("models/tiny-moe-%1.gguf").arg(type));
        };
        int checked = 0;
        const QString expected = sharedPath(QStringLiteral("models/compare-%1-%2.json").arg(a, b));
        QCOMPARE(comparisonDifferences(model(a), model(b), expected, &checked), QStringList());
        QCOMPARE(checked, 29);
    }
};

QTEST_APPLESS_MAIN(TestSharedCompare)
#include "tst_shared_compare.moc"
