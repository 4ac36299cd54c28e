// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/widgets/fabricated.h"
#include "widgets/figurespanel.h"
#include "widgets/stateplaceholder.h"
#include "widgets/theme.h"

#include <QAbstractItemModelTester>
#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QFileDialog>
#include <QHeaderView>
#include <QLabel>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>

using namespace ql;
using namespace ql::test;

namespace {

QString s(const char *text) { return QString::fromUtf8(text); }

/// -2, -1, 0, 1, 3 and oddities: figures anyone can check.
std::shared_ptr<TensorStats> small()
{
    return makeStats({-2, -1, 0, 1, 3, NAN, INFINITY, -INFINITY});
}

} // namespace

class TestFiguresPanel : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates));
        applyTheme(*qApp, Theme::light());
    }

    void modelKeepsItsPromises()
    {
        FiguresTable table;
        QAbstractItemModelTester tester(&table, QAbstractItemModelTester::FailureReportingMode::QtTest);
        table.setSources({small(), {}, 10, 16.0}, {});
        QCOMPARE(table.columnCount(), 2);
        table.setSources({small(), {}, 10, 16.0}, {small(), {}, 5, 8.0});
        QCOMPARE(table.columnCount(), 3);
        table.setSources({}, {});
        QCOMPARE(table.rowCount(), 0);
    }

    void emptyUntilThereIsAResult()
    {
        FiguresPanel panel;
        panel.show();
        auto *state = panel.findChild<StatePlaceholder *>();
        QVERIFY(state->isVisible());
        panel.setFigures({small(), {}, {}, {}});
        QVERIFY(!state->isVisible() && panel.view()->isVisible());
        panel.setError(s("Can't decode"), s("why"));
        QVERIFY(state->isVisible() && state->isError());
    }

    void figuresAreRightAndShort()
    {
        FiguresPanel panel;
        panel.setFigures({small(), {}, 40370176, 5.5});
        const std::pair<const char *, const char *> expected[] = {
            {"count", "8"}, {"min", "-2.000"}, {"max", "3.000"}, {"absmax", "3.000"}, {"mean", "0.2000"},
            {"std", "1.720"}, {"rms", "1.732"}, {"mean_abs", "1.400"}, {"kurtosis", "1.995"},
            {"zeros", "1"}, {"zero_share", "12.5 %"}, {"nan", "1"}, {"inf", "2"},
            {"bytes", "38.5 MiB"}, {"bpw", "5.500"}, {"p50", "0"}, {"sampled", "100 %"},
        };
        for (const auto &[id, text] : expected)
            QCOMPARE(panel.shown(s(id)), s(text));
        QCOMPARE(panel.shown(s("nonsense")), QString());
    }

    void undefinedFiguresAreDashes()
    {
        FiguresPanel panel;
        panel.setFigures({makeStats({NAN, NAN}), {}, {}, {}});
        for (const char *id : {"min", "mean", "std", "kurtosis", "bytes", "bpw", "p50"})
            QCOMPARE(panel.shown(s(id)), s("–"));
        QCOMPARE(panel.shown(s("nan")), s("2"));
    }

    void estimatesSaySo()
    {
        FiguresPanel panel;
        auto stats = small();
        stats->sampledShare = 0.02;
        panel.setFigures({stats, {}, {}, {}});
        QCOMPARE(panel.findChild<QLabel *>(s("figuresNote"))->text(), s("estimate from 2 %"));
        QCOMPARE(panel.shown(s("count")), s("400")); // known whatever was sampled
        QVERIFY(panel.shown(s("mean")).startsWith(s("≈ ")));
        QVERIFY(panel.shown(s("absmax")).startsWith(s("≥ ")));
        QCOMPARE(panel.shown(s("min")), s("≤ -2.000"));
    }

    void bothSidesStandBesideEachOther()
    {
        FiguresPanel panel;
        panel.setFigures({small(), {}, {}, {}}, {makeStats({1, 2, 3}), {}, {}, {}});
        QCOMPARE(panel.shown(s("max"), FiguresTable::B), s("3.000"));
        QCOMPARE(panel.table()->headerData(FiguresTable::A, Qt::Horizontal, Qt::DisplayRole).toString(), s("A"));
    }

    void copyHasFullPrecision()
    {
        FiguresPanel panel;
        panel.resize(400, 600);
        auto stats = makeStats(makeWeights(1000, 0.02));
        panel.setFigures({stats, {}, {}, {}});
        panel.show();
        QVERIFY(QTest::qWaitForWindowActive(&panel));
        QTableView *view = panel.view();
        view->setFocus();
        const int std = FiguresTable::rowOf(s("std")), zeros = FiguresTable::rowOf(s("zeros"));
        const auto at = [&](int row, int column) {
            return view->visualRect(panel.table()->index(row, column)).center();
        };
        QTest::mouseClick(view->viewport(), Qt::LeftButton, {}, at(std, FiguresTable::Name));
        QTest::mouseClick(view->viewport(), Qt::LeftButton, Qt::ControlModifier, at(std, FiguresTable::A));
        QTest::mouseClick(view->viewport(), Qt::LeftButton, Qt::ControlModifier, at(zeros, FiguresTable::A));
        QTest::keySequence(view, QKeySequence::Copy);
        const QStringList lines = QApplication::clipboard()->text().split(QLatin1Char('\n'));
        QCOMPARE(lines.size(), 3);
        QVERIFY(lines[0].startsWith(s("σ\t")));
        QCOMPARE(lines[0].section(QLatin1Char('\t'), 1).toDouble(), *stats->figures.moments.std());
        QCOMPARE(lines[1], s("\t0"));
    }

    void everythingCanBeCopied()
    {
        FiguresPanel panel;
        panel.setFigures({small(), {}, {}, {}});
        panel.findChild<QAction *>(s("copyAllFigures"))->trigger();
        const QString text = QApplication::clipboard()->text();
        QVERIFY(text.startsWith(s("figure\tvalue\nweights\t8\nmin\t-2\n")));
        QVERIFY(panel.csv().contains(s("zero share,0.125\n")));
    }

    void savingAsksWithoutBlocking()
    {
        FiguresPanel panel;
        panel.setSubject(s("blk.0.attn_q.weight"));
        panel.setFigures({small(), {}, {}, {}});
        panel.show();
        panel.findChild<QAction *>(s("saveFigures"))->trigger();
        auto *dialog = panel.findChild<QFileDialog *>();
        QVERIFY(dialog && dialog->isVisible());
        QTemporaryDir dir;
        const QString path = dir.filePath(s("figures.csv"));
        emit dialog->fileSelected(path);
        dialog->close();
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QVERIFY(file.readAll().startsWith("figure,value\nweights,8\n"));
    }

    void tipsGiveTheFormula()
    {
        FiguresPanel panel;
        panel.setFigures({small(), {}, {}, {}});
        const auto index = panel.table()->index(FiguresTable::rowOf(s("rms")), 0);
        QVERIFY(index.data(Qt::ToolTipRole).toString().contains(s("sqrt(Σw² / n)")));
        for (int row = 0; row < panel.table()->rowCount(); ++row)
            QVERIFY(!panel.table()->index(row, 1).data(Qt::ToolTipRole).toString().isEmpty());
    }

    void selectionOutlivesTheEstimate()
    {
        FiguresPanel panel;
        panel.setFigures({small(), {}, {}, {}});
        panel.view()->selectRow(3);
        panel.setFigures({makeStats({1, 2, 3}), {}, {}, {}});
        QCOMPARE(panel.view()->selectionModel()->selectedIndexes().size(), 2);
    }
};

QTEST_MAIN(TestFiguresPanel)
#include "tst_figurespanel.moc"
