// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/valuesgeometry.h"
#include "widgets/valuespanel.h"

#include <QTest>

using namespace ql;

namespace {

ValuesGeometry table(std::uint64_t rows, std::uint64_t columns)
{
    ValuesGeometry g;
    g.rows = rows;
    g.columns = columns;
    g.viewport = {60 + 5 * 90 + 10, 24 + 8 * 20 + 5};
    return g;
}

QString placeText(const char *text)
{
    const auto place = parsePlace(QString::fromUtf8(text));
    return place ? QStringLiteral("%1|%2").arg(place->row).arg(place->column) : QStringLiteral("-");
}

} // namespace

class ValuesGeometryTest : public QObject
{
    Q_OBJECT

private slots:
    void scrollScaleIsExactWhileItFits()
    {
        const ScrollScale scale{1'000'000'000};
        QCOMPARE(scale.maximum(), 1'000'000'000);
        for (const std::uint64_t at : {0ull, 1ull, 999'999'999ull, 1'000'000'000ull})
            QCOMPARE(scale.fromBar(scale.toBar(at)), at);
    }

    void scrollScaleMeetsBothEndsBeyondInt()
    {
        for (const std::uint64_t last : {(1ull << 31) + 5, 1ull << 40, ~0ull}) {
            const ScrollScale scale{last};
            QVERIFY(scale.maximum() > 1 << 28);
            QCOMPARE(scale.toBar(0), 0);
            QCOMPARE(scale.toBar(last), scale.maximum());
            QCOMPARE(scale.fromBar(0), 0u);
            QCOMPARE(scale.fromBar(scale.maximum()), last);
            QVERIFY(scale.fromBar(scale.maximum() / 2) < scale.fromBar(scale.maximum() / 2 + 1));
        }
    }

    void cellsAreHitWhereTheyAreDrawn()
    {
        ValuesGeometry g = table(1ull << 40, 1ull << 33);
        g.top = (1ull << 39) + 7;
        g.left = 1ull << 32;
        for (std::uint64_t r = 0; r < 8; ++r)
            for (std::uint64_t c = 0; c < 5; ++c) {
                const CellPlace place{g.top + r, g.left + c};
                QCOMPARE(g.cellAt(g.rectOf(place).center()), std::optional(place));
            }
        QVERIFY(!g.cellAt({10, 100}));
        QVERIFY(!g.cellAt({100, 10}));
    }

    void nothingIsHitBelowTheLastRow()
    {
        const ValuesGeometry g = table(3, 2);
        QVERIFY(g.cellAt({61, 24 + 59}));
        QVERIFY(!g.cellAt({61, 24 + 60}));
        QVERIFY(!g.cellAt({60 + 180, 30}));
        QCOMPARE(g.nearestCell({9999, 9999}), (CellPlace{2, 1}));
        QCOMPARE(g.nearestCell({-9999, -9999}), (CellPlace{0, 0}));
    }

    void draggingLeftOfAScrolledTableGoesBack()
    {
        ValuesGeometry g = table(1000, 1000);
        g.top = 100;
        g.left = 50;
        QCOMPARE(g.nearestCell({60 - 1, 24 - 21}), (CellPlace{98, 49}));
    }

    void visibleIncludesCutCells()
    {
        const ValuesGeometry g = table(1000, 1000);
        QCOMPARE(g.visible(), (ValuesWindow{0, 9, 0, 6}));
        QCOMPARE(g.wanted(), (ValuesWindow{0, 13, 0, 9}));
        QCOMPARE(table(3, 2).visible(), (ValuesWindow{0, 3, 0, 2}));
        QCOMPARE(table(0, 2).visible(), ValuesWindow{});
    }

    void wantedStaysWithinTheTable()
    {
        ValuesGeometry g = table(1000, 1000);
        g.top = g.lastTop();
        g.left = g.lastLeft();
        QCOMPARE(g.top, 992u);
        QCOMPARE(g.wanted(), (ValuesWindow{988, 12, 993, 7}));
    }

    void ensureVisibleScrollsAsLittleAsNeeded()
    {
        ValuesGeometry g = table(1000, 1000);
        g.ensureVisible({500, 3});
        QCOMPARE(g.top, 493u);
        QCOMPARE(g.left, 0u);
        g.ensureVisible({495, 900});
        QCOMPARE(g.top, 493u);
        QCOMPARE(g.left, 896u);
        g.ensureVisible({2, 899});
        QCOMPARE(g.top, 2u);
        QCOMPARE(g.left, 896u);
    }

    void windowsBetweenCellsAndInsideEachOther()
    {
        QCOMPARE(windowBetween({5, 9}, {3, 11}), (ValuesWindow{3, 3, 9, 3}));
        QVERIFY(isInside({3, 3, 9, 3}, {3, 3, 9, 3}));
        QVERIFY(isInside({4, 1, 9, 3}, {3, 3, 9, 3}));
        QVERIFY(!isInside({4, 3, 9, 3}, {3, 3, 9, 3}));
        QVERIFY(!isInside({2, 1, 9, 3}, {3, 3, 9, 3}));
        QVERIFY(!isInside({4, 1, 9, 4}, {3, 3, 9, 3}));
    }

    void placesAreUnderstood()
    {
        QCOMPARE(placeText("12, 345"), QStringLiteral("12|345"));
        QCOMPARE(placeText("12 345"), QStringLiteral("12|345"));
        QCOMPARE(placeText("12,34"), QStringLiteral("12|34"));
        QCOMPARE(placeText("1,234; 5,678"), QStringLiteral("1234|5678"));
        QCOMPARE(placeText("1,234,567, 8"), QStringLiteral("1234567|8"));
        QCOMPARE(placeText("1,234, 5"), QStringLiteral("1234|5"));
        QCOMPARE(placeText("17"), QStringLiteral("17|0"));
        QCOMPARE(placeText("row 3, column 5"), QStringLiteral("3|5"));
        QCOMPARE(placeText("  7 : 8 "), QStringLiteral("7|8"));
        QCOMPARE(placeText("1\u202f234; 5"), QStringLiteral("1234|5"));
        QCOMPARE(placeText("-1, 2"), QStringLiteral("-"));
        QCOMPARE(placeText("a, b"), QStringLiteral("-"));
        QCOMPARE(placeText(""), QStringLiteral("-"));
        QCOMPARE(placeText("99999999999999999999, 1"), QStringLiteral("-"));
    }
};

QTEST_MAIN(ValuesGeometryTest)
#include "tst_valuesgeometry.moc"
