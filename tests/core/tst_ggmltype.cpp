// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/ggmltype.h"

#include <QTest>

#include <algorithm>

using namespace ql;

class GgmlTypeTest : public QObject
{
    Q_OBJECT

private slots:
    void tableIsSortedById()
    {
        const auto ids = [](const TypeTraits &t) { return static_cast<std::uint32_t>(t.type); };
        QVERIFY(std::ranges::is_sorted(typeTable(), std::less(), ids));
    }

    void thirtyFiveTypesDecode()
    {
        QCOMPARE(std::ranges::count_if(typeTable(), &TypeTraits::isDecodable), 35);
    }

    void labelsNameUnknownAndRetiredIds()
    {
        QCOMPARE(typeLabel(12), "Q4_K");
        QCOMPARE(typeLabel(43), "unknown(43)");
        QCOMPARE(typeLabel(4), "Q4_2 (retired)");
        QCOMPARE(typeLabel(0xffffffffu), "unknown(4294967295)");
    }

    void namesAreFoundIgnoringCase()
    {
        QCOMPARE(findTypeByName("q4_k")->type, GgmlType::Q4_K);
        QVERIFY(!findTypeByName("q9_z"));
    }

    void fileTypesIgnoreTheGuessedBit()
    {
        QCOMPARE(*fileTypeLabel(15 | 1024), "Q4_K_M");
        QVERIFY(!fileTypeLabel(999));
    }
};

QTEST_APPLESS_MAIN(GgmlTypeTest)
#include "tst_ggmltype.moc"
