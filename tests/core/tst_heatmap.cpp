// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/cutting.h"
#include "core/stats/heatmapsums.h"
#include "core/stats/lanes.h"
#include "core/stats/signedkey.h"

#include <QTest>

#include <cmath>
#include <limits>
#include <memory>
#include <random>

using namespace ql;

namespace {

struct Matrix {
    std::uint64_t rows = 0;
    std::uint64_t columns = 0;
    std::vector<float> weights;

    float at(std::uint64_t row, std::uint64_t column) const { return weights[row * columns + column]; }
};

Matrix randomMatrix(std::uint64_t rows, std::uint64_t columns, unsigned seed)
{
    std::mt19937 random(seed);
    std::normal_distribution<float> normal(0.01f, 1);
    Matrix matrix{rows, columns, std::vector<float>(rows * columns)};
    for (float &w : matrix.weights)
        w = random() % 10 == 0 ? 0.0f : normal(random);
    for (std::uint64_t i = 0; i < matrix.weights.size(); i += 997)
        matrix.weights[i] = i % 2 ? std::numeric_limits<float>::infinity() : std::nanf("");
    return matrix;
}

/// A map of a window made group by group, as a scan makes it.
HeatMap mapOf(const Matrix &matrix, const HeatMapGrid &grid, std::uint64_t groupWeights)
{
    const auto &w = grid.window;
    const Cutting groups({w.firstRow, w.rows, w.firstColumn, w.columns}, groupWeights);
    HeatMapSums sums(grid, false);
    std::vector<StripSums> strips;
    for (std::uint64_t g = 0; g < groups.size(); ++g) {
        const Piece group = groups[g];
        HeatMapPart part(grid, group);
        for (std::uint64_t row = group.firstRow; row < group.firstRow + group.rows; ++row) {
            strips.assign((group.columns + grid.cellWeights - 1) / grid.cellWeights, {});
            const float *first = matrix.weights.data() + row * matrix.columns + group.firstColumn;
            sumStrips(std::span(first, group.columns), grid.cellWeights, 1.0, strips.data());
            part.addStrips(row, group.firstColumn, strips);
        }
        sums.merge(part);
    }
    return sums.finish();
}

/// One cell worked out the slow way, straight from the weights.
struct SlowCell {
    double sum = 0, sumSq = 0;
    float absMax = 0, maxRms = 0, maxMean = 0;
    std::uint32_t finite = 0, zeros = 0, nonFinite = 0;

    void addStrip(const Matrix &matrix, std::uint64_t row, std::uint64_t first, std::uint64_t last)
    {
        double stripSum = 0, stripSq = 0;
        int n = 0;
        for (std::uint64_t column = first; column < last; ++column) {
            const float w = matrix.at(row, column);
            if (!std::isfinite(w)) {
                ++nonFinite;
                continue;
            }
            ++n;
            stripSum += static_cast<double>(w);
            stripSq += static_cast<double>(w) * static_cast<double>(w);
            zeros += w == 0;
            if (std::abs(w) > std::abs(absMax))
                absMax = w;
        }
        finite += n;
        sum += stripSum;
        sumSq += stripSq;
        const auto mean = static_cast<float>(stripSum / n);
        if (n && std::abs(mean) > std::abs(maxMean))
            maxMean = mean;
        if (n)
            maxRms = std::max(maxRms, static_cast<float>(std::sqrt(stripSq / n)));
    }
};

SlowCell slowCell(const Matrix &matrix, const HeatMapGrid &grid, std::size_t cellRow, std::size_t cellColumn)
{
    const auto &w = grid.window;
    SlowCell cell;
    const std::uint64_t firstRow = w.firstRow + cellRow * grid.rowsPerCell;
    const std::uint64_t lastRow = std::min(firstRow + grid.rowsPerCell, w.firstRow + w.rows);
    const std::uint64_t firstColumn = w.firstColumn + cellColumn * grid.weightsPerCell;
    const std::uint64_t end = std::min(firstColumn + grid.weightsPerCell, w.firstColumn + w.columns);
    for (std::uint64_t row = firstRow; row < lastRow; ++row) {
        for (std::uint64_t column = firstColumn; column < end; column += grid.cellWeights)
            cell.addStrip(matrix, row, column, std::min(column + grid.cellWeights, end));
    }
    return cell;
}

bool isNear(float value, double expected)
{
    return std::abs(static_cast<double>(value) - expected) <= 1e-6 * (1 + std::abs(expected));
}

} // namespace

