// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/widgets/fabricated.h"
#include "tests/widgets/picture.h"
#include "widgets/choicebox.h"
#include "widgets/compareheatmap.h"
#include "widgets/compareheatpanel.h"
#include "widgets/compareheatscales.h"
#include "widgets/heatmapview.h"
#include "widgets/plotactions.h"
#include "widgets/stateplaceholder.h"

#include <QAction>
#include <QClipboard>
#include <QLabel>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QWheelEvent>

using namespace ql;
using namespace ql::test;

namespace {

QString s(const char *text) { return QString::fromUtf8(text); }

constexpr std::uint64_t Rows = 400, Columns = 14336;

/// A as given; B a tenth less; the error falls from left to right.
std::shared_ptr<Comparison> makeComparison(unsigned seed = 1)
{
    auto c = std::make_shared<Comparison>();
    c->heatA = *makeLifelikeHeatMap(Rows, Columns, 256, seed);
    c->heatB = *makeHeatMap(Rows, Columns, 256, [&](auto row, auto column) {
        return c->heatA->rms[c->heatA->index(row, column)] * 0.9F;
    });
    const auto wobble = makeLifelikeHeatMap(Rows, Columns, 256, seed + 7);
    c->heatError = *makeHeatMap(Rows, Columns, 256, [&](auto row, auto column) {
        return wobble->rms[wobble->index(row, column)] * 0.2F;
    });
    c->heatError->hasScale = false;
    c->heatError->scale.clear();
    c->heatError->maxScale.clear();
    return c;
}

/// One value everywhere.
std::shared_ptr<Comparison> makeFlat(float a, float b, float error)
{
    auto c = std::make_shared<Comparison>();
    c->heatA = *makeHeatMap(Rows, Columns, 256, [a](auto, auto) { return a; });
    c->heatB = *makeHeatMap(Rows, Columns, 256, [b](auto, auto) { return b; });
    c->heatError = *makeHeatMap(Rows, Columns, 256, [error](auto, auto) { return error; });
    c->heatError->hasScale = false;
    return c;
}

const CompareTitles Titles{13, 11, 5.5, 3.4375, 0.01874}; // Q5_K, Q3_K

void wheel(HeatMapView *view, const QPointF &at, int steps)
{
    QWheelEvent event(at, view->mapToGlobal(at), {}, QPoint(0, 120 * steps), Qt::NoButton,
                      Qt::NoModifier, Qt::NoScrollPhase, false);
    QApplication::sendEvent(view, &event);
}

void move(QWidget *view, const QPointF &at, Qt::MouseButtons buttons = Qt::NoButton)
{
    QMouseEvent event(QEvent::MouseMove, at, view->mapToGlobal(at), Qt::NoButton, buttons,
                      Qt::NoModifier);
    QApplication::sendEvent(view, &event);
}

void drag(QWidget *view, const QPoint &from, const QPoint &to)
{
    QTest::mousePress(view, Qt::LeftButton, {}, from);
    move(view, (from + to) / 2, Qt::LeftButton);
    move(view, to, Qt::LeftButton);
    QTest::mouseRelease(view, Qt::LeftButton, {}, to);
}

QImage pictureOf(HeatMapView *view) { return view->grab().toImage(); }

} // namespace

