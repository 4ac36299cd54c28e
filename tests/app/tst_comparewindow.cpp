// SPDX-License-Identifier: GPL-3.0-or-later
// Two quantizations in the window as a person uses it: sort, click the worst, read the reference's
// figures, pan A and see B follow, blink, pair by hand.

#include "app/mainwindow.h"
#include "app/samplemodel.h"
#include "app/tensorpage.h"
#include "tests/app/windowfixture.h"
#include "tests/support/testdata.h"
#include "widgets/cellmap.h"
#include "widgets/compareheatmap.h"
#include "widgets/compareheatpanel.h"
#include "widgets/comparemapsview.h"
#include "widgets/comparepanel.h"
#include "widgets/comparescatterview.h"
#include "widgets/comparetableview.h"
#include "widgets/errorhistogrampanel.h"
#include "widgets/expertpanel.h"
#include "widgets/figurespanel.h"
#include "widgets/formatting.h"
#include "widgets/heatmapview.h"
#include "widgets/models/comparefilterproxy.h"
#include "widgets/models/itemroles.h"
#include "widgets/models/treeview.h"
#include "widgets/plot/errorplot.h"
#include "widgets/plot/scatterplot.h"
#include "widgets/stateplaceholder.h"
#include "widgets/tensorpanel.h"

#include <QAction>
#include <QDialog>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QTabWidget>
#include <QTest>

using namespace ql;

namespace {

constexpr int LongMs = 30000;

QJsonObject reference()
{
    QFile file(test::dataPath(QStringLiteral("models/compare-Q4_K_M-Q2_K.json")));
    if (!file.open(QIODevice::ReadOnly))
        return {};
    return QJsonDocument::fromJson(file.readAll()).object();
}

bool isClose(double a, double b) { return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b)); }

} // namespace