class TestHeatMap : public QObject
{
    Q_OBJECT

private slots:
    void gridStaysWithinItsLimits_data();
    void gridStaysWithinItsLimits();
    void piecesCoverEveryWeightOnce_data();
    void piecesCoverEveryWeightOnce();
    void cellsAreRight_data();
    void cellsAreRight();
    void groupsDoNotMatterForMaxima();
    void untouchedCellsAreNotANumber();
    void scalesArePooled();
    void tablesArePooled();
    void valuesPickTheMeasure();
    void nonFiniteCountsSaturate();
    void partsAreSmall();
};

void TestHeatMap::gridStaysWithinItsLimits_data()
{
    QTest::addColumn<quint64>("rows");
    QTest::addColumn<quint64>("columns");
    QTest::addColumn<unsigned>("cell");
    QTest::newRow("one row of four billion") << quint64{1} << (quint64{1} << 32) << 256u;
    QTest::newRow("millions of short rows") << quint64{50000000} << quint64{32} << 32u;
    QTest::newRow("short last column") << quint64{513} << quint64{1024 * 32 + 1} << 32u;
    QTest::newRow("one weight") << quint64{1} << quint64{1} << 32u;
    QTest::newRow("exact") << quint64{512} << quint64{1024 * 256} << 256u;
    QTest::newRow("huge both ways") << (quint64{1} << 31) << (quint64{1} << 31) << 32u;
}

void TestHeatMap::gridStaysWithinItsLimits()
{
    QFETCH(quint64, rows);
    QFETCH(quint64, columns);
    QFETCH(unsigned, cell);
    const auto grid = HeatMapGrid::over({0, rows, 0, columns}, cell);
    QVERIFY(grid.rows >= 1 && grid.rows <= HeatMap::MaxRows);
    QVERIFY(grid.columns >= 1 && grid.columns <= HeatMap::MaxColumns);
    QCOMPARE(grid.weightsPerCell % cell, std::uint64_t{0});
    QCOMPARE(grid.rowOf(rows - 1), grid.rows - 1);
    QCOMPARE(grid.columnOf(columns - 1), grid.columns - 1);
    QVERIFY(grid.rows * 2 > HeatMap::MaxRows || grid.rowsPerCell == 1);
    QVERIFY(grid.columns * 2 > HeatMap::MaxColumns || grid.weightsPerCell == cell);
}

void TestHeatMap::piecesCoverEveryWeightOnce_data()
{
    QTest::addColumn<quint64>("rows");
    QTest::addColumn<quint64>("columns");
    QTest::addColumn<quint64>("slabs");
    QTest::newRow("whole rows") << quint64{1000} << quint64{96} << quint64{1};
    QTest::newRow("slabs") << quint64{1000} << quint64{96} << quint64{8};
    QTest::newRow("rows in parts") << quint64{6} << quint64{9999} << quint64{2};
    QTest::newRow("one long row") << quint64{1} << quint64{1000000} << quint64{1};
    QTest::newRow("columns of one") << quint64{12345} << quint64{1} << quint64{5};
    QTest::newRow("a row of just one piece") << quint64{4} << quint64{4096} << quint64{1};
}

void TestHeatMap::piecesCoverEveryWeightOnce()
{
    QFETCH(quint64, rows);
    QFETCH(quint64, columns);
    QFETCH(quint64, slabs);
    const std::uint64_t limit = 4096;
    const Cutting cutting({0, rows, 0, columns}, limit, rows / slabs);
    std::uint64_t next = 0;
    for (std::uint64_t i = 0; i < cutting.size(); ++i) {
        const Piece piece = cutting[i];
        QVERIFY(piece.weights() > 0 && piece.weights() <= limit);
        QVERIFY(piece.rows == 1 || piece.columns == columns);
        QCOMPARE(piece.firstRow * columns + piece.firstColumn, next);
        QCOMPARE(piece.firstColumn % Cutting::PartStep, std::uint64_t{0});
        QCOMPARE(cutting.slabOf(i), piece.firstRow / (rows / slabs));
        QCOMPARE((piece.firstRow + piece.rows - 1) / (rows / slabs), cutting.slabOf(i));
        next += piece.weights();
    }
    QCOMPARE(next, rows * columns);
}

void TestHeatMap::cellsAreRight_data()
{
    QTest::addColumn<quint64>("rows");
    QTest::addColumn<quint64>("columns");
    QTest::addColumn<unsigned>("cell");
    QTest::newRow("unpooled") << quint64{20} << quint64{640} << 32u;
    QTest::newRow("short last column") << quint64{30} << quint64{100} << 32u;
    QTest::newRow("pooled rows") << quint64{1300} << quint64{64} << 32u;
    QTest::newRow("pooled columns") << quint64{3} << quint64{32 * 2500 + 7} << 32u;
    QTest::newRow("large cells") << quint64{40} << quint64{1024} << 256u;
    QTest::newRow("one column") << quint64{2000} << quint64{1} << 32u;
}

