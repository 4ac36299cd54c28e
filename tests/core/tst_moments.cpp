// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/scanpasses.h"
#include "core/stats/tilesums.h"

#include <QTest>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

using namespace ql;

namespace {

__extension__ using Quad = __float128;

/// All figures in exact arithmetic, as far as 113 bits go.
struct Exact {
    double mean = 0, std = 0, rms = 0, meanAbs = 0, kurtosis = 0;
};

double root(Quad x)
{
    // One Newton step in quad on top of the double root.
    const double first = std::sqrt(static_cast<double>(x));
    if (first == 0)
        return 0;
    const Quad guess = first;
    return static_cast<double>((guess + x / guess) / 2);
}

template <class T>
Exact exactly(const std::vector<T> &weights)
{
    Quad sum = 0, sumAbs = 0, m2 = 0, m4 = 0, squares = 0;
    for (const T w : weights) {
        const Quad x = w;
        sum += x;
        sumAbs += x < 0 ? -x : x;
        squares += x * x;
    }
    const Quad n = static_cast<Quad>(weights.size());
    const Quad mean = sum / n;
    for (const T w : weights) {
        const Quad d = static_cast<Quad>(w) - mean;
        m2 += d * d;
        m4 += d * d * d * d;
    }
    Exact exact;
    exact.mean = static_cast<double>(mean);
    exact.std = root(m2 / n);
    exact.rms = root(squares / n);
    exact.meanAbs = static_cast<double>(sumAbs / n);
    exact.kurtosis = m2 > 0 ? static_cast<double>(m4 * n / (m2 * m2)) : 0;
    return exact;
}

/// Both passes over one group, tile by tile, as a scan makes them.
template <class T>
Moments momentsOfGroup(std::span<const T> weights, double factor = 1.0, int exponent = 0)
{
    RangeSums range;
    const auto tile = [&](std::size_t first) {
        return weights.subspan(first, std::min(TileWeights, weights.size() - first));
    };
    for (std::size_t i = 0; i < weights.size(); i += TileWeights) {
        std::vector<StripSums> strips((tile(i).size() + 31) / 32);
        sumStrips(tile(i), 32, factor, strips.data());
        for (const StripSums &strip : strips)
            range.add(strip);
    }
    CentralSums central;
    central.shift = range.mean();
    central.factor = factor;
    central.allFinite = range.counts.finite() == range.counts.count;
    for (std::size_t i = 0; i < weights.size(); i += TileWeights)
        central.add(tile(i));
    Moments moments = range.counts;
    moments.exponent = exponent;
    central.finish(moments);
    return moments;
}

template <class T>
Moments momentsInGroups(const std::vector<T> &weights, std::size_t groupWeights)
{
    Moments total;
    const std::span<const T> all(weights);
    for (std::size_t i = 0; i < all.size(); i += groupWeights)
        total.merge(momentsOfGroup(all.subspan(i, std::min(groupWeights, all.size() - i))));
    return total;
}

std::vector<float> gaussian(std::size_t n, float mean, float sigma, unsigned seed = 1)
{
    std::mt19937 random(seed);
    std::normal_distribution<float> normal(mean, sigma);
    std::vector<float> weights(n);
    for (float &w : weights)
        w = normal(random);
    return weights;
}

bool isNear(double value, double exact, double scale)
{
    if (std::abs(value - exact) <= 1e-9 * std::abs(scale))
        return true;
    qWarning("%.17g is not %.17g", value, exact);
    return false;
}

template <class T>
bool isAccurate(const Moments &moments, const std::vector<T> &weights)
{
    const Exact exact = exactly(weights);
    return isNear(moments.meanValue().value(), exact.mean, exact.meanAbs)
        && isNear(moments.std().value(), exact.std, exact.std)
        && isNear(moments.rms().value(), exact.rms, exact.rms)
        && isNear(moments.meanAbs().value(), exact.meanAbs, exact.meanAbs)
        && isNear(moments.kurtosis().value(), exact.kurtosis, exact.kurtosis);
}

} // namespace

class TestMoments : public QObject
{
    Q_OBJECT

private slots:
    void areAccurate_data();
    void areAccurate();
    void oneOutlierStaysAccurate();
    void doublesAreAccurateAtBothEnds();
    void equalWeightsHaveNoSpread();
    void nonFiniteWeightsAreCountedAndLeftOut();
    void nothingFiniteHasNoFigures();
    void emptyHasNoFigures();
    void mergeKeepsCounts();
    void lanesFoldInAFixedTree();
    void everyLengthIsSummed();
    void negativeZeroIsZero();
};

void TestMoments::areAccurate_data()
{
    QTest::addColumn<float>("mean");
    QTest::addColumn<float>("sigma");
    QTest::addColumn<std::size_t>("group");
    for (const std::size_t group : {std::size_t{4096}, std::size_t{100000}, std::size_t{1} << 20}) {
        QTest::addRow("around zero, groups of %zu", group) << 0.0f << 0.02f << group;
        QTest::addRow("mean 100 sigma 0.01, groups of %zu", group) << 100.0f << 0.01f << group;
        QTest::addRow("tiny, groups of %zu", group) << 0.0f << 1e-38f << group;
        QTest::addRow("huge, groups of %zu", group) << 0.0f << 3e37f << group;
    }
}

void TestMoments::areAccurate()
{
    QFETCH(float, mean);
    QFETCH(float, sigma);
    QFETCH(std::size_t, group);
    const auto weights = gaussian(200001, mean, sigma);
    QVERIFY(isAccurate(momentsInGroups(weights, group), weights));
}

