// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/quant/dequantize.h"
#include "core/quant/kernels.h"
#include "core/quant/quantize.h"
#include "core/stats/levelkernels.h"
#include "core/stats/tilesums.h"

#include <QTest>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

using namespace ql;

namespace {

enum class Kind { Gaussian, Offset, Sparse, Zeros, Random, Tiny };

constexpr std::array Kinds{Kind::Gaussian, Kind::Offset, Kind::Sparse, Kind::Zeros, Kind::Random, Kind::Tiny};

bool isFiniteBlock(const std::vector<float> &weights)
{
    return std::ranges::all_of(weights, [](float w) { return std::isfinite(w); });
}

/// Finite blocks: of weights as they occur, or of any bytes.
std::vector<std::byte> blocksOf(const TypeTraits &type, std::size_t n, Kind kind)
{
    std::mt19937 random(static_cast<unsigned>(n) + static_cast<unsigned>(kind));
    std::normal_distribution<float> normal(0, kind == Kind::Tiny ? 3e-6f : 0.02f);
    std::vector<std::byte> bytes(n * type.blockBytes);
    std::vector<float> weights(type.blockSize);
    const QuantizeFn encode = quantizer(type.type);
    for (std::size_t block = 0; block < n; ++block) {
        std::byte *const at = bytes.data() + block * type.blockBytes;
        do {
            if (encode && kind != Kind::Random) {
                for (float &w : weights) {
                    w = normal(random) + (kind == Kind::Offset ? 1.0f : 0.0f);
                    if (kind == Kind::Zeros || (kind == Kind::Sparse && random() % 2))
                        w = 0;
                }
                encode(weights.data(), at, 1);
            } else {
                std::generate_n(at, type.blockBytes, [&] { return static_cast<std::byte>(random()); });
            }
            referenceDequantizer(type.type)(at, weights.data(), 1);
        } while (!isFiniteBlock(weights));
    }
    return bytes;
}

template <class T>
bool sameBits(const T *a, const T *b, std::size_t n)
{
    return std::memcmp(a, b, n * sizeof(T)) == 0;
}

bool isNear(double a, double b, double scale) { return std::abs(a - b) <= 1e-12 * scale; }

std::vector<const LevelKernels *> allKernels()
{
    std::vector<const LevelKernels *> all(detail::simdLevelKernels().begin(), detail::simdLevelKernels().end());
    all.push_back(&referenceLevelKernels());
    return all;
}

/// What a kernel lists of all runs.
struct Listed {
    std::vector<float> values;
    std::vector<std::uint32_t> times;
    std::array<double, 5 * Lanes> lanes{};
    std::vector<bool> areSummed;

    Listed(const LevelKernels &kernels, const LevelPlanes &planes, const LevelPowers &powers, double shift)
    {
        for (std::size_t vector = 0; vector < planes.vectors(powers.type); ++vector) {
            alignas(64) float some[LevelKernels::MostListed];
            alignas(64) std::uint32_t counts[LevelKernels::MostListed];
            const ListedRuns runs = kernels.list(planes, powers, vector, shift, lanes.data(), some, counts);
            values.insert(values.end(), some, some + runs.values);
            times.insert(times.end(), counts, counts + runs.values);
            areSummed.push_back(runs.areSummed);
            if (!runs.areSummed)
                addListed({some, runs.values}, {counts, runs.values}, shift, lanes.data());
        }
    }
};

} // namespace

class TestLevelKernels : public QObject
{
    Q_OBJECT

private slots:
    void everyDecoderHasItsKernels();
    void stripsAreThoseOfTheWeights_data() { types(); }
    void stripsAreThoseOfTheWeights();
    void strangeStripsAreRefused();
    void stripsAreTheReference_data() { types(); }
    void stripsAreTheReference();
    void listsAreTheWeights_data() { types(); }
    void listsAreTheWeights();
    void listsAreTheReference_data() { types(); }
    void listsAreTheReference();
    void countsAreTheReference();
    void roundedRunsAreFound();

private:
    void types()
    {
        QTest::addColumn<int>("type");
        for (const TypeTraits &type : typeTable()) {
            if (levelType(type.type))
                QTest::addRow("%s", std::string(type.name).c_str()) << static_cast<int>(type.type);
        }
    }
    /// Calls check(blocks, n, planes) for tiles of every kind and many sizes.
    template <class Check>
    void forTiles(const TypeTraits &type, const Check &check)
    {
        const auto planes = std::make_unique<LevelPlanes>();
        const std::size_t most = TileWeights / type.blockSize;
        for (const Kind kind : Kinds) {
            for (std::size_t n = 1; n <= most; n += 1 + n / 2) {
                const auto blocks = blocksOf(type, n, kind);
                referenceLevelSplitter(type.type)(blocks.data(), n, *planes);
                check(blocks, n, *planes);
            }
        }
    }
};