void TestHeatMap::cellsAreRight()
{
    QFETCH(quint64, rows);
    QFETCH(quint64, columns);
    QFETCH(unsigned, cell);
    const Matrix matrix = randomMatrix(rows, columns, 5);
    const auto grid = HeatMapGrid::over({0, rows, 0, columns}, cell);
    const HeatMap map = mapOf(matrix, grid, 4096);
    QCOMPARE(map.rows * map.columns, map.rms.size());
    for (std::size_t row = 0; row < map.rows; ++row) {
        for (std::size_t column = 0; column < map.columns; ++column) {
            const SlowCell slow = slowCell(matrix, grid, row, column);
            const std::size_t i = map.index(row, column);
            QCOMPARE(map.nonFinite[i], slow.nonFinite);
            if (slow.finite == 0) {
                QVERIFY(std::isnan(map.rms[i]) && std::isnan(map.absMax[i]));
                continue;
            }
            QCOMPARE(map.absMax[i], slow.absMax);
            QVERIFY(isNear(map.rms[i], std::sqrt(slow.sumSq / slow.finite)));
            QVERIFY(isNear(map.mean[i], slow.sum / slow.finite));
            QVERIFY(isNear(map.maxRms[i], static_cast<double>(slow.maxRms)));
            QVERIFY(isNear(map.maxMean[i], static_cast<double>(slow.maxMean)));
            QVERIFY(isNear(map.zeroShare[i], static_cast<double>(slow.zeros) / slow.finite));
        }
    }
}

void TestHeatMap::groupsDoNotMatterForMaxima()
{
    const Matrix matrix = randomMatrix(700, 320, 9);
    const auto grid = HeatMapGrid::over({100, 600, 64, 192}, 32);
    const HeatMap one = mapOf(matrix, grid, 1024);
    const HeatMap other = mapOf(matrix, grid, 1u << 20);
    QCOMPARE(one.columns, std::size_t{6});
    QCOMPARE(one.rows, std::size_t{300});
    for (std::size_t i = 0; i < one.rms.size(); ++i) {
        QCOMPARE(one.absMax[i], other.absMax[i]);
        QCOMPARE(one.maxRms[i], other.maxRms[i]);
        QCOMPARE(one.maxMean[i], other.maxMean[i]);
        QCOMPARE(one.nonFinite[i], other.nonFinite[i]);
        QVERIFY(isNear(one.rms[i], static_cast<double>(other.rms[i])));
    }
}

void TestHeatMap::untouchedCellsAreNotANumber()
{
    const auto grid = HeatMapGrid::over({0, 4, 0, 64}, 32);
    HeatMapSums sums(grid, true);
    HeatMapPart part(grid, {1, 1, 32, 32});
    const std::vector<float> weights(32, -3.0f);
    StripSums strip;
    sumStrips(std::span<const float>(weights), 32, 1.0, &strip);
    part.addStrips(1, 32, {&strip, 1});
    sums.merge(part);
    const HeatMap map = sums.finish();
    for (std::size_t i = 0; i < 8; ++i) {
        QCOMPARE(std::isnan(map.rms[i]), i != 3);
        QCOMPARE(std::isnan(map.absMax[i]), i != 3);
        QVERIFY(std::isnan(map.scale[i]));
    }
    QCOMPARE(map.absMax[3], -3.0f);
    QCOMPARE(map.rms[3], 3.0f);
    QCOMPARE(map.zeroShare[3], 0.0f);
}

void TestHeatMap::scalesArePooled()
{
    const auto grid = HeatMapGrid::over({0, 1, 0, 64 * 1024}, 32);
    QCOMPARE(grid.weightsPerCell, std::uint64_t{64});
    HeatMapSums sums(grid, true);
    HeatMapPart part(grid, {0, 1, 0, 64});
    const std::vector<float> weights(64, 1.0f);
    std::vector<StripSums> strips(2);
    sumStrips(std::span<const float>(weights), 32, 1.0, strips.data());
    std::vector<ScaleSums> scales(2);
    scales[0].add(-0.5f);
    scales[1].add(0.25f);
    scales[1].add(std::nanf(""));
    part.addStrips(0, 0, strips);
    part.addScales(0, 0, scales);
    sums.merge(part);
    const HeatMap map = sums.finish();
    QCOMPARE(map.scale[0], 0.375f);
    QCOMPARE(map.maxScale[0], 0.5f);
    QVERIFY(std::isnan(map.scale[1]));
}

