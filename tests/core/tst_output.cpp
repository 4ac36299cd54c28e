// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/tensorname.h"
#include "core/output/json.h"
#include "core/output/hashes.h"
#include "core/output/npy.h"
#include "core/output/numbertext.h"
#include "core/output/table.h"
#include "core/output/tensorexport.h"
#include "core/parallel/orderedpipeline.h"

#include <QTest>

#include <atomic>
#include <charconv>
#include <cmath>
#include <limits>
#include <random>

using namespace ql;

namespace {

std::string shortest(auto value)
{
    std::string text;
    appendShortest(text, value);
    return text;
}

std::string hashOf(HashAlgorithm algorithm, std::string_view text)
{
    Hasher hasher(algorithm);
    hasher.update(std::as_bytes(std::span(text)));
    return hasher.hexDigest();
}

Table sampleTable()
{
    return {{"name", "value"},
            {{{"=SUM(A1)", false}, TableCell::number("-3.5")},
             {{"a,\"b\"\n", false}, TableCell::number("nan")},
             {{"x|y<z", false}, TableCell::number("7")}}};
}

} // namespace

class OutputTest : public QObject
{
    Q_OBJECT

private slots:
    void doublesTakeTheirShortestForm()
    {
        QCOMPARE(dumpJson(Json(0.1)), "0.1\n");
        QCOMPARE(dumpJson(Json(5e-324)), "5e-324\n");
        QCOMPARE(dumpJson(Json(static_cast<double>(0.1f))), "0.10000000149011612\n");
        QCOMPARE(dumpJson(Json(18446744073709551615u)), "18446744073709551615\n");
    }

    void whatIsNotFiniteIsNull()
    {
        const double nan = std::numeric_limits<double>::quiet_NaN();
        QVERIFY(jsonNumber(std::optional(nan)).is_null());
        QVERIFY(jsonNumber(std::optional(-HUGE_VAL)).is_null());
        QVERIFY(jsonNumber(std::optional<double>()).is_null());
        QCOMPARE(dumpJson(Json(nan)), "null\n");
    }

    void jsonKeepsKeyOrderAndPutsSmallThingsOnALine()
    {
        const Json json = {{"z", 1}, {"a", {{{"y", {1, 2}}, {"b", Json::array()}}}}};
        QCOMPARE(dumpJson(json), "{\n  \"z\": 1,\n  \"a\": [\n    { \"y\": [1, 2], \"b\": [] }\n  ]\n}\n");
    }

    void printedJsonReadsBack()
    {
        const Json json = {{"text", "tab\t quote\" slash\\ \x1b[31m \xe2\x80\xae \xf0\x9f\xa6\x99 \xc2\x9b"},
                           {"numbers", {1e300, -0.0, 1.5, -7}},
                           {"nested", {{"empty", Json::object()}, {"list", {{1, 2}, {3}}}}}};
        const std::string text = dumpJson(json);
        QVERIFY(Json::parse(text) == json);
        // Nothing that a terminal acts on is printed as it is.
        QVERIFY(text.find('\x1b') == std::string::npos);
        QVERIFY(text.find("\\u001b[31m \\u202e") != std::string::npos);
        QVERIFY(text.find("\\u009b") != std::string::npos);
    }

    void bytesThatAreNotUtf8AreEscaped()
    {
        QCOMPARE(escapeForJson(std::string_view("a\0b\n", 4)), std::string("a\0b\n", 4));
        QCOMPARE(escapeForJson("\xff\xc3(\xe6\xa8\xa1"), "\\xff\\xc3(\xe6\xa8\xa1");
        QCOMPARE(escapeForJson("C:\\dir"), "C:\\\\dir");
        QCOMPARE(escapeForJson("\xed\xa0\x80"), "\\xed\\xa0\\x80"); // a surrogate
        QCOMPARE(escapeForJson("\xc0\xaf"), "\\xc0\\xaf");          // overlong
    }

    void errorsPrintTheirPlace()
    {
        const Json json = errorJson({"bad-magic", "no GGUF", "magic", 0});
        QCOMPARE(dumpJson(json["error"]), "{\n  \"code\": \"bad-magic\",\n  \"message\": \"no GGUF\",\n"
                                          "  \"field\": \"magic\",\n  \"offset\": 0\n}\n");
        QVERIFY(errorJson({"x", "y", "", {}})["error"]["offset"].is_null());
        QCOMPARE(warningJson({Severity::Error, "c", "m", "f", {}})["severity"].get<std::string>(), "error");
    }

