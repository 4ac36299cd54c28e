// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/bincounter.h"
#include "core/stats/histogram.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

using namespace ql;

namespace {

/// The contract's formula, written out once more.
std::size_t formula(double x, double lo, double hi, std::size_t bins)
{
    if (lo == hi)
        return 0;
    const double position = std::floor((x - lo) / (hi - lo) * static_cast<double>(bins));
    return std::min(bins - 1, static_cast<std::size_t>(position));
}

/// Weights that like to fall on the edges of bins.
std::vector<float> hostile(unsigned seed)
{
    std::mt19937 random(seed);
    std::vector<float> weights;
    const float d = std::uniform_real_distribution<float>(1e-4f, 1e-2f)(random);
    const int levels = 1 << (2 + seed % 7);
    for (int i = 0; i < 5000; ++i)
        weights.push_back(d * static_cast<float>(static_cast<int>(random() % levels) - levels / 2));
    const auto [lo, hi] = std::ranges::minmax(weights);
    for (int i = 0; i <= 4096; ++i) {
        const float edge = lo + (hi - lo) * static_cast<float>(i) / 4096.0f;
        for (const float w : {edge, std::nextafter(edge, lo), std::nextafter(edge, hi)})
            weights.push_back(std::clamp(w, lo, hi));
    }
    return weights;
}

template <class T>
Histogram histogramOf(const std::vector<T> &weights, std::size_t bins)
{
    const auto [lo, hi] = std::ranges::minmax(weights);
    BinCounter counter(static_cast<double>(lo), static_cast<double>(hi), bins);
    counter.add(std::span<const T>(weights), true);
    const auto counts = counter.take();
    return {static_cast<double>(lo), static_cast<double>(hi), {counts.begin(), counts.end()}};
}

} // namespace

class TestHistogram : public QObject
{
    Q_OBJECT

private slots:
    void binsAreTheFormula();
    void coarserBinsAreTheFineOnesShifted();
    void lastBinHoldsTheMaximum();
    void equalWeightsFallIntoTheFirstBin();
    void rangesBeyondADoubleAreHalved();
    void nonFiniteWeightsAreNotCounted();
    void takeBeginsAnew();
    void coreCountsWhatIsOutside();
    void percentilesAreWithinABin_data();
    void percentilesAreWithinABin();
    void percentilesOfFewWeights();
    void emptyHistogramHasNoPercentile();
};

void TestHistogram::binsAreTheFormula()
{
    for (const std::size_t bins : {1u, 2u, 7u, 100u, 256u, 1000u, 4096u, 65536u, 1048576u}) {
        for (unsigned seed = 0; seed < 6; ++seed) {
            const auto weights = hostile(seed);
            const Histogram histogram = histogramOf(weights, bins);
            std::vector<std::uint64_t> expected(bins);
            for (const float w : weights)
                ++expected[formula(static_cast<double>(w), *histogram.lo, *histogram.hi, bins)];
            QCOMPARE(histogram.counts, expected);
            QCOMPARE(histogram.binOf(*histogram.hi), bins - 1);
            QCOMPARE(histogram.binOf(*histogram.lo), std::size_t{0});
        }
    }
}

void TestHistogram::coarserBinsAreTheFineOnesShifted()
{
    for (unsigned seed = 0; seed < 40; ++seed) {
        const auto weights = hostile(seed);
        const Histogram fine = histogramOf(weights, FineBins);
        QCOMPARE(fine.total(), weights.size());
        for (std::size_t bins = 1; bins <= FineBins; bins *= 2)
            QCOMPARE(fine.coarsened(bins).counts, histogramOf(weights, bins).counts);
    }
}

void TestHistogram::lastBinHoldsTheMaximum()
{
    const Histogram histogram = histogramOf(std::vector<float>{0, 1, 2, 3, 4}, 4);
    QCOMPARE(histogram.counts, (std::vector<std::uint64_t>{1, 1, 1, 2}));
    QCOMPARE(histogram.binWidth(), 1.0);
}

