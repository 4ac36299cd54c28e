// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/formatting.h"
#include "widgets/rolenote.h"

#include <QTest>

#include <cmath>
#include <limits>

using namespace ql;

namespace {
const QLocale En(QLocale::English, QLocale::UnitedStates);
const QLocale De(QLocale::German, QLocale::Germany);
QString s(const char *text) { return QString::fromUtf8(text); }
} // namespace

class TestFormatting : public QObject
{
    Q_OBJECT

private slots:
    void countsAreGrouped()
    {
        QCOMPARE(formatCount(58720256, En), s("58,720,256"));
        QCOMPARE(formatCount(58720256, De), s("58.720.256"));
        QCOMPARE(formatCount(std::numeric_limits<std::uint64_t>::max(), En),
                 s("18,446,744,073,709,551,615"));
    }

    void routersAndSharedExpertsAreNamed()
    {
        QCOMPARE(roleNote("ffn_gate_inp"), s("router: a row an expert"));
        QCOMPARE(roleNote("ffn_up_shexp"), s("shared expert"));
        QCOMPARE(roleNote("ffn_gate_inp_shexp"), s("gate of the shared expert"));
        QCOMPARE(roleNote("ffn_gate_exps"), QString());
        QCOMPARE(roleNote("attn_q"), QString());
    }

    void bytesAreBinaryAndSaySo()
    {
        QCOMPARE(formatBytes(0, En), s("0 B"));
        QCOMPARE(formatBytes(1023, En), s("1,023 B"));
        QCOMPARE(formatBytes(1024, En), s("1.00 KiB"));
        QCOMPARE(formatBytes(40370176, En), s("38.5 MiB"));
        QCOMPARE(formatBytes(1048575, En), s("1.00 MiB"));
        QCOMPARE(formatBytes(28346784121ULL, En), s("26.4 GiB"));
        QCOMPARE(formatBytes(40370176, De), s("38,5 MiB"));
        QCOMPARE(formatBytesLong(40370176, En), s("38.5 MiB (40,370,176 bytes)"));
    }

    void numbersHaveFourSignificantDigits_data()
    {
        QTest::addColumn<double>("value");
        QTest::addColumn<QString>("text");
        QTest::newRow("plain") << -0.8125 << s("-0.8125");
        QTest::newRow("kept zero") << 0.793 << s("0.7930");
        QTest::newRow("small") << 0.019183 << s("0.01918");
        QTest::newRow("tiny") << -1.2142e-5 << s("-1.214e-5");
        QTest::newRow("zero") << 0.0 << s("0");
        QTest::newRow("one") << 1.0 << s("1.000");
        QTest::newRow("rounds up a digit") << 9.99996 << s("10.00");
        QTest::newRow("tens of thousands") << 12345.6 << s("12,346");
        QTest::newRow("huge") << 6.5e37 << s("6.500e37");
        QTest::newRow("denormal") << 5e-324 << s("4.941e-324");
        QTest::newRow("nan") << std::nan("") << s("NaN");
        QTest::newRow("-inf") << -std::numeric_limits<double>::infinity() << s("-inf");
    }
    void numbersHaveFourSignificantDigits()
    {
        QFETCH(double, value);
        QFETCH(QString, text);
        QCOMPARE(formatNumber(value, En), text);
    }

    void exactNumbersFollowTheLocale()
    {
        QCOMPARE(inLocale(s("-1.2142e-05"), De), s("-1,2142e-05"));
        QCOMPARE(inLocale(s("A 0.25 · B 3 · NaN. 7"), De), s("A 0,25 · B 3 · NaN. 7"));
        QCOMPARE(inLocale(s("0.25"), En), s("0.25"));
    }

    void numbersAreReadInEitherForm()
    {
        QCOMPARE(parseNumber(s(" -0,125 "), De), std::optional(-0.125));
        QCOMPARE(parseNumber(s("0.125"), De), std::optional(0.125));
        QCOMPARE(parseNumber(s("1e-3"), De), std::optional(0.001));
        QCOMPARE(parseNumber(s("1,5"), En), std::optional<double>());
        QCOMPARE(parseNumber(s("much"), En), std::optional<double>());
    }

    void numbersFollowTheLocale() { QCOMPARE(formatNumber(-1.2142e-5, De), s("-1,214e-5")); }

    void nothingIsADash() { QCOMPARE(formatNumber(std::optional<double>(), En), s("–")); }

    void exactNumbersReadBack()
    {
        for (const double value : {0.1, 1.0 / 3.0, 5e-324, 1.7976931348623157e308, -0.019183, 3.0})
            QCOMPARE(exactNumber(value).toDouble(), value);
        QCOMPARE(exactNumber(0.1), s("0.1"));
        QCOMPARE(exactNumber(std::optional<double>()), QString());
    }

    void compactCounts()
    {
        QCOMPARE(formatWeights(46'702'792'704ULL, En), s("46.7 B weights"));
        QCOMPARE(formatWeights(995, En), s("995 weights"));
        QCOMPARE(formatWeights(1, En), s("1 weight"));
        QCOMPARE(formatCompact(999'999, En), s("1.00 M"));
        QCOMPARE(formatCompact(1'200'000'000'000ULL, En), s("1.20 T"));
    }

    void ratesAndDurations()
    {
        QCOMPARE(formatRate(1.93e9, s("weights"), En), s("1.9 G weights/s"));
        QCOMPARE(formatRate(0, s("weights"), En), s("0 weights/s"));
        QCOMPARE(formatDuration(0.42, En), s("0.4 s"));
        QCOMPARE(formatDuration(9.96, En), s("10 s"));
        QCOMPARE(formatDuration(14.2, En), s("14 s"));
        QCOMPARE(formatDuration(125, En), s("2 min 5 s"));
        QCOMPARE(formatDuration(3780, En), s("1 h 3 min"));
        QCOMPARE(formatDuration(std::nan(""), En), s("–"));
    }

    void percentNeverRoundsToNoneOrAll()
    {
        QCOMPARE(formatPercent(0, En), s("0 %"));
        QCOMPARE(formatPercent(0.0041, En), s("0.41 %"));
        QCOMPARE(formatPercent(0.22, En), s("22.0 %"));
        QCOMPARE(formatPercent(1e-9, En), s("< 0.01 %"));
        QCOMPARE(formatPercent(1, En), s("100 %"));
        QCOMPARE(formatPercent(0.999999, En), s("> 99.99 %"));
        QCOMPARE(formatPercent(0.9995, En), s("99.95 %"));
    }

    void shapesAreInFileOrder()
    {
        QCOMPARE(formatShape(Ne{14336, 4096, 8}), s("[14336, 4096, 8]"));
        QCOMPARE(formatShape(Ne{}), s("[]"));
    }

    void powersAndSamples()
    {
        QCOMPARE(formatPowerOfTen(7), s("10⁷"));
        QCOMPARE(formatPowerOfTen(-12), s("10⁻¹²"));
        QCOMPARE(formatSampled(0.02, En), s("estimate from 2 %"));
        QCOMPARE(formatSampled(0.125, En), s("estimate from 13 %"));
        QCOMPARE(formatSampled(1, En), s("exact"));
        QCOMPARE(formatBitsPerWeight(5.5, En), s("5.50 bpw"));
    }
};

QTEST_GUILESS_MAIN(TestFormatting)
#include "tst_formatting.moc"