void TestLevelKernels::everyDecoderHasItsKernels()
{
    for (const std::string_view name : availableImplementations()) {
        QVERIFY(forceImplementation(name));
        QCOMPARE(levelKernels().name, name);
    }
    QVERIFY(forceImplementation(""));
}

void TestLevelKernels::stripsAreThoseOfTheWeights()
{
    QFETCH(int, type);
    const TypeTraits &traits = *findType(static_cast<std::uint32_t>(type));
    const LevelPowers powers(*levelType(traits.type));
    const auto table = std::make_unique<StripTable>();
    const auto right = std::make_unique<StripTable>();
    std::size_t checked = 0;
    forTiles(traits, [&](const std::vector<std::byte> &blocks, std::size_t n, const LevelPlanes &planes) {
        std::vector<float> weights(n * traits.blockSize);
        referenceDequantizer(traits.type)(blocks.data(), weights.data(), n);
        TileRange range, rightRange;
        const bool ordinary = referenceScanKernels().sumStrips(weights.data(), weights.size(), traits.blockSize, *right, rightRange);
        if (referenceLevelKernels().sumStrips(planes, powers, *table, range) != ordinary)
            return; // a sum of squares right on the limit
        if (!ordinary)
            return;
        for (std::size_t i = 0; i < n; ++i) {
            const double size = std::sqrt(static_cast<double>(right->sumSq[i]) * traits.blockSize);
            QVERIFY(std::abs(static_cast<double>(table->sum[i] - right->sum[i])) <= 1e-5 * size);
            QVERIFY(std::abs(static_cast<double>(table->sumSq[i] - right->sumSq[i])) <= 1e-5 * static_cast<double>(right->sumSq[i]));
            QCOMPARE(table->zeros[i], right->zeros[i]);
            QVERIFY(table->key[i] == right->key[i] || (table->key[i] < 2 && right->key[i] < 2));
        }
        QVERIFY(sameBits(&range.min, &rightRange.min, 1) && sameBits(&range.max, &rightRange.max, 1));
        QCOMPARE(range.zeros, rightRange.zeros);
        ++checked;
    });
    QVERIFY(checked > 20);
}

void TestLevelKernels::strangeStripsAreRefused()
{
    // Scales that are infinite, not a number, or too large for the squares.
    for (const LevelKernels *kernels : allKernels()) {
        const auto table = std::make_unique<StripTable>();
        const auto planes = std::make_unique<LevelPlanes>();
        TileRange range;
        const TypeTraits &half = *findTypeByName("Q4_0");
        for (const std::uint16_t scale : {std::uint16_t{0x7c00}, std::uint16_t{0xfc00}, std::uint16_t{0x7e00}}) {
            auto blocks = blocksOf(half, 20, Kind::Gaussian);
            std::memcpy(blocks.data() + 17 * half.blockBytes, &scale, sizeof scale);
            referenceLevelSplitter(half.type)(blocks.data(), 20, *planes);
            QVERIFY(!kernels->sumStrips(*planes, LevelPowers(*levelType(half.type)), *table, range));
        }
        const TypeTraits &power = *findTypeByName("MXFP4");
        auto blocks = blocksOf(power, 20, Kind::Gaussian);
        for (const int exponent : {255, 240, 1}) {
            blocks[19 * power.blockBytes] = static_cast<std::byte>(exponent);
            referenceLevelSplitter(power.type)(blocks.data(), 20, *planes);
            QVERIFY(!kernels->sumStrips(*planes, LevelPowers(*levelType(power.type)), *table, range));
        }
    }
}

void TestLevelKernels::stripsAreTheReference()
{
    QFETCH(int, type);
    const TypeTraits &traits = *findType(static_cast<std::uint32_t>(type));
    const LevelPowers powers(*levelType(traits.type));
    const auto table = std::make_unique<StripTable>();
    const auto right = std::make_unique<StripTable>();
    for (const LevelKernels *kernels : detail::simdLevelKernels()) {
        forTiles(traits, [&](const std::vector<std::byte> &, std::size_t n, const LevelPlanes &planes) {
            TileRange range, rightRange;
            const bool ordinary = referenceLevelKernels().sumStrips(planes, powers, *right, rightRange);
            QCOMPARE(kernels->sumStrips(planes, powers, *table, range), ordinary);
            if (!ordinary)
                return;
            QVERIFY(sameBits(table->sum, right->sum, n) && sameBits(table->sumSq, right->sumSq, n));
            QVERIFY(sameBits(table->zeros, right->zeros, n) && sameBits(table->key, right->key, n));
            QVERIFY(sameBits(&range.min, &rightRange.min, 1) && sameBits(&range.max, &rightRange.max, 1));
            QVERIFY(sameBits(&range.sum, &rightRange.sum, 1) && sameBits(&range.sumSq, &rightRange.sumSq, 1));
            QCOMPARE(range.zeros, rightRange.zeros);
        });
    }
}

