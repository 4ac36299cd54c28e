// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/quant/blockfields.h"
#include "core/quant/dequantize.h"

#include <QTest>

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>
#include <set>

using namespace ql;

namespace {

using Bytes = std::vector<std::byte>;

Bytes randomBlock(GgmlType type, std::uint32_t seed)
{
    std::mt19937 random(seed);
    Bytes block(traits(type).blockBytes);
    for (std::byte &byte : block)
        byte = static_cast<std::byte>(random());
    return block;
}

std::vector<float> decode(GgmlType type, const Bytes &block)
{
    std::vector<float> weights(traits(type).blockSize);
    referenceDequantizer(type)(block.data(), weights.data(), 1);
    return weights;
}

/// The same bits, or both NaN.
bool isSame(float a, float b)
{
    if (std::isnan(a) || std::isnan(b))
        return std::isnan(a) && std::isnan(b);
    return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
}

std::set<std::uint32_t> bitSet(const std::vector<BitRange> &ranges)
{
    std::set<std::uint32_t> bits;
    for (const BitRange &range : ranges)
        for (std::uint32_t i = 0; i < range.bits; ++i)
            bits.insert(range.firstBit + i);
    return bits;
}

/// Bits of the block that the weight was computed from.
std::set<std::uint32_t> bitsOf(const BlockFields &fields, const BlockWeight &weight)
{
    std::set<std::uint32_t> bits;
    for (const std::uint32_t index : weight.fields)
        bits.merge(bitSet(fields.fields[index].bits));
    return bits;
}

void flip(Bytes &block, std::uint32_t bit) { block[bit / 8] ^= std::byte{1} << (bit % 8); }

std::set<std::uint32_t> bitsOf(const BlockFields &fields, std::size_t weight)
{
    return bitsOf(fields, fields.weights[weight]);
}

const BlockField &fieldNamed(const BlockFields &fields, std::string_view name)
{
    const auto field = std::ranges::find(fields.fields, name, &BlockField::name);
    if (field == fields.fields.end())
        qFatal("no field of that name");
    return *field;
}


void addDecodableTypes()
{
    QTest::addColumn<std::uint32_t>("id");
    for (const TypeTraits &type : typeTable())
        if (type.isDecodable())
            QTest::newRow(std::string(type.name).c_str()) << static_cast<std::uint32_t>(type.type);
}

GgmlType fetchedType()
{
    QFETCH(const std::uint32_t, id);
    return static_cast<GgmlType>(id);
}

} // namespace

class BlockFieldsTest : public QObject
{
    Q_OBJECT

private slots:
    void layoutCoversEveryByteOnce_data() { addDecodableTypes(); }
    void layoutCoversEveryByteOnce()
    {
        const GgmlType type = fetchedType();
        std::uint32_t next = 0;
        for (const LayoutPart &part : blockLayout(type)) {
            QCOMPARE(part.firstByte, next);
            QVERIFY(part.bytes > 0);
            QVERIFY(!part.name.empty() && !part.what.empty());
            next += part.bytes;
        }
        QCOMPARE(next, traits(type).blockBytes);
    }

    void onlyDecodableTypesHaveALayout()
    {
        QVERIFY(blockLayout(static_cast<GgmlType>(31)).empty());
        QVERIFY(blockLayout(static_cast<GgmlType>(139)).empty());
        QVERIFY(blockLayout(static_cast<GgmlType>(43)).empty());
    }

    void blocksOfOtherTypesOrSizesGiveNothing()
    {
        const Bytes bytes(144);
        QVERIFY(readBlockFields(static_cast<GgmlType>(139), bytes).weights.empty());
        QVERIFY(readBlockFields(static_cast<GgmlType>(43), bytes).weights.empty());
        QVERIFY(readBlockFields(GgmlType::Q4_K, std::span(bytes).first(143)).weights.empty());
        QVERIFY(readBlockFields(GgmlType::Q4_K, {}).weights.empty());
    }

    void weightsAreTheDecodersBitForBit_data() { addDecodableTypes(); }
    void weightsAreTheDecodersBitForBit()
    {
        const GgmlType type = fetchedType();
        const int blocks = traits(type).isPlain() ? 2000 : 60;
        for (int i = 0; i < blocks; ++i) {
            const Bytes block = randomBlock(type, 1000u + static_cast<unsigned>(i));
            const BlockFields fields = readBlockFields(type, block);
            const std::vector<float> expected = decode(type, block);
            QCOMPARE(fields.weights.size(), expected.size());
            for (std::size_t w = 0; w < expected.size(); ++w)
                QVERIFY2(isSame(fields.weights[w].value, expected[w]),
                         qPrintable(QStringLiteral("block %1, weight %2").arg(i).arg(w)));
        }
    }

