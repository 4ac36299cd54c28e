// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/blockgeometry.h"
#include "widgets/blocklinks.h"
#include "widgets/blocktext.h"

#include <QTest>

using namespace ql;
using Kind = BlockTarget::Kind;

namespace {

BlockFields zeros(GgmlType type)
{
    return readBlockFields(type, std::vector<std::byte>(traits(type).blockBytes));
}

BlockGeometry geometryOf(GgmlType type, int width)
{
    return BlockGeometry(zeros(type), traits(type).blockBytes, width, {7, 16, 9});
}

std::vector<int> litBits(const BlockHighlight &lit)
{
    std::vector<int> bits;
    for (std::size_t i = 0; i < lit.bits.size(); ++i)
        if (lit.bits[i])
            bits.push_back(static_cast<int>(i));
    return bits;
}

std::vector<int> range(int first, int n)
{
    std::vector<int> bits;
    for (int i = 0; i < n; ++i)
        bits.push_back(first + i);
    return bits;
}

void addDecodableTypes()
{
    QTest::addColumn<std::uint32_t>("id");
    for (const TypeTraits &type : typeTable())
        if (type.isDecodable())
            QTest::newRow(std::string(type.name).c_str()) << static_cast<std::uint32_t>(type.type);
}

} // namespace

class BlockGeometryTest : public QObject
{
    Q_OBJECT

private slots:
    void everythingIsHitWhereItIsDrawn_data() { addDecodableTypes(); }
    void everythingIsHitWhereItIsDrawn()
    {
        QFETCH(const std::uint32_t, id);
        const auto type = static_cast<GgmlType>(id);
        const BlockFields fields = zeros(type);
        for (const int width : {300, 820, 1400}) {
            const BlockGeometry geometry = geometryOf(type, width);
            for (std::uint32_t w = 0; w < fields.weights.size(); ++w)
                QCOMPARE(geometry.targetAt(geometry.weightRect(w).center()),
                         (BlockTarget{Kind::Weight, w}));
            for (std::uint32_t f = 0; f < fields.fields.size(); ++f)
                QCOMPARE(geometry.targetAt(geometry.fieldRect(f).center()),
                         (BlockTarget{Kind::Field, f}));
            for (std::uint32_t bit = 0; bit < 8 * traits(type).blockBytes; ++bit)
                QCOMPARE(geometry.targetAt(geometry.bitRect(bit).center()),
                         (BlockTarget{Kind::Bit, bit}));
            for (std::uint32_t byte = 0; byte < traits(type).blockBytes; ++byte) {
                const QRect cell = geometry.bytes().rectOf(static_cast<int>(byte));
                QCOMPARE(geometry.targetAt(cell.topLeft() + QPoint(8, 4)),
                         (BlockTarget{Kind::Byte, byte}));
            }
        }
    }

    void nothingOverlaps_data() { addDecodableTypes(); }
    void nothingOverlaps()
    {
        QFETCH(const std::uint32_t, id);
        for (const int width : {300, 820, 1400}) {
            const BlockGeometry geometry = geometryOf(static_cast<GgmlType>(id), width);
            std::vector<QRect> areas{geometry.bytes().area(), geometry.weights().area()};
            for (const FieldGroup &group : geometry.groups())
                areas.push_back(group.cells.area());
            for (const QRect &area : areas)
                QVERIFY(QRect(QPoint(0, 0), geometry.size()).contains(area));
            areas.insert(areas.end(), geometry.parts().begin(), geometry.parts().end());
            for (std::size_t i = 0; i < areas.size(); ++i) {
                for (std::size_t j = 0; j < i; ++j)
                    QVERIFY2(!areas[i].intersects(areas[j]),
                             qPrintable(QStringLiteral("%1 %2 at %3").arg(i).arg(j).arg(width)));
            }
        }
    }

    void wideBlocksStandSideBySideAndNarrowOnesStack()
    {
        QVERIFY(geometryOf(GgmlType::Q4_K, 300).isStacked());
        const BlockGeometry wide = geometryOf(GgmlType::Q4_K, 1400);
        QVERIFY(!wide.isStacked());
        QVERIFY(wide.size().width() <= 1400);
        QVERIFY(wide.weightsTitle().x() > wide.fieldsTitle().x());
        QVERIFY(wide.fieldsTitle().x() > wide.bytesTitle().x());
    }

