// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/widgets/fabricated.h"
#include "widgets/heatmapgeometry.h"
#include "widgets/heatmapimage.h"
#include "widgets/heatmapprofile.h"
#include "widgets/heatmaptext.h"

#include <QTest>

using namespace ql;
using namespace ql::test;

namespace {
const QLocale En(QLocale::English, QLocale::UnitedStates);
QString s(const char *text) { return QString::fromUtf8(text); }
HeatMapPtr flat(std::uint64_t rows, std::uint64_t columns, std::uint32_t cell = 256)
{
    return makeHeatMap(rows, columns, cell, [](auto r, auto c) { return float(r * 100 + c + 1); });
}
} // namespace

class TestHeatMapGeometry : public QObject
{
    Q_OBJECT

private slots:
    void labelsOfANarrowScaleDiffer()
    {
        const QLocale c = QLocale::c();
        QVERIFY(scaleLabel(Measure::Mean, 100.02, 0.01, c) != scaleLabel(Measure::Mean, 100.03, 0.01, c));
        QCOMPARE(scaleLabel(Measure::Mean, 0.5, 0.1, c), measureValue(Measure::Mean, 0.5, c));
        QCOMPARE(scaleLabel(Measure::Mean, 0.5, 0, c), measureValue(Measure::Mean, 0.5, c));
    }

    void pixelsAndWeightsAgree()
    {
        const auto map = flat(400, 2560);
        const HeatMapGeometry g(map.get(), QRectF(50, 10, 1000, 200), {});
        QCOMPARE(g.plot(), QRectF(50, 10, 1000, 200));
        QCOMPARE(g.toPixel(0, 0), QPointF(50, 10));
        QCOMPARE(g.toPixel(400, 2560), QPointF(1050, 210));
        QCOMPARE(g.weightAt(g.toPixel(17.5, 1300.5)), std::optional(WeightPlace{17, 1300}));
        QVERIFY(!g.weightAt(QPointF(49, 20)));
        QVERIFY(!g.weightAt(QPointF(60, 211)));
    }

    void emptyMapsHaveNoGeometry()
    {
        QVERIFY(HeatMapGeometry(nullptr, QRectF(0, 0, 10, 10), {}).isEmpty());
        HeatMap none;
        QVERIFY(HeatMapGeometry(&none, QRectF(0, 0, 10, 10), {}).isEmpty());
        QVERIFY(HeatMapGeometry(flat(4, 256).get(), QRectF(), {}).isEmpty());
    }

    void oneRowIsAStrip()
    {
        const auto map = flat(1, 4096);
        const HeatMapGeometry g(map.get(), QRectF(0, 0, 600, 300), {});
        QCOMPARE(g.plot(), QRectF(0, 0, 600, 120));
        QCOMPARE(g.weightAt(QPointF(0, 39)), std::optional(WeightPlace{0, 0}));
    }

    void zoomKeepsThePlaceUnderTheCursor()
    {
        const auto map = flat(4096, 14336);
        const QRectF area(0, 0, 700, 500);
        HeatMapGeometry g(map.get(), area, {});
        const QPointF cursor(300.3, 200.2); // on no weight's edge
        const auto before = g.weightAt(cursor);
        for (int i = 0; i < 40; ++i) {
            g = HeatMapGeometry(map.get(), area, g.zoomed(cursor, 1.25, 1.25));
            QCOMPARE(g.weightAt(cursor), before);
        }
        QCOMPARE(g.viewport().rows, HeatMapGeometry::MinCells);
        QCOMPARE(g.viewport().columns, HeatMapGeometry::MinCells * 256);
        for (int i = 0; i < 60; ++i)
            g = HeatMapGeometry(map.get(), area, g.zoomed(cursor, 0.8, 0.8));
        QCOMPARE(g.viewport(), g.fitted());
    }

    void panStopsAtTheEdges()
    {
        const auto map = flat(1000, 10240);
        const QRectF area(0, 0, 100, 100);
        const HeatMapGeometry g(map.get(), area, {400, 100, 5120, 1024});
        QCOMPARE(g.panned(QPointF(-10, 20)), (HeatMapViewport{380, 100, 5120 + 102.4, 1024}));
        QCOMPARE(g.panned(QPointF(1e6, 1e6)), (HeatMapViewport{0, 100, 0, 1024}));
        QCOMPARE(g.panned(QPointF(-1e6, -1e6)), (HeatMapViewport{900, 100, 10240 - 1024, 1024}));
    }

