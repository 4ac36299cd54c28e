// SPDX-License-Identifier: GPL-3.0-or-later
// The marks of a logarithmic axis: every label another one, however short the axis is.

#include "tests/widgets/literals.h"

#include "widgets/plot/plotstyle.h"

#include <QTest>

using namespace ql;

namespace {

QStringList labels(double lo, double hi)
{
    QStringList texts;
    for (const double tick : logarithmicTicks(lo, hi))
        texts << logarithmicTickText(tick, QLocale::c());
    return texts;
}

} // namespace

class LogarithmicTicksTest : public QObject
{
    Q_OBJECT

private slots:
    void shortAxesAreMarkedBetweenThePowers()
    {
        QCOMPARE(labels(0.6, 12), (QStringList{"10⁰", "2", "5", "10¹"}));
        QCOMPARE(labels(0.6, 1.6), QStringList{"10⁰"});
        QCOMPARE(labels(1500, 60000), (QStringList{"2000", "5000", "10⁴", "2·10⁴", "5·10⁴"}));
    }

    void longAxesAreMarkedAtPowers()
    {
        QCOMPARE(labels(0.6, 1e5), (QStringList{"10⁰", "10¹", "10²", "10³", "10⁴", "10⁵"}));
        QVERIFY(labels(1e-3, 1e40).size() <= 16);
    }

    void noLabelComesTwice()
    {
        for (double top = 1.1; top < 1e12; top *= 1.37) {
            QStringList texts = labels(0.6, top);
            QVERIFY2(texts.removeDuplicates() == 0, qPrintable(QString::number(top)));
        }
    }

    void nothingSensibleHasNoMarks()
    {
        QVERIFY(labels(0, 10).isEmpty());
        QVERIFY(labels(10, 1).isEmpty());
    }

    void linearLabelsTellNeighboursApart()
    {
        for (const double step : {1e-2, 1e-4, 1e-5, 1e-7})
            QVERIFY2(tickText(100, step, QLocale::c()) != tickText(100 + step, step, QLocale::c()),
                     qPrintable(QString::number(step)));
        QCOMPARE(tickText(2e6, 1e6, QLocale::c()), "2e+06");
    }
};

QTEST_MAIN(LogarithmicTicksTest)
#include "tst_logarithmicticks.moc"
