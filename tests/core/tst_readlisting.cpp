// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/mappedfile.h"
#include "core/model/readlisting.h"
#include "tests/support/ggufbuilder.h"
#include "tests/support/testdata.h"

#include <QTemporaryDir>
#include <QTest>

using namespace ql;
using namespace ql::test;
using namespace Qt::StringLiterals;

class TestReadListing : public QObject
{
    Q_OBJECT
private slots:
    void listsEveryKind();
    void limitsCutAndSaySo();
    void stops();
    void tokens();
    void tokensOfOddArrays_data();
    void tokensOfOddArrays();

private:
    GgufModelPtr open(const GgufBuilder &builder)
    {
        const auto path = m_dir.filePath(QString::number(++m_files) + ".gguf"_L1);
        builder.writeTo(path);
        return openOrFail(path);
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

const MetadataArray &array(const GgufModelPtr &model, const char *key)
{
    return *std::get<std::shared_ptr<const MetadataArray>>(model->findMetadata(key)->value);
}

QStringList texts(const Result<ArrayListingPtr> &listing)
{
    QStringList list;
    for (std::size_t i = 0; listing && i < (*listing)->size(); ++i)
        list << QString::fromUtf8((*listing)->text(i));
    return list;
}

} // namespace

void TestReadListing::listsEveryKind()
{
    const auto model = open(llama()
                                .metaArray("words", {"a", "", "b\n", "\xff\\", "▁the"})
                                .metaArray("floats", std::vector<float>{0.1f, -1.5f})
                                .metaArray("ints", std::vector<std::int8_t>{-128, 5})
                                .metaArrayRaw("bools", 7, 3, QByteArray("\0\1\2", 3))
                                .metaNested("rows", {{1, 2}, {}}));
    QVERIFY(model);
    QCOMPARE(texts(readListing(array(model, "words"))),
             (QStringList{u"a"_s, u""_s, u"b\\x0a"_s, u"\\xff\\\\"_s, u"▁the"_s}));
    QCOMPARE(texts(readListing(array(model, "floats"))), (QStringList{u"0.1"_s, u"-1.5"_s}));
    QCOMPARE(texts(readListing(array(model, "ints"))), (QStringList{u"-128"_s, u"5"_s}));
    QCOMPARE(texts(readListing(array(model, "bools"))), (QStringList{u"false"_s, u"true"_s, u"2"_s}));
    QCOMPARE(texts(readListing(array(model, "rows"))), (QStringList{u"[1, 2]"_s, u"[]"_s}));
}

void TestReadListing::limitsCutAndSaySo()
{
    const auto model = open(llama()
                                .metaArray("words", {"aaaa", "bbbb", std::string(100000, 'c'), "d"})
                                .metaArray("many", std::vector<std::uint8_t>(20000, 7)));
    QVERIFY(model);
    const auto byText = *readListing(array(model, "words"), {}, {100, 50});
    QCOMPARE(byText->size(), std::size_t(2)); // the third does not fit; nothing behind it is listed
    QCOMPARE(byText->total(), std::uint64_t(4));
    QVERIFY(byText->truncated());
    const auto byCount = *readListing(array(model, "many"), {}, {5000, 1000000});
    QCOMPARE(byCount->size(), std::size_t(5000));
    QVERIFY(byCount->truncated());
    QVERIFY(!(*readListing(array(model, "many")))->truncated());
}

void TestReadListing::stops()
{
    const auto model = open(llama().metaArray("words", {"a"}));
    QVERIFY(model);
    std::stop_source source;
    source.request_stop();
    const auto listing = readListing(array(model, "words"), source.get_token());
    QVERIFY(!listing);
    QCOMPARE(listing.error().code, std::string("stopped"));
}

void TestReadListing::tokens()
{
    const auto model = open(llama()
                                .meta("tokenizer.ggml.model", "gpt2")
                                .meta("tokenizer.ggml.pre", "default")
                                .metaArray("tokenizer.ggml.tokens", {"<s>", "a", "b"})
                                .metaArray("tokenizer.ggml.token_type", std::vector<std::int32_t>{3, 1, 6})
                                .metaArray("tokenizer.ggml.scores", std::vector<float>{0, -1, -2.5f})
                                .metaArray("tokenizer.ggml.merges", {"a b"})
                                .meta("tokenizer.ggml.bos_token_id", 0u)
                                .meta("tokenizer.ggml.eot_token_id", 77u));
    QVERIFY(model);
    const auto table = *readTokenTable(*model);
    QCOMPARE(table->model, std::string("gpt2"));
    QCOMPARE(table->pre, std::string("default"));
    QCOMPARE(table->tokens->size(), std::size_t(3));
    QCOMPARE(table->types, (std::vector<std::int32_t>{3, 1, 6}));
    QCOMPARE(table->scores, (std::vector<float>{0, -1, -2.5f}));
    QCOMPARE(table->merges->text(0), std::string_view("a b"));
    QCOMPARE(table->specials.size(), std::size_t(2));
    QCOMPARE(table->specials[1].name, std::string("eot"));
    QCOMPARE(table->specials[1].id, std::uint64_t(77));
}

void TestReadListing::tokensOfOddArrays_data()
{
    QTest::addColumn<QString>("file");
    QTest::addColumn<int>("tokens");
    QTest::addColumn<int>("types");
    QTest::addColumn<int>("scores");
    QTest::addColumn<QString>("lint");
    QTest::newRow("lengths and ids") << u"tokenizer_inconsistent.gguf"_s << 4 << 2 << 0
                                     << u"merge-without-space"_s;
    QTest::newRow("scores of u8") << u"scores_wrong_elem_type.gguf"_s << 4 << 0 << 0
                                  << u"token-array-type"_s;
    QTest::newRow("fifty thousand") << u"vocab_50k.gguf"_s << 50000 << 50000 << 0 << QString();
}

void TestReadListing::tokensOfOddArrays()
{
    QFETCH(QString, file);
    QFETCH(QString, lint);
    const auto model = openOrFail(dataPath(u"cases/"_s + file));
    QVERIFY(model);
    const auto table = readTokenTable(*model);
    QVERIFY(table.has_value());
    QTEST(int((*table)->tokens->size()), "tokens");
    QTEST(int((*table)->types.size()), "types");
    QTEST(int((*table)->scores.size()), "scores");
    const auto &warnings = model->warnings();
    QCOMPARE(std::ranges::any_of(warnings,
                                 [&](const Warning &w) { return w.code == lint.toStdString(); }),
             !lint.isEmpty());
}

QTEST_GUILESS_MAIN(TestReadListing)
#include "tst_readlisting.moc"
