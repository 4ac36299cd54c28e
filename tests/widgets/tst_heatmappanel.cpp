// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/widgets/fabricated.h"
#include "widgets/card.h"
#include "widgets/choicebox.h"
#include "widgets/heatmapcolorbar.h"
#include "widgets/heatmappanel.h"
#include "widgets/heatmapview.h"
#include "widgets/plotactions.h"
#include "widgets/stateplaceholder.h"
#include "widgets/theme.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QFileDialog>
#include <QLabel>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QWheelEvent>

using namespace ql;
using namespace ql::test;

namespace {

QString s(const char *text) { return QString::fromUtf8(text); }

void wheel(HeatMapView *view, const QPointF &at, int steps)
{
    QWheelEvent event(at, view->mapToGlobal(at), {}, QPoint(0, 120 * steps), Qt::NoButton,
                      Qt::NoModifier, Qt::NoScrollPhase, false);
    QApplication::sendEvent(view, &event);
}

/// QTest::mouseMove has no pressed buttons; a drag needs them.
void drag(QWidget *view, const QPoint &from, const QPoint &to)
{
    QTest::mousePress(view, Qt::LeftButton, {}, from);
    for (const QPoint &at : {(from + to) / 2, to}) {
        QMouseEvent move(QEvent::MouseMove, at, view->mapToGlobal(at), Qt::NoButton, Qt::LeftButton,
                         Qt::NoModifier);
        QApplication::sendEvent(view, &move);
    }
    QTest::mouseRelease(view, Qt::LeftButton, {}, to);
}

void hover(QWidget *view, const QPointF &at)
{
    QMouseEvent move(QEvent::MouseMove, at, view->mapToGlobal(at), Qt::NoButton, Qt::NoButton,
                     Qt::NoModifier);
    QApplication::sendEvent(view, &move);
}

} // namespace

