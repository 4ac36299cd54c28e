// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/quant/kernels.h"
#include "core/stats/scankernels.h"

#include <QTest>

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <random>
#include <vector>

using namespace ql;

namespace {

enum class Kind { Gaussian, Lattice, Zeros, Mirrored, OneHuge, Offset, Tiny, Equal, NegativeZeros };

constexpr std::array Kinds{Kind::Gaussian, Kind::Lattice, Kind::Zeros, Kind::Mirrored, Kind::OneHuge,
                           Kind::Offset,   Kind::Tiny,    Kind::Equal, Kind::NegativeZeros};

std::vector<float> weightsOf(Kind kind, std::size_t n, unsigned seed)
{
    std::mt19937 random(seed);
    std::normal_distribution<float> normal(0, 0.02f);
    std::vector<float> weights(n);
    const float d = std::abs(normal(random)) + 1e-3f;
    for (float &w : weights) {
        const auto code = static_cast<float>(static_cast<int>(random() % 16) - 8);
        w = kind == Kind::Lattice || kind == Kind::Zeros ? d * code : normal(random);
        if (kind == Kind::Mirrored) // many right on the edges of bins
            w = 0x1p-8f * std::clamp(code, -6.0f, 6.0f);
        if (kind == Kind::Zeros && random() % 2)
            w = random() % 2 ? 0.0f : -0.0f;
        if (kind == Kind::Offset)
            w = 100.0f + 0.01f * w;
        if (kind == Kind::Tiny)
            w *= 1e-38f;
        if (kind == Kind::Equal)
            w = 0.3f;
        if (kind == Kind::NegativeZeros)
            w = -0.0f;
    }
    if (kind == Kind::OneHuge)
        weights[n / 3] = 3e38f;
    return weights;
}

template <class T>
bool sameBits(const T *a, const T *b, std::size_t n)
{
    return std::memcmp(a, b, n * sizeof(T)) == 0;
}

/// A row of cells to add to.
struct Cells {
    explicit Cells(std::size_t n)
        : doubles(3, std::vector<double>(n, 0.25)), floats(2, std::vector<float>(n, 0.001f)),
          words(6, std::vector<std::uint32_t>(n, 3))
    {
    }
    CellRow row()
    {
        return {doubles[0].data(), doubles[1].data(), doubles[2].data(), floats[0].data(),
                floats[1].data(),  words[0].data(),   words[1].data(),   words[2].data(),
                words[3].data(),   words[4].data(),   words[5].data()};
    }
    bool operator==(const Cells &) const = default;

    std::vector<std::vector<double>> doubles;
    std::vector<std::vector<float>> floats;
    std::vector<std::vector<std::uint32_t>> words;
};

} // namespace

class TestScanKernels : public QObject
{
    Q_OBJECT

private slots:
    void everyDecoderHasItsScanKernels();
    void stripsAreTheReference();
    void strangeStripsAreRefused();
    void cellsAreTheReference();
    void valuesAreTheReference();
    void binsAreTheRule();
    void coresAreTheReference();
    void timesAreTheReference();
    void pairsAreTheReference();
};

void TestScanKernels::everyDecoderHasItsScanKernels()
{
    std::vector<std::string_view> names;
    for (const ScanKernels *kernels : detail::simdScanKernels())
        names.push_back(kernels->name);
    names.push_back("reference");
    QCOMPARE(names, availableImplementations());
    for (const std::string_view name : availableImplementations()) {
        QVERIFY(forceImplementation(name));
        QCOMPARE(scanKernels().name, name);
    }
    QVERIFY(forceImplementation(""));
}

void TestScanKernels::stripsAreTheReference()
{
    for (const ScanKernels *kernels : detail::simdScanKernels()) {
        for (const Kind kind : Kinds) {
            for (const std::size_t strip : {32u, 64u, 128u, 256u}) { // short ones sixteen at once
                for (std::size_t strips = 1; strips * strip <= TileWeights; strips += 1 + strips / 3) {
                    const std::size_t n = strips * strip;
                    const auto weights = weightsOf(kind, n, static_cast<unsigned>(n));
                    const auto right = std::make_unique<StripTable>();
                    const auto table = std::make_unique<StripTable>();
                    TileRange rightRange, range;
                    const bool ordinary = referenceScanKernels().sumStrips(weights.data(), n, strip, *right, rightRange);
                    QCOMPARE(kernels->sumStrips(weights.data(), n, strip, *table, range), ordinary);
                    if (!ordinary)
                        continue;
                    QVERIFY(sameBits(table->sum, right->sum, strips) && sameBits(table->sumSq, right->sumSq, strips));
                    QVERIFY(sameBits(table->zeros, right->zeros, strips));
                    for (std::size_t i = 0; i < strips; ++i) // +0 and -0 alike
                        QVERIFY(table->key[i] == right->key[i] || (table->key[i] < 2 && right->key[i] < 2));
                    QVERIFY(sameBits(&range.min, &rightRange.min, 1) && sameBits(&range.max, &rightRange.max, 1));
                    QVERIFY(sameBits(&range.sum, &rightRange.sum, 1) && sameBits(&range.sumSq, &rightRange.sumSq, 1));
                    QCOMPARE(range.zeros, rightRange.zeros);
                }
            }
        }
    }
}