    void finerCellsAreAskedForOnlyWhereTheyHelp()
    {
        const auto pooled = flat(8192, 14336);
        QCOMPARE(pooled->rowsPerCell, std::uint64_t(16));
        QVERIFY(!finerWindow(*pooled, {0, 8192, 0, 14336}));
        const auto window = finerWindow(*pooled, {4000, 1000, 5000, 2000});
        QVERIFY(window);
        QCOMPARE(window->firstRow, std::uint64_t(3750));
        QCOMPARE(window->rows, std::uint64_t(1500));
        QCOMPARE(window->firstColumn % 256, std::uint64_t(0));
        QVERIFY(window->firstColumn <= 4500 && window->firstColumn + window->columns >= 7500);
        const auto whole = flat(512, 14336);
        QVERIFY(!finerWindow(*whole, {10, 5, 256, 512}));
    }

    void partialMapsAskAgainOnceLeft()
    {
        auto part = std::make_shared<HeatMap>(*flat(8192, 14336));
        part->window = {1000, 500, 0, 14336};
        part->rowsPerCell = 1;
        QVERIFY(!finerWindow(*part, {1100, 100, 0, 2000}));
        QVERIFY(finerWindow(*part, {1400, 200, 0, 2000}));
    }

    void ticksAreRound()
    {
        QCOMPARE(axisTicks(0, 4096, 5), (std::vector<std::uint64_t>{0, 1000, 2000, 3000, 4000}));
        QCOMPARE(axisTicks(0, 14336, 8, 256),
                 (std::vector<std::uint64_t>{0, 2048, 4096, 6144, 8192, 10240, 12288}));
        QCOMPARE(axisTicks(0, 1, 4), (std::vector<std::uint64_t>{0}));
        QCOMPARE(axisTicks(3.5, 4, 4), (std::vector<std::uint64_t>{4, 5, 6, 7}));
        QVERIFY(axisTicks(0, 4e9, 6).size() <= 7);
    }

    void oneFarCellDoesNotSquashTheScale()
    {
        auto map = makeLifelikeHeatMap(512, 16384, 256);
        const ColorScale calm = scaleOf(*map, Measure::Rms, Pooling::Mean);
        QVERIFY(!calm.clipsHigh || calm.hi > 0.02);
        map->rms[1000] = 50;
        const ColorScale scale = scaleOf(*map, Measure::Rms, Pooling::Mean);
        QVERIFY(scale.hi < 0.2);
        QVERIFY(scale.clipsHigh);
    }

    void meanIsSymmetric()
    {
        const ColorScale scale = scaleOf(*makeLifelikeHeatMap(64, 4096, 256), Measure::Mean, Pooling::Max);
        QCOMPARE(scale.map, ColorMap::Signed);
        QCOMPARE(scale.lo, -scale.hi);
    }

    void constantMapsKeepZeroDark()
    {
        const auto zeros = makeHeatMap(4, 512, 256, [](auto, auto) { return 0.0F; });
        auto ones = makeHeatMap(4, 512, 256, [](auto, auto) { return 1.0F; });
        ones->zeroShare.assign(ones->zeroShare.size(), 1.0F);
        for (const Measure measure : {Measure::Rms, Measure::AbsMax, Measure::Scale}) {
            const ColorScale scale = scaleOf(*zeros, measure, Pooling::Mean);
            QCOMPARE(scale.lo, 0.0);
            QCOMPARE(scale.hi, 0.0);
            QCOMPARE(scale.position(0), 0.0);
            const ColorScale wide = united(scale, scaleOf(*ones, measure, Pooling::Mean));
            QCOMPARE(wide.position(0), 0.0); // as in the map of a tensor that is not all zero
            QVERIFY(wide.hi > 0 && wide.hi <= 4);
        }
        for (const Measure measure : {Measure::Rms, Measure::AbsMax, Measure::Scale, Measure::ZeroShare}) {
            const ColorScale scale = scaleOf(*ones, measure, Pooling::Mean);
            QCOMPARE(scale.lo, 0.0);
            QVERIFY(scale.hi > 0);
            QCOMPARE(scale.position(scale.hi), 1.0);
        }
        const Theme theme = Theme::light();
        const ColorScale scale = scaleOf(*zeros, Measure::Rms, Pooling::Max);
        const QImage image = heatMapImage(*zeros, Measure::Rms, Pooling::Max, scale, theme);
        QCOMPARE(image.pixel(1, 2), theme.colors(ColorMap::Magnitude).front());
    }

    void aMeanOfZeroIsTheMiddle()
    {
        const auto map = makeHeatMap(4, 512, 256, [](auto, auto) { return 0.0F; });
        const ColorScale scale = scaleOf(*map, Measure::Mean, Pooling::Mean);
        QCOMPARE(scale.lo, scale.hi);
        QCOMPARE(scale.position(0), 0.5);
    }