class TestCompareHeatPanel : public QObject
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
        m_panel = std::make_unique<CompareHeatPanel>();
        m_panel->resize(978, 380); // three maps of the same width
        m_panel->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_panel.get()));
        m_a = m_panel->mapA()->view();
        m_b = m_panel->mapB()->view();
        m_error = m_panel->mapError()->view();
    }

    void cleanup() { m_panel.reset(); }

    void statesSayWhyThereIsNothing()
    {
        auto *state = m_panel->findChild<StatePlaceholder *>();
        QVERIFY(state->isVisible());
        QCOMPARE(state->title(), s("Nothing compared"));
        auto same = std::make_shared<Comparison>();
        same->identical = true;
        m_panel->setComparison(same, Titles);
        QCOMPARE(state->title(), s("A and B hold the same bytes: no error"));
        QVERIFY(state->detail().contains(s("Q5_K · 5.50 bpw")));
        m_panel->setComparison(std::make_shared<Comparison>(), Titles);
        QCOMPARE(state->title(), s("No heat maps of this pair"));
        m_panel->setComparison(makeComparison(), Titles);
        QVERIFY(!state->isVisible() && m_a->isVisible());
        m_panel->setError(s("Can't decode"), s("row length"));
        QVERIFY(state->isVisible() && state->isError());
        QVERIFY(m_panel->csv().isEmpty() && !m_a->heatMap());
    }

    void titlesNameTypesAndSides()
    {
        m_panel->setComparison(makeComparison(), Titles);
        QCOMPARE(m_panel->mapA()->title(), s("A Q5_K · 5.50 bpw"));
        QCOMPARE(m_panel->mapB()->title(), s("B Q3_K · 3.44 bpw"));
        QCOMPARE(m_panel->mapError()->title(), s("|A − B| relative to RMS of A"));
        QCOMPARE(m_panel->mapB()->side(), CompareHeatMap::Side::B);
        m_panel->setMeasure(Measure::AbsMax);
        QCOMPARE(m_panel->mapError()->title(), s("max |A − B| relative to RMS of A"));
    }

    void panningOneMovesAll_data()
    {
        QTest::addColumn<int>("which");
        QTest::newRow("A") << 0;
        QTest::newRow("B") << 1;
        QTest::newRow("error") << 2;
    }

    void panningOneMovesAll()
    {
        QFETCH(int, which);
        HeatMapView *view = std::array{m_a, m_b, m_error}[std::size_t(which)];
        m_panel->setComparison(makeComparison(), Titles);
        const QPointF centre = view->geometryNow().plot().center();
        wheel(view, centre, 5);
        const HeatMapViewport zoomed = view->viewport();
        QVERIFY(zoomed.rows < Rows / 2.0 && zoomed.columns < Columns / 2.0);
        for (const HeatMapView *other : {m_a, m_b, m_error})
            QCOMPARE(other->viewport(), zoomed);
        QSignalSpy selected(m_panel.get(), &CompareHeatPanel::cellSelected);
        drag(view, centre.toPoint(), centre.toPoint() + QPoint(30, 40));
        QVERIFY(view->viewport().firstRow < zoomed.firstRow);
        QVERIFY(view->viewport().firstColumn < zoomed.firstColumn);
        for (const HeatMapView *other : {m_a, m_b, m_error})
            QCOMPARE(other->viewport(), view->viewport());
        QCOMPARE(selected.count(), 0);
        QTest::mouseDClick(m_b, Qt::LeftButton, {}, centre.toPoint());
        for (const HeatMapView *other : {m_a, m_b, m_error})
            QCOMPARE(other->viewport(), (HeatMapViewport{0, Rows, 0, Columns}));
    }

    void hoverReadsAllThree()
    {
        m_panel->setComparison(makeFlat(0.01874F, 0.01801F, 0.00412F), Titles);
        m_panel->setPooling(Pooling::Mean);
        for (HeatMapView *view : {m_a, m_b, m_error}) {
            move(view, view->geometryNow().toPixel(213.5, 4400));
            QCOMPARE(m_panel->readout(), s("row 213 · block 17 (weights 4,352–4,607) · A RMS 0.01874 · "
                                           "B RMS 0.01801 · error 0.004120 (22 %)"));
            for (const HeatMapView *other : {m_a, m_b, m_error})
                QVERIFY(other->hoveredWeight() == view->hoveredWeight());
            QEvent leave(QEvent::Leave);
            QApplication::sendEvent(view, &leave);
            QVERIFY(m_panel->readout().isEmpty() && !m_a->hoveredWeight());
        }
        QCOMPARE(m_panel->findChild<QLabel *>(s("compareHeatReadout"))->text(), m_panel->readout());
    }

    void readoutsOfOddCells()
    {
        auto c = makeFlat(0.02F, 0.02F, 0.001F);
        c->heatA->nonFinite[0] = 3;
        c->heatError->rms[0] = std::numeric_limits<float>::quiet_NaN();
        CompareTitles titles = Titles;
        titles.typeIdA = 8; // Q8_0: eight of its blocks a cell
        QCOMPARE(compareHeatReadout(*c, titles, Measure::Rms, Pooling::Mean, {0, 0}),
                 s("row 0 · weights 0–255 · A RMS 0.02000 · 3 NaN or Inf · B RMS 0.02000 · error –"));
        QVERIFY(compareHeatReadout(*c, titles, Measure::Rms, Pooling::Mean, {Rows, 0}).isEmpty());
        titles.rmsA = 0;
        const QString noShare = compareHeatReadout(*c, titles, Measure::AbsMax, Pooling::Max, {1, 0});
        QVERIFY2(noShare.endsWith(s("max error 0.004000")), qPrintable(noShare));
        c->sums.count = 4;
        c->sums.sumSqA = 4 * 0.01 * 0.01;
        QVERIFY(compareHeatReadout(*c, titles, Measure::AbsMax, Pooling::Max, {1, 0})
                    .endsWith(s("max error 0.004000 (40 %)")));
    }

    void commonScaleUntilOwn()
    {
        m_panel->setComparison(makeComparison(), Titles);
        QVERIFY(m_panel->hasCommonScale());
        QCOMPARE(m_a->colorScale(), m_b->colorScale());
        const ColorScale common = m_a->colorScale(), error = m_error->colorScale();
        QCOMPARE(error.map, ColorMap::Error);
        QVERIFY(error.hi < common.hi / 2);
        QCOMPARE(m_panel->mapA()->lowLabel(), m_panel->mapB()->lowLabel());
        QVERIFY(m_panel->mapError()->highLabel().endsWith(s(" %")));
        m_panel->setCommonScale(false);
        QVERIFY(!m_panel->hasCommonScale());
        QCOMPARE(m_b->colorScale().lo, scaleOf(*m_b->heatMap(), Measure::Rms, Pooling::Max).lo);
        QVERIFY(m_b->colorScale().hi < m_a->colorScale().hi);
        QCOMPARE(united(m_a->colorScale(), m_b->colorScale()), common);
        QCOMPARE(m_error->colorScale(), error);
        QVERIFY(m_panel->mapA()->lowLabel() != m_panel->mapB()->lowLabel());
    }

    void noErrorIsDark()
    {
        m_panel->setComparison(makeFlat(0.02F, 0.02F, 0.0F), Titles);
        const QPoint at = m_error->geometryNow().plot().center().toPoint();
        QCOMPARE(pictureOf(m_error).pixelColor(at),
                 QColor(Theme::light().colors(ColorMap::Error).front()));
        QCOMPARE(m_panel->mapError()->lowLabel(), s("0 %"));
    }

    void holdingBShowsBInAsPlace()
    {
        m_panel->setComparison(makeComparison(), Titles);
        const QPointF at = m_a->geometryNow().toPixel(100.5, 5000);
        QSignalSpy changed(m_panel.get(), &CompareHeatPanel::blinkingChanged);
        const QImage before = pictureOf(m_a), other = pictureOf(m_b);
        QVERIFY(before != other);
        wheel(m_a, at, 3);
        move(m_a, at);
        const HeatMapViewport zoomed = m_a->viewport();
        const QString readout = m_panel->readout();

        m_a->setFocus();
        QTest::keyPress(m_a, Qt::Key_B);
        QVERIFY(m_panel->isBlinking());
        QCOMPARE(m_a->heatMap(), m_b->heatMap());
        QCOMPARE(m_panel->mapA()->title(), s("B Q3_K · 3.44 bpw · in A's place"));
        QCOMPARE(m_panel->mapA()->side(), CompareHeatMap::Side::B);
        QCOMPARE(m_a->viewport(), zoomed);
        QCOMPARE(m_panel->readout(), readout); // says what A and B are, not what is where
        QVERIFY(m_a->hoveredWeight());

        QKeyEvent repeated(QEvent::KeyRelease, Qt::Key_B, Qt::NoModifier, QString(), true);
        QApplication::sendEvent(m_a, &repeated);
        QVERIFY(m_panel->isBlinking());
        QTest::keyRelease(m_panel->findChild<ChoiceBox *>(), Qt::Key_B); // wherever the focus is by then
        QVERIFY(!m_panel->isBlinking());
        QCOMPARE(m_panel->mapA()->title(), s("A Q5_K · 5.50 bpw"));
        QCOMPARE(changed.count(), 2);
        m_a->setHoveredWeight(std::nullopt);
        m_b->fit();
        m_a->clearFocus(); // its frame is no part of the map
        QCOMPARE(pictureOf(m_a), before);
        m_panel->setBlinking(true);
        QCOMPARE(pictureOf(m_a), other);
    }

    void blinkingEndsWithItsReason()
    {
        m_panel->setBlinking(true);
        QVERIFY(!m_panel->isBlinking()); // nothing to show
        m_panel->setComparison(makeComparison(), Titles);
        m_panel->setCommonScale(false);
        m_panel->setBlinking(true);
        QCOMPARE(m_a->colorScale(), m_b->colorScale());
        QEvent away(QEvent::WindowDeactivate);
        QApplication::sendEvent(m_panel.get(), &away);
        QVERIFY(!m_panel->isBlinking());
        QVERIFY(m_a->colorScale().hi > m_b->colorScale().hi);
        m_panel->setBlinking(true);
        m_panel->setComparison(nullptr);
        QVERIFY(!m_panel->isBlinking());
        m_panel->setComparison(makeComparison(), Titles);
        QTest::keyPress(m_a, Qt::Key_B, Qt::ControlModifier);
        QVERIFY(!m_panel->isBlinking());
    }

    void clickSelectsInAll()
    {
        m_panel->setComparison(makeComparison(), Titles);
        QSignalSpy selected(m_panel.get(), &CompareHeatPanel::cellSelected);
        const QPoint at = m_error->geometryNow().toPixel(100.5, 5000).toPoint();
        QTest::mouseClick(m_error, Qt::LeftButton, {}, at);
        QCOMPARE(selected.count(), 1);
        const auto row = selected[0][0].toULongLong(), column = selected[0][1].toULongLong();
        QVERIFY(row >= 98 && row <= 102);
        QVERIFY(column > 4900 && column < 5100);
        for (const HeatMapView *view : {m_a, m_b, m_error})
            QCOMPARE(view->selectedWeight(), std::optional(WeightPlace{row, column}));
        QVERIFY(m_panel->readout().startsWith(s("row %1 ").arg(row)));
        m_panel->setSelection({TensorIndex{1}, {}, 10, 700});
        QCOMPARE(m_b->selectedWeight(), std::optional(WeightPlace{10, 700}));
        QTest::keyClick(m_b, Qt::Key_Right);
        QCOMPARE(selected.count(), 2);
        QCOMPARE(m_a->selectedWeight(), std::optional(WeightPlace{10, 768}));
    }

    void anotherTensorIsShownWholeTheSameStays()
    {
        m_panel->setSelection({TensorIndex{1}, 0, {}, {}});
        m_panel->setComparison(makeComparison(), Titles);
        wheel(m_b, QPointF(100, 100), 5);
        const HeatMapViewport zoomed = m_b->viewport();
        m_panel->setSelection({TensorIndex{1}, 1, {}, {}});
        m_panel->setComparison(makeComparison(2), Titles);
        for (const HeatMapView *view : {m_a, m_b, m_error})
            QCOMPARE(view->viewport(), zoomed);
        m_panel->setSelection({TensorIndex{2}, {}, {}, {}});
        for (const HeatMapView *view : {m_a, m_b, m_error})
            QCOMPARE(view->viewport().rows, double(Rows));
    }

    void scaleNeedsBlocksOnBothSides()
    {
        auto *measure = m_panel->findChild<ChoiceBox *>(s("compareHeatMeasure"));
        const int scale = measure->findData(int(Measure::Scale));
        m_panel->setComparison(makeComparison(), Titles);
        QVERIFY(measure->isItemEnabled(scale));
        m_panel->setMeasure(Measure::Scale);
        auto plain = makeComparison();
        plain->heatB->hasScale = false;
        plain->heatB->scale.clear();
        plain->heatB->maxScale.clear();
        m_panel->setComparison(plain, Titles);
        QVERIFY(!measure->isItemEnabled(scale));
        QCOMPARE(m_panel->measure(), Measure::Rms);
    }

    void copiesAndSaves()
    {
        m_panel->setSubject(s("blk.3.attn_q.weight"));
        auto c = std::make_shared<Comparison>();
        c->heatA = *makeHeatMap(2, 512, 256, [](auto, auto) { return 0.5F; });
        c->heatB = *makeHeatMap(2, 512, 256, [](auto r, auto) { return float(r); });
        c->heatError = *makeHeatMap(2, 512, 256, [](auto, auto k) { return 0.25F * float(k); });
        m_panel->setComparison(c, Titles);
        m_panel->setPooling(Pooling::Mean);
        QCOMPARE(m_panel->csv(), s("first row,first weight,A RMS,B RMS,error RMS\n"
                                   "0,0,0.5,0,0\n0,256,0.5,0,0.25\n1,0,0.5,1,0\n1,256,0.5,1,0.25\n"));
        for (const HeatMapView *view : {m_a, m_b, m_error}) {
            QCOMPARE(view->actions().size(), 3);
            QCOMPARE(view->contextMenuPolicy(), Qt::ActionsContextMenu);
        }
        QSignalSpy reported(m_panel.get(), &CompareHeatPanel::reported);
        m_error->actions().first()->trigger();
        QCOMPARE(reported.count(), 1);
        QCOMPARE(QApplication::clipboard()->image().size(), m_panel->picture().size());
        QTemporaryDir dir;
        QCOMPARE(m_panel->plotActions()->writePicture(dir.filePath(s("a.svg"))), QString());
        QVERIFY(QFile(dir.filePath(s("a.svg"))).size() > 1000);
    }

    void pictureHoldsAllThree()
    {
        m_panel->setComparison(makeComparison(), Titles);
        const QImage image = m_panel->picture();
        const auto colours = [&](int from, int to) {
            QSet<QRgb> seen;
            for (int x = from; x < to; ++x)
                seen.insert(image.pixel(x, image.height() / 2));
            return seen.size();
        };
        const int third = image.width() / 3;
        for (int i = 0; i < 3; ++i)
            QVERIFY(colours(i * third + 15, (i + 1) * third - 15) > 10);
    }

    void narrowPanelsDropTheHint()
    {
        m_panel->setComparison(makeComparison(), Titles);
        auto *hint = m_panel->findChild<QLabel *>(s("compareHeatHint"));
        QVERIFY(hint->isVisible());
        m_panel->resize(620, 380);
        QCoreApplication::processEvents();
        QVERIFY(!hint->isVisible());
        QCOMPARE(m_panel->width(), 620);
    }

    void pictures()
    {
        m_panel->setSelection({TensorIndex{1}, {}, 170, 4400});
        m_panel->setComparison(makeComparison(), Titles);
        savePictures(*m_panel, s("compareheat"));
        m_panel->setBlinking(true);
        savePictures(*m_panel, s("compareheat-blink"));
        m_panel->resize(620, 300);
        savePictures(*m_panel, s("compareheat-narrow"));
        if (!pictureDir().isEmpty())
            m_panel->picture().save(pictureDir() + s("/compareheat-composite.png"));
        auto same = std::make_shared<Comparison>();
        same->identical = true;
        m_panel->setComparison(same, Titles);
        savePictures(*m_panel, s("compareheat-identical"));
        QVERIFY(!m_panel->isBlinking());
        applyTheme(*qApp, Theme::light());
    }

private:
    std::unique_ptr<CompareHeatPanel> m_panel;
    HeatMapView *m_a = nullptr;
    HeatMapView *m_b = nullptr;
    HeatMapView *m_error = nullptr;
};

QTEST_MAIN(TestCompareHeatPanel)
#include "tst_compareheatpanel.moc"