void TestScanKernels::strangeStripsAreRefused()
{
    std::vector<const ScanKernels *> all(detail::simdScanKernels().begin(), detail::simdScanKernels().end());
    all.push_back(&referenceScanKernels());
    for (const ScanKernels *kernels : all) {
        for (const float strange : {std::nanf(""), std::numeric_limits<float>::infinity(), 3e38f, 1e-30f}) {
            for (const std::size_t at : {0u, 31u, 100u, 255u}) {
                std::vector<float> weights(256, 0.0f);
                StripTable table;
                TileRange range;
                QVERIFY(kernels->sumStrips(weights.data(), 256, 32, table, range));
                weights[at] = strange;
                QVERIFY(!kernels->sumStrips(weights.data(), 256, 32, table, range));
            }
        }
    }
}

void TestScanKernels::cellsAreTheReference()
{
    const auto weights = weightsOf(Kind::Lattice, TileWeights, 4);
    const auto table = std::make_unique<StripTable>();
    TileRange range;
    QVERIFY(referenceScanKernels().sumStrips(weights.data(), TileWeights, 32, *table, range));
    for (std::size_t i = 0; i < StripTable::Capacity; ++i)
        table->scale[i] = i % 17 ? 0.01f * static_cast<float>(i) : std::nanf("");
    for (const ScanKernels *kernels : detail::simdScanKernels()) {
        for (std::size_t n = 0; n < 60; ++n) {
            for (const bool scales : {false, true}) {
                Cells right(n + 1), cells(n + 1);
                referenceScanKernels().addStrips(*table, 5, n, 32, scales, right.row());
                kernels->addStrips(*table, 5, n, 32, scales, cells.row());
                QVERIFY(right == cells);
            }
        }
    }
}

void TestScanKernels::valuesAreTheReference()
{
    for (const ScanKernels *kernels : detail::simdScanKernels()) {
        for (const Kind kind : Kinds) {
            for (const std::size_t n : {1u, 15u, 16u, 17u, 63u, 64u, 80u, 200u, 1000u, 4096u}) {
                const auto weights = weightsOf(kind, n, static_cast<unsigned>(n));
                const auto [lo, hi] = std::ranges::minmax(weights);
                const FloatBins bins(static_cast<double>(lo), static_cast<double>(hi), FineBins);
                std::vector<double> right(CentralLanes, 0.5), lanes(CentralLanes, 0.5);
                std::vector<std::uint16_t> rightSets(FineSets * FineStride), sets(FineSets * FineStride);
                referenceScanKernels().addValues(weights.data(), n, 0.001, right.data(), bins, rightSets.data());
                kernels->addValues(weights.data(), n, 0.001, lanes.data(), bins, sets.data());
                QVERIFY(sameBits(lanes.data(), right.data(), CentralLanes));
                QCOMPARE(sets, rightSets);
                std::vector<std::uint16_t> rightLanes(Lanes * FineStride), laneSets(Lanes * FineStride);
                referenceScanKernels().addSquashed(weights.data(), n, 0.001, right.data(), bins, rightLanes.data());
                kernels->addSquashed(weights.data(), n, 0.001, lanes.data(), bins, laneSets.data());
                QVERIFY(sameBits(lanes.data(), right.data(), CentralLanes));
                QCOMPARE(laneSets, rightLanes);
            }
        }
    }
}

void TestScanKernels::binsAreTheRule()
{
    for (const ScanKernels *kernels : detail::simdScanKernels()) {
        for (const Kind kind : Kinds) {
            for (const std::size_t n : {1u, 2u, 7u, 100u, 255u, 2048u, 4096u, 65536u, 1048576u}) {
                auto weights = weightsOf(kind, 4000, static_cast<unsigned>(n));
                const auto [lo, hi] = std::ranges::minmax(weights);
                const BinRule rule(static_cast<double>(lo), static_cast<double>(hi), n);
                for (std::size_t edge = 0; edge < 2000; ++edge) { // as near the edges as floats come
                    const float at = lo + (hi - lo) * (static_cast<float>(edge) / 2000.0f);
                    weights[edge] = std::clamp(edge % 2 ? at : std::nextafter(at, hi), lo, hi);
                }
                std::vector<std::uint32_t> found(weights.size()), right;
                for (const float w : weights)
                    right.push_back(static_cast<std::uint32_t>(rule.binOf(static_cast<double>(w))));
                const FloatBins bins(static_cast<double>(lo), static_cast<double>(hi), n);
                kernels->findBins(weights.data(), weights.size(), bins, found.data());
                QCOMPARE(found, right);
                if (!bins.isFixed() || n > 4096)
                    continue;
                FloatBins withEdges = bins;
                const auto edges = findBinEdges(bins);
                withEdges.edges = edges.data();
                std::ranges::fill(found, 77);
                kernels->findBins(weights.data(), weights.size(), withEdges, found.data());
                QCOMPARE(found, right);
            }
        }
    }
}

