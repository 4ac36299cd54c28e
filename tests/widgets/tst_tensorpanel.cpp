// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/widgets/literals.h"

#include "tests/support/summarybuilder.h"
#include "tests/widgets/cpuclock.h"
#include "tests/widgets/picture.h"
#include "widgets/models/checkmenu.h"
#include "widgets/models/itemroles.h"
#include "widgets/models/tableactions.h"
#include "widgets/stateplaceholder.h"
#include "widgets/tensorpanel.h"

#include <QAction>
#include <QClipboard>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QScrollBar>
#include <QSignalSpy>
#include <QStackedLayout>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <QTreeView>

using namespace ql;
using namespace ql::test;

namespace {

/// A panel on the screen, and its parts by name.
struct Shown {
    TensorPanel panel;
    QSignalSpy tensors{&panel, &TensorPanel::tensorActivated};
    QSignalSpy experts{&panel, &TensorPanel::expertActivated};

    explicit Shown(ModelSummaryPtr model)
    {
        panel.resize(392, 780);
        panel.setModel(std::move(model));
        panel.show();
        panel.activateWindow();
        (void)QTest::qWaitForWindowActive(&panel);
    }

    QTreeView *tree() { return panel.findChild<QTreeView *>("tensorTree"); }
    QLineEdit *edit() { return panel.findChild<QLineEdit *>("tensorFilterEdit"); }
    QString error() { return panel.findChild<QLabel *>("tensorFilterError")->text(); }
    QString totals() { return panel.findChild<QLabel *>("tensorTotals")->text(); }
    QString state() { return panel.findChild<StatePlaceholder *>()->title(); }

    QModelIndex row(const QString &name, const QModelIndex &parent = {})
    {
        auto *model = tree()->model();
        for (int i = 0; i < model->rowCount(parent); ++i) {
            if (model->index(i, 0, parent).data().toString() == name)
                return model->index(i, 0, parent);
        }
        return {};
    }

    void click(const QModelIndex &index)
    {
        tree()->scrollTo(index);
        QTest::mouseClick(tree()->viewport(), Qt::LeftButton, {},
                          tree()->visualRect(index).center());
    }

    void check(const QString &button, const QString &choice)
    {
        const auto actions = panel.findChild<CheckMenuButton *>(button)->checkMenu()->actions();
        for (QAction *action : actions) {
            if (action->text() == choice)
                return action->trigger();
        }
        QFAIL(qPrintable("no choice " + choice));
    }
};

std::uint32_t tensorOf(const QSignalSpy &spy, int call = -1)
{
    return spy.at(call < 0 ? int(spy.size()) - 1 : call).at(0).value<TensorIndex>().value;
}

ModelSummaryPtr smallModel()
{
    return SummaryBuilder()
        .tensor("token_embd.weight", GgmlType::Q6_K, {256, 1000})
        .tensor("blk.0.attn_q.weight", GgmlType::Q4_K, {256, 256})
        .tensor("blk.0.ffn_up_exps.weight", GgmlType::IQ3_XXS, {256, 128, 4})
        .tensor("blk.1.attn_q.weight", GgmlType::Q8_0, {256, 256})
        .unknownTensor("blk.1.ffn_up_exps.weight", 99, {256, 128, 4})
        .tensor("output.weight", GgmlType::Q6_K, {256, 1000})
        .build();
}

} // namespace

class TensorPanelTest : public QObject
{
    Q_OBJECT

private slots:
    void clicksActivateTensorsAndExperts()
    {
        Shown shown(smallModel());
        const QModelIndex layer = shown.row("layer 0");
        QVERIFY(shown.tree()->isExpanded(layer)); // a small model is open
        shown.click(shown.row("attn_q", layer));
        QCOMPARE(tensorOf(shown.tensors), 1U);
        shown.click(layer);
        QCOMPARE(shown.tensors.size(), 1);
        const QModelIndex merged = shown.row("ffn_up_exps", layer);
        shown.tree()->expand(merged);
        shown.click(shown.row("expert 3", merged));
        QCOMPARE(tensorOf(shown.experts), 2U);
        QCOMPARE(shown.experts.last().at(1).toULongLong(), 3ULL);
        QCOMPARE(shown.tensors.size(), 1);
    }

    void arrowsSelectAtOnce()
    {
        Shown shown(smallModel());
        shown.click(shown.row("token_embd"));
        shown.tree()->setFocus();
        QTest::keyClick(shown.tree(), Qt::Key_Down); // layer 0
        QTest::keyClick(shown.tree(), Qt::Key_Down);
        QCOMPARE(shown.tensors.size(), 2);
        QCOMPARE(tensorOf(shown.tensors), 1U);
    }