    void everyBitBelongsToAField_data() { addDecodableTypes(); }
    void everyBitBelongsToAField()
    {
        const GgmlType type = fetchedType();
        const BlockFields fields = readBlockFields(type, randomBlock(type, 1));
        std::set<std::uint32_t> owned;
        for (const BlockField &field : fields.fields)
            owned.merge(bitSet(field.bits));
        QCOMPARE(owned.size(), 8u * traits(type).blockBytes);
        QCOMPARE(*owned.rbegin(), 8u * traits(type).blockBytes - 1);
    }

    void everyFieldButTheSumsMakesAWeight_data() { addDecodableTypes(); }
    void everyFieldButTheSumsMakesAWeight()
    {
        const GgmlType type = fetchedType();
        const BlockFields fields = readBlockFields(type, randomBlock(type, 1));
        std::set<std::uint32_t> used;
        for (const BlockWeight &weight : fields.weights)
            used.insert(weight.fields.begin(), weight.fields.end());
        for (std::uint32_t i = 0; i < fields.fields.size(); ++i)
            QCOMPARE(used.contains(i), fields.fields[i].kind != "sum");
        const auto sums = std::ranges::count(fields.fields, "sum", &BlockField::kind);
        QCOMPARE(sums, type == GgmlType::Q8_1 ? 1 : type == GgmlType::Q8_K ? 16 : 0);
    }

    // The decoder itself is asked: a flipped bit may change only weights that claim the bit.
    void flippedBitsChangeOnlyWeightsThatOwnThem_data() { addDecodableTypes(); }
    void flippedBitsChangeOnlyWeightsThatOwnThem()
    {
        const GgmlType type = fetchedType();
        for (std::uint32_t seed = 0; seed < 4; ++seed) {
            Bytes block = randomBlock(type, seed);
            const BlockFields fields = readBlockFields(type, block);
            const std::vector<float> before = decode(type, block);
            std::vector<std::set<std::uint32_t>> owned;
            for (const BlockWeight &weight : fields.weights)
                owned.push_back(bitsOf(fields, weight));
            for (std::uint32_t bit = 0; bit < 8 * block.size(); ++bit) {
                flip(block, bit);
                const std::vector<float> after = decode(type, block);
                flip(block, bit);
                for (std::size_t w = 0; w < before.size(); ++w)
                    QVERIFY2(isSame(before[w], after[w]) || owned[w].contains(bit),
                             qPrintable(QStringLiteral("bit %1, weight %2").arg(bit).arg(w)));
            }
        }
    }

    // And the other way: over some blocks, every bit of a field changes one of the field's weights.
    void claimedBitsMatter_data() { addDecodableTypes(); }
    void claimedBitsMatter()
    {
        const GgmlType type = fetchedType();
        const BlockFields shape = readBlockFields(type, randomBlock(type, 0));
        std::set<FieldBit> felt;
        for (std::uint32_t seed = 0; seed < 12; ++seed)
            collectFelt(shape, randomBlock(type, seed), felt);
        for (std::uint32_t f = 0; f < shape.fields.size(); ++f)
            for (const std::uint32_t bit : bitSet(shape.fields[f].bits))
                QVERIFY2(felt.contains({f, bit}) || isNeverFelt(type, shape.fields[f], bit),
                         qPrintable(QStringLiteral("field %1, bit %2").arg(f).arg(bit)));
    }