void TestMoments::oneOutlierStaysAccurate()
{
    auto weights = gaussian(150000, 100, 0.01f);
    weights[77777] = 1e6f;
    for (const std::size_t group : {std::size_t{4096}, std::size_t{1} << 20})
        QVERIFY(isAccurate(momentsInGroups(weights, group), weights));
}

void TestMoments::doublesAreAccurateAtBothEnds()
{
    const auto floats = gaussian(10000, 3, 1);
    for (const int exponent : {-1000, -300, 300, 1000}) {
        std::vector<double> weights;
        for (const float w : floats)
            weights.push_back(std::ldexp(static_cast<double>(w), exponent));
        const auto moments = momentsOfGroup<double>(weights, std::ldexp(1.0, -exponent), exponent);
        const Exact exact = exactly(std::vector<double>(floats.begin(), floats.end()));
        QVERIFY(isNear(std::ldexp(moments.meanValue().value(), -exponent), exact.mean, exact.mean));
        QVERIFY(isNear(std::ldexp(moments.std().value(), -exponent), exact.std, exact.std));
        QVERIFY(isNear(std::ldexp(moments.rms().value(), -exponent), exact.rms, exact.rms));
        QVERIFY(isNear(moments.kurtosis().value(), exact.kurtosis, exact.kurtosis));
    }
}

void TestMoments::equalWeightsHaveNoSpread()
{
    const std::vector<float> weights(100003, 0.1f);
    const Moments moments = momentsInGroups(weights, 4096);
    QCOMPARE(moments.std().value(), 0.0);
    QVERIFY(!moments.kurtosis());
    QVERIFY(isNear(moments.meanValue().value(), static_cast<double>(0.1f), 0.1));
    QCOMPARE(moments.rms().value(), static_cast<double>(0.1f));
}

void TestMoments::nonFiniteWeightsAreCountedAndLeftOut()
{
    auto weights = gaussian(10000, 5, 2);
    auto spoiled = weights;
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const float inf = std::numeric_limits<float>::infinity();
    spoiled.insert(spoiled.begin() + 3, nan);
    spoiled.insert(spoiled.begin() + 4000, {inf, -inf, -inf});
    spoiled.insert(spoiled.begin() + 9000, {0.0f, -0.0f});
    weights.insert(weights.end(), {0.0f, 0.0f});
    const Moments moments = momentsInGroups(spoiled, 4096);
    QCOMPARE(moments.count, std::uint64_t{10006});
    QCOMPARE(moments.nan, std::uint64_t{1});
    QCOMPARE(moments.inf, std::uint64_t{3});
    QCOMPARE(moments.zeros, std::uint64_t{2});
    QVERIFY(isAccurate(moments, weights));
}

void TestMoments::nothingFiniteHasNoFigures()
{
    const std::vector<float> weights(70, std::numeric_limits<float>::quiet_NaN());
    const Moments moments = momentsInGroups(weights, 4096);
    QCOMPARE(moments.finite(), std::uint64_t{0});
    QVERIFY(!moments.minValue() && !moments.maxValue() && !moments.absMax() && !moments.meanValue());
    QVERIFY(!moments.std() && !moments.rms() && !moments.meanAbs() && !moments.kurtosis());
}

void TestMoments::emptyHasNoFigures()
{
    QVERIFY(!Moments{}.std());
    Moments moments;
    moments.merge(Moments{});
    QCOMPARE(moments, Moments{});
}

void TestMoments::mergeKeepsCounts()
{
    const auto weights = gaussian(5000, 1, 1);
    Moments moments = momentsInGroups(weights, 4096);
    const Moments before = moments;
    Moments onlyNan;
    onlyNan.count = onlyNan.nan = 7;
    moments.merge(onlyNan);
    QCOMPARE(moments.count, before.count + 7);
    QCOMPARE(moments.m4, before.m4);
    onlyNan.merge(before);
    QCOMPARE(onlyNan, moments);
}

void TestMoments::lanesFoldInAFixedTree()
{
    double lanes[Lanes];
    for (std::size_t i = 0; i < Lanes; ++i)
        lanes[i] = std::pow(3.0, static_cast<double>(i)) * 1e-3;
    const auto pair = [&](std::size_t i) { return lanes[i] + lanes[i + 8]; };
    const auto four = [&](std::size_t i) { return pair(i) + pair(i + 4); };
    QCOMPARE(foldLanes(lanes), (four(0) + four(2)) + (four(1) + four(3)));
}

void TestMoments::everyLengthIsSummed()
{
    for (std::size_t n = 1; n < 200; ++n) {
        const auto weights = gaussian(n, 0.5, 1, static_cast<unsigned>(n));
        const Moments moments = momentsInGroups(weights, 1 << 20);
        const Exact exact = exactly(weights);
        QCOMPARE(moments.count, n);
        QVERIFY(isNear(moments.meanValue().value(), exact.mean, exact.meanAbs));
        QVERIFY(n == 1 || isNear(moments.std().value(), exact.std, exact.std));
        QCOMPARE(moments.min, static_cast<double>(std::ranges::min(weights)));
        QCOMPARE(moments.max, static_cast<double>(std::ranges::max(weights)));
    }
}

void TestMoments::negativeZeroIsZero()
{
    const std::vector<float> weights(40, -0.0f);
    const Moments moments = momentsInGroups(weights, 4096);
    QVERIFY(!std::signbit(moments.min) && !std::signbit(moments.max) && !std::signbit(moments.mean));
    QCOMPARE(moments.zeros, std::uint64_t{40});
    QCOMPARE(moments.std().value(), 0.0);
}

QTEST_APPLESS_MAIN(TestMoments)
#include "tst_moments.moc"