    void selectionFromElsewhereIsSilent()
    {
        Shown shown(moeSummary(48, 128));
        Selection selection;
        selection.tensor = TensorIndex{8};
        selection.expert = 77;
        shown.panel.setSelection(selection);
        QCOMPARE(shown.tree()->currentIndex().data().toString(), "expert 77");
        QVERIFY(shown.tree()->visualRect(shown.tree()->currentIndex()).isValid());
        QCOMPARE(shown.tensors.size() + shown.experts.size(), 0);
        shown.panel.setSelection({});
        QVERIFY(!shown.tree()->currentIndex().isValid());
    }

    void filterNarrowsTotalsAndKeepsTheSelection()
    {
        Shown shown(smallModel());
        shown.click(shown.row("attn_q", shown.row("layer 0")));
        QTest::keyClicks(shown.edit(), "ffn_");
        QCOMPARE(shown.totals(), "2 of 6 tensors · 131 K weights · 49.0 KiB");
        QVERIFY(!shown.row("token_embd").isValid());
        QCOMPARE(shown.tensors.size(), 1); // hiding the row selected nothing else
        shown.edit()->clear();
        QCOMPARE(shown.tree()->currentIndex().data().toString(), "attn_q");
        QVERIFY2(shown.totals().startsWith("6 tensors · "), qPrintable(shown.totals()));
        QCOMPARE(shown.tensors.size(), 1);
    }

    void regexAndItsMistakes()
    {
        Shown shown(smallModel());
        auto *regex = shown.panel.findChild<QToolButton *>("tensorFilterRegex");
        QTest::mouseClick(regex, Qt::LeftButton);
        QTest::keyClicks(shown.edit(), "^output|^token");
        QCOMPARE(shown.tree()->model()->rowCount(), 2);
        QTest::keyClicks(shown.edit(), "(");
        QVERIFY(shown.error().contains("at character"));
        QCOMPARE(shown.tree()->model()->rowCount(), 2); // what was there stays
        QTest::keyClick(shown.edit(), Qt::Key_Backspace);
        QCOMPARE(shown.error(), "");
    }

    void nothingMatches()
    {
        Shown shown(smallModel());
        shown.panel.setFilter("no such tensor", false);
        QCOMPARE(shown.state(), "No tensor matches");
        QVERIFY(!shown.tree()->isVisible());
        shown.panel.setFilter("", false);
        QVERIFY(shown.tree()->isVisible());
    }

    void menusFilterByTypeAndLayer()
    {
        Shown shown(smallModel());
        shown.check("typeFilter", "Q6_K");
        QCOMPARE(shown.panel.shownTensors().size(), std::size_t{2});
        QCOMPARE(shown.panel.findChild<QToolButton *>("typeFilter")->text(), "type: 1 ▾");
        shown.check("typeFilter", "unknown(99)");
        QCOMPARE(shown.panel.shownTensors().size(), std::size_t{3});
        shown.check("layerFilter", "layer 1");
        QCOMPARE(shown.panel.shownTensors().size(), std::size_t{1});
        shown.check("typeFilter", "All");
        QCOMPARE(shown.panel.shownTensors().size(), std::size_t{2});
        QCOMPARE(shown.panel.findChild<QToolButton *>("typeFilter")->text(), "type ▾");
    }

    void aMenuStaysOpenForSeveralMarks()
    {
        Shown shown(smallModel());
        auto *button = shown.panel.findChild<CheckMenuButton *>("typeFilter");
        QTest::mouseClick(button, Qt::LeftButton);
        CheckMenu *menu = button->checkMenu();
        QTRY_VERIFY(menu->isVisible());
        for (int i = 2; i < 4; ++i)
            QTest::mouseClick(menu, Qt::LeftButton, {},
                              menu->actionGeometry(menu->actions().at(i)).center());
        QVERIFY(menu->isVisible());
        QCOMPARE(menu->checked().size(), std::size_t{2});
        menu->close();
    }

    void emptyStates()
    {
        Shown shown(nullptr);
        QCOMPARE(shown.state(), "No model open");
        shown.panel.setModel(SummaryBuilder().build());
        QCOMPARE(shown.state(), "No tensors: a vocab-only file");
        shown.panel.setModel(smallModel());
        QVERIFY(shown.tree()->isVisible());
    }

    void controlFGoesToTheFilter()
    {
        Shown shown(smallModel());
        shown.tree()->setFocus();
        QTest::keyClick(shown.tree(), Qt::Key_F, Qt::ControlModifier);
        QTRY_VERIFY(shown.edit()->hasFocus());
    }

    void copiesRowsAsTabSeparatedText()
    {
        Shown shown(smallModel());
        const QModelIndex layer = shown.row("layer 0");
        shown.click(shown.row("attn_q", layer));
        QTest::mouseClick(shown.tree()->viewport(), Qt::LeftButton, Qt::ControlModifier,
                          shown.tree()->visualRect(shown.row("token_embd")).center());
        shown.tree()->setFocus();
        QTest::keyClick(shown.tree(), Qt::Key_C, Qt::ControlModifier);
        const QStringList lines = QGuiApplication::clipboard()->text().split('\n');
        QCOMPARE(lines.at(0), "name\ttype\tshape\tweights\tbytes\tbits_per_weight\tproblem");
        QCOMPARE(lines.at(1), "token_embd.weight\tQ6_K\t[256, 1000]\t256000\t210000\t6.5625\t");
        QCOMPARE(lines.at(2), "blk.0.attn_q.weight\tQ4_K\t[256, 256]\t65536\t36864\t4.5\t");
        shown.tree()->findChild<QAction *>("copyName")->trigger();
        QVERIFY(QGuiApplication::clipboard()->text().contains("blk.0.attn_q.weight"));
    }

