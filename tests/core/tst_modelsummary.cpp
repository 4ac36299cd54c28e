// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/mappedfile.h"
#include "core/model/modelsummary.h"
#include "core/model/valuetext.h"
#include "tests/support/ggufbuilder.h"
#include "tests/support/testdata.h"

#include <QTemporaryDir>
#include <QTest>

using namespace ql;
using namespace ql::test;
using namespace Qt::StringLiterals;

class TestModelSummary : public QObject
{
    Q_OBJECT
private slots:
    void totals();
    void totalsLeaveOutTheUnsized();
    void previews();
    void kinds_data();
    void kinds();
    void namesAndFileType();
    void keyValueCache_data();
    void keyValueCache();
    void sampleModel();

private:
    ModelSummaryPtr summaryOf(const GgufBuilder &builder)
    {
        const auto path = m_dir.filePath(u"m%1.gguf"_s.arg(++m_files));
        builder.writeTo(path);
        const auto model = openOrFail(path);
        return model ? summarize(*model) : nullptr;
    }
    QTemporaryDir m_dir;
    int m_files = 0;
};

namespace {

GgufBuilder llama()
{
    GgufBuilder builder;
    builder.meta("general.architecture", "llama");
    return builder;
}

std::string previewOf(const ModelSummaryPtr &summary, const char *key)
{
    for (const auto &entry : summary->metadata) {
        if (entry.key == key)
            return entry.preview;
    }
    return "(absent)";
}

} // namespace

Q_DECLARE_METATYPE(ql::test::GgufBuilder)

void TestModelSummary::totals()
{
    auto builder = llama();
    builder.tensor("a", GgmlType::Q4_K, {256, 4}).tensor("b", GgmlType::F32, {100});
    builder.tensor("c", GgmlType::Q4_K, {512});
    const auto summary = summaryOf(builder);
    const auto &t = summary->totals;
    QCOMPARE(t.tensors, std::uint64_t(3));
    QCOMPARE(t.parameters, std::uint64_t(1024 + 100 + 512));
    QCOMPARE(t.bytes, std::uint64_t(576 + 400 + 288));
    QCOMPARE(t.unsized, std::uint64_t(0));
    QCOMPARE(*t.bitsPerWeight, 8.0 * 1264 / 1636);
    QCOMPARE(t.byType.size(), std::size_t(2));
    QCOMPARE(t.byType[0].typeId, 12u);
    QCOMPARE(t.byType[0].tensors, std::uint64_t(2));
    QCOMPARE(t.byType[0].bytes, std::uint64_t(864));
    QCOMPARE(totalsOf(summary->tensors, {TensorIndex{1}}).bytes, std::uint64_t(400));
    QVERIFY(!totalsOf(std::vector<TensorInfo>()).bitsPerWeight);
}

void TestModelSummary::totalsLeaveOutTheUnsized()
{
    auto builder = llama();
    builder.tensorRaw("old", 4, {256}, QByteArray(32, 'x')).tensor("b", GgmlType::F32, {100});
    builder.tensorRaw("huge", 24, {std::uint64_t(1) << 40, std::uint64_t(1) << 40}, {});
    const auto summary = summaryOf(builder);
    QCOMPARE(summary->totals.tensors, std::uint64_t(3));
    QCOMPARE(summary->totals.unsized, std::uint64_t(2));
    QCOMPARE(summary->totals.parameters, std::uint64_t(100));
    QCOMPARE(summary->totals.bytes, std::uint64_t(400));
}

void TestModelSummary::previews()
{
    auto builder = llama();
    builder.meta("t.f32", 0.1f).meta("t.f64", 0.1).meta("t.int", std::int32_t(-7));
    builder.meta("t.big", ~std::uint64_t(0)).meta("t.yes", true).metaRaw("t.odd", 7, QByteArray(1, '\2'));
    builder.meta("t.line", "a\nb\x1b").meta("t.long", std::string_view(std::string(5000, 'y')));
    builder.metaArray("t.list", std::vector<std::int32_t>{1, 2, 3});
    builder.metaArray("t.words", std::vector<std::string>{"a", "b\"", "\xff"});
    builder.metaArray("t.many", std::vector<std::uint32_t>(100000, 12));
    builder.metaNested("t.rows", {{1, 2}, {}, {3}});
    builder.metaArrayRaw("t.none", 6, 0, {});
    const auto summary = summaryOf(builder);
    QCOMPARE(previewOf(summary, "t.f32"), std::string("0.1"));
    QCOMPARE(previewOf(summary, "t.f64"), std::string("0.1"));
    QCOMPARE(previewOf(summary, "t.int"), std::string("-7"));
    QCOMPARE(previewOf(summary, "t.big"), std::string("18446744073709551615"));
    QCOMPARE(previewOf(summary, "t.yes"), std::string("true"));
    QCOMPARE(previewOf(summary, "t.odd"), std::string("2"));
    QCOMPARE(previewOf(summary, "t.line"), std::string("a\\x0ab\\x1b"));
    QCOMPARE(previewOf(summary, "t.long"), std::string(200, 'y') + "…");
    QCOMPARE(previewOf(summary, "t.list"), std::string("[1, 2, 3]"));
    QCOMPARE(previewOf(summary, "t.words"), std::string("[\"a\", \"b\"\", \"\\xff\"]"));
    QCOMPARE(previewOf(summary, "t.rows"), std::string("[[1, 2], [], [3]]"));
    QCOMPARE(previewOf(summary, "t.none"), std::string("[]"));
    const auto many = previewOf(summary, "t.many");
    QVERIFY(many.starts_with("[12, 12, ") && many.ends_with(", …]") && many.size() < 230);
    for (const auto &entry : summary->metadata) {
        if (entry.key == "t.line")
            QCOMPARE(entry.text, std::string("a\nb\\x1b"));
        if (entry.key == "t.many")
            QCOMPARE(entry.count, std::optional<std::uint64_t>(100000));
        if (entry.key == "t.long")
            QCOMPARE(entry.textBytes, std::uint64_t(5000));
    }
}

