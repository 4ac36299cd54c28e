// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/quant/dequantize.h"

#include "core/model/blocks.h"
#include "core/quant/codebooks.h"
#include "core/quant/half.h"
#include "core/quant/scales.h"
#include "tests/support/golden.h"
#include "tests/support/testdata.h"

#include <QTest>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <set>

using namespace ql;

namespace {

template <class Block>
const std::byte *bytesOf(const Block &block)
{
    return reinterpret_cast<const std::byte *>(&block);
}

std::vector<std::byte> randomBlocks(GgmlType type, std::size_t count)
{
    std::mt19937 random(7);
    std::vector<std::byte> bytes(count * traits(type).blockBytes);
    for (std::byte &byte : bytes)
        byte = static_cast<std::byte>(random());
    return bytes;
}

/// Byte offsets in one block that a swap moves.
std::set<std::size_t> swappedBytes(GgmlType type)
{
    std::vector<std::byte> block(traits(type).blockBytes);
    for (std::size_t i = 0; i < block.size(); ++i)
        block[i] = static_cast<std::byte>(i); // no block is longer than 256 bytes but Q8_K's
    std::vector<std::byte> swapped(block.size());
    swapBlocks(type, block.data(), swapped.data(), 1);
    std::set<std::size_t> moved;
    for (std::size_t i = 0; i < block.size(); ++i)
        if (swapped[i] != block[i])
            moved.insert(i);
    return moved;
}

} // namespace

class DequantizeTest : public QObject
{
    Q_OBJECT

private slots:
    void everyDecodableTypeAndNoOtherHasADecoder()
    {
        for (const TypeTraits &row : typeTable()) {
            QCOMPARE(referenceDequantizer(row.type) != nullptr, row.isDecodable());
            QCOMPARE(dequantizer(row.type) != nullptr, row.isDecodable());
            QCOMPARE(blockScale(row.type) != nullptr, row.isDecodable() && !row.isPlain());
            const bool wide = row.type == GgmlType::F64 || row.type == GgmlType::I64;
            QCOMPARE(doubleDequantizer(row.type) != nullptr, wide);
        }
        QVERIFY(!dequantizer(static_cast<GgmlType>(0xffffffffu)));
    }

    void goldenBitForBit()
    {
        const auto pairs = test::goldenPairs(test::dataPath(QStringLiteral("golden/golden-small.gguf")));
        QCOMPARE(pairs.size(), std::size_t{70}); // 35 types, quantized and random bits
        for (const test::GoldenPair &pair : pairs) {
            const DequantizeFn decode = referenceDequantizer(pair.encoded.type().type);
            QVERIFY2(test::differingWeights(decode, pair) == 0, pair.name.c_str());
        }
    }

    void doublesKeepTheirPrecision()
    {
        const std::int64_t integers[] = {(1ll << 53) - 1, -(1ll << 40) - 1, std::numeric_limits<std::int64_t>::min()};
        double decoded[3];
        doubleDequantizer(GgmlType::I64)(bytesOf(integers), decoded, 3);
        QCOMPARE(decoded[0], 9007199254740991.0);
        QCOMPARE(decoded[1], -1099511627777.0);
        QCOMPARE(decoded[2], -0x1p63);

        const double doubles[] = {0.1, -1e300, 5e-324};
        doubleDequantizer(GgmlType::F64)(bytesOf(doubles), decoded, 3);
        QVERIFY(std::ranges::equal(decoded, doubles));
    }

    void narrowingRoundsOnce()
    {
        // By way of double this would round to even twice and lose the last bit's say.
        const std::int64_t integer = (1ll << 62) + (1ll << 38) + 1;
        float narrow = 0;
        referenceDequantizer(GgmlType::I64)(bytesOf(integer), &narrow, 1);
        QCOMPARE(narrow, 0x1.000002p62f);

        const double huge[] = {1e39, -1e39, 1e-50};
        float floats[3];
        referenceDequantizer(GgmlType::F64)(bytesOf(huge), floats, 3);
        QCOMPARE(floats[0], std::numeric_limits<float>::infinity());
        QCOMPARE(floats[1], -std::numeric_limits<float>::infinity());
        QCOMPARE(floats[2], 0.0f);
    }

    void scalesAreMagnitudes()
    {
        const BlockQ4_0 q4{floatToHalf(-1.5f), {}};
        QCOMPARE(blockScale(GgmlType::Q4_0)(bytesOf(q4)), 1.5f);
        BlockQ6K q6{};
        q6.d = floatToHalf(-0.25f);
        QCOMPARE(blockScale(GgmlType::Q6_K)(bytesOf(q6)), 0.25f);
        BlockQ8K q8{};
        q8.d = -3.0f;
        QCOMPARE(blockScale(GgmlType::Q8_K)(bytesOf(q8)), 3.0f);
        BlockIQ1M iq1{};
        for (int i = 0; i < 4; ++i) // 0xc200 is -3
            iq1.scales[2 * i + 1] = static_cast<std::uint8_t>(((0xc200 >> (4 * i)) & 15) << 4);
        QCOMPARE(blockScale(GgmlType::IQ1_M)(bytesOf(iq1)), 3.0f);
    }

