// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/quant/half.h"
#include "core/quant/kernels.h"
#include "core/stats/countkernels.h"
#include "core/stats/patterncounter.h"

#include <QTest>

#include <array>
#include <cmath>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

using namespace ql;

namespace {

using Bits = std::vector<std::uint16_t>;

/// Patterns of every sort: in turn Gaussian, sparse, all zeros of both signs, subnormal, large, any.
Bits someBits(GgmlType type, std::size_t n, unsigned sort)
{
    std::mt19937 random(sort + static_cast<unsigned>(n));
    std::normal_distribution<float> normal;
    const auto bitsOf = [&](float x) { return type == GgmlType::BF16 ? floatToBf16(x) : floatToHalf(x); };
    Bits bits(n);
    for (std::uint16_t &b : bits) {
        const auto sign = static_cast<std::uint16_t>(random() % 2 << 15);
        b = bitsOf(0.02f * normal(random));
        if (sort == 1 && random() % 3)
            b = sign;
        if (sort == 2)
            b = sign;
        if (sort == 3)
            b = static_cast<std::uint16_t>(sign | random() % 100);
        if (sort == 4)
            b = bitsOf(30000 * std::tanh(normal(random)));
        if (sort == 5)
            b = static_cast<std::uint16_t>(random());
        if (sort == 6)
            b = bitsOf(-0.02f * std::abs(normal(random)));
    }
    return bits;
}

std::span<const std::byte> bytesOf(const Bits &bits) { return std::as_bytes(std::span(bits)); }

} // namespace

class TestCountKernels : public QObject
{
    Q_OBJECT

private slots:
    void stripsAreTheReference_data() { types(); }
    void stripsAreTheReference();
    void countsAreThePlainOnes_data() { types(); }
    void countsAreThePlainOnes();
    void manyOfOnePatternDoNotOverflow_data() { types(); }
    void manyOfOnePatternDoNotOverflow();
    void rangeLeavesOutWhatIsNotFinite();

private:
    static void types()
    {
        QTest::addColumn<GgmlType>("type");
        QTest::newRow("BF16") << GgmlType::BF16;
        QTest::newRow("F16") << GgmlType::F16;
    }
    static CountStripsFn functionOf(const detail::CountKernels &kernels, GgmlType type)
    {
        return type == GgmlType::BF16 ? kernels.bf16 : kernels.f16;
    }
};

void TestCountKernels::stripsAreTheReference()
{
    QFETCH(GgmlType, type);
    if (detail::countKernels().empty())
        QSKIP("not run: no vectors of this machine have such a kernel");
    const auto right = std::make_unique<StripTable>();
    const auto table = std::make_unique<StripTable>();
    int refused = 0, compared = 0;
    for (const detail::CountKernels *kernels : detail::countKernels()) {
        for (unsigned sort = 0; sort < 7; ++sort) {
            for (std::size_t strips = 1; strips <= StripTable::Capacity; strips += 1 + strips / 5) {
                const Bits bits = someBits(type, strips * LineWeights, sort);
                std::vector<float> weights(bits.size());
                for (std::size_t i = 0; i < bits.size(); ++i)
                    weights[i] = type == GgmlType::BF16 ? bf16ToFloat(bits[i]) : halfToFloat(bits[i]);
                TileRange range;
                const bool ordinary = referenceScanKernels().sumStrips(weights.data(), weights.size(), LineWeights,
                                                                       *right, range);
                const auto function = functionOf(*kernels, type);
                PatternCounter counter, plain;
                for (int round = 0; round < 20; ++round) { // in the end in sets, if there are many equal ones
                    QCOMPARE(counter.add(bytesOf(bits), function, *table), ordinary);
                    plain.add(bytesOf(bits));
                }
                QVERIFY(std::ranges::equal(counter.counts(), plain.counts()));
                refused += !ordinary;
                compared += ordinary;
                if (!ordinary)
                    continue;
                QVERIFY(std::memcmp(right->sum, table->sum, 4 * strips) == 0);
                QVERIFY(std::memcmp(right->sumSq, table->sumSq, 4 * strips) == 0);
                QVERIFY(std::memcmp(right->key, table->key, 4 * strips) == 0);
                QVERIFY(std::memcmp(right->zeros, table->zeros, 4 * strips) == 0);
            }
        }
    }
    QVERIFY(refused > 10 && compared > 60);
}

void TestCountKernels::countsAreThePlainOnes()
{
    QFETCH(GgmlType, type);
    for (const unsigned sort : {1u, 2u, 5u}) { // the first two have many equal weights
        for (const std::size_t n : {1u, 31u, 32u, 33u, 64u, 65u, 4095u, 4096u}) {
            const Bits bits = someBits(type, n, sort);
            std::vector<std::uint32_t> right(Patterns);
            PatternCounter counter;
            const auto countAndCompare = [&](int rounds) {
                for (int round = 0; round < rounds; ++round) {
                    counter.add(bytesOf(bits));
                    for (const std::uint16_t b : bits)
                        ++right[b];
                }
                return std::ranges::equal(counter.counts(), right);
            };
            QVERIFY(countAndCompare(40));
            QCOMPARE(counter.counted(), std::uint64_t{40 * n});
            QVERIFY(countAndCompare(1));
            counter.clear();
            QVERIFY(std::ranges::all_of(counter.counts(), [](std::uint32_t count) { return count == 0; }));
            right.assign(Patterns, 0);
            QVERIFY(countAndCompare(2));
        }
    }
}

void TestCountKernels::manyOfOnePatternDoNotOverflow()
{
    QFETCH(GgmlType, type);
    const Bits bits(4096, 0x3c00);
    PatternCounter counter;
    const auto function = countStripsOf(type);
    StripTable table;
    for (int round = 0; round < 100; ++round) {
        if (function && round % 2)
            QVERIFY(counter.add(bytesOf(bits), function, table));
        else
            counter.add(bytesOf(bits));
    }
    QCOMPARE(counter.counts()[0x3c00], 409600u);
    PatternTotals totals;
    totals.add(counter.counts());
    PatternTotals more;
    more.add(totals.counts());
    more.add(counter.counts());
    QCOMPARE(more.counts()[0x3c00], std::uint64_t{819200});
    counter.clear();
    QCOMPARE(counter.counts()[0x3c00], 0u);
}

void TestCountKernels::rangeLeavesOutWhatIsNotFinite()
{
    PatternRange range(0x7f80);
    QVERIFY(range.isEmpty());
    range.add(bytesOf(Bits{0x7f80, 0xff80, 0x7fff, 0xffff, 0x7f81}));
    QVERIFY(range.isEmpty());
    range.add(bytesOf(Bits{0x8000}));
    QCOMPARE(range.least(), std::uint16_t{0x8000});
    QCOMPARE(range.greatest(), std::uint16_t{0x8000});
    PatternRange other(0x7f80);
    other.add(bytesOf(Bits{0x0001, 0xff7f, 0x3f80}));
    range.merge(other);
    QCOMPARE(range.least(), std::uint16_t{0xff7f});
    QCOMPARE(range.greatest(), std::uint16_t{0x3f80});
}

QTEST_APPLESS_MAIN(TestCountKernels)
#include "tst_countkernels.moc"