    void picturesShowEveryCell()
    {
        auto map = std::make_shared<HeatMap>(*flat(2, 1024));
        map->nonFinite[5] = 3;
        map->rms[6] = std::numeric_limits<float>::quiet_NaN();
        const Theme theme = Theme::light();
        const ColorScale scale{1, 104};
        const QImage image = heatMapImage(*map, Measure::Rms, Pooling::Mean, scale, theme);
        QCOMPARE(image.size(), QSize(4, 2));
        QCOMPARE(image.pixel(0, 0), theme.colors(ColorMap::Magnitude).front());
        QCOMPARE(image.pixel(3, 1), theme.colors(ColorMap::Magnitude).back());
        QCOMPARE(QColor(image.pixel(1, 1)), theme.nonFinite);
        QCOMPARE(qAlpha(image.pixel(2, 1)), 0);
        QCOMPARE(countCells(*map).nonFinite, std::size_t(1));
        QCOMPARE(countCells(*map).notSampled, std::size_t(1));
    }

    void reducingKeepsTheOutlier()
    {
        const auto map = makeHeatMap(8, 8 * 256, 256, [](auto r, auto c) { return r == 5 && c == 3 ? 9.0F : 1.0F; });
        const Theme theme = Theme::light();
        const ColorScale scale{1, 13.5};
        const QImage max = heatMapImage(*map, Measure::Rms, Pooling::Max, scale, theme, 4, 4);
        QCOMPARE(max.size(), QSize(2, 2));
        QCOMPARE(max.pixel(0, 1), theme.colors(ColorMap::Magnitude).back());
        const QImage mean = heatMapImage(*map, Measure::Rms, Pooling::Mean, {1, 9}, theme, 4, 4);
        QCOMPARE(mean.pixel(0, 1), theme.colorAt(ColorMap::Magnitude, (24.0 / 16 - 1) / 8));
    }

    void profilesGoThroughSquares()
    {
        auto map = makeHeatMap(2, 512, 256, [](auto r, auto c) { return float(3 * r + c + 1); }); // 1 2 / 4 5
        const auto rms = profilesOf(*map, Measure::Rms);
        QCOMPARE(rms.rows[0], std::sqrt(2.5));
        QCOMPARE(rms.columns[1], std::sqrt(14.5));
        map->zeroShare = {0.0F, 0.5F, std::numeric_limits<float>::quiet_NaN(), 0.25F};
        const auto zeros = profilesOf(*map, Measure::ZeroShare);
        QCOMPARE(zeros.rows, (std::vector<double>{0.25, 0.25}));
        QCOMPARE(zeros.columns, (std::vector<double>{0.0, 0.375}));
    }

    void readoutsNameOneBlock()
    {
        const auto map = makeHeatMap(400, 14336, 256, [](auto, auto) { return 0.01874F; });
        QCOMPARE(heatMapReadout(*map, Measure::Rms, Pooling::Mean, {213, 4400}, En),
                 s("row 213 · block 17 (weights 4,352–4,607) · RMS 0.01874"));
        QCOMPARE(heatMapReadout(*map, Measure::ZeroShare, Pooling::Max, {0, 14335}, En),
                 s("row 0 · block 55 (weights 14,080–14,335) · zero share 98.2 %"));
        QVERIFY(heatMapReadout(*map, Measure::Rms, Pooling::Mean, {400, 0}, En).isEmpty());
    }

    void readoutsNameRanges()
    {
        const auto map = makeHeatMap(4096, 14330, 32, [](auto, auto) { return 0.01F; });
        QCOMPARE(heatMapReadout(*map, Measure::Rms, Pooling::Max, {2113, 14329}, En),
                 s("rows 2,112–2,119 · weights 14,304–14,329 · max RMS 0.01500"));
    }

    void readoutsOfOddCells()
    {
        auto map = makeHeatMap(4, 512, 256, [](auto, auto) { return 0.01F; });
        map->nonFinite[0] = 3;
        map->rms[2] = std::numeric_limits<float>::quiet_NaN();
        QCOMPARE(cellValue(*map, Measure::Rms, Pooling::Mean, {0, 0}, En), s("RMS 0.01000 · 3 NaN or Inf"));
        QCOMPARE(cellValue(*map, Measure::Rms, Pooling::Mean, {1, 0}, En), s("no finite weight"));
        map->sampledShare = 0.02;
        QCOMPARE(cellValue(*map, Measure::Rms, Pooling::Mean, {1, 0}, En), s("not sampled"));
    }

    void csvIsAMatrixWithoutLocale()
    {
        QLocale::setDefault(QLocale(QLocale::German));
        const auto map = makeHeatMap(2, 512, 256, [](auto r, auto c) { return float(r) + float(c) * 0.5F; });
        QCOMPARE(heatMapCsv(*map, Measure::Rms, Pooling::Mean),
                 s("first row / first weight,0,256\n0,0,0.5\n1,1,1.5\n"));
        QLocale::setDefault(En);
    }
};

QTEST_GUILESS_MAIN(TestHeatMapGeometry)
#include "tst_heatmap_geometry.moc"