void TestModelSummary::kinds_data()
{
    QTest::addColumn<GgufBuilder>("builder");
    QTest::addColumn<QString>("kind");
    QTest::newRow("said") << llama().meta("general.type", "mmproj") << "mmproj";
    QTest::newRow("model") << llama().tensor("a", GgmlType::F32, {2}) << "model";
    QTest::newRow("adapter") << llama().meta("adapter.type", "lora") << "adapter";
    QTest::newRow("mmproj") << GgufBuilder().meta("general.architecture", "clip") << "mmproj";
    QTest::newRow("imatrix") << llama().metaArray("imatrix.datasets", std::vector<std::string>{"x"})
                             << "imatrix";
    QTest::newRow("vocab") << llama().metaArray("tokenizer.ggml.tokens", std::vector<std::string>{"x"})
                           << "vocab";
    QTest::newRow("nothing said") << llama() << "model";
}

void TestModelSummary::kinds()
{
    QFETCH(GgufBuilder, builder);
    QFETCH(QString, kind);
    QCOMPARE(QString::fromStdString(summaryOf(builder)->kind), kind);
}

void TestModelSummary::namesAndFileType()
{
    const auto summary = summaryOf(llama().meta("general.name", "Tiny").meta("general.file_type", 15u));
    QCOMPARE(summary->name, std::string("Tiny"));
    QCOMPARE(summary->architecture, std::string("llama"));
    QCOMPARE(summary->fileType, std::string("Q4_K_M"));
    QVERIFY(!summary->hasTokenizer);
    const auto bare = summaryOf(llama().meta("general.file_type", 999u));
    QCOMPARE(bare->name, u"m%1.gguf"_s.arg(m_files).toStdString());
    QCOMPARE(bare->fileType, std::string("unknown(999)"));
}

void TestModelSummary::keyValueCache_data()
{
    QTest::addColumn<GgufBuilder>("builder");
    QTest::addColumn<qint64>("bytes"); // -1: none
    const auto base = [] {
        auto b = llama();
        b.meta("llama.block_count", 4u).meta("llama.embedding_length", 64u);
        b.meta("llama.attention.head_count", 8u);
        return b;
    };
    QTest::newRow("derived lengths") << base().meta("llama.attention.head_count_kv", 2u)
                                     << qint64(4 * 2 * (8 + 8) * 2);
    QTest::newRow("own lengths") << base()
                                        .meta("llama.attention.head_count_kv", 2u)
                                        .meta("llama.attention.key_length", 16u)
                                        .meta("llama.attention.value_length", 4u)
                                 << qint64(4 * 2 * (16 + 4) * 2);
    QTest::newRow("one length missing") << base()
                                               .meta("llama.attention.head_count_kv", 2u)
                                               .meta("llama.attention.key_length", 16u)
                                        << qint64(4 * 2 * (16 + 8) * 2);
    QTest::newRow("an array") << base().metaArray("llama.attention.head_count_kv",
                                                  std::vector<std::int32_t>{2, 0, 1, 0})
                              << qint64(3 * 16 * 2);
    QTest::newRow("array too short") << base().metaArray("llama.attention.head_count_kv",
                                                         std::vector<std::int32_t>{2, 0})
                                     << qint64(-1);
    QTest::newRow("key missing") << base() << qint64(-1);
    QTest::newRow("not causal") << base()
                                       .meta("llama.attention.head_count_kv", 2u)
                                       .meta("llama.attention.causal", false)
                                << qint64(-1);
    QTest::newRow("no heads") << llama()
                                     .meta("llama.block_count", 4u)
                                     .meta("llama.embedding_length", 64u)
                                     .meta("llama.attention.head_count", 0u)
                                     .meta("llama.attention.head_count_kv", 2u)
                              << qint64(-1);
    QTest::newRow("beyond 64 bits") << base()
                                           .meta("llama.attention.head_count_kv", ~std::uint64_t(0))
                                    << qint64(-1);
    QTest::newRow("absurd layers") << llama()
                                          .meta("llama.block_count", ~std::uint64_t(0))
                                          .meta("llama.attention.head_count_kv", 2u)
                                          .meta("llama.attention.key_length", 2u)
                                          .meta("llama.attention.value_length", 2u)
                                   << qint64(-1);
}

void TestModelSummary::keyValueCache()
{
    QFETCH(GgufBuilder, builder);
    QFETCH(qint64, bytes);
    const auto estimate = summaryOf(builder)->kvBytesPerTokenF16;
    QCOMPARE(estimate ? qint64(*estimate) : -1, bytes);
}

void TestModelSummary::sampleModel()
{
    const auto path = QStringLiteral(QL_SOURCE_DIR "/resources/sample/tiny-moe-Q4_K_M.gguf");
    const auto model = openOrFail(path);
    QVERIFY(model);
    const auto summary = summarize(*model);
    QCOMPARE(summary->kind, std::string("model"));
    QCOMPARE(summary->fileType, std::string("Q4_K_M"));
    QCOMPARE(summary->totals.unsized, std::uint64_t(0));
    for (const auto &info : summary->tensors)
        QVERIFY2(info.isDecodable(), info.name.c_str());
    const auto experts = std::ranges::count_if(
        summary->tensors, [](const TensorInfo &t) { return t.experts == std::optional<std::uint64_t>(8); });
    QVERIFY(experts >= 6);
}

QTEST_GUILESS_MAIN(TestModelSummary)
#include "tst_modelsummary.moc"
