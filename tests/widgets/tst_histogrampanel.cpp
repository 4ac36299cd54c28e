// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/widgets/fabricated.h"
#include "tests/widgets/rightclick.h"
#include "widgets/card.h"
#include "widgets/choicebox.h"
#include "widgets/histogrampanel.h"
#include "widgets/plot/histogramplot.h"
#include "widgets/plotactions.h"
#include "widgets/stateplaceholder.h"
#include "widgets/theme.h"

#include <QAction>
#include <QApplication>
#include <QLabel>
#include <QMouseEvent>
#include <QPainter>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QWheelEvent>

#include <numeric>

using namespace ql;
using namespace ql::test;

namespace {

QString s(const char *text) { return QString::fromUtf8(text); }

bool isBlank(const QImage &image)
{
    QImage plain(image.size(), image.format());
    plain.fill(image.pixelColor(0, 0));
    return image == plain;
}

std::shared_ptr<TensorStats> withOutliers()
{
    auto weights = makeWeights(200000, 0.05);
    weights.insert(weights.end(), {-900, -900, -899, 1200, NAN, INFINITY, NAN});
    return makeStats(weights);
}

} // namespace

class TestHistogramPanel : public QObject
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
        m_panel = std::make_unique<HistogramPanel>();
        m_panel->resize(720, 360);
        m_panel->show();
        m_plot = m_panel->plot();
    }

    void cleanup() { m_panel.reset(); }

    void emptyAndErrorStates()
    {
        auto *state = m_panel->findChild<StatePlaceholder *>();
        QVERIFY(state->isVisible());
        show(makeStats(makeWeights(1000, 0.02)));
        QVERIFY(!state->isVisible());
        m_panel->setError(s("Can't decode"), s("the file ends at 840 MiB"));
        QVERIFY(state->isVisible() && state->isError());
    }

    void aTensorWithoutWeightsSaysSo()
    {
        auto *state = m_panel->findChild<StatePlaceholder *>();
        show(makeStats({}));
        QVERIFY(state->isVisible() && !state->isError());
        QCOMPARE(state->title(), s("No weights"));
        QCOMPARE(m_panel->countText(), s("0 weights · exact"));
        QVERIFY(!m_panel->findChild<ChoiceBox *>(s("histogramMarks"))->isEnabled());
        show(makeStats(makeWeights(1000, 0.02)));
        QVERIFY(!state->isVisible());
        show(nullptr);
        QCOMPARE(state->title(), s("No distribution"));
        QCOMPARE(m_panel->countText(), QString());
        show(makeStats({NAN, NAN})); // weights, though none to draw: the notes tell of them
        QVERIFY(!state->isVisible());
    }

    void saysHowMany()
    {
        show(makeStats(makeWeights(20000, 0.02)));
        QCOMPARE(m_panel->countText(), s("20,000 weights · exact"));
        auto estimate = makeStats(makeWeights(20000, 0.02));
        estimate->sampledShare = 0.02;
        show(estimate);
        QCOMPARE(m_panel->countText(), s("1,000,000 weights · estimate from 2 %"));
    }

    void theHeaderFitsFromTheFirstTensorOn()
    {
        for (int width = 320; width <= 720; width += 20) {
            QWidget window; // a window of its own would not get narrower than what it holds
            HistogramPanel panel(&window);
            panel.resize(width, 360);
            window.show();
            panel.setStats(makeStats(makeWeights(20000, 0.02)));
            QCoreApplication::processEvents();
            const auto *count = panel.findChild<QLabel *>(s("histogramCount"));
            const QString where = QStringLiteral("%1 of %2").arg(count->width()).arg(width);
            QVERIFY2(count->width() >= count->fontMetrics().horizontalAdvance(count->text()), qPrintable(where));
            QVERIFY2(count->geometry().right() < panel.card()->width(), qPrintable(where));
            panel.setStats(withOutliers()); // needs the button as well: it goes before the count
            QCoreApplication::processEvents();
            QVERIFY(panel.findChild<QPushButton *>(s("histogramFullRange"))->isVisible());
            QVERIFY2(!count->isVisible() || count->width() >= count->fontMetrics().horizontalAdvance(count->text()),
                     qPrintable(where));
            QVERIFY2(width < 500 || count->isVisible(), qPrintable(where));
        }
    }

    void hoverReadsBinAndCount()
    {
        show(makeStats(std::vector<double>(50, 0.25)));
        hover(0.25);
        QVERIFY2(m_panel->readout().endsWith(s("· 50 weights")), qPrintable(m_panel->readout()));
        hoverPixel(2); // outside of the axes
        QCOMPARE(m_panel->readout(), QString());
    }

    void theHoveredBinIsForgottenWithThePointer()
    {
        show(makeStats(makeWeights(20000, 0.02)));
        const QImage plain = m_plot->grab().toImage();
        hover(0.01);
        QVERIFY(m_plot->grab().toImage() != plain);
        QEvent leaving(QEvent::Leave);
        QApplication::sendEvent(m_plot, &leaving);
        QCOMPARE(m_panel->readout(), QString());
        QCOMPARE(m_plot->grab().toImage(), plain);
    }

    void theHoveredBinIsForgottenWithTheTensor()
    {
        const auto narrow = makeStats(makeWeights(20000, 0.02)), wide = makeStats(makeWeights(20000, 3));
        m_panel->setSelection({TensorIndex{2}, {}, {}, {}});
        show(wide);
        const QImage plain = m_plot->grab().toImage();
        m_panel->setSelection({TensorIndex{1}, {}, {}, {}});
        show(narrow);
        hover(0.01);
        m_panel->setSelection({TensorIndex{2}, {}, {}, {}});
        show(wide);
        QCOMPARE(m_panel->readout(), QString());
        QCOMPARE(m_plot->grab().toImage(), plain);
    }

    void theHoveredBinFollowsTheAxis()
    {
        show(makeStats(makeWeights(100000, 0.02)));
        hover(0.01);
        const QString before = m_panel->readout();
        QTest::keyClick(m_plot, Qt::Key_Plus);
        m_plot->updateNow();
        const QString after = m_panel->readout();
        QVERIFY(after != before);
        hoverPixel(m_hoveredAt);
        QCOMPARE(m_panel->readout(), after);
    }

    void outliersAreSaidAndOneClickAway()
    {
        show(withOutliers());
        QVERIFY2(m_panel->notes().startsWith(s("3 weights below -")), qPrintable(m_panel->notes()));
        QVERIFY(m_panel->notes().contains(s(", 1 above ")));
        QVERIFY(m_panel->notes().contains(s("2 NaN and 1 Inf are not in the plot")));
        auto *full = m_panel->findChild<QPushButton *>(s("histogramFullRange"));
        QVERIFY(full->isVisible());
        QTest::mouseClick(full, Qt::LeftButton);
        m_plot->updateNow();
        QCOMPARE(m_plot->visibleRange(), (ValueRange{-900, 1200}));
        QVERIFY(!m_panel->notes().contains(s("below")));
        show(makeStats(makeWeights(1000, 0.02)));
        QVERIFY(!full->isVisible());
    }

    void shiftDragCountsARange()
    {
        std::vector<double> weights(10000);
        std::iota(weights.begin(), weights.end(), 0.0);
        show(makeStats(weights));
        QSignalSpy brushed(m_panel.get(), &HistogramPanel::rangeBrushed);
        hover(2000);
        drag(2000, 4000, Qt::ShiftModifier);
        m_plot->updateNow();
        QVERIFY(brushed.count() > 0);
        const double lo = brushed.last()[0].toDouble(), hi = brushed.last()[1].toDouble();
        const auto inside = std::count_if(weights.begin(), weights.end(),
                                          [&](double w) { return w >= lo && w < hi; });
        QCOMPARE(brushed.last()[2].toULongLong(), qulonglong(inside));
        QVERIFY(std::abs(inside - 2000) < 60);
        QVERIFY2(m_panel->readout().contains(s("selected: ")), qPrintable(m_panel->readout()));
        QVERIFY(m_panel->readout().contains(QLocale().toString(qulonglong(inside)) + s(" weights (2")));
        const ValueRange range = m_plot->visibleRange();
        QTest::keyClick(m_plot, Qt::Key_Escape);
        QCOMPARE(m_panel->readout(), QString());
        QCOMPARE(m_plot->visibleRange(), range);
    }

    void brushModeNeedsNoShift()
    {
        show(makeStats(makeWeights(1000, 0.02)));
        m_panel->findChild<QAction *>(s("brushMode"))->trigger();
        drag(-0.01, 0.01, Qt::NoModifier);
        QVERIFY(m_plot->brush());
    }

    void wheelZoomsAndDragPans()
    {
        show(makeStats(makeWeights(100000, 0.02)));
        const ValueRange whole = m_plot->visibleRange();
        wheel(0, 5);
        const ValueRange near = m_plot->visibleRange();
        QVERIFY(near.size() < whole.size() / 2);
        QVERIFY(near.contains(0));
        m_plot->updateNow();
        drag(0, near.hi / 2, Qt::NoModifier);
        QVERIFY(m_plot->visibleRange().lo < near.lo);
        QVERIFY(!m_plot->brush());
        QTest::mouseDClick(canvas(), Qt::LeftButton, {}, QPoint(int(m_plot->pixelOf(0)), 150));
        QCOMPARE(m_plot->visibleRange(), whole);
    }

    void bothAreDrawnOverEachOther()
    {
        show(makeStats(makeWeights(100000, 0.02)));
        const std::size_t before = m_plot->binsA().counts.size();
        m_panel->setComparison(makeStats(makeWeights(100000, 0.02, 2, 0.02)));
        m_plot->updateNow();
        QVERIFY(before > 100);
        QCOMPARE(m_plot->binsA().edges.size(), m_plot->binsB().edges.size());
        const auto &b = m_plot->binsB().counts;
        QVERIFY(std::fabs(std::accumulate(b.begin(), b.end(), 0.0) - 100000) < 1);
        // A coarse grid leaves most of B's bins empty.
        QVERIFY(std::count_if(b.begin(), b.end(), [](double c) { return c < 0.5; }) > long(b.size()) / 2);
        hover(0.0001);
        QVERIFY(m_panel->readout().contains(s("A ")) && m_panel->readout().contains(s("· B ")));
        QVERIFY(m_plot->csv().startsWith(s("from,to,count_a,count_b\n")));
    }

    void marksHaveLabels()
    {
        show(makeStats(makeWeights(100000, 0.02)));
        m_panel->findChild<ChoiceBox *>(s("histogramMarks"))->choose(int(PlotMarks::Spread));
        m_plot->updateNow();
        m_plot->grab();
        const auto labels = m_plot->drawnLabels();
        for (const char *label : {"mean", "-2σ", "+2σ"})
            QVERIFY2(std::find(labels.begin(), labels.end(), s(label)) != labels.end(), label);
        m_panel->findChild<ChoiceBox *>(s("histogramMarks"))->choose(int(PlotMarks::None));
        m_plot->updateNow();
        m_plot->grab();
        QVERIFY(m_plot->drawnLabels().empty());
    }

    void symLogShowsBulkAndOutliers()
    {
        show(withOutliers());
        m_panel->findChild<ChoiceBox *>(s("histogramX"))->setCurrentIndex(1);
        m_plot->updateNow();
        QCOMPARE(m_plot->visibleRange(), (ValueRange{-900, 1200}));
        const DrawnBins &bins = m_plot->binsA();
        QVERIFY(std::fabs(std::accumulate(bins.counts.begin(), bins.counts.end(), 0.0) - 200004) < 1);
        QVERIFY(m_plot->pixelOf(0.1) - m_plot->pixelOf(-0.1) > 60);
        QVERIFY(!m_panel->notes().contains(s("below")));
    }

    void exactResultsNeverShrinkTheAxis()
    {
        m_panel->setSelection({TensorIndex{1}, {}, {}, {}});
        auto estimate = makeStats(makeWeights(1000, 0.03));
        estimate->sampledShare = 0.01;
        show(estimate);
        const ValueRange before = m_plot->visibleRange();
        show(makeStats(makeWeights(1000, 0.01)));
        QVERIFY(m_plot->visibleRange().lo <= before.lo && m_plot->visibleRange().hi >= before.hi);
        m_panel->setSelection({TensorIndex{2}, {}, {}, {}});
        show(makeStats(makeWeights(1000, 0.01)));
        QVERIFY(m_plot->visibleRange().size() < before.size());
    }

    void expertsAreShownAlone()
    {
        auto stats = makeStats(makeWeights(1000, 0.02));
        stats->experts.push_back(makeStats(makeWeights(300, 0.02))->figures);
        m_panel->setStats(stats, 0);
        m_plot->updateNow();
        QCOMPARE(m_panel->countText(), s("300 weights · exact"));
        m_panel->setStats(stats, 7);
        QVERIFY(m_panel->findChild<StatePlaceholder *>()->isVisible());
    }

    void nothingIsDoneWhileHidden()
    {
        m_panel->hide();
        m_panel->setStats(makeStats(makeWeights(1000, 0.02)));
        QTest::qWait(20);
        QVERIFY(m_plot->binsA().isEmpty());
        m_panel->show();
        QTRY_VERIFY(!m_plot->binsA().isEmpty());
    }

    void aPlotWithoutRoomIsNotDrawn()
    {
        HistogramPlot plot;
        plot.setSources({makeStats(makeWeights(5000, 0.02)), {}}, {}, false);
        bool lowest = false;
        for (int height = 160; height > 0; height -= 8) {
            plot.setFixedHeight(height);
            plot.resize(400, height);
            plot.show();
            QCoreApplication::processEvents();
            const bool blank = isBlank(plot.grab().toImage());
            QVERIFY2(plot.plotArea().height() >= (blank ? 0 : 16), qPrintable(QString::number(height)));
            QVERIFY2(height < 100 || !blank, qPrintable(QString::number(height)));
            QVERIFY2(height > 40 || blank, qPrintable(QString::number(height)));
            const QRect area = plot.plotArea();
            if (!area.isEmpty() && area.height() < 40) // no numbers on top of each other
                QVERIFY(isBlank(plot.grab().toImage().copy(0, area.top(), 40, area.height())));
            lowest |= !area.isEmpty() && area.height() < 40;
            QImage picture(400, height, QImage::Format_RGB32);
            QPainter painter(&picture);
            plot.draw(painter, picture.size());
            painter.end();
            QCOMPARE(isBlank(picture), blank);
        }
        QVERIFY(lowest);
        plot.setFixedHeight(160); // and is again once there is room
        plot.resize(400, 160);
        QCoreApplication::processEvents();
        QVERIFY(!isBlank(plot.grab().toImage()));
    }

    void aRightClickOpensTheMenu()
    {
        show(makeStats(makeWeights(5000, 0.02)));
        const QStringList lines = menuOfRightClick(canvas(), canvas()->rect().center());
        QVERIFY(lines.contains(s("Copy picture")));
        QVERIFY(lines.contains(s("Drag selects a range (as with Shift)")));
    }

    void savesPicturesAndNumbers()
    {
        show(makeStats(makeWeights(5000, 0.02)));
        QTemporaryDir dir;
        QCOMPARE(m_panel->plotActions()->writePicture(dir.filePath(s("a.svg"))), QString());
        QFile svg(dir.filePath(s("a.svg")));
        QVERIFY(svg.open(QIODevice::ReadOnly));
        QVERIFY(svg.readAll().contains("weights per bin"));
        QVERIFY(m_plot->plotArea().height() > 100);
        QCOMPARE(m_panel->plotActions()->writePicture(dir.filePath(s("a.png"))), QString());
        QVERIFY(!QImage(dir.filePath(s("a.png"))).isNull());
        const QStringList lines = m_panel->csv().split(QLatin1Char('\n'), Qt::SkipEmptyParts);
        double total = 0;
        for (const QString &line : lines.mid(1))
            total += line.section(QLatin1Char(','), 2, 2).toDouble();
        QCOMPARE(total, 5000.0);
    }