    void exportsWhatIsShownWithoutLocale()
    {
        QLocale::setDefault(QLocale(QLocale::German));
        Shown shown(SummaryBuilder()
                        .tensor("=evil,\"name\"", GgmlType::Q6_K, {256, 1000})
                        .tensor("b", GgmlType::F32, {3})
                        .build());
        const QByteArray csv = rowsAsCsv(*shown.tree());
        QLocale::setDefault(QLocale::c());
        QCOMPARE(QString::fromUtf8(csv),
                 "name,type,shape,weights,bytes,bits_per_weight\r\n"
                 "\"'=evil,\"\"name\"\"\",Q6_K,\"[256, 1000]\",256000,210000,6.5625\r\n"
                 "b,F32,[3],3,12,32\r\n");
        QTemporaryDir dir;
        QCOMPARE(writeFile(dir.filePath("t.csv"), csv), "");
        QVERIFY(!writeFile(dir.filePath("no/such/folder/t.csv"), csv).isEmpty());
    }

    void stateComesBack()
    {
        QByteArray state;
        {
            Shown shown(smallModel());
            shown.panel.setFlat(true);
            shown.tree()->sortByColumn(5, Qt::DescendingOrder);
            shown.tree()->setColumnWidth(4, 201);
            state = shown.panel.saveState();
        }
        Shown shown(smallModel());
        QVERIFY(!shown.panel.restoreState("nonsense"));
        QVERIFY(shown.panel.restoreState(state));
        QVERIFY(shown.panel.isFlat());
        QCOMPARE(shown.tree()->columnWidth(4), 201);
        QCOMPARE(shown.tree()->header()->sortIndicatorSection(), 5);
        QCOMPARE(shown.tree()->model()->index(0, 5).data(PlainRole).toString(), "256000");
    }

    void headerClickSorts()
    {
        Shown shown(smallModel());
        auto *header = shown.tree()->header();
        const int column = static_cast<int>(TensorColumn::Name);
        QTest::mouseClick(header->viewport(), Qt::LeftButton, {},
                          QPoint(header->sectionViewportPosition(column) + 20, 8));
        QCOMPARE(shown.tree()->model()->index(0, 0).data().toString(), "layer 0");
    }

    void manyRowsStaySmooth()
    {
        SummaryBuilder builder;
        for (int i = 0; i < 6000; ++i)
            builder.tensor("blk." + std::to_string(i / 50) + ".t" + std::to_string(i % 50) + "_exps.weight",
                           GgmlType::Q4_K, {256, 4, 8});
        Shown shown(builder.build());
        CpuClock clock;
        shown.tree()->expandAll();
        (void)shown.tree()->visualRect(shown.row("layer 119"));
        qInfo("54,000 rows expanded in %.1f ms", clock.restart());
        for (int i = 0; i < 100; ++i) {
            shown.tree()->verticalScrollBar()->setValue(i * 10000);
            shown.tree()->viewport()->repaint();
        }
        qInfo("painted in %.2f ms", clock.elapsed() / 100);
        QVERIFY(clock.elapsed() < 5000);
    }

    void pictures()
    {
        QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates));
        Shown shown(smallModel());
        savePictures(shown.panel, "tensors-small");
        Shown moe(moeSummary(48, 128));
        Selection selection;
        selection.tensor = TensorIndex{8 + 30};
        selection.expert = 2;
        moe.panel.setSelection(selection);
        savePictures(moe.panel, "tensors-moe");
        moe.panel.beginComparison();
        for (std::uint32_t i = 0; i < 480; ++i)
            moe.panel.setComparison(TensorIndex{i}, {10 + i % 5, i % 6 == 1, 0.01 * (i % 25),
                                                     std::vector<std::optional<double>>(128, 0.2)});
        savePictures(moe.panel, "tensors-compare");
        moe.panel.resize(1000, 780);
        moe.panel.clearComparison();
        Moments moments;
        moments.count = 100;
        moments.max = 0.25;
        for (std::uint32_t i = 0; i < 480; ++i)
            moe.panel.setMoments(TensorIndex{i}, moments);
        moe.panel.setFlat(true);
        moe.panel.setFilter("attn(", true);
        savePictures(moe.panel, "tensors-flat");
        moe.panel.setFilter("attnx", false);
        savePictures(moe.panel, "tensors-nomatch");
    }
};

QTEST_MAIN(TensorPanelTest)
#include "tst_tensorpanel.moc"
