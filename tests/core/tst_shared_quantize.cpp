// SPDX-License-Identifier: GPL-3.0-or-later
// The whole of the reference's `input`, row by row; prints the table.
#include "tests/support/goldenquantize.h"
#include "tests/support/testdata.h"

#include <QTest>

#include <cstdio>

using namespace ql;

class SharedQuantizeTest : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        if (!test::hasShared())
            QSKIP("not run: the shared reference data does not stand beside the checkout");
        m_table = test::quantizeGolden(test::sharedPath(QStringLiteral("golden/golden.gguf")));
        QCOMPARE(m_table.size(), std::size_t{21});
    }

    void givenBytes()
    {
        int given = 0;
        for (const test::GoldenQuantized &row : m_table) {
            given += row.mustMatch ? 1 : 0;
            QVERIFY2(!row.mustMatch || row.differingBytes == 0, row.summary().c_str());
        }
        QCOMPARE(given, 13);
    }

    void errorsRowByRow()
    {
        for (const test::GoldenQuantized &row : m_table) {
            std::printf("%-7s", std::string(traits(row.type).name).c_str());
            QCOMPARE(row.ours.size(), std::size_t{12});
            for (std::size_t i = 0; i < row.ours.size(); ++i)
                std::printf(" %6.4f", row.reference[i] > 0 ? row.ours[i] / row.reference[i] : 1.0);
            std::printf("  mean %.4f\n", row.meanRatio());
        }
        for (const test::GoldenQuantized &row : m_table) {
            QVERIFY2(row.worstRatio() <= 1.0, row.summary().c_str());
            QVERIFY2(row.mustMatch || row.meanRatio() < 0.98, row.summary().c_str());
        }
    }

private:
    std::vector<test::GoldenQuantized> m_table;
};

QTEST_APPLESS_MAIN(SharedQuantizeTest)
#include "tst_shared_quantize.moc"
