// SPDX-License-Identifier: GPL-3.0-or-later
// The Compare view by itself: rows as results come in, worst first, filters, groups, maps, scatter, export.
#include "tests/widgets/literals.h"

#include "tests/support/summarybuilder.h"
#include "tests/widgets/cpuclock.h"
#include "tests/widgets/rightclick.h"
#include "widgets/cellmap.h"
#include "widgets/comparemapsview.h"
#include "widgets/comparepanel.h"
#include "widgets/comparescatterview.h"
#include "widgets/comparetableview.h"
#include "widgets/elidedlabel.h"
#include "widgets/errorhistogrampanel.h"
#include "widgets/models/checkmenu.h"
#include "widgets/models/comparefilterproxy.h"
#include "widgets/models/tableactions.h"
#include "widgets/models/treeview.h"
#include "widgets/pairdialog.h"
#include "widgets/plot/errorplot.h"
#include "widgets/plot/scatterplot.h"
#include "widgets/stateplaceholder.h"

#include <QAbstractItemModelTester>
#include <QAction>
#include <QClipboard>
#include <QApplication>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QLineEdit>
#include <QMouseEvent>
#include <QListWidget>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>

using namespace ql;
using namespace ql::test;

namespace {

TensorPair whole(std::uint32_t a, std::uint32_t b)
{
    return {TensorIndex{a}, TensorIndex{b}, {}, {}, TensorPair::Half::Whole, TensorPair::Half::Whole};
}

ErrorSums sumsOf(double relative, std::uint64_t count = 1000)
{
    ErrorSums sums;
    sums.count = count;
    sums.sumSqA = static_cast<double>(count);
    sums.sumSqB = sums.sumSqA;
    sums.sumSqError = relative * relative * sums.sumSqA;
    sums.sumAB = 0.9 * sums.sumSqA;
    sums.maxAbsError = 4 * relative;
    return sums;
}

ComparisonPtr differing(double relative, std::size_t experts = 0)
{
    auto comparison = std::make_shared<Comparison>();
    comparison->sums = sumsOf(relative);
    for (std::size_t e = 0; e < experts; ++e)
        comparison->experts.push_back(sumsOf(relative * (1 + 0.1 * static_cast<double>(e))));
    return comparison;
}

ComparisonPtr same()
{
    auto comparison = std::make_shared<Comparison>();
    comparison->identical = true;
    return comparison;
}

void moveTo(QWidget *widget, const QPoint &at)
{
    QMouseEvent event(QEvent::MouseMove, at, widget->mapToGlobal(at), Qt::NoButton, Qt::NoButton, Qt::NoModifier);
    QApplication::sendEvent(widget, &event);
}

/// Every tensor of a model with itself in Q2_K's place.
struct Files {
    ModelSummaryPtr a;
    ModelSummaryPtr b;
    Pairing pairing;

    ComparisonTable table() const { return ComparisonTable(a, b, pairing); }
};

Files small()
{
    Files files;
    files.a = SummaryBuilder().tensor("token_embd.weight", GgmlType::Q4_K, {256, 10})
                  .tensor("blk.0.attn_q.weight", GgmlType::Q4_K, {256, 256})
                  .tensor("blk.0.ffn_up_exps.weight", GgmlType::Q4_K, {256, 4, 4})
                  .tensor("blk.1.attn_q.weight", GgmlType::Q6_K, {256, 256})
                  .tensor("blk.1.attn_norm.weight", GgmlType::F32, {256})
                  .tensor("only_here", GgmlType::F32, {256, 2}).build();
    files.b = SummaryBuilder().tensor("token_embd.weight", GgmlType::Q2_K, {256, 10})
                  .tensor("blk.0.attn_q.weight", GgmlType::Q2_K, {256, 256})
                  .tensor("blk.0.ffn_up_exps.weight", GgmlType::Q2_K, {256, 4, 4})
                  .tensor("blk.1.attn_q.weight", GgmlType::Q3_K, {256, 256})
                  .tensor("blk.1.attn_norm.weight", GgmlType::F32, {256})
                  .tensor("only_there", GgmlType::F32, {256, 2})
                  .tensor("other", GgmlType::F32, {128}).build();
    for (std::uint32_t i = 0; i < 5; ++i)
        files.pairing.pairs.push_back(whole(i, i));
    files.pairing.onlyA = {{TensorIndex{5}, ""}};
    files.pairing.onlyB = {{TensorIndex{5}, "a hint"}, {TensorIndex{6}, ""}};
    return files;
}

} // namespace

