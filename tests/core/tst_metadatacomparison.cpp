// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/metadatacomparison.h"
#include "tests/support/ggufbuilder.h"
#include "tests/support/testdata.h"

#include <QTemporaryDir>
#include <QTest>

using namespace ql;
using namespace ql::test;
using Kind = DiffLine::Kind;

namespace {

/// " a-b+c": marks and texts, one after another.
QString marked(const std::vector<DiffLine> &lines)
{
    const QString marks[] = {QStringLiteral(" "), QStringLiteral("-"), QStringLiteral("+"), QStringLiteral("~")};
    QString text;
    for (const DiffLine &line : lines)
        text += marks[int(line.kind)] + (line.kind == Kind::Gap ? QString::number(line.count) : QString::fromStdString(line.text));
    return text;
}

} // namespace

class MetadataComparisonTest : public QObject
{
    Q_OBJECT

    QTemporaryDir m_dir;
    int m_files = 0;

    GgufModelPtr model(const GgufBuilder &builder)
    {
        const QString path = m_dir.filePath(QStringLiteral("%1.gguf").arg(m_files++));
        builder.writeTo(path);
        return openOrFail(path);
    }

private slots:
    void linesOfTwoTexts()
    {
        QCOMPARE(marked(diffLines("a\nb\nc\n", "a\nx\nc\n")), QStringLiteral(" a-b+x c"));
        QCOMPARE(marked(diffLines("a\nb\nc\nd", "b\nc\ne\nd")), QStringLiteral("-a b c+e d"));
        QCOMPARE(marked(diffLines("", "a\nb")), QStringLiteral("+a+b"));
        QCOMPARE(marked(diffLines("a\na\na", "a")), QStringLiteral(" a-a-a"));
        QVERIFY(diffLines("", "").empty());
        // Of several ways the one with the fewest marks.
        QCOMPARE(marked(diffLines("x\na\nb\ny\nz", "a\nb\nx\ny\nw")), QStringLiteral("-x a b+x y-z+w"));
    }

    void numbersCountInEachText()
    {
        const auto lines = diffLines("a\nb\nc", "a\nc");
        QCOMPARE(lines.size(), 3u);
        QCOMPARE(lines[1], (DiffLine{Kind::OnlyA, "b", 2, 0, 0}));
        QCOMPARE(lines[2], (DiffLine{Kind::Same, "c", 3, 2, 0}));
    }

    void hugeTextsAreBounded()
    {
        std::string a, b;
        for (int i = 0; i < 5000; ++i) {
            a += "a" + std::to_string(i) + "\n";
            b += "b" + std::to_string(i) + "\n";
        }
        QCOMPARE(diffLines(a, b).size(), 10000u);
        QCOMPARE(diffLines("same\n" + a, "same\n" + b).front().kind, Kind::Same);
    }

    void longRunsAreLeftOut()
    {
        std::string a, b;
        for (int i = 0; i < 20; ++i) {
            a += std::to_string(i) + "\n";
            b += i == 10 ? "x\n" : std::to_string(i) + "\n";
        }
        QCOMPARE(marked(withoutLongRuns(diffLines(a, b), 2)), QStringLiteral("~8 8 9-10+x 11 12~7"));
    }

    void keysAddedRemovedChanged()
    {
        const auto a = model(GgufBuilder().meta("gone", "x").meta("same", 1.5f).meta("general.name", "one\ntwo\nthree").meta("n", 3));
        const auto b = model(GgufBuilder().meta("same", 1.5f).meta("general.name", "one\n2\nthree").meta("new", true).meta("n", std::uint8_t(3)));
        const MetadataComparisonPtr c = *compareMetadata(*a, *b);
        QCOMPARE(c->rows.size(), 4u);
        QCOMPARE(c->same, 1u);
        QCOMPARE(c->rows[0].key, std::string("general.name"));
        QCOMPARE(marked(c->rows[0].lines), QStringLiteral(" one-two+2 three"));
        QCOMPARE(c->rows[1].key, std::string("n"));
        QCOMPARE(c->rows[1].typeA, std::string("i32"));
        QCOMPARE(c->rows[1].typeB, std::string("u8"));
        QCOMPARE(c->rows[2].kind, MetadataDifference::Kind::OnlyA);
        QCOMPARE(marked(c->rows[2].lines), QStringLiteral("-x"));
        QCOMPARE(c->rows[3].kind, MetadataDifference::Kind::OnlyB);
        QCOMPARE(c->rows[3].previewB, std::string("true"));
        QVERIFY(c->rows[3].typeA.empty());
    }

    void arraysAreComparedWhole()
    {
        std::vector<std::int32_t> values(100'000, 7);
        const auto a = model(GgufBuilder().metaArray("list", values));
        values[99'990] = 8;
        values.push_back(9);
        const auto b = model(GgufBuilder().metaArray("list", values));
        const MetadataDifference row = (*compareMetadata(*a, *b))->rows.at(0);
        QCOMPARE(row.firstDifference, std::optional<std::uint64_t>(99'990));
        QVERIFY(row.isArray);
        QCOMPARE(row.typeA, std::string("i32 × 100000"));
        QCOMPARE(row.lines[0], (DiffLine{Kind::Gap, "", 0, 0, 99'988}));
        QCOMPARE(row.lines[1], (DiffLine{Kind::Same, "7", 99'988, 99'988, 0}));
        QCOMPARE(row.lines[3], (DiffLine{Kind::OnlyA, "7", 99'990, 0, 0}));
        QCOMPARE(row.lines[4], (DiffLine{Kind::OnlyB, "8", 0, 99'990, 0}));
        QCOMPARE(row.lines.back(), (DiffLine{Kind::OnlyB, "9", 0, 100'000, 0}));
    }

    void whatIsNoTextIsEscaped()
    {
        const auto a = model(GgufBuilder().meta("k", "a\xff\x1b"));
        const auto b = model(GgufBuilder().meta("k", "b"));
        QCOMPARE((*compareMetadata(*a, *b))->rows.at(0).lines[0].text, std::string("a\\xff\\x1b"));
    }

    void theSamplesDiffer()
    {
        const auto a = openOrFail(QStringLiteral(QL_SOURCE_DIR "/resources/sample/tiny-moe-Q4_K_M.gguf"));
        const auto b = openOrFail(dataPath(QStringLiteral("models/tiny-moe-Q2_K.gguf")));
        const MetadataComparisonPtr c = *compareMetadata(*a, *b);
        QVERIFY(std::ranges::find(c->rows, std::string("general.file_type"), &MetadataDifference::key) != c->rows.end());
        QVERIFY((*compareMetadata(*a, *a))->rows.empty());
        QCOMPARE((*compareMetadata(*a, *a))->same, a->metadata().size());
    }
};

QTEST_GUILESS_MAIN(MetadataComparisonTest)
#include "tst_metadatacomparison.moc"