void TestLevelKernels::listsAreTheWeights()
{
    QFETCH(int, type);
    const TypeTraits &traits = *findType(static_cast<std::uint32_t>(type));
    const LevelPowers powers(*levelType(traits.type));
    constexpr double Shift = 0.003;
    forTiles(traits, [&](const std::vector<std::byte> &blocks, std::size_t n, const LevelPlanes &planes) {
        std::vector<float> weights(n * traits.blockSize);
        referenceDequantizer(traits.type)(blocks.data(), weights.data(), n);
        const Listed listed(referenceLevelKernels(), planes, powers, Shift);
        std::map<std::uint32_t, std::uint64_t> counts, rightCounts;
        for (std::size_t i = 0; i < listed.values.size(); ++i) {
            QVERIFY(listed.times[i] > 0);
            counts[std::bit_cast<std::uint32_t>(listed.values[i])] += listed.times[i];
        }
        CentralSums right;
        right.shift = Shift;
        right.add(std::span<const float>(weights));
        std::array<double, 5> size{}; // sums of magnitudes: what rounding is measured by
        for (const float w : weights) {
            ++rightCounts[std::bit_cast<std::uint32_t>(w)];
            const double d = std::abs(static_cast<double>(w)) + Shift;
            for (int k = 0; k < 4; ++k)
                size[static_cast<std::size_t>(k)] += std::pow(d, k + 1);
            size[4] += d;
        }
        QCOMPARE(counts, rightCounts);
        for (std::size_t k = 0; k < 5; ++k)
            QVERIFY(isNear(foldLanes(listed.lanes.data() + k * Lanes), foldLanes(right.lanes.data() + k * Lanes), size[k]));
    });
}

void TestLevelKernels::listsAreTheReference()
{
    QFETCH(int, type);
    const TypeTraits &traits = *findType(static_cast<std::uint32_t>(type));
    const LevelPowers powers(*levelType(traits.type));
    for (const LevelKernels *kernels : detail::simdLevelKernels()) {
        forTiles(traits, [&](const std::vector<std::byte> &, std::size_t, const LevelPlanes &planes) {
            const Listed right(referenceLevelKernels(), planes, powers, -0.0007);
            const Listed listed(*kernels, planes, powers, -0.0007);
            QCOMPARE(listed.values.size(), right.values.size());
            QVERIFY(sameBits(listed.values.data(), right.values.data(), right.values.size()));
            QCOMPARE(listed.times, right.times);
            QCOMPARE(listed.areSummed, right.areSummed);
            QVERIFY(sameBits(listed.lanes.data(), right.lanes.data(), right.lanes.size()));
        });
    }
}

void TestLevelKernels::countsAreTheReference()
{
    for (const char *name : {"Q4_0", "MXFP4", "NVFP4", "Q5_0"}) {
        const TypeTraits &traits = *findTypeByName(name);
        const LevelType &type = *levelType(traits.type);
        for (const LevelKernels *kernels : detail::simdLevelKernels()) {
            forTiles(traits, [&](const std::vector<std::byte> &, std::size_t n, const LevelPlanes &planes) {
                for (std::size_t vector = 0; vector < planes.vectors(type); ++vector) {
                    std::vector<std::uint8_t> counts(Lanes * type.codes()), right(Lanes * type.codes());
                    referenceLevelKernels().count(planes, type, vector, right.data());
                    kernels->count(planes, type, vector, counts.data());
                    QCOMPARE(counts, right);
                }
                QCOMPARE(planes.blocks, n);
            });
        }
    }
}

void TestLevelKernels::roundedRunsAreFound()
{
    std::mt19937 random(5);
    std::size_t exact = 0;
    std::size_t rounded = 0;
    for (int i = 0; i < 100000; ++i) {
        const auto some = [&](unsigned bits) {
            const float value = std::ldexp(static_cast<float>(random() % (1u << bits)), static_cast<int>(random() % 12) - 20);
            return random() % 2 ? value : -value;
        };
        const float scale = some(17);
        const float min = some(17);
        bool isRounded = false;
        for (int level = 0; level < 16; ++level) {
            const double right = static_cast<double>(scale) * level + static_cast<double>(min);
            isRounded |= static_cast<double>(scale * static_cast<float>(level) + min) != right;
        }
        QVERIFY(!(isExact(scale, min, 15) && isRounded));
        exact += isExact(scale, min, 15);
        rounded += isRounded;
    }
    QVERIFY(exact > 50000 && rounded > 1000);
    QVERIFY(isExact(0, 0, 15) && isExact(0.5f, 0, 15) && isExact(0, -3.0f, 15));
    QVERIFY(!isExact(1.0f, 0x1p-30f, 15));
}

QTEST_APPLESS_MAIN(TestLevelKernels)
#include "tst_levelkernels.moc"