class CompareWindowTest : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { QStandardPaths::setTestModeEnabled(true); }

    void init()
    {
        m_fixture = std::make_unique<test::WindowFixture>();
        QVERIFY(QTest::qWaitForWindowExposed(&window()));
    }

    void cleanup() { m_fixture.reset(); }

    void withoutASecondFileTheTabSaysHowToOpenOne()
    {
        window().openFile(sampleModelPath());
        QTRY_VERIFY_WITH_TIMEOUT(session().document(Side::A), LongMs);
        action("actionWorst")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(compare()->isVisible(), LongMs);
        QVERIFY(compare()->placeholder()->isVisible());
        QCOMPARE(compare()->placeholder()->title(), QStringLiteral("No second file"));
    }

    void theWorstTensorShowsTheReferencesError()
    {
        openPair();
        const QJsonObject expected = reference();
        QVERIFY(!expected.isEmpty());
        action("actionWorst")->trigger();
        view()->sortByColumn(static_cast<int>(CompareColumn::Rmse), Qt::DescendingOrder);
        QString worst;
        double largest = -1;
        for (const QString &name : expected.keys()) {
            const double rmse = expected[name].toObject()[QStringLiteral("rmse")].toDouble();
            if (rmse > largest) {
                largest = rmse;
                worst = name;
            }
        }
        const QModelIndex first = view()->model()->index(0, 0);
        QCOMPARE(first.data().toString(), worst);
        click(first);
        QCOMPARE(selectedName(), worst);
        const QJsonObject figures = expected[worst].toObject();
        const std::pair<CompareColumn, const char *> columns[] = {{CompareColumn::Rmse, "rmse"},
                                                                  {CompareColumn::MaxError, "max_abs_error"},
                                                                  {CompareColumn::Cosine, "cosine"},
                                                                  {CompareColumn::Sqnr, "sqnr_db"}};
        for (const auto &[column, key] : columns) {
            const double shown = first.siblingAtColumn(static_cast<int>(column)).data(PlainRole).toDouble();
            QVERIFY2(isClose(shown, figures[QLatin1String(key)].toDouble()), key);
        }
        // The page follows: the same error above the maps, and its distribution below the histogram.
        const QString max = formatNumber(figures[QStringLiteral("max_abs_error")].toDouble());
        QTRY_VERIFY_WITH_TIMEOUT(find<QLabel>("tensorFigures")->text().contains(max), LongMs);
        QVERIFY(page()->errors()->isVisible());
        QVERIFY(page()->errors()->readout().contains(formatNumber(figures[QStringLiteral("rmse")].toDouble())));
    }

    void everyRowHasTheReferencesFigures()
    {
        openPair();
        const QJsonObject expected = reference();
        const QAbstractItemModel *model = compare()->model();
        int differing = 0;
        for (int row = 0; row < model->rowCount(); ++row) {
            const QJsonObject figures = expected[model->index(row, 0).data(PlainRole).toString()].toObject();
            QVERIFY(!figures.isEmpty());
            const QModelIndex rmse = model->index(row, static_cast<int>(CompareColumn::Rmse));
            if (figures[QStringLiteral("identical")].toBool()) {
                QCOMPARE(model->index(row, static_cast<int>(CompareColumn::RelativeRmse)).data().toString(),
                         QStringLiteral("same"));
                continue;
            }
            ++differing;
            QVERIFY(isClose(rmse.data(PlainRole).toDouble(), figures[QStringLiteral("rmse")].toDouble()));
            const QJsonArray experts = figures[QStringLiteral("experts")].toArray();
            for (int e = 0; e < experts.size(); ++e) {
                const QModelIndex expert = model->index(e, rmse.column(), model->index(row, 0));
                QVERIFY(isClose(expert.data(PlainRole).toDouble(), experts[e].toObject()[QStringLiteral("rmse")].toDouble()));
            }
        }
        QVERIFY(differing > 10);
    }

    void anExpertOfTheTableIsSelectedEverywhere()
    {
        openPair();
        action("actionWorst")->trigger();
        const Selection merged{*session().document(Side::A).model->findTensor("blk.1.ffn_down_exps.weight"), 2, {}, {}};
        const QModelIndex index = compare()->table()->proxy()->mapFromSource(compare()->model()->indexOf(merged));
        QVERIFY(index.isValid());
        view()->expand(index.parent());
        click(index);
        QCOMPARE(session().selection().expert, std::optional<std::uint64_t>(2));
        QCOMPARE(selectedName(), QStringLiteral("blk.1.ffn_down_exps.weight"));
        QTRY_VERIFY_WITH_TIMEOUT(page()->pairMaps()->isVisible(), LongMs);
    }

    void aComparisonIsNoScanOfTheExperts()
    {
        openPair();
        showPair("blk.0.ffn_gate_exps.weight");
        ExpertPanel *experts = page()->experts();
        page()->tabs()->setCurrentWidget(experts);
        experts->setPicture(ExpertPanel::Picture::Map);
        // As the comparison of all pairs reports itself, in the lane it shares with scans.
        JobStatus comparing{session().modelScan().job() + 1000, Lane::Model, {}, {}, 1, 2, 1000};
        emit session().jobs().progressed(comparing);
        auto *scan = experts->findChild<QPushButton *>(QStringLiteral("expertScan"));
        QCOMPARE(scan->text(), QStringLiteral("Scan all"));
        QSignalSpy finished(&session().modelScan(), &ModelScanService::finished);
        scan->click();
        QVERIFY(finished.wait(LongMs));
    }

    void panningAMovesB()
    {
        showPair("blk.0.attn_q.weight");
        HeatMapView *a = page()->pairMaps()->mapA()->view(), *b = page()->pairMaps()->mapB()->view();
        const QPoint centre = a->rect().center();
        for (int i = 0; i < 4; ++i) {
            QWheelEvent wheel(centre, a->mapToGlobal(QPointF(centre)), {}, QPoint(0, 120), Qt::NoButton, Qt::NoModifier,
                              Qt::NoScrollPhase, false);
            QCoreApplication::sendEvent(a, &wheel);
        }
        const HeatMapViewport zoomed = b->viewport();
        QCOMPARE(a->viewport(), zoomed);
        QTest::mousePress(a, Qt::LeftButton, {}, centre);
        QMouseEvent move(QEvent::MouseMove, centre + QPoint(25, 15), a->mapToGlobal(QPointF(centre + QPoint(25, 15))), Qt::NoButton,
                         Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(a, &move);
        QTest::mouseRelease(a, Qt::LeftButton, {}, centre + QPoint(25, 15));
        QVERIFY(!(b->viewport() == zoomed));
        QCOMPARE(a->viewport(), b->viewport());
        QCOMPARE(page()->pairMaps()->mapError()->view()->viewport(), b->viewport());
    }

    void holdingBBlinksFromAnywhere()
    {
        showPair("blk.0.attn_q.weight");
        CompareHeatPanel *maps = page()->pairMaps();
        auto *tree = window().findChild<QTreeView *>(QStringLiteral("tensorTree"));
        tree->setFocus();
        const Selection before = session().selection();
        QTest::keyPress(tree, Qt::Key_B);
        QVERIFY(maps->isBlinking());
        QTest::keyRelease(tree, Qt::Key_B);
        QVERIFY(!maps->isBlinking());
        QCOMPARE(session().selection(), before); // and no table searched for a "b"
        // Whoever writes a "b" means the letter.
        auto *filter = find<QLineEdit>("tensorFilterEdit");
        filter->setFocus();
        QTest::keyClick(filter, Qt::Key_B);
        QVERIFY(!maps->isBlinking());
        QCOMPARE(filter->text(), QStringLiteral("b"));
    }

    void mapsAndScatterLeadToTensors()
    {
        openPair();
        action("actionWorst")->trigger();
        compare()->setView(ComparePanel::View::Maps);
        CellMap *map = compare()->maps()->map();
        QTRY_VERIFY_WITH_TIMEOUT(map->data().columns > 2, LongMs);
        const int row = static_cast<int>(map->data().rowNames.indexOf(QStringLiteral("attn_output")));
        const int column = static_cast<int>(map->data().columnNames.indexOf(QStringLiteral("1")));
        QTest::mouseClick(map, Qt::LeftButton, {}, map->geometryOfCells().rectOf({row, column}).center().toPoint());
        QCOMPARE(selectedName(), QStringLiteral("blk.1.attn_output.weight"));
        compare()->setView(ComparePanel::View::Scatter);
        ScatterPlot *plot = compare()->scatter()->plot();
        QTRY_VERIFY_WITH_TIMEOUT(!plot->points().empty(), LongMs);
        plot->updateNow();
        const auto worst = std::ranges::max_element(plot->points(), {}, &ScatterPoint::y);
        QTest::mouseClick(plot->childAt(plot->rect().center()), Qt::LeftButton, {}, plot->pixelOf(*worst).toPoint());
        QCOMPARE(selectedName(), worst->name);
    }

    void aPairMadeByHandIsComparedAndShown()
    {
        showPair("blk.0.attn_q.weight");
        action("actionPairByHand")->trigger();
        auto *dialog = find<QDialog>("pairDialog");
        QVERIFY(dialog);
        QTest::keyClicks(dialog->findChild<QLineEdit *>(QStringLiteral("pairField")), QStringLiteral("blk.1.attn_q.w"));
        QCOMPARE(dialog->findChild<QListWidget *>(QStringLiteral("pairList"))->count(), 1);
        QSignalSpy compared(&session().comparison(), &ComparisonService::handPairCompared);
        QTest::mouseClick(dialog->findChild<QPushButton *>(QStringLiteral("pairOk")), Qt::LeftButton);
        QVERIFY(compared.wait(LongMs));
        compare()->model()->flush();
        const QModelIndex first = view()->model()->index(0, 0); // strangers differ more than any quantization does
        QCOMPARE(first.data().toString(), QStringLiteral("blk.0.attn_q.weight / blk.1.attn_q.weight"));
        QVERIFY(first.siblingAtColumn(static_cast<int>(CompareColumn::Status)).data().toString().startsWith(QStringLiteral("by hand")));
        const QString error = first.siblingAtColumn(static_cast<int>(CompareColumn::RelativeRmse)).data().toString();
        QTRY_VERIFY_WITH_TIMEOUT(find<QLabel>("tensorFigures")->text().contains(error), LongMs);
    }

    void closingBEmptiesTheTab()
    {
        showPair("blk.0.attn_q.weight");
        action("actionCloseB")->trigger();
        QVERIFY(!page()->errors()->isVisible());
        page()->tabs()->setCurrentWidget(compare());
        QVERIFY(compare()->placeholder()->isVisible());
        QCOMPARE(compare()->model()->rowCount(), 0);
    }

private:
    template <class T>
    T *find(const char *name)
    {
        return window().findChild<T *>(QLatin1String(name));
    }
    QAction *action(const char *name) { return find<QAction>(name); }
    TensorPage *page() { return window().panels().page; }
    ComparePanel *compare() { return page()->compare(); }
    QTreeView *view() { return compare()->table()->view(); }
    QString selectedName()
    {
        const Selection &selection = session().selection();
        return QString::fromStdString(session().document(Side::A).model->tensor(*selection.tensor).name);
    }

    void openPair()
    {
        QSignalSpy finished(&session().comparison(), &ComparisonService::finished);
        window().openPair(sampleModelPath(), test::dataPath(QStringLiteral("models/tiny-moe-Q2_K.gguf")));
        QTRY_VERIFY_WITH_TIMEOUT(!finished.isEmpty(), LongMs);
    }

    void showPair(const char *tensor)
    {
        openPair();
        session().selectTensor(*session().document(Side::A).model->findTensor(tensor));
        page()->tabs()->setCurrentWidget(compare());
        QTRY_VERIFY_WITH_TIMEOUT(page()->pairMaps()->isVisible(), LongMs);
    }

    void click(const QModelIndex &index)
    {
        // The tab may have been shown just now: nobody clicks before it is laid out.
        QTRY_VERIFY_WITH_TIMEOUT(view()->isVisible() && view()->viewport()->height() > view()->sizeHintForRow(0), LongMs);
        QTest::qWait(50);
        view()->scrollTo(index);
        QVERIFY(view()->viewport()->rect().contains(view()->visualRect(index).center()));
        QTest::mouseClick(view()->viewport(), Qt::LeftButton, {}, view()->visualRect(index).center());
    }

    MainWindow &window() { return m_fixture->window(); }
    Session &session() { return m_fixture->session(); }

    std::unique_ptr<test::WindowFixture> m_fixture;
};

QTEST_MAIN(CompareWindowTest)
#include "tst_comparewindow.moc"