class ComparePanelTest : public QObject
{
    Q_OBJECT

private slots:
    void init()
    {
        m_panel = std::make_unique<ComparePanel>();
        m_panel->resize(900, 420);
        m_panel->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_panel.get()));
    }
    void cleanup() { m_panel.reset(); }

    void emptyStateOffersToOpenASecondFile()
    {
        QVERIFY(m_panel->placeholder()->isVisible());
        QSignalSpy wanted(m_panel.get(), &ComparePanel::openOtherRequested);
        QTest::mouseClick(m_panel->placeholder()->findChild<QPushButton *>(), Qt::LeftButton);
        QCOMPARE(wanted.size(), 1);
    }

    void rowsAreWorstFirstAndSayWhatTheyAre()
    {
        fill(small());
        QAbstractItemModelTester tester(m_panel->model());
        QAbstractItemModelTester proxyTester(m_panel->table()->proxy());
        QCOMPARE(column(CompareColumn::Name),
                 (QStringList{"blk.0.attn_q.weight", "blk.1.attn_q.weight", "token_embd.weight", "blk.0.ffn_up_exps.weight",
                              "blk.1.attn_norm.weight", "only_here", "only_there", "other"}));
        QCOMPARE(column(CompareColumn::RelativeRmse),
                 (QStringList{"0.5000", "0.3750", "0.2500", "0.1250", "same", "only in A", "only in B", "only in B"}));
        QCOMPARE(text(6, CompareColumn::Status), "only in B: a hint");
        QCOMPARE(text(0, CompareColumn::TypeB), "Q2_K");
        QCOMPARE(text(0, CompareColumn::BitsDelta), "-1.88");
        QCOMPARE(text(0, CompareColumn::Sqnr), "6.021");
        QVERIFY2(m_panel->totalsText().contains("4 differ, 1 same, 3 unpaired"), qPrintable(m_panel->totalsText()));
    }

    void anyColumnSorts()
    {
        fill(small());
        m_panel->table()->view()->sortByColumn(int(CompareColumn::Name), Qt::AscendingOrder);
        QCOMPARE(column(CompareColumn::Name).first(), "blk.0.attn_q.weight");
        m_panel->table()->view()->sortByColumn(int(CompareColumn::RelativeRmse), Qt::AscendingOrder);
        // What is not known stays last.
        QCOMPARE(column(CompareColumn::RelativeRmse).first(), "same");
        QCOMPARE(column(CompareColumn::RelativeRmse).last(), "only in B");
    }

    void resultsComeInWithoutLosingThePlace()
    {
        const Files files = small();
        m_panel->setTable(files.table());
        m_panel->setResult(0, differing(0.2));
        m_panel->model()->flush();
        QTreeView *view = m_panel->table()->view();
        click(0);
        QCOMPARE(view->currentIndex().data().toString(), "token_embd.weight");
        m_panel->setResult(1, differing(0.4));
        m_panel->setResult(3, differing(0.3));
        QCOMPARE(text(0, CompareColumn::Name), "token_embd.weight"); // not before the next flush
        QTRY_COMPARE(text(0, CompareColumn::Name), "blk.0.attn_q.weight");
        QCOMPARE(view->currentIndex().data().toString(), "token_embd.weight");
        QCOMPARE(view->currentIndex().row(), 2);
        QVERIFY(m_panel->totalsText().contains("2 waiting"));
    }

    void aClickSelectsTheTensorAndItsExpert()
    {
        fill(small());
        QSignalSpy tensor(m_panel.get(), &ComparePanel::tensorActivated);
        QSignalSpy expert(m_panel.get(), &ComparePanel::expertActivated);
        click(1);
        QCOMPARE(tensor.size(), 1);
        QCOMPARE(tensor.first().first().value<TensorIndex>(), TensorIndex{3});
        QTreeView *view = m_panel->table()->view();
        const QModelIndex merged = view->model()->index(3, 0);
        view->expand(merged);
        QCOMPARE(view->model()->rowCount(merged), 4);
        // Experts are sorted as tensors are: the last is the worst.
        const QModelIndex worst = view->model()->index(0, 0, merged);
        QCOMPARE(worst.data().toString(), "expert 3");
        QCOMPARE(worst.siblingAtColumn(int(CompareColumn::RelativeRmse)).data().toString(), "0.1625");
        view->scrollTo(worst);
        QTest::mouseClick(view->viewport(), Qt::LeftButton, {}, view->visualRect(worst).center());
        QCOMPARE(expert.size(), 1);
        QCOMPARE(expert.first().last().toULongLong(), 3u);
        // What is only in B leads nowhere.
        click(6);
        QCOMPARE(tensor.size(), 1);
    }

    void selectingElsewhereMarksTheRow()
    {
        fill(small());
        QSignalSpy tensor(m_panel.get(), &ComparePanel::tensorActivated);
        Selection selection;
        selection.tensor = TensorIndex{4};
        m_panel->setSelection(selection);
        QCOMPARE(m_panel->table()->view()->currentIndex().data().toString(), "blk.1.attn_norm.weight");
        QVERIFY(tensor.isEmpty());
    }

    void filtersByNameAndState()
    {
        fill(small());
        m_panel->table()->setFilter("blk.*attn", true);
        QCOMPARE(column(CompareColumn::Name).size(), 3);
        m_panel->table()->setFilter("there", false);
        QCOMPARE(column(CompareColumn::Name), QStringList{"only_there"});
        m_panel->table()->setFilter("", false);
        auto *menu = m_panel->findChild<CheckMenuButton *>("compareStates")->checkMenu();
        menu->setChecked({qint64(PairState::Same)});
        emit menu->checkedChanged();
        QCOMPARE(column(CompareColumn::Name), QStringList{"blk.1.attn_norm.weight"});
        m_panel->table()->setFilter("nothing has this name", false);
        QVERIFY(m_panel->findChild<QLabel *>("compareNothing")->isVisible());
    }

    void groupsHaveTheirTotals()
    {
        fill(small());
        m_panel->table()->setGrouping(CompareTableModel::Grouping::Layer);
        QAbstractItemModelTester tester(m_panel->model());
        QCOMPARE(column(CompareColumn::Name), (QStringList{"layer 1", "layer 0", "outside layers"}));
        QCOMPARE(text(0, CompareColumn::RelativeRmse), "0.3750");
        QCOMPARE(text(0, CompareColumn::Status), "1 differ, 1 same");
        QTreeView *view = m_panel->table()->view();
        QCOMPARE(view->model()->rowCount(view->model()->index(1, 0)), 2);
        m_panel->table()->setGrouping(CompareTableModel::Grouping::Role);
        QCOMPARE(text(0, CompareColumn::Name), "attn_q");
        QCOMPARE(text(0, CompareColumn::RelativeRmse), "0.4419"); // of 0.5 and 0.375
    }

    void mapsNameWhatIsUnderThePointerAndSelect()
    {
        fill(small());
        m_panel->setView(ComparePanel::View::Maps);
        CellMap *map = m_panel->maps()->map();
        QTRY_COMPARE(map->data().columns, 3); // outside layers, 0, 1
        const int row = int(map->data().rowNames.indexOf("attn_q"));
        const auto centre = [&](int r, int c) { return map->geometryOfCells().rectOf({r, c}).center().toPoint(); };
        moveTo(map, centre(row, 2));
        QCOMPARE(m_panel->maps()->readout(), "blk.1.attn_q.weight · Q6_K / Q3_K · relative RMSE 0.3750");
        QSignalSpy tensor(m_panel.get(), &ComparePanel::tensorActivated);
        QTest::mouseClick(map, Qt::LeftButton, {}, centre(row, 2));
        QCOMPARE(tensor.first().first().value<TensorIndex>(), TensorIndex{3});
        m_panel->maps()->setKind(CompareMapsView::Kind::Experts);
        QCOMPARE(map->data().columns, 4);
        QSignalSpy expert(m_panel.get(), &ComparePanel::expertActivated);
        QTest::mouseClick(map, Qt::LeftButton, {}, centre(0, 2));
        QCOMPARE(expert.first().last().toULongLong(), 2u);
        QVERIFY(m_panel->maps()->csv().contains("0,2,0.1"));
    }

    void theScatterNamesAndSelectsPoints()
    {
        fill(small());
        m_panel->setView(ComparePanel::View::Scatter);
        ScatterPlot *plot = m_panel->scatter()->plot();
        QTRY_COMPARE(plot->points().size(), std::size_t(4)); // those that differ
        plot->updateNow();
        const auto worst = std::ranges::max_element(plot->points(), {}, &ScatterPoint::y);
        QCOMPARE(worst->name, "blk.0.attn_q.weight");
        const QPoint at = plot->pixelOf(*worst).toPoint();
        QCOMPARE(plot->pointAt(at), std::optional(worst->id));
        QWidget *canvas = plot->childAt(plot->rect().center());
        moveTo(canvas, at);
        QVERIFY2(m_panel->scatter()->readout().startsWith("blk.0.attn_q.weight · A Q4_K"),
                 qPrintable(m_panel->scatter()->readout()));
        QSignalSpy tensor(m_panel.get(), &ComparePanel::tensorActivated);
        QTest::mouseClick(canvas, Qt::LeftButton, {}, at);
        QCOMPARE(tensor.first().first().value<TensorIndex>(), TensorIndex{1});
        QVERIFY(menuOfRightClick(canvas, canvas->rect().center()).contains("Copy picture"));
        m_panel->scatter()->setLogarithmic(true);
        plot->updateNow();
        QCOMPARE(plot->pointAt(plot->pixelOf(plot->points().front())), std::optional(plot->points().front().id));
    }

    void rowsGoOutAsTextCsvJsonAndMarkdown()
    {
        fill(small());
        QTreeView *view = m_panel->table()->view();
        click(0);
        view->findChild<QAction *>("copyRows")->trigger();
        QVERIFY(QGuiApplication::clipboard()->text().contains("blk.0.attn_q.weight\tQ4_K\tQ2_K\t0.5\t"));
        view->findChild<QAction *>("copyRowsMarkdown")->trigger();
        QVERIFY(QGuiApplication::clipboard()->text().contains("| blk.0.attn_q.weight | Q4_K | Q2_K | 0.5 |"));
        QVERIFY(rowsAsCsv(*view).startsWith("name,type_a,type_b,relative_rmse,"));
        const QList<QByteArray> csv = rowsAsCsv(*view).split('\n'), tsv = rowsAsTsv(*view).split('\n');
        QCOMPARE(tsv.size(), csv.size());
        QCOMPARE(tsv.first().count('\t'), csv.first().count(','));
        QCOMPARE(QByteArray(tsv.at(1)).replace('\t', ','), csv.at(1).trimmed());
        const QJsonArray rows = QJsonDocument::fromJson(rowsAsJson(*view)).array();
        QCOMPARE(rows.size(), 8 + 4); // experts too
        QCOMPARE(rows[0].toObject()["relative_rmse"].toDouble(), 0.5);
        QCOMPARE(rows[0].toObject()["bytes_a"].toInteger(), 256 * 144);
        QVERIFY(rows.last().toObject()["relative_rmse"].isNull());
        QVERIFY(rowsAsMarkdown(*view).contains("| --- |"));
    }

    void aPairMadeByHandTakesItsPlace()
    {
        const Files files = small();
        fill(files);
        const TensorPair pair = whole(5, 5);
        m_panel->addByHand(pair);
        QVERIFY(!column(CompareColumn::Name).contains("only_there"));
        QVERIFY(column(CompareColumn::Status).contains("by hand · waiting"));
        m_panel->setHandResult(pair, differing(0.9));
        m_panel->model()->flush();
        QCOMPARE(text(0, CompareColumn::Name), "only_here / only_there");
        QCOMPARE(text(0, CompareColumn::Status), "by hand · differs");
        QVERIFY(m_panel->totalsText().contains("1 unpaired"));
    }

    void theDialogOffersWhatFitsAndSaysWhyOthersDont()
    {
        const Files files = small();
        Selection inA;
        inA.tensor = TensorIndex{5};
        PairDialog dialog(files.a, files.b, inA);
        dialog.setAttribute(Qt::WA_DeleteOnClose, false);
        dialog.show();
        QSignalSpy chosen(&dialog, &PairDialog::pairChosen);
        auto *list = dialog.findChild<QListWidget *>("pairList");
        auto *ok = dialog.findChild<QPushButton *>("pairOk");
        QCOMPARE(list->count(), 7);
        QVERIFY(list->item(0)->text().startsWith("only_there")); // what fits comes first
        QVERIFY(ok->isEnabled());
        QTest::keyClicks(dialog.findChild<QLineEdit *>("pairField"), "other");
        QCOMPARE(list->count(), 1);
        QVERIFY(!ok->isEnabled());
        const QString why = dialog.findChild<QLabel *>("pairMessage")->text();
        QVERIFY2(why.contains("[256, 2]") && why.contains("[128]"), qPrintable(why));
        dialog.findChild<QLineEdit *>("pairField")->clear();
        QTest::mouseClick(ok, Qt::LeftButton);
        QCOMPARE(chosen.size(), 1);
        QCOMPARE(chosen.first().first().value<TensorPair>(), whole(5, 5));
    }

    void expertsAreOfferedToExperts()
    {
        const Files files = small();
        Selection inA;
        inA.tensor = TensorIndex{2};
        inA.expert = 1;
        std::size_t experts = 0;
        for (const PairCandidate &candidate : pairCandidates(*files.a, *files.b, inA))
            experts += candidate.expert.has_value();
        QCOMPARE(experts, std::size_t(4));
    }

    void twoThousandPairsStayFast()
    {
        Files files;
        SummaryBuilder a, b;
        constexpr std::uint32_t Tensors = 2000;
        for (std::uint32_t i = 0; i < Tensors; ++i) {
            const std::string name = "blk." + std::to_string(i / 10) + ".ffn_up_exps" + std::to_string(i % 10) + ".weight";
            a.tensor(name, GgmlType::Q4_K, {256, 4, 128});
            b.tensor(name, GgmlType::Q2_K, {256, 4, 128});
            files.pairing.pairs.push_back(whole(i, i));
        }
        files.a = a.build();
        files.b = b.build();
        fill(files);
        QCOMPARE(column(CompareColumn::Name).size(), int(Tensors));
        CpuClock clock;
        for (std::uint32_t i = 0; i < Tensors; ++i)
            m_panel->setResult(i, differing(0.1 + 0.0001 * ((i * 7919) % Tensors)));
        const double taken = clock.restart();
        m_panel->model()->flush();
        const double flushed = clock.elapsed();
        qInfo("2,000 results taken in %.1f ms, shown in %.1f ms", taken, flushed);
        QVERIFY2(flushed < 50, qPrintable(QString::number(flushed))); // 4 ms in a debug build
        QCOMPARE(text(0, CompareColumn::RelativeRmse), "0.2999");
    }

    void theErrorHistogramReadsItsBins()
    {
        ErrorHistogramPanel panel;
        panel.resize(500, 240);
        panel.show();
        QVERIFY(QTest::qWaitForWindowExposed(&panel));
        auto comparison = std::make_shared<Comparison>(*differing(0.25));
        Histogram histogram;
        histogram.lo = -1;
        histogram.hi = 1;
        histogram.counts.assign(FineBins, 1);
        histogram.counts[FineBins / 2] = 1000000;
        comparison->errorHistogram = histogram;
        panel.setComparison(comparison);
        QVERIFY2(panel.readout().startsWith("RMSE 0.2500"), qPrintable(panel.readout()));
        panel.plot()->updateNow();
        double counted = 0;
        for (const double count : panel.plot()->bins().counts)
            counted += count;
        QVERIFY(counted >= 1000000);
        QWidget *canvas = panel.plot()->childAt(panel.plot()->rect().center());
        const double zero = panel.plot()->pixelOf(1e-5);
        moveTo(canvas, QPoint(int(std::ceil(zero)), canvas->height() / 2));
        QVERIFY2(panel.readout().contains("weights"), qPrintable(panel.readout()));
        QVERIFY(panel.csv().count('\n') == int(FineBins) + 1);
        const auto *label = panel.findChild<ElidedLabel *>("errorHistogramReadout");
        QVERIFY(label); // cut short at its end: without its beginning RMSE reads as MSE
        panel.resize(260, 240);
        panel.plot()->setVisibleRange({-0.5, 0.5}); // says the whole again
        QTRY_VERIFY(label->shownText() != label->text());
        QVERIFY2(label->shownText().startsWith("RMSE 0"), qPrintable(label->shownText()));
        QVERIFY(menuOfRightClick(canvas, canvas->rect().center()).contains("Copy picture"));
        panel.setComparison(same());
        QCOMPARE(panel.readout(), "the same bytes: no error");
    }

private:
    void fill(const Files &files)
    {
        m_panel->setTable(files.table());
        const double errors[] = {0.25, 0.5, 0.125, 0.375};
        for (std::size_t i = 0; i < 4; ++i)
            m_panel->setResult(i, differing(errors[i], i == 2 ? 4 : 0));
        m_panel->setResult(4, same());
        m_panel->setFinished();
    }
    QString text(int row, CompareColumn column) const
    {
        return m_panel->table()->view()->model()->index(row, int(column)).data().toString();
    }
    QStringList column(CompareColumn column) const
    {
        QStringList texts;
        for (int row = 0; row < m_panel->table()->view()->model()->rowCount(); ++row)
            texts << text(row, column);
        return texts;
    }
    void click(int row)
    {
        QTreeView *view = m_panel->table()->view();
        const QModelIndex index = view->model()->index(row, 0);
        view->scrollTo(index);
        QTest::mouseClick(view->viewport(), Qt::LeftButton, {}, view->visualRect(index).center());
    }

    std::unique_ptr<ComparePanel> m_panel;
};

QTEST_MAIN(ComparePanelTest)
#include "tst_comparepanel.moc"