void TestHistogram::equalWeightsFallIntoTheFirstBin()
{
    const Histogram histogram = histogramOf(std::vector<float>(9, -2.5f), 256);
    QCOMPARE(histogram.counts[0], std::uint64_t{9});
    QCOMPARE(histogram.total(), std::uint64_t{9});
    QCOMPARE(histogram.binWidth(), 0.0);
    QCOMPARE(percentile(histogram, 50).value(), -2.5);
}

void TestHistogram::rangesBeyondADoubleAreHalved()
{
    const double most = std::numeric_limits<double>::max();
    const Histogram histogram = histogramOf(std::vector<double>{-most, -most / 2, 0, most / 2, most}, 4);
    QCOMPARE(histogram.counts, (std::vector<std::uint64_t>{1, 1, 1, 2}));
    QVERIFY(std::isfinite(histogram.binWidth()));
    QVERIFY(std::isfinite(percentile(histogram, 50).value()));
    const double least = std::numeric_limits<double>::denorm_min();
    QCOMPARE(histogramOf(std::vector<double>{0, least}, 4).counts,
             (std::vector<std::uint64_t>{1, 0, 0, 1}));
}

void TestHistogram::nonFiniteWeightsAreNotCounted()
{
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const float inf = std::numeric_limits<float>::infinity();
    BinCounter counter(0, 4, 4);
    counter.add(std::span<const float>(std::vector<float>{0, nan, 4, inf, -inf, 2}), false);
    QCOMPARE(counter.take(), (std::vector<std::uint32_t>{1, 0, 1, 1}));
}

void TestHistogram::takeBeginsAnew()
{
    BinCounter counter(0, 4, 4);
    const std::vector<float> weights{0, 1, 1};
    counter.add(std::span<const float>(weights), true);
    QCOMPARE(counter.take(), (std::vector<std::uint32_t>{1, 2, 0, 0}));
    QCOMPARE(counter.take(), (std::vector<std::uint32_t>{0, 0, 0, 0}));
}

void TestHistogram::coreCountsWhatIsOutside()
{
    CoreCounter counter(-1, 1, 2);
    const std::vector<float> weights{-5, -1, -0.5f, 0, 1, 1.5f, 7, 8};
    counter.add(std::span<const float>(weights), true);
    QCOMPARE(counter.take(), (std::vector<std::uint32_t>{1, 2, 2, 3}));
}

void TestHistogram::percentilesAreWithinABin_data()
{
    QTest::addColumn<int>("n");
    for (const int n : {1, 2, 3, 10, 257, 5000, 100000})
        QTest::addRow("%d weights", n) << n;
}

void TestHistogram::percentilesAreWithinABin()
{
    QFETCH(int, n);
    std::mt19937 random(static_cast<unsigned>(n));
    std::normal_distribution<float> normal(0.1f, 2);
    std::vector<float> weights(static_cast<std::size_t>(n));
    for (float &w : weights)
        w = normal(random);
    const Histogram fine = histogramOf(weights, FineBins);
    std::ranges::sort(weights);
    for (const double percent : PercentilePoints) {
        const double rank = percent / 100 * (n - 1);
        const auto below = static_cast<std::size_t>(rank);
        const std::size_t above = std::min(below + 1, weights.size() - 1);
        const double share = rank - static_cast<double>(below);
        const double exact = static_cast<double>(weights[below]) * (1 - share)
            + static_cast<double>(weights[above]) * share;
        QVERIFY(std::abs(percentile(fine, percent).value() - exact) <= fine.binWidth());
    }
}

void TestHistogram::percentilesOfFewWeights()
{
    const Histogram histogram = histogramOf(std::vector<float>{0, 4}, 4);
    QVERIFY(percentile(histogram, 0).value() <= 1);
    QVERIFY(percentile(histogram, 100).value() >= 3);
    QCOMPARE(percentile(histogram, 50).value(), 2.0);
}

void TestHistogram::emptyHistogramHasNoPercentile()
{
    QVERIFY(!percentile(Histogram{}, 50));
    QVERIFY(!percentile(Histogram{0.0, 1.0, {0, 0}}, 50));
    QCOMPARE(Histogram{}.binOf(3), std::size_t{0});
    QCOMPARE(Histogram{}.binWidth(), 0.0);
}

QTEST_APPLESS_MAIN(TestHistogram)
#include "tst_histogram.moc"
