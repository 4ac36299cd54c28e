// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/blocks.h"
#include "core/quant/dequantize.h"
#include "core/quant/half.h"
#include "core/quant/kernels.h"
#include "core/quant/levelplanes.h"

#include <QTest>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

using namespace ql;

namespace {

constexpr std::size_t TileWeights = 4096;

std::vector<std::byte> randomBlocks(const TypeTraits &type, std::size_t n)
{
    std::mt19937 random(static_cast<unsigned>(n) + type.blockBytes);
    std::vector<std::byte> bytes(n * type.blockBytes);
    std::ranges::generate(bytes, [&] { return static_cast<std::byte>(random()); });
    return bytes;
}

/// NaNs are one value: a splitter need not keep their bits.
std::uint32_t bitsOf(float x) { return std::isnan(x) ? 0x7fc00000u : std::bit_cast<std::uint32_t>(x); }

/// How often a run has each value.
using Counts = std::map<std::uint32_t, std::uint32_t>;

Counts countsOf(const LevelPlanes &planes, const LevelType &type, std::size_t at)
{
    Counts counts;
    for (std::uint32_t i = 0; i < 32; ++i) {
        if (!(planes.used[at] >> i & 1))
            continue;
        std::size_t code = 0;
        for (std::size_t bit = 0; bit < type.bits; ++bit)
            code |= std::size_t{planes.planes[bit][at] >> i & 1} << bit;
        float value = type.levels[code] * planes.scale[at];
        if (type.hasMin)
            value += planes.min[at];
        ++counts[bitsOf(value)];
    }
    return counts;
}

/// Of a block: all of its runs.
Counts countsOfBlock(const LevelPlanes &planes, const LevelType &type, std::size_t block)
{
    Counts counts;
    for (std::size_t run = 0; run < type.runs; ++run) {
        const std::size_t vector = block / LevelPlanes::Lanes * type.runs + run;
        for (const auto &[value, times] : countsOf(planes, type, vector * LevelPlanes::Lanes + block % LevelPlanes::Lanes))
            counts[value] += times;
    }
    return counts;
}

} // namespace

class TestLevelPlanes : public QObject
{
    Q_OBJECT

private slots:
    void everyDecoderHasItsSplitters();
    void runsAreTheDecodersWeights_data();
    void runsAreTheDecodersWeights();
    void runsAreTheReference_data() { runsAreTheDecodersWeights_data(); }
    void runsAreTheReference();
    void everyHalfIsAScaleAndAMin();
};

void TestLevelPlanes::everyDecoderHasItsSplitters()
{
    for (const std::string_view name : availableImplementations()) {
        QVERIFY(forceImplementation(name));
        for (const TypeTraits &type : typeTable()) {
            const SplitLevelsFn split = levelSplitter(type.type);
            QCOMPARE(split != nullptr, levelType(type.type) != nullptr);
            QCOMPARE(split == referenceLevelSplitter(type.type), split == nullptr || name == "reference");
        }
    }
    QVERIFY(forceImplementation(""));
}

void TestLevelPlanes::runsAreTheDecodersWeights_data()
{
    QTest::addColumn<int>("type");
    for (const TypeTraits &type : typeTable()) {
        if (levelType(type.type))
            QTest::addRow("%s", std::string(type.name).c_str()) << static_cast<int>(type.type);
    }
}

void TestLevelPlanes::runsAreTheDecodersWeights()
{
    QFETCH(int, type);
    const TypeTraits &traits = *findType(static_cast<std::uint32_t>(type));
    const LevelType &level = *levelType(traits.type);
    QCOMPARE(level.runs * level.runWeights, traits.blockSize);
    QVERIFY(level.bits <= LevelPlanes::MaxBits);
    const std::size_t n = TileWeights / traits.blockSize;
    const auto blocks = randomBlocks(traits, n);
    const auto planes = std::make_unique<LevelPlanes>();
    referenceLevelSplitter(traits.type)(blocks.data(), n, *planes);
    std::vector<float> weights(traits.blockSize);
    for (std::size_t block = 0; block < n; ++block) {
        referenceDequantizer(traits.type)(blocks.data() + block * traits.blockBytes, weights.data(), 1);
        Counts right;
        for (const float w : weights)
            ++right[bitsOf(w)];
        QCOMPARE(countsOfBlock(*planes, level, block), right);
    }
}

void TestLevelPlanes::runsAreTheReference()
{
    QFETCH(int, type);
    const TypeTraits &traits = *findType(static_cast<std::uint32_t>(type));
    const LevelType &level = *levelType(traits.type);
    const auto right = std::make_unique<LevelPlanes>();
    const auto planes = std::make_unique<LevelPlanes>();
    std::size_t tried = 0;
    for (const auto &row : detail::simdLevelSplitters()) {
        const auto splitter = std::ranges::find(row.splitters, traits.type, &detail::LevelSplitter::type);
        if (splitter == row.splitters.end())
            continue;
        ++tried;
        const std::size_t most = TileWeights / traits.blockSize;
        for (std::size_t n = 1; n <= most; n += n < 40 ? 1 : 11) {
            // Exactly as much memory as the blocks need, at an odd address: what reads beyond is found.
            auto bytes = randomBlocks(traits, n);
            bytes.insert(bytes.begin(), std::byte{});
            bytes.shrink_to_fit();
            referenceLevelSplitter(traits.type)(bytes.data() + 1, n, *right);
            splitter->split(bytes.data() + 1, n, *planes);
            QCOMPARE(planes->blocks, n);
            for (std::size_t at = 0; at < planes->vectors(level) * LevelPlanes::Lanes; ++at) {
                QCOMPARE(std::popcount(planes->used[at]), std::popcount(right->used[at]));
                if (right->used[at])
                    QCOMPARE(countsOf(*planes, level, at), countsOf(*right, level, at));
            }
        }
    }
    QCOMPARE(tried, availableImplementations().size() - 1); // all but the reference
}

void TestLevelPlanes::everyHalfIsAScaleAndAMin()
{
    for (const auto &row : detail::simdLevelSplitters()) {
        const auto splitter = std::ranges::find(row.splitters, GgmlType::Q4_1, &detail::LevelSplitter::type);
        if (splitter == row.splitters.end())
            continue;
        const auto planes = std::make_unique<LevelPlanes>();
        std::vector<BlockQ4_1> blocks(128);
        for (std::uint32_t first = 0; first < 65536; first += 128) {
            for (std::uint32_t i = 0; i < 128; ++i) {
                blocks[i].d = static_cast<Half>(first + i);
                blocks[i].m = static_cast<Half>(65535 - first - i);
            }
            splitter->split(std::as_bytes(std::span(blocks)).data(), blocks.size(), *planes);
            for (std::size_t i = 0; i < blocks.size(); ++i) {
                QCOMPARE(bitsOf(planes->scale[i]), bitsOf(halfToFloat(blocks[i].d)));
                QCOMPARE(bitsOf(planes->min[i]), bitsOf(halfToFloat(blocks[i].m)));
            }
        }
    }
}

QTEST_APPLESS_MAIN(TestLevelPlanes)
#include "tst_levelplanes.moc"
