// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/metadatadiff.h"
#include "tests/support/ggufbuilder.h"
#include "tests/support/testdata.h"

#include <QTemporaryDir>
#include <QTest>

using namespace ql;
using namespace ql::test;

class TestMetadataDiff : public QObject
{
    Q_OBJECT

private slots:
    void equalModelsDoNotDiffer();
    void addedRemovedChanged();
    void anotherTypeIsAnotherValue();
    void arraysShowTheFirstDifference();
    void longStringArrays();
    void nestedArrays();
    void repeatedKeysPairInOrder();
    void nanEqualsItself();
    void splitKeysDoNotCount();
    void byteOrderIsNoDifference();
    void referenceCase();

private:
    GgufModelPtr model(const GgufBuilder &builder)
    {
        const QString path = m_dir.filePath(QStringLiteral("%1.gguf").arg(m_files++));
        builder.writeTo(path);
        return openOrFail(path);
    }
    QTemporaryDir m_dir;
    int m_files = 0;
};

void TestMetadataDiff::equalModelsDoNotDiffer()
{
    const auto a = model(GgufBuilder().meta("x", 1.5f).metaArray<std::int32_t>("y", {1, 2}));
    const auto diff = diffMetadata(*a, *a);
    QVERIFY(diff.isEmpty() && !diff.differs);
}

void TestMetadataDiff::addedRemovedChanged()
{
    const auto a = model(GgufBuilder().meta("gone", "x").meta("same", "s").meta("changed", "one"));
    const auto b = model(GgufBuilder().meta("same", "s").meta("changed", "two").meta("new", true));
    const auto diff = diffMetadata(*a, *b);
    QCOMPARE(diff.onlyA, std::vector<std::size_t>{0});
    QCOMPARE(diff.onlyB, std::vector<std::size_t>{2});
    QCOMPARE(diff.changed.size(), std::size_t{1});
    QCOMPARE(diff.changed[0].a, std::size_t{2});
    QCOMPARE(diff.changed[0].b, std::size_t{1});
    QVERIFY(!diff.changed[0].firstDifference && diff.differs);
}

void TestMetadataDiff::anotherTypeIsAnotherValue()
{
    const auto a = model(GgufBuilder().meta("n", std::uint32_t{5}));
    const auto b = model(GgufBuilder().meta("n", std::uint64_t{5}));
    QCOMPARE(diffMetadata(*a, *b).changed.size(), std::size_t{1});
}

void TestMetadataDiff::arraysShowTheFirstDifference()
{
    const auto a = model(GgufBuilder().metaArray<float>("x", {1, 2, 3}));
    const auto longer = model(GgufBuilder().metaArray<float>("x", {1, 2, 3, 4}));
    const auto other = model(GgufBuilder().metaArray<float>("x", {1, -2, 3}));
    const auto ints = model(GgufBuilder().metaArray<std::int32_t>("x", {1, 2, 3}));
    QCOMPARE(diffMetadata(*a, *longer).changed.at(0).firstDifference.value(), std::uint64_t{3});
    QCOMPARE(diffMetadata(*a, *other).changed.at(0).firstDifference.value(), std::uint64_t{1});
    QCOMPARE(diffMetadata(*a, *ints).changed.at(0).firstDifference.value(), std::uint64_t{0});
}

void TestMetadataDiff::longStringArrays()
{
    std::vector<std::string> tokens;
    for (int i = 0; i < 20000; ++i)
        tokens.push_back("token " + std::to_string(i));
    const auto a = model(GgufBuilder().metaArray("tokens", tokens));
    tokens[15001] += "!";
    tokens[19000] += "!";
    const auto b = model(GgufBuilder().metaArray("tokens", tokens));
    QVERIFY(diffMetadata(*a, *a).isEmpty());
    QCOMPARE(diffMetadata(*a, *b).changed.at(0).firstDifference.value(), std::uint64_t{15001});
}

void TestMetadataDiff::nestedArrays()
{
    const auto a = model(GgufBuilder().metaNested("x", {{1}, {2, 3}, {4}}));
    const auto b = model(GgufBuilder().metaNested("x", {{1}, {2, 3}, {4, 5}}));
    QVERIFY(diffMetadata(*a, *a).isEmpty());
    QCOMPARE(diffMetadata(*a, *b).changed.at(0).firstDifference.value(), std::uint64_t{2});
}

void TestMetadataDiff::repeatedKeysPairInOrder()
{
    const auto a = model(GgufBuilder().meta("k", "1").meta("k", "2"));
    const auto b = model(GgufBuilder().meta("k", "1").meta("k", "3").meta("k", "4"));
    const auto diff = diffMetadata(*a, *b);
    QCOMPARE(diff.changed.size(), std::size_t{1});
    QCOMPARE(diff.changed[0].a, std::size_t{1});
    QCOMPARE(diff.onlyB, std::vector<std::size_t>{2});
}

void TestMetadataDiff::nanEqualsItself()
{
    const auto a = model(GgufBuilder().meta("f", std::nan("")).metaArray<float>("g", {std::nanf("")}));
    const auto b = model(GgufBuilder().meta("f", std::nan("")).metaArray<float>("g", {std::nanf("")}));
    QVERIFY(diffMetadata(*a, *b).isEmpty());
}

void TestMetadataDiff::splitKeysDoNotCount()
{
    const auto a = model(GgufBuilder().meta("x", 1.0f).meta("split.count", std::uint16_t{1}));
    const auto b = model(GgufBuilder().meta("x", 1.0f));
    const auto diff = diffMetadata(*a, *b);
    QCOMPARE(diff.onlyA.size(), std::size_t{1});
    QVERIFY(!diff.differs);
}

void TestMetadataDiff::byteOrderIsNoDifference()
{
    const auto fill = [](GgufBuilder &&builder) {
        return builder.meta("n", std::uint32_t{77}).metaArray<std::int64_t>("a", {1, -2}).meta("s", "text");
    };
    const auto a = model(fill(GgufBuilder()));
    const auto b = model(fill(std::move(GgufBuilder().bigEndian())));
    QVERIFY(diffMetadata(*a, *b).isEmpty());
}

void TestMetadataDiff::referenceCase()
{
    const auto a = openOrFail(dataPath(QStringLiteral("cases/cmp_meta_A.gguf")));
    const auto b = openOrFail(dataPath(QStringLiteral("cases/cmp_meta_B.gguf")));
    QVERIFY(diffMetadata(*a, *b).differs);
    QVERIFY(!diffMetadata(*a, *a).differs);
}

QTEST_APPLESS_MAIN(TestMetadataDiff)
#include "tst_metadatadiff.moc"