    void numbersReadBackToTheSameBits()
    {
        std::mt19937 random(7);
        FloatTextCache cache(8);
        for (int i = 0; i < 200000; ++i) {
            const float value = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
            if (std::isnan(value))
                continue;
            char text[MaxNumberText];
            char *const end = cache.write(text, value);
            float back = 0;
            QVERIFY(std::from_chars(text, end, back).ptr == static_cast<const char *>(end));
            QCOMPARE(std::bit_cast<std::uint32_t>(back), std::bit_cast<std::uint32_t>(value));
            QCOMPARE(std::string(text, static_cast<std::size_t>(end - text)), shortest(value));
        }
    }

    void floatsAreWrittenAsToCharsWritesThem()
    {
        // A prime step visits all exponents; every power of two and the subnormals' ends besides, where
        // the interval is lopsided or short.
        std::uint64_t wrong = 0, compared = 0;
        const auto compare = [&](std::uint32_t bits) {
            const auto value = std::bit_cast<float>(bits);
            if (!std::isfinite(value))
                return;
            char expected[MaxNumberText];
            const std::string_view wanted(expected, std::to_chars(expected, expected + sizeof expected, value).ptr);
            char text[MaxNumberText];
            wrong += std::string_view(text, writeShortest(text, value)) != wanted;
            ++compared;
        };
        for (std::uint64_t bits = 0; bits < (1ull << 32); bits += 5003)
            compare(static_cast<std::uint32_t>(bits));
        for (std::uint32_t exponent = 0; exponent < 256; ++exponent) {
            for (const std::uint32_t mantissa : {0u, 1u, 2u, 3u, 0x400000u, 0x7ffffeu, 0x7fffffu})
                compare(exponent << 23 | mantissa);
        }
        QVERIFY(compared > 800000);
        QCOMPARE(wrong, 0u);
    }

    void oddNumbersHaveOneSpelling()
    {
        QCOMPARE(shortest(-0.0f), "-0");
        QCOMPARE(shortest(-std::numeric_limits<float>::quiet_NaN()), "nan");
        QCOMPARE(shortest(std::numeric_limits<double>::infinity()), "inf");
        QCOMPARE(shortest(-std::numeric_limits<float>::infinity()), "-inf");
        QCOMPARE(shortest(std::int64_t{-128}), "-128");
        QCOMPARE(shortest(std::numeric_limits<std::int64_t>::min()), "-9223372036854775808");
        QCOMPARE(shortest(0.1f), "0.1");
        FloatTextCache cache(8);
        char text[MaxNumberText];
        QCOMPARE(std::string_view(text, cache.write(text, 0.0f)), "0");
        QCOMPARE(std::string_view(text, cache.write(text, -0.0f)), "-0");
    }

    void csvQuotesAndDefuses()
    {
        QCOMPARE(tableToCsv(sampleTable()),
                 "name,value\n'=SUM(A1),-3.5\n\"a,\"\"b\"\"\n\",nan\nx|y<z,7\n");
        QCOMPARE(tableToTsv(sampleTable()), "name\tvalue\n'=SUM(A1)\t-3.5\na,\"b\" \tnan\nx|y<z\t7\n");
    }

    void markdownAlignsNumbersAndEscapes()
    {
        QCOMPARE(tableToMarkdown(sampleTable()),
                 "| name | value |\n| --- | ---: |\n| =SUM(A1) | -3.5 |\n| a,\"b\"  | nan |\n"
                 "| x\\|y&lt;z | 7 |\n");
    }

    void tablesBecomeObjects()
    {
        const Json json = tableToJson(sampleTable());
        QCOMPARE(json[0]["name"].get<std::string>(), "=SUM(A1)");
        QCOMPARE(json[0]["value"].get<double>(), -3.5);
        QVERIFY(json[1]["value"].is_null());
    }

    void textTablesLineUpInColumns()
    {
        const Table table{{"what", "n"}, {{{"\xe6\xa8\xa1\xe5\x9e\x8b", false}, TableCell::number("1")},
                                          {{"abcdef", false}, TableCell::number("234")}}};
        QCOMPARE(tableToText(table), "what      n\n\xe6\xa8\xa1\xe5\x9e\x8b      1\nabcdef  234\n");
    }