    void pointsBesideEverythingHitNothing()
    {
        const BlockGeometry geometry = geometryOf(GgmlType::Q4_0, 900);
        QVERIFY(geometry.targetAt({-1, -1}).isNone());
        QVERIFY(geometry.targetAt({899, 5000}).isNone());
    }

    void fieldsOfAKindAreOneGroup()
    {
        const auto groups = groupFields(zeros(GgmlType::Q4_K));
        QStringList names;
        for (const FieldGroup &group : groups)
            names << QStringLiteral("%1 %2").arg(group.name).arg(group.fields.size());
        QCOMPARE(names, QStringLiteral("d 1,dmin 1,scale 8,min 8,q 256").split(QLatin1Char(',')));
    }

    void aWeightLightsItsFieldsAndBits()
    {
        const BlockLinks links(zeros(GgmlType::MXFP4), 17);
        const BlockHighlight lit = links.highlight({Kind::Weight, 21});
        std::vector<int> expected = range(0, 8);
        for (const int bit : range(8 * 6 + 4, 4))
            expected.push_back(bit);
        QCOMPARE(litBits(lit), expected);
        QCOMPARE(std::count(lit.weights.begin(), lit.weights.end(), true), 1);
        QCOMPARE(std::count(lit.fields.begin(), lit.fields.end(), true), 2);
    }

    void aScaleLightsItsWeights()
    {
        const BlockFields fields = zeros(GgmlType::Q4_K);
        const BlockLinks links(fields, 144);
        const auto at = std::ranges::find(fields.fields, "scale[5]", &BlockField::name);
        const auto lit =
            links.highlight({Kind::Field, static_cast<std::uint32_t>(at - fields.fields.begin())});
        for (std::size_t w = 0; w < 256; ++w)
            QCOMPARE(lit.weights[w], w / 32 == 5);
        QCOMPARE(litBits(lit), (std::vector<int>{4 * 8 + 1 * 8 + 6, 4 * 8 + 1 * 8 + 7, 13 * 8,
                                                 13 * 8 + 1, 13 * 8 + 2, 13 * 8 + 3}));
    }

    void aBitLightsWhatItMakesAndAByteTheSumOfItsBits()
    {
        const BlockLinks links(zeros(GgmlType::Q4_0), 18);
        const auto bit = links.highlight({Kind::Bit, 8 * 2 + 5});
        QCOMPARE(litBits(bit), std::vector<int>{21});
        for (std::size_t w = 0; w < 32; ++w)
            QCOMPARE(bit.weights[w], w == 16);
        const auto byte = links.highlight({Kind::Byte, 2});
        for (std::size_t w = 0; w < 32; ++w)
            QCOMPARE(byte.weights[w], w % 16 == 0);
    }

    void aPartLightsItsBytes()
    {
        const BlockLinks links(zeros(GgmlType::Q8_1), 36);
        const auto sum = links.highlight({Kind::Part, 1}); // s: makes no weight
        QCOMPARE(litBits(sum), range(16, 16));
        QCOMPARE(std::count(sum.weights.begin(), sum.weights.end(), true), 0);
    }

    void pointingAtNothingLightsNothing()
    {
        const BlockLinks links(zeros(GgmlType::Q4_0), 18);
        for (const BlockTarget target :
             {BlockTarget{}, BlockTarget{Kind::Weight, 99}, BlockTarget{Kind::Field, 9999},
              BlockTarget{Kind::Byte, 77}, BlockTarget{Kind::Part, 9}})
            QVERIFY(litBits(links.highlight(target)).empty());
    }

    void rangesReadWell()
    {
        QCOMPARE(bitRangesText({{8 * 13, 4}, {8 * 5 + 6, 2}}),
                 QStringLiteral("bits 0\u20133 of byte 13, bits 6\u20137 of byte 5"));
        QCOMPARE(bitRangesText({{0, 16}}), QStringLiteral("bytes 0\u20131"));
        QCOMPARE(bitRangesText({{24, 8}, {39, 1}}), QStringLiteral("byte 3, bit 7 of byte 4"));
        QCOMPARE(bitRangesText({{0, 23}}), QStringLiteral("23 bits from bit 0 of byte 0"));
    }
};

QTEST_MAIN(BlockGeometryTest)
#include "tst_blockgeometry.moc"