private:
    void show(const TensorStatsPtr &stats)
    {
        m_panel->setStats(stats);
        m_plot->updateNow();
    }
    QWidget *canvas() const { return m_plot->findChild<QWidget *>(s("histogramCanvas")); }

    void send(QEvent::Type type, double pixel, Qt::MouseButton button, Qt::MouseButtons buttons,
              Qt::KeyboardModifiers modifiers)
    {
        const QPointF at(pixel, 150);
        QMouseEvent event(type, at, canvas()->mapToGlobal(at), button, buttons, modifiers);
        QApplication::sendEvent(canvas(), &event);
    }
    void hoverPixel(double pixel) { send(QEvent::MouseMove, pixel, Qt::NoButton, Qt::NoButton, {}); }
    void hover(double value)
    {
        m_hoveredAt = m_plot->pixelOf(value);
        hoverPixel(m_hoveredAt);
    }
    void drag(double from, double to, Qt::KeyboardModifiers modifiers)
    {
        const double start = m_plot->pixelOf(from), end = m_plot->pixelOf(to);
        send(QEvent::MouseButtonPress, start, Qt::LeftButton, Qt::LeftButton, modifiers);
        send(QEvent::MouseMove, (start + end) / 2, Qt::NoButton, Qt::LeftButton, modifiers);
        send(QEvent::MouseMove, end, Qt::NoButton, Qt::LeftButton, modifiers);
        send(QEvent::MouseButtonRelease, end, Qt::LeftButton, Qt::NoButton, modifiers);
    }
    void wheel(double value, int steps)
    {
        const QPointF at(m_plot->pixelOf(value), 150);
        QWheelEvent event(at, canvas()->mapToGlobal(at), {}, QPoint(0, 120 * steps), Qt::NoButton,
                          Qt::NoModifier, Qt::NoScrollPhase, false);
        QApplication::sendEvent(canvas(), &event);
    }

    std::unique_ptr<HistogramPanel> m_panel;
    HistogramPlot *m_plot = nullptr;
    double m_hoveredAt = 0;
};

QTEST_MAIN(TestHistogramPanel)
#include "tst_histogrampanel.moc"