    void hashesAreTheKnownOnes()
    {
        QCOMPARE(hashOf(HashAlgorithm::Xxh64, ""), "ef46db3751d8e999");
        QCOMPARE(hashOf(HashAlgorithm::Sha1, "abc"), "a9993e364706816aba3e25717850c26c9cd0d89d");
        QCOMPARE(hashOf(HashAlgorithm::Sha256, "abc"),
                 "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        for (const HashTraits &row : HashTable) {
            QCOMPARE(hashOf(row.algorithm, "x").size(), row.digestChars);
            QCOMPARE(*findHash(row.name), row.algorithm);
        }
        QVERIFY(!findHash("md5"));
    }

    void aDigestMayBeLookedAtOnTheWay()
    {
        Hasher hasher(HashAlgorithm::Sha256);
        hasher.update(std::as_bytes(std::span(std::string_view("a"))));
        QCOMPARE(hasher.hexDigest(), hashOf(HashAlgorithm::Sha256, "a"));
        hasher.update(std::as_bytes(std::span(std::string_view("bc"))));
        QCOMPARE(hasher.hexDigest(), hashOf(HashAlgorithm::Sha256, "abc"));
    }

    void npyHeadersFillWholeLines()
    {
        const std::string header = npyHeader(GgmlType::Q4_K, {256, 4, 3});
        QCOMPARE(header.size() % 64, 0u);
        QCOMPARE(header.back(), '\n');
        QVERIFY(header.starts_with(std::string("\x93NUMPY\x01\x00\x76\x00", 10)));
        QVERIFY(header.find("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4, 256), }")
                != std::string::npos);
        QVERIFY(npyHeader(GgmlType::F16, {5}).find("'<f2', 'fortran_order': False, 'shape': (5,), }")
                != std::string::npos);
        QVERIFY(npyHeader(GgmlType::I8, {}).find("'|i1', 'fortran_order': False, 'shape': (), }")
                != std::string::npos);
    }

    void rowRangesSliceAsPythonDoes_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<int>("first");
        QTest::addColumn<int>("last");
        const auto row = [](const char *text, int first, int last) {
            QTest::newRow(text) << QString::fromLatin1(text) << first << last;
        };
        row("2:5", 2, 5);
        row(":", 0, 10);
        row(":3", 0, 3);
        row("7:", 7, 10);
        row("-3:", 7, 10);
        row(":-1", 0, 9);
        row("-99:99", 0, 10);
        row("5:2", 5, 5);
        row("-0:4", 0, 4);
        row("99999999999999999999:", 10, 10);
        row("3", -1, -1);
        row("a:b", -1, -1);
        row("1:2:3", -1, -1);
        row("-:", -1, -1);
        row("", -1, -1);
    }

    void rowRangesSliceAsPythonDoes()
    {
        QFETCH(QString, text);
        QFETCH(int, first);
        QFETCH(int, last);
        const auto range = parseRowRange(text.toStdString(), 10);
        QCOMPARE(range.has_value(), first >= 0);
        if (range) {
            QCOMPARE(range->first, std::uint64_t(first));
            QCOMPARE(range->last, std::uint64_t(last));
        }
    }

    void thePipelineKeepsOrderAndReusesBuffers()
    {
        std::string all;
        std::atomic<int> alive{0};
        const bool complete = orderedPipeline(
            500, {4, false}, {}, [](std::size_t i, std::string &out) { out += std::to_string(i) + ' '; },
            [&](std::size_t, const std::string &text) {
                all += text;
                return true;
            });
        QVERIFY(complete);
        std::string expected;
        for (int i = 0; i < 500; ++i)
            expected += std::to_string(i) + ' ';
        QCOMPARE(all, expected);
    }

    void thePipelineEndsWhenWritingFails()
    {
        std::atomic<int> made{0};
        int written = 0;
        const bool complete = orderedPipeline(
            100000, {2, false}, {}, [&](std::size_t, std::string &) { ++made; },
            [&](std::size_t i, const std::string &) {
                ++written;
                return i < 3;
            });
        QVERIFY(!complete);
        QCOMPARE(written, 4);
        QVERIFY(made < 100);
    }

    void thePipelineEndsOnAStop()
    {
        auto source = std::make_unique<std::stop_source>();
        int written = 0;
        const bool complete = orderedPipeline(
            100000, {2, false}, source->get_token(), [](std::size_t, std::string &) {},
            [&](std::size_t i, const std::string &) {
                ++written;
                if (i == 5)
                    source->request_stop();
                return true;
            });
        QVERIFY(!complete);
        QVERIFY(written < 100);
    }
};

QTEST_APPLESS_MAIN(OutputTest)
#include "tst_output.moc"