class TestHeatMapPanel : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates));
        applyTheme(*qApp, Theme::light());
    }

    void init()
    {
        m_panel = std::make_unique<HeatMapPanel>();
        m_panel->resize(900, 420);
        m_panel->show();
        m_view = m_panel->view();
    }

    void cleanup() { m_panel.reset(); }

    void emptyStateSaysWhatToDo()
    {
        auto *state = m_panel->findChild<StatePlaceholder *>();
        QVERIFY(state->isVisible());
        QVERIFY(state->detail().contains(s("Choose a tensor")));
        m_panel->setHeatMap(makeLifelikeHeatMap(4096, 14336, 256));
        QVERIFY(!state->isVisible());
        QVERIFY(m_view->isVisible());
        m_panel->setError(s("Can't decode"), s("row length"));
        QVERIFY(state->isVisible() && state->isError());
    }

    void aTensorWithoutWeightsSaysSo()
    {
        auto *state = m_panel->findChild<StatePlaceholder *>();
        for (const auto &[rows, columns] : {std::pair(0, 512), std::pair(4, 0)}) {
            m_panel->setHeatMap(makeHeatMap(rows, columns, 256, [](auto, auto) { return 0.5F; }));
            QVERIFY(state->isVisible() && !state->isError());
            QCOMPARE(state->title(), s("No weights"));
            QVERIFY(!m_panel->findChild<QLabel *>(s("heatMapHint"))->isVisible());
            QVERIFY(!m_panel->findChild<ChoiceBox *>(s("heatMapMeasure"))->isEnabled());
        }
        m_panel->setHeatMap(makeLifelikeHeatMap(4, 512, 256));
        QVERIFY(!state->isVisible());
        m_panel->setHeatMap(nullptr);
        QCOMPARE(state->title(), s("No tensor selected"));
    }

    void hoverReadsRowBlockAndValue()
    {
        m_panel->setHeatMap(makeHeatMap(400, 14336, 256, [](auto, auto) { return 0.02F; }));
        hover(m_view, m_view->geometryNow().toPixel(213.5, 4400));
        QCOMPARE(m_panel->readout(), s("row 213 · block 17 (weights 4,352–4,607) · RMS 0.03000"));
        QCOMPARE(m_panel->findChild<QLabel *>(s("heatMapReadout"))->text(), m_panel->readout());
        m_panel->setPooling(Pooling::Mean);
        QVERIFY(m_panel->readout().endsWith(s("RMS 0.02000")));
    }

    void clickSelectsTheWeight()
    {
        m_panel->setHeatMap(makeLifelikeHeatMap(400, 14336, 256));
        QSignalSpy selected(m_panel.get(), &HeatMapPanel::cellSelected);
        const QPoint at = m_view->geometryNow().toPixel(100.5, 5000).toPoint();
        QTest::mouseClick(m_view, Qt::LeftButton, {}, at);
        QCOMPARE(selected.count(), 1);
        const auto row = selected[0][0].toULongLong(), column = selected[0][1].toULongLong();
        QVERIFY(row >= 99 && row <= 102);
        QVERIFY(column > 4900 && column < 5100);
        QCOMPARE(m_view->selectedWeight(), std::optional(WeightPlace{row, column}));
    }

    void keysMoveTheSelectionCellByCell()
    {
        m_panel->setHeatMap(makeLifelikeHeatMap(400, 14336, 256));
        Selection selection{TensorIndex{3}, {}, 10, 700};
        m_panel->setSelection(selection);
        QSignalSpy selected(m_panel.get(), &HeatMapPanel::cellSelected);
        QTest::keyClick(m_view, Qt::Key_Right);
        QTest::keyClick(m_view, Qt::Key_Up);
        QCOMPARE(selected.count(), 2);
        QCOMPARE(selected[1][0].toULongLong(), 9ULL);
        QCOMPARE(selected[1][1].toULongLong(), 768ULL);
    }

    void theReadoutFollowsTheKeysUntilThePointerMoves()
    {
        m_panel->setHeatMap(makeLifelikeHeatMap(400, 14336, 256));
        const QPoint at = m_view->geometryNow().toPixel(100.5, 5000).toPoint();
        hover(m_view, at);
        QTest::mouseClick(m_view, Qt::LeftButton, {}, at);
        const std::uint64_t row = m_view->selectedWeight()->row;
        const auto tells = [this](std::uint64_t of) {
            return m_panel->readout().startsWith(QStringLiteral("row %1 · ").arg(of));
        };
        for (int i = 0; i < 3; ++i)
            QTest::keyClick(m_view, Qt::Key_Plus);
        QVERIFY2(tells(row), qPrintable(m_panel->readout()));
        for (int i = 0; i < 20; ++i)
            QTest::keyClick(m_view, Qt::Key_Down);
        QVERIFY2(tells(row + 20), qPrintable(m_panel->readout()));
        QVERIFY(!m_view->hoveredWeight()); // nor is there a frame of it
        hover(m_view, at + QPoint(0, 40));
        QVERIFY2(tells(m_view->geometryNow().weightAt(at + QPoint(0, 40))->row), qPrintable(m_panel->readout()));
    }

    void withoutASelectionTheReadoutStaysUnderThePointer()
    {
        m_panel->setHeatMap(makeLifelikeHeatMap(400, 14336, 256));
        const QPoint at = m_view->geometryNow().toPixel(10.5, 700).toPoint();
        hover(m_view, at);
        const auto before = m_view->hoveredWeight();
        for (const auto key : {Qt::Key_Plus, Qt::Key_0}) {
            QTest::keyClick(m_view, key);
            QVERIFY(m_view->hoveredWeight());
            QCOMPARE(m_view->hoveredWeight(), m_view->geometryNow().weightAt(at));
            QCOMPARE(m_view->hoveredWeight() == before, key == Qt::Key_0);
        }
    }

    void wheelZoomsDragPansDoubleClickFits()
    {
        m_panel->setHeatMap(makeLifelikeHeatMap(4096, 14336, 256));
        QSignalSpy changed(m_view, &HeatMapView::viewportChanged);
        const QPointF centre = m_view->geometryNow().plot().center();
        const auto under = m_view->geometryNow().weightAt(centre);
        wheel(m_view, centre, 6);
        QCOMPARE(changed.count(), 1);
        QVERIFY(m_view->viewport().rows < 1200);
        QCOMPARE(m_view->geometryNow().weightAt(centre), under);
        const double first = m_view->viewport().firstRow;
        QSignalSpy selected(m_panel.get(), &HeatMapPanel::cellSelected);
        drag(m_view, centre.toPoint(), centre.toPoint() + QPoint(0, 60));
        QVERIFY(m_view->viewport().firstRow < first - 50);
        QCOMPARE(selected.count(), 0);
        QTest::mouseDClick(m_view, Qt::LeftButton, {}, centre.toPoint());
        QCOMPARE(m_view->viewport(), (HeatMapViewport{0, 4096, 0, 14336}));
    }

    void zoomingInAsksForFinerCellsOnce()
    {
        m_panel->setHeatMap(makeLifelikeHeatMap(8192, 14336, 256));
        QSignalSpy asked(m_panel.get(), &HeatMapPanel::windowRequested);
        const QPointF centre = m_view->geometryNow().plot().center();
        for (int i = 0; i < 5; ++i)
            wheel(m_view, centre, 2);
        QVERIFY(asked.wait(2000));
        QCOMPARE(asked.count(), 1);
        const auto window = asked[0][0].value<HeatMapWindow>();
        QVERIFY(covers(window, m_view->viewport()));

        auto detail = std::make_shared<HeatMap>(*makeHeatMap(window.rows, window.columns, 256,
                                                             [](auto, auto) { return 0.5F; }));
        detail->window = window;
        detail->tensorRows = 8192;
        detail->tensorColumns = 14336;
        m_panel->setDetail(detail);
        hover(m_view, centre + QPointF(1, 1));
        QVERIFY2(m_panel->readout().contains(s("0.7500")), qPrintable(m_panel->readout()));
        QTest::qWait(300);
        QCOMPARE(asked.count(), 1);
    }

    void scaleIsGreyForPlainTypes()
    {
        auto *measure = m_panel->findChild<ChoiceBox *>(s("heatMapMeasure"));
        auto *pooling = m_panel->findChild<ChoiceBox *>(s("heatMapPooling"));
        QCOMPARE(m_panel->measure(), Measure::Rms);
        QCOMPARE(m_panel->pooling(), Pooling::Max);
        const int scale = measure->findData(int(Measure::Scale));
        m_panel->setHeatMap(makeLifelikeHeatMap(64, 4096, 256));
        QVERIFY(measure->isItemEnabled(scale));
        m_panel->setMeasure(Measure::Scale);
        QCOMPARE(m_panel->measure(), Measure::Scale);
        m_panel->setHeatMap(makeLifelikeHeatMap(64, 4096, 32));
        QVERIFY(!measure->isItemEnabled(scale));
        QCOMPARE(m_panel->measure(), Measure::Rms);
        m_panel->setMeasure(Measure::ZeroShare);
        QVERIFY(!pooling->isEnabled());
        m_panel->setMeasure(Measure::Mean);
        QVERIFY(pooling->isEnabled());
    }

    void estimateAndOddCellsAreSaid()
    {
        auto map = makeLifelikeHeatMap(64, 4096, 256);
        map->nonFinite[9] = 2;
        map->rms[3] = map->maxRms[3] = std::numeric_limits<float>::quiet_NaN();
        map->sampledShare = 0.02;
        m_panel->setHeatMap(map);
        QCOMPARE(m_panel->findChild<QLabel *>(s("heatMapHint"))->text(), s("estimate from 2 %"));
        const QString legend = m_panel->findChild<QLabel *>(s("heatMapLegend"))->text();
        QVERIFY(legend.contains(s("1 cell with NaN or Inf")));
        QVERIFY(legend.contains(s("not sampled")));
        const QImage image = m_view->grab().toImage();
        const QRectF cell = m_view->geometryNow().pixelsOf(0, 1, 9 * 256, 256);
        QCOMPARE(QColor(image.pixel(cell.center().toPoint())), Theme::light().nonFinite);
    }

    void colourBarSaysWhatItMeans()
    {
        m_panel->setHeatMap(makeHeatMap(4, 1024, 256, [](auto r, auto c) { return float(r * 4 + c); }));
        auto *bar = m_panel->findChild<HeatMapColorBar *>();
        QCOMPARE(bar->labels().size(), 5);
        QCOMPARE(bar->labels().last(), s("0"));
        QCOMPARE(bar->labels().first(), s("22.50"));
        QVERIFY(bar->accessibleName().contains(s("RMS")));
    }

    void theBarOfZerosSaysSoAtItsDarkEnd()
    {
        m_panel->setHeatMap(makeHeatMap(4, 1024, 256, [](auto, auto) { return 0.0F; }));
        auto *bar = m_panel->findChild<HeatMapColorBar *>();
        QCOMPARE(bar->labels(), QStringList{s("0")});
        const QImage image = bar->grab().toImage();
        const int bottom = bar->height() - m_view->axisHeight();
        const auto inked = [&](int from, int to) {
            for (int y = from; y < to; ++y)
                for (int x = 16; x < 40; ++x)
                    if (image.pixelColor(x, y) != image.pixelColor(bar->width() - 1, y))
                        return true;
            return false;
        };
        QVERIFY(inked(bottom - 20, bottom));
        QVERIFY(!inked(bottom / 2 - 20, bottom / 2 + 20));
    }

    void viewsCanBePutInStep()
    {
        HeatMapView a, b;
        for (HeatMapView *view : {&a, &b}) {
            view->setHeatMap(makeLifelikeHeatMap(512, 14336, 256));
            view->resize(300, 200);
        }
        connect(&a, &HeatMapView::viewportChanged, &b, &HeatMapView::setViewport);
        connect(&b, &HeatMapView::viewportChanged, &a, &HeatMapView::setViewport);
        connect(&a, &HeatMapView::hoveredWeightChanged, &b, &HeatMapView::setHoveredWeight);
        wheel(&a, QPointF(100, 100), 3);
        QVERIFY(a.viewport().rows < 512);
        QCOMPARE(b.viewport(), a.viewport());
        hover(&a, QPointF(150, 90));
        QVERIFY(b.hoveredWeight());
        b.fit();
        QCOMPARE(a.viewport(), (HeatMapViewport{0, 512, 0, 14336}));
    }

    void anotherTensorIsShownWhole()
    {
        m_panel->setHeatMap(makeLifelikeHeatMap(512, 14336, 256));
        m_panel->setSelection({TensorIndex{1}, 0, {}, {}});
        wheel(m_view, QPointF(200, 100), 5);
        const HeatMapViewport zoomed = m_view->viewport();
        m_panel->setSelection({TensorIndex{1}, 1, {}, {}});
        m_panel->setHeatMap(makeLifelikeHeatMap(512, 14336, 256, 2));
        QCOMPARE(m_view->viewport(), zoomed); // flipping through experts stays in place
        m_panel->setSelection({TensorIndex{2}, {}, {}, {}});
        QCOMPARE(m_view->viewport().rows, 512.0);
    }

    void themeChangesTheSignedMap()
    {
        m_panel->setHeatMap(makeHeatMap(4, 1024, 256, [](auto, auto) { return 0.0F; }));
        m_panel->setMeasure(Measure::Mean);
        const QPoint at = m_view->geometryNow().plot().center().toPoint();
        for (const Theme &theme : {Theme::light(), Theme::darkened()}) {
            applyTheme(*qApp, theme);
            QCOMPARE(m_view->grab().toImage().pixelColor(at), QColor(theme.colorAt(ColorMap::Signed, 0.5)));
        }
        applyTheme(*qApp, Theme::light());
    }

    void copiesAndSaves()
    {
        m_panel->setSubject(s("blk.3.attn_q.weight"));
        m_panel->setHeatMap(makeHeatMap(2, 512, 256, [](auto, auto) { return 0.5F; }));
        auto *copy = m_view->findChild<QAction *>(s("copyPicture"));
        QVERIFY(copy && m_view->actions().contains(copy));
        QSignalSpy reported(m_panel.get(), &HeatMapPanel::reported);
        copy->trigger();
        QCOMPARE(reported.count(), 1);
        QVERIFY(!QApplication::clipboard()->image().isNull());
        QVERIFY(m_panel->csv().startsWith(s("first row / first weight,0,256\n0,0.75,0.75\n")));

        QTemporaryDir dir;
        const PlotActions *actions = m_panel->plotActions();
        QCOMPARE(actions->writePicture(dir.filePath(s("a.png"))), QString());
        QCOMPARE(QImage(dir.filePath(s("a.png"))).size(), m_panel->picture().size() * 2);
        QCOMPARE(actions->writePicture(dir.filePath(s("a.svg"))), QString());
        QFile svg(dir.filePath(s("a.svg")));
        QVERIFY(svg.open(QIODevice::ReadOnly) && svg.readAll().contains("<svg"));
        QVERIFY(actions->writeCsv(dir.filePath(s("no/where.csv"))).contains(s("where.csv")));
    }

    void saveDialogDoesNotBlock()
    {
        m_panel->setSubject(s("blk.3.attn_q.weight"));
        m_panel->setHeatMap(makeHeatMap(2, 512, 256, [](auto, auto) { return 0.5F; }));
        m_view->findChild<QAction *>(s("saveNumbers"))->trigger();
        auto *dialog = m_view->findChild<QFileDialog *>();
        QVERIFY(dialog);
        QCOMPARE(dialog->defaultSuffix(), s("csv"));
        dialog->close();
    }

    void coloursStaySteadyFromEstimateToExact()
    {
        auto estimate = makeHeatMap(8, 2048, 256, [](auto r, auto) { return float(r) * 2; });
        estimate->sampledShare = 0.1;
        m_panel->setHeatMap(estimate);
        const double hi = m_view->colorScale().hi;
        m_panel->setHeatMap(makeHeatMap(8, 2048, 256, [](auto r, auto) { return float(r); }));
        QCOMPARE(m_view->colorScale().hi, hi);
        m_panel->setHeatMap(makeHeatMap(8, 2048, 256, [](auto r, auto) { return float(r); }));
        QCOMPARE(m_view->colorScale().hi, hi / 2);
    }

    void profilesRunAlongTheEdges()
    {
        m_panel->setHeatMap(makeHeatMap(8, 2048, 256, [](auto, auto c) { return c == 3 ? 1.0F : 0.1F; }));
        const QRectF plot = m_view->geometryNow().plot();
        const double x = m_view->geometryNow().toPixel(0, 3.5 * 256).x();
        const auto inked = [&](double at) {
            const QImage image = m_view->grab().toImage();
            return image.pixelColor(QPoint(int(at), int(plot.top()) - 15)) != image.pixelColor(1, 1);
        };
        QVERIFY(inked(x) && !inked(x + 100));
        auto *toggle = m_view->parentWidget()->window()->findChild<QAction *>(s("heatMapProfiles"));
        toggle->trigger();
        QVERIFY(m_view->geometryNow().plot().height() > plot.height());
    }

    void oneRowStillLooksSensible()
    {
        m_panel->setHeatMap(makeLifelikeHeatMap(1, 65536, 32));
        QVERIFY(m_view->geometryNow().plot().height() <= HeatMapGeometry::MaxRowPixels);
        hover(m_view, m_view->geometryNow().plot().center());
        QVERIFY(m_panel->readout().startsWith(s("row 0 · weights ")));
    }

private:
    std::unique_ptr<HeatMapPanel> m_panel;
    HeatMapView *m_view = nullptr;
};

QTEST_MAIN(TestHeatMapPanel)
#include "tst_heatmappanel.moc"