    void scalesOfEveryHalf()
    {
        for (std::uint32_t half = 0; half < 65536; ++half) {
            const float right = std::fabs(halfToFloat(static_cast<Half>(half)));
            const float scale = blockScale(GgmlType::Q8_0)(bytesOf(BlockQ8_0{static_cast<Half>(half), {}}));
            if (std::isnan(right))
                QVERIFY(std::isnan(scale));
            else
                QCOMPARE(std::bit_cast<std::uint32_t>(scale), std::bit_cast<std::uint32_t>(right));
        }
    }

    void scalesOfFp4()
    {
        QCOMPARE(blockScale(GgmlType::MXFP4)(bytesOf(BlockMXFP4{127, {}})), 1.0f);
        QCOMPARE(blockScale(GgmlType::MXFP4)(bytesOf(BlockMXFP4{0, {}})), 0x1p-127f);
        QCOMPARE(blockScale(GgmlType::MXFP4)(bytesOf(BlockMXFP4{130, {}})), 8.0f);
        // 0x38 is 1, 0x42 is (1 + 2/8) * 2; 0x7f is nothing, 0xff the largest of all.
        QCOMPARE(blockScale(GgmlType::NVFP4)(bytesOf(BlockNVFP4{{0x38, 0x42, 0x7f, 0}, {}})), 2.5f);
        QCOMPARE(blockScale(GgmlType::NVFP4)(bytesOf(BlockNVFP4{{0xff, 0x38, 0, 0}, {}})), 480.0f);
    }

    void sevenSignsMakeAnEvenEighth()
    {
        for (std::uint32_t x = 0; x < 128; ++x) {
            QCOMPARE(evenSigns(x) & 127u, x);
            QCOMPARE(std::popcount(evenSigns(x)) % 2, 0);
        }
    }

    void swapMovesTheScalesAlone()
    {
        using Offsets = std::set<std::size_t>;
        QCOMPARE(swappedBytes(GgmlType::Q4_0), (Offsets{0, 1}));
        QCOMPARE(swappedBytes(GgmlType::Q4_1), (Offsets{0, 1, 2, 3}));
        QCOMPARE(swappedBytes(GgmlType::Q8_0), (Offsets{0, 1}));
        QCOMPARE(swappedBytes(GgmlType::Q8_1), (Offsets{0, 1, 2, 3}));
        QCOMPARE(swappedBytes(GgmlType::Q2_K), (Offsets{80, 81, 82, 83}));
        QCOMPARE(swappedBytes(GgmlType::Q3_K), (Offsets{108, 109}));
        QCOMPARE(swappedBytes(GgmlType::Q4_K), (Offsets{0, 1, 2, 3}));
        QCOMPARE(swappedBytes(GgmlType::Q5_K), (Offsets{0, 1, 2, 3}));
        QCOMPARE(swappedBytes(GgmlType::Q6_K), (Offsets{208, 209}));
        QCOMPARE(swappedBytes(GgmlType::IQ4_NL), (Offsets{0, 1}));
        QCOMPARE(swappedBytes(GgmlType::TQ1_0), (Offsets{52, 53}));
        QCOMPARE(swappedBytes(GgmlType::TQ2_0), (Offsets{64, 65}));
        QCOMPARE(swappedBytes(GgmlType::Q1_0), (Offsets{0, 1}));
        QCOMPARE(swappedBytes(GgmlType::Q2_0), (Offsets{0, 1}));
        QCOMPARE(swappedBytes(GgmlType::MXFP4), Offsets{});
        QCOMPARE(swappedBytes(GgmlType::NVFP4), Offsets{});
        QCOMPARE(swappedBytes(GgmlType::F64).size(), std::size_t{8});
        QCOMPARE(swappedBytes(GgmlType::I8), Offsets{});
    }

    void swapTwiceIsNothing()
    {
        for (const TypeTraits &row : typeTable()) {
            if (!row.isDecodable() || !row.bigEndianDecodable)
                continue;
            const auto blocks = randomBlocks(row.type, 5);
            auto swapped = blocks;
            swapBlocks(row.type, blocks.data(), swapped.data(), 5);
            auto back = blocks;
            swapBlocks(row.type, swapped.data(), back.data(), 5);
            QVERIFY2(back == blocks, std::string(row.name).c_str());
        }
    }

    void swappedValuesDecode()
    {
        const unsigned char bigEndian[] = {0x3f, 0x80, 0, 0, 0xc0, 0x20, 0, 0}; // 1, -2.5
        std::byte littleEndian[8];
        swapBlocks(GgmlType::F32, reinterpret_cast<const std::byte *>(bigEndian), littleEndian, 2);
        float values[2];
        referenceDequantizer(GgmlType::F32)(littleEndian, values, 2);
        QCOMPARE(values[0], 1.0f);
        QCOMPARE(values[1], -2.5f);
    }
};

QTEST_APPLESS_MAIN(DequantizeTest)
#include "tst_dequantize.moc"
