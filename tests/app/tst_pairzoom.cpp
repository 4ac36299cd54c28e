// SPDX-License-Identifier: GPL-3.0-or-later
// Zooming into a compared pair asks for finer cells, of A, B and their error at once.

#include "app/mainwindow.h"
#include "app/tensorpage.h"
#include "tests/support/ggufbuilder.h"
#include "widgets/compareheatmap.h"
#include "widgets/compareheatpanel.h"
#include "widgets/heatmappanel.h"
#include "widgets/heatmapview.h"

#include <QLabel>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <random>

using namespace ql;

namespace {

constexpr int LongMs = 20000;
constexpr std::uint64_t Columns = 64;
constexpr std::uint64_t Rows = 3000; // more than a heat map has rows

std::vector<float> gaussian(unsigned seed)
{
    std::mt19937 random(seed);
    std::normal_distribution<float> normal(0, 1);
    std::vector<float> weights(Columns * Rows);
    for (float &w : weights)
        w = normal(random);
    return weights;
}

} // namespace

class PairZoomTest : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { QStandardPaths::setTestModeEnabled(true); }

    void zoomedCellsAreSingleRows()
    {
        QTemporaryDir folder;
        const auto a = gaussian(1), b = gaussian(2);
        const auto write = [&](const QString &name, const std::vector<float> &weights) {
            const QString path = folder.filePath(name);
            test::GgufBuilder().floats("blk.0.ffn_up.weight", {Columns, Rows}, weights).writeTo(path);
            return path;
        };
        Settings settings(folder.filePath(QStringLiteral("settings.ini")));
        MainWindow window(settings);
        window.resize(1440, 900);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        window.openPair(write(QStringLiteral("a.gguf"), a), write(QStringLiteral("b.gguf"), b));
        QTRY_VERIFY_WITH_TIMEOUT(window.session().document(Side::A) && window.session().document(Side::B), LongMs);
        window.session().selectTensor(TensorIndex{0});
        CompareHeatPanel *maps = window.panels().page->pairMaps();
        QTRY_VERIFY_WITH_TIMEOUT(maps->isVisible() && maps->mapA()->view()->heatMap(), LongMs);
        QVERIFY(maps->mapError()->view()->heatMap()->rowsPerCell > 1);

        const WeightPlace place{1510, 40};
        maps->mapB()->view()->setViewport({1500, 30, 0, Columns}); // any of the three
        for (CompareHeatMap *map : {maps->mapA(), maps->mapB(), maps->mapError()})
            QTRY_COMPARE_WITH_TIMEOUT(map->view()->mapAt(place)->rowsPerCell, std::uint64_t{1}, LongMs);

        double sum = 0;
        for (std::uint64_t column = 32; column < Columns; ++column) {
            const std::uint64_t at = place.row * Columns + column;
            sum += std::pow(static_cast<double>(a[at]) - static_cast<double>(b[at]), 2);
        }
        const HeatMap *error = maps->mapError()->view()->mapAt(place);
        const float shown = error->rms[error->index(place.row - error->window.firstRow, 1)];
        QVERIFY(std::abs(static_cast<double>(shown) - std::sqrt(sum / 32)) < 1e-5);
        maps->mapA()->view()->setHoveredWeight(place);
        QVERIFY2(maps->readout().startsWith(QStringLiteral("row 1,510 ")), qPrintable(maps->readout()));
        // Blinking keeps the finer cells.
        maps->setBlinking(true);
        QCOMPARE(maps->mapA()->view()->mapAt(place)->rms, maps->mapB()->view()->mapAt(place)->rms);
        QCOMPARE(maps->mapA()->view()->mapAt(place)->rowsPerCell, std::uint64_t{1});
    }

    void halfAFusedTensorIsComparedToo()
    {
        QTemporaryDir folder;
        const std::uint64_t columns = 32, rows = 8, experts = 2, slab = columns * rows;
        std::vector<float> up = gaussian(1), fused;
        up.resize(slab * experts);
        for (std::uint64_t k = 0; k < experts; ++k) {
            fused.insert(fused.end(), slab, 0.5f); // the gate comes first
            for (std::uint64_t i = 0; i < slab; ++i)
                fused.push_back(1.25f * up[k * slab + i]);
        }
        const QString a = folder.filePath(QStringLiteral("a.gguf")), b = folder.filePath(QStringLiteral("b.gguf"));
        test::GgufBuilder().floats("blk.0.ffn_up_exps.weight", {columns, rows, experts}, up).writeTo(a);
        test::GgufBuilder().floats("blk.0.ffn_gate_up_exps.weight", {columns, 2 * rows, experts}, fused).writeTo(b);
        Settings settings(folder.filePath(QStringLiteral("settings.ini")));
        MainWindow window(settings);
        window.resize(1440, 900);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        window.openPair(a, b);
        QTRY_VERIFY_WITH_TIMEOUT(window.session().document(Side::A) && window.session().document(Side::B), LongMs);
        window.session().selectTensor(TensorIndex{0});
        TensorPage *page = window.panels().page;
        QTRY_VERIFY_WITH_TIMEOUT(page->pairMaps()->isVisible() && page->pairMaps()->mapA()->view()->heatMap(), LongMs);
        const auto *figures = page->findChild<QLabel *>(QStringLiteral("tensorFigures"));
        QVERIFY2(figures->text().startsWith(QStringLiteral("relative RMSE 0.2500")), qPrintable(figures->text()));
        QCOMPARE(page->pairMaps()->mapB()->view()->heatMap()->tensorRows, rows * experts);
    }

    void equalBytesKeepTheHeatMap()
    {
        QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("a.gguf"));
        test::GgufBuilder().floats("blk.0.ffn_up.weight", {Columns, Rows}, gaussian(1)).writeTo(path);
        Settings settings(folder.filePath(QStringLiteral("settings.ini")));
        MainWindow window(settings);
        window.resize(1440, 900);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        window.openPair(path, path);
        QTRY_VERIFY_WITH_TIMEOUT(window.session().document(Side::A) && window.session().document(Side::B), LongMs);
        window.session().selectTensor(TensorIndex{0});
        const auto *figures = window.panels().page->findChild<QLabel *>(QStringLiteral("tensorFigures"));
        QTRY_COMPARE_WITH_TIMEOUT(figures->text(), QStringLiteral("A and B hold the same bytes"), LongMs);
        QVERIFY(window.panels().page->heatMap()->isVisible());
        QVERIFY(!window.panels().page->pairMaps()->isVisible());
    }
};

QTEST_MAIN(PairZoomTest)
#include "tst_pairzoom.moc"
