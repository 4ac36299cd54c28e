// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/widgets/fabricated.h"
#include "widgets/plot/histogrambins.h"

#include <QTest>

#include <numeric>

using namespace ql;
using namespace ql::test;

namespace {

double sum(const std::vector<double> &values)
{
    return std::accumulate(values.begin(), values.end(), 0.0);
}

Histogram ramp(double lo, double hi, std::size_t bins)
{
    Histogram h{lo, hi, {}};
    for (std::size_t i = 0; i < bins; ++i)
        h.counts.push_back(i + 1);
    return h;
}

/// The bulk within ±1, three weights at -900 and one at 1200.
std::shared_ptr<TensorStats> withOutliers()
{
    auto weights = makeWeights(200000, 0.05);
    weights.insert(weights.end(), {-900, -900, -899, 1200});
    return makeStats(weights);
}

} // namespace

class TestHistogramBins : public QObject
{
    Q_OBJECT

private slots:
    void groupingLosesNoWeight()
    {
        const Histogram fine = ramp(-1, 1, 4096);
        for (const std::size_t most : {4096, 500, 64, 3, 1}) {
            const DrawnBins drawn = grouped(fine, {-1, 1}, most);
            QVERIFY(drawn.counts.size() <= most);
            QVERIFY(drawn.counts.size() * 2 > most || most == 3);
            QCOMPARE(sum(drawn.counts), double(fine.total()));
            QCOMPARE(drawn.edges.front(), -1.0);
            QCOMPARE(drawn.edges.back(), 1.0);
        }
    }

    void groupsStayWhilePanning()
    {
        const Histogram fine = ramp(0, 4096, 4096);
        const DrawnBins one = grouped(fine, {100, 1124}, 64), two = grouped(fine, {105, 1129}, 64);
        QCOMPARE(one.edges[1] - one.edges[0], 16.0);
        QCOMPARE(one.edges[0], 96.0);
        QCOMPARE(two.edges[0], 96.0);
        QCOMPARE(one.counts[5], two.counts[5]);
    }

    void nothingToDrawOutside()
    {
        QVERIFY(grouped(ramp(0, 1, 16), {2, 3}, 10).isEmpty());
        QVERIFY(grouped(Histogram{}, {0, 1}, 10).isEmpty());
    }

    void respreadKeepsTheTotal()
    {
        const auto stats = withOutliers();
        QVERIFY(stats->figures.core);
        const DrawnBins drawn = respread(stats->figures, equalEdges(fullRange(stats->figures), 313));
        QVERIFY(std::fabs(sum(drawn.counts) - 200004) < 1e-3);
        const DrawnBins shifted = respread(stats->figures, equalEdges({-0.3, 0.3}, 100));
        QVERIFY(sum(shifted.counts) > 0.99 * 200000);
        // The bulk is not smeared over a fine bin that is wider than all of it.
        QVERIFY(shifted.counts[50] > 3 * shifted.counts[80]);
    }

    void outliersDontSquashTheFirstRange()
    {
        const auto stats = withOutliers();
        const ValueRange first = firstRange(stats->figures), full = fullRange(stats->figures);
        QCOMPARE(full, (ValueRange{-900, 1200}));
        QVERIFY(first.size() < 0.1 * full.size());
        const Outside out = outside(stats->figures, first);
        QCOMPARE(out.below, std::uint64_t(3));
        QCOMPARE(out.above, std::uint64_t(1));
        QCOMPARE(&binsFor(stats->figures, first), &*stats->figures.core);
        QCOMPARE(&binsFor(stats->figures, full), &stats->figures.fine);
    }

    void withoutOutliersAllIsShown()
    {
        const auto stats = makeStats(makeWeights(10000, 0.02));
        QCOMPARE(firstRange(stats->figures), fullRange(stats->figures));
        const Outside out = outside(stats->figures, fullRange(stats->figures));
        QCOMPARE(out.below + out.above, std::uint64_t(0));
    }

    void brushingCountsExactly()
    {
        std::vector<double> weights(1000);
        std::iota(weights.begin(), weights.end(), 0.0);
        const auto stats = makeStats(weights);
        const Brushed part = brushed(stats->figures, {100.1, 299.9});
        const auto inside = std::count_if(weights.begin(), weights.end(), [&](double w) {
            return w >= part.range.lo && w < part.range.hi;
        });
        QCOMPARE(part.count, std::uint64_t(inside));
        QVERIFY(part.range.lo <= 100.1 && part.range.hi >= 299.9);
        QCOMPARE(brushed(stats->figures, {-50, 5000}).count, std::uint64_t(1000));
    }

    void equalWeightsAreANeedle()
    {
        const auto stats = makeStats(std::vector<double>(77, 0.25));
        const ValueRange range = fullRange(stats->figures);
        QVERIFY(range.lo < 0.25 && range.hi > 0.25);
        const DrawnBins drawn = respread(stats->figures, equalEdges(range, 11));
        QCOMPARE(drawn.counts[5], 77.0);
        QCOMPARE(brushed(stats->figures, {0, 1}).count, std::uint64_t(77));
        QCOMPARE(fullRange(makeStats({NAN})->figures), (ValueRange{0, 1}));
    }

    void binsAreFoundByValue()
    {
        const DrawnBins bins{{0, 1, 2, 4}, {5, 6, 7}};
        QCOMPARE(bins.at(0), std::size_t(0));
        QCOMPARE(bins.at(1), std::size_t(1));
        QCOMPARE(bins.at(4), std::size_t(2));
        QCOMPARE(bins.at(4.1), std::size_t(3));
        QCOMPARE(bins.largest(), 7.0);
    }

    void edgesAreContinued()
    {
        QCOMPARE(extended({0, 1, 2}, {-1.5, 3}), (std::vector<double>{-2, -1, 0, 1, 2, 3}));
        QCOMPARE(extended({0, 1, 2}, {0.5, 1}), (std::vector<double>{0, 1, 2}));
    }

    void symLogIsItsOwnInverse()
    {
        const SymLog scale(0.01);
        for (const double x : {-900.0, -0.01, 0.0, 1e-6, 0.5, 1200.0})
            QVERIFY(std::fabs(scale.from(scale.to(x)) - x) <= 1e-9 * std::fabs(x));
        QVERIFY(scale.to(-5) == -scale.to(5));
        const auto ticks = scale.ticks({-900, 1200}, 9);
        QVERIFY(std::is_sorted(ticks.begin(), ticks.end()));
        QVERIFY(std::find(ticks.begin(), ticks.end(), 0.0) != ticks.end());
        QVERIFY(ticks.size() <= 11);
        QVERIFY(ticks.back() == 1000 && ticks.front() >= -900);
    }

    void labelsDontOverlap()
    {
        const std::vector<LabelBox> labels{{100, 40}, {110, 40}, {120, 40}, {300, 40}};
        QCOMPARE(labelLanes(labels, 2, 4), (std::vector<int>{0, 1, -1, 0}));
    }
};

QTEST_GUILESS_MAIN(TestHistogramBins)
#include "tst_histogrambins.moc"