    // Spelt out by hand from the format's description, for the types people look at most.
    void hoverOnAWeightNamesItsBits()
    {
        const auto bits = [](GgmlType type, std::size_t w) {
            return bitsOf(readBlockFields(type, randomBlock(type, 7)), w);
        };
        // Q2_K: 16 bytes of scales, 64 of quants, d at 80, dmin at 82. Weight 165 = 128 + 32 + 5.
        QCOMPARE(bits(GgmlType::Q2_K, 165),
                 bitSet({{8 * 10, 8}, {8 * (16 + 32 + 5) + 2, 2}, {640, 32}}));
        // Q3_K: weight 165: hmask byte 5 bit 5; low bits of byte 32+32+5; scale 10: high nibble of
        // byte 96+2 and bits 4-5 of byte 96+8+2; d at 108.
        QCOMPARE(
            bits(GgmlType::Q3_K, 165),
            bitSet(
                {{8 * 5 + 5, 1}, {8 * 69 + 2, 2}, {8 * 98 + 4, 4}, {8 * 106 + 4, 2}, {864, 16}}));
        // Q4_K: weight 165 is in sub-block 5: scale: low of byte 4+9, top of byte 4+1; min: high of
        // byte 4+9, top of byte 4+5; its code the high nibble of byte 16+64+5.
        QCOMPARE(bits(GgmlType::Q4_K, 165),
                 bitSet({{0, 32}, {8 * 13, 8}, {8 * 5 + 6, 2}, {8 * 9 + 6, 2}, {8 * 85 + 4, 4}}));
        // Q6_K: weight 165 = half 1, quarter 1, l 5: low nibble of ql[64+37], pair 1 of qh[32+5],
        // scale 10 at 192, d at 208.
        QCOMPARE(bits(GgmlType::Q6_K, 165),
                 bitSet({{8 * 101, 4}, {8 * (128 + 37) + 2, 2}, {8 * 202, 8}, {8 * 208, 16}}));
        // IQ2_XXS: weight 167 = words 5, group 0, place 7: its sign is the parity of seven bits.
        QCOMPARE(bits(GgmlType::IQ2_XXS, 167),
                 bitSet({{0, 16}, {8 * 42, 8}, {8 * 46, 7}, {8 * 46 + 28, 4}}));
        QCOMPARE(bits(GgmlType::IQ2_XXS, 165),
                 bitSet({{0, 16}, {8 * 42, 8}, {8 * 46 + 5, 1}, {8 * 46 + 28, 4}}));
        // MXFP4: weight 21 is the high nibble of byte 1+5.
        QCOMPARE(bits(GgmlType::MXFP4, 21), bitSet({{0, 8}, {8 * 6 + 4, 4}}));
        // IQ1_M: d is in the top nibbles of the four scale words at 48.
        QVERIFY(std::ranges::includes(bits(GgmlType::IQ1_M, 0),
                                      bitSet({{396, 4}, {412, 4}, {428, 4}, {444, 4}})));
    }

    void textsAreWhatPeopleRead()
    {
        Bytes block(17);
        block[0] = std::byte{125};
        block[1] = std::byte{0xe5};
        const BlockFields mxfp4 = readBlockFields(GgmlType::MXFP4, block);
        QCOMPARE(fieldNamed(mxfp4, "s").text, "2^-3 (e 125)");
        QCOMPARE(fieldNamed(mxfp4, "q[0]").text, "5 \u2192 6");
        QCOMPARE(fieldNamed(mxfp4, "q[16]").text, "14 \u2192 -8");
        QCOMPARE(mxfp4.weights[0].value, 0.75f);
        QCOMPARE(mxfp4.weights[16].value, -1.0f);

        const BlockFields iq2 = readBlockFields(GgmlType::IQ2_XXS, Bytes(66));
        QCOMPARE(fieldNamed(iq2, "grid[0]").text, "0: 8 8 8 8 8 8 8 8");
        QCOMPARE(fieldNamed(iq2, "sign[7]").text, "+ (parity)");
    }

    void wideIntegersKeepTheirDigits()
    {
        const Bytes block{std::byte{1}, {}, {}, {}, {}, {}, {}, std::byte{0x80}};
        const BlockFields fields = readBlockFields(GgmlType::I64, block);
        QCOMPARE(fields.fields[0].text, "-9223372036854775807");
        QCOMPARE(fields.weights[0].value, -0x1p63f);
    }

private:
    using FieldBit = std::pair<std::uint32_t, std::uint32_t>;

    static void collectFelt(const BlockFields &shape, Bytes block, std::set<FieldBit> &felt)
    {
        const std::vector<float> before = decode(shape.type, block);
        for (std::uint32_t bit = 0; bit < 8 * block.size(); ++bit) {
            flip(block, bit);
            const std::vector<float> after = decode(shape.type, block);
            flip(block, bit);
            for (std::size_t w = 0; w < before.size(); ++w)
                if (!isSame(before[w], after[w]))
                    for (const std::uint32_t f : shape.weights[w].fields)
                        felt.insert({f, bit});
        }
    }

    /// Bits that random blocks do not show to matter: sums (not decoded), the top bit of NVFP4's
    /// scales (felt only next to 0x7f), a byte of ternary digits (its low bits are felt only at a
    /// digit's border), and what wide plain types lose in a float.
    static bool isNeverFelt(GgmlType type, const BlockField &field, std::uint32_t bit)
    {
        if (field.kind == "sum")
            return true;
        if (type == GgmlType::NVFP4)
            return bit < 32 && bit % 8 == 7;
        if (type == GgmlType::TQ1_0)
            return field.kind == "quant";
        return type == GgmlType::F64 || type == GgmlType::I64 || type == GgmlType::I32;
    }
};

QTEST_APPLESS_MAIN(BlockFieldsTest)
#include "tst_blockfields.moc"