/// Strips of a table that share a cell come to what the kernels make of them one by one, wherever the
/// row begins within a cell.
void TestHeatMap::tablesArePooled()
{
    constexpr std::uint32_t Strip = 32;
    constexpr std::size_t Strips = TileWeights / Strip;
    const auto grid = HeatMapGrid::over({0, 1, 0, std::uint64_t{1024} * 5 * Strip}, Strip);
    QCOMPARE(grid.weightsPerCell, std::uint64_t{5 * Strip});
    const Matrix matrix = [] {
        Matrix values = randomMatrix(1, TileWeights, 3);
        for (float &w : values.weights)
            w = std::isfinite(w) ? w : -2.0f;
        return values;
    }();
    const auto table = std::make_unique<StripTable>();
    TileRange range;
    QVERIFY(scanKernels().sumStrips(matrix.weights.data(), TileWeights, Strip, *table, range));
    for (std::size_t i = 0; i < Strips; ++i)
        table->scale[i] = i % 7 ? 0.25f * static_cast<float>(i) : std::nanf("");
    for (const std::uint64_t firstStrip : {0u, 3u, 9u}) {
        HeatMapPart part(grid, {0, 1, 0, grid.window.columns});
        part.addTable(scanKernels(), 0, firstStrip * Strip, *table, 2, Strips - 2, true);
        HeatMapSums sums(grid, true);
        sums.merge(part);
        const HeatMap map = sums.finish();
        for (std::size_t cell = 0; cell < grid.columns; ++cell) {
            double sum = 0, sumSq = 0, scaleSum = 0;
            float maxRms = 0, maxScale = 0;
            std::uint32_t absKey = 0, meanKey = 0, finite = 0, zeros = 0, nonFinite = 0, scales = 0;
            const CellRow slow{&sum, &sumSq, &scaleSum, &maxRms, &maxScale, &absKey, &meanKey, &finite, &zeros,
                               &nonFinite, &scales};
            for (std::size_t i = 2; i < Strips; ++i) {
                if ((firstStrip + i - 2) / 5 == cell)
                    referenceScanKernels().addStrips(*table, i, 1, Strip, true, slow);
            }
            if (finite == 0) {
                QVERIFY(std::isnan(map.rms[cell]) && std::isnan(map.maxRms[cell]));
                continue;
            }
            QCOMPARE(map.mean[cell], static_cast<float>(sum / finite));
            QCOMPARE(map.rms[cell], static_cast<float>(std::sqrt(sumSq / finite)));
            QVERIFY(map.maxRms[cell] == maxRms && map.maxScale[cell] == maxScale);
            QVERIFY(map.absMax[cell] == valueOfKey(absKey) && map.maxMean[cell] == valueOfKey(meanKey));
            QVERIFY(map.zeroShare[cell] == static_cast<float>(static_cast<double>(zeros) / finite));
            QVERIFY(map.scale[cell] == static_cast<float>(scaleSum / scales));
        }
    }
}

void TestHeatMap::valuesPickTheMeasure()
{
    HeatMap map;
    QCOMPARE(&map.values(Measure::Rms, Pooling::Max), &map.maxRms);
    QCOMPARE(&map.values(Measure::Rms, Pooling::Mean), &map.rms);
    QCOMPARE(&map.values(Measure::Mean, Pooling::Max), &map.maxMean);
    QCOMPARE(&map.values(Measure::Mean, Pooling::Mean), &map.mean);
    QCOMPARE(&map.values(Measure::Scale, Pooling::Max), &map.maxScale);
    QCOMPARE(&map.values(Measure::Scale, Pooling::Mean), &map.scale);
    QCOMPARE(&map.values(Measure::ZeroShare, Pooling::Max), &map.zeroShare);
    QCOMPARE(&map.values(Measure::AbsMax, Pooling::Mean), &map.absMax);
}

void TestHeatMap::nonFiniteCountsSaturate()
{
    const auto grid = HeatMapGrid::over({0, 1, 0, 32}, 32);
    HeatMapSums sums(grid, false);
    StripSums strip;
    strip.count = strip.nan = 3000000000u;
    for (int i = 0; i < 2; ++i) {
        HeatMapPart part(grid, {0, 1, 0, 32});
        part.addStrips(0, 0, {&strip, 1});
        sums.merge(part);
    }
    QCOMPARE(sums.finish().nonFinite[0], std::numeric_limits<std::uint32_t>::max());
}

void TestHeatMap::partsAreSmall()
{
    // What keeps the working memory of a scan bounded: a cell of a part, and of the finished map.
    QVERIFY(HeatMapPart::CellBytes <= 64);
    const auto grid = HeatMapGrid::over({0, 1, 0, std::uint64_t{1} << 32}, 32);
    const Cutting groups({0, 1, 0, std::uint64_t{1} << 32}, GroupWeights);
    const Piece middle = groups[groups.size() / 2];
    QCOMPARE(grid.columnOf(middle.firstColumn + middle.columns - 1), grid.columnOf(middle.firstColumn));
}

QTEST_APPLESS_MAIN(TestHeatMap)
#include "tst_heatmap.moc"