void TestScanKernels::coresAreTheReference()
{
    for (const ScanKernels *kernels : detail::simdScanKernels()) {
        for (const Kind kind : Kinds) {
            for (const std::size_t n : {1u, 63u, 64u, 65u, 1000u, 4096u}) {
                const auto weights = weightsOf(kind, n, static_cast<unsigned>(n));
                const auto [lo, hi] = std::ranges::minmax(weights);
                const float half = (hi / 2 - lo / 2) / 2; // without overflow
                const FloatBins bins(static_cast<double>(lo + half), static_cast<double>(hi - half), 2048);
                constexpr std::size_t stride = 2048 + 96;
                std::vector<std::uint32_t> rightSets(CoreSets * stride), sets(CoreSets * stride), right(stride), counts(stride);
                Outside rightOutside, outside;
                referenceScanKernels().countInside(weights.data(), n, bins, rightSets.data(), stride, rightOutside);
                kernels->countInside(weights.data(), n, bins, sets.data(), stride, outside);
                for (std::size_t i = 0; i < sets.size(); ++i) {
                    right[i % stride] += rightSets[i];
                    counts[i % stride] += sets[i];
                }
                QCOMPARE(counts, right);
                QVERIFY(outside.below == rightOutside.below && outside.above == rightOutside.above);
            }
        }
    }
}

namespace {

/// Sets of counters added up.
template <class Counter>
std::vector<std::uint64_t> sumOfSets(const std::vector<Counter> &sets, std::size_t stride)
{
    std::vector<std::uint64_t> sum(stride);
    for (std::size_t i = 0; i < sets.size(); ++i)
        sum[i % stride] += sets[i];
    return sum;
}

} // namespace

void TestScanKernels::timesAreTheReference()
{
    std::mt19937 random(8);
    for (const ScanKernels *kernels : detail::simdScanKernels()) {
        for (const Kind kind : Kinds) {
            for (const std::size_t n : {1u, 63u, 64u, 130u, 1500u}) {
                const auto values = weightsOf(kind, n, static_cast<unsigned>(n));
                std::vector<std::uint32_t> times(n);
                std::ranges::generate(times, [&] { return static_cast<std::uint32_t>(1 + random() % 32); });
                const auto [lo, hi] = std::ranges::minmax(values);
                FloatBins bins(static_cast<double>(lo), static_cast<double>(hi), FineBins);
                const auto edges = bins.isFixed() ? findBinEdges(bins) : std::vector<float>();
                for (const float *table : {static_cast<const float *>(nullptr), edges.data()}) {
                    bins.edges = bins.isFixed() ? table : nullptr;
                    std::vector<std::uint16_t> right(FineSets * FineStride), sets(FineSets * FineStride);
                    referenceScanKernels().countTimes(values.data(), times.data(), n, bins, right.data());
                    kernels->countTimes(values.data(), times.data(), n, bins, sets.data());
                    QCOMPARE(sumOfSets(sets, FineStride), sumOfSets(right, FineStride));
                    std::vector<std::uint16_t> lanes(Lanes * FineStride);
                    kernels->countTimesSquashed(values.data(), times.data(), n, bins, lanes.data());
                    QCOMPARE(sumOfSets(lanes, FineStride), sumOfSets(right, FineStride));
                }
                const float half = (hi / 2 - lo / 2) / 2;
                const FloatBins core(static_cast<double>(lo + half), static_cast<double>(hi - half), 2048);
                constexpr std::size_t stride = 2048 + 96;
                std::vector<std::uint32_t> right(CoreSets * stride), sets(CoreSets * stride);
                Outside rightOutside, outside;
                referenceScanKernels().countInsideTimes(values.data(), times.data(), n, core, right.data(), stride, rightOutside);
                kernels->countInsideTimes(values.data(), times.data(), n, core, sets.data(), stride, outside);
                auto counts = sumOfSets(sets, stride);
                for (std::uint64_t &count : counts)
                    count &= 0xffffffffu; // right modulo 2^32
                QCOMPARE(counts, sumOfSets(right, stride));
                QVERIFY(outside.below == rightOutside.below && outside.above == rightOutside.above);
            }
        }
    }
}

void TestScanKernels::pairsAreTheReference()
{
    for (const ScanKernels *kernels : detail::simdScanKernels()) {
        for (const Kind kind : Kinds) {
            for (const std::size_t n : {1u, 16u, 33u, 4096u}) {
                const auto a = weightsOf(kind, n, 1);
                const auto b = weightsOf(Kind::Gaussian, n, 2);
                std::vector<double> right(PairLaneCount, 0.5), lanes(PairLaneCount, 0.5);
                ErrorRange rightRange, range;
                referenceScanKernels().addPairs(a.data(), b.data(), n, right.data(), rightRange);
                kernels->addPairs(a.data(), b.data(), n, lanes.data(), range);
                QVERIFY(sameBits(lanes.data(), right.data(), PairLaneCount));
                QVERIFY(rightRange.min == range.min && rightRange.max == range.max);
            }
        }
    }
}

QTEST_APPLESS_MAIN(TestScanKernels)
#include "tst_scankernels.moc"
