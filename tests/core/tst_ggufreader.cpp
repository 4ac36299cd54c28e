// SPDX-License-Identifier: GPL-3.0-or-later
// Built files beyond the manifest's: values, arrays, versions and byte orders, the type table's odd
// rows, layout.
#include "core/format/mappedfile.h"
#include "core/model/tensorview.h"
#include "tests/support/ggufbuilder.h"

#include <QTemporaryDir>
#include <QTest>
#include <limits>

using namespace ql;
using namespace ql::test;
using namespace Qt::StringLiterals;

Q_DECLARE_METATYPE(ql::test::GgufBuilder)

class TestGgufReader : public QObject
{
    Q_OBJECT
private slots:
    void everyVersionAndByteOrder_data();
    void everyVersionAndByteOrder();
    void longStringArrays_data() { everyVersionAndByteOrder_data(); }
    void longStringArrays();
    void nestedArrays();
    void deepArraysStopAtTheLimit();
    void arraysOfEveryFixedType();
    void unsizedTypesTakeTheGap();
    void forkTypesAreSizedByTheTable();
    void forkTypesThatContradictTheOffsets();
    void q2_0OfAnotherFork();
    void bigEndianTypesNobodyAgreesOn();
    void overlapsNameBoth();
    void alignmentsThatCantBeUsed_data();
    void alignmentsThatCantBeUsed();
    void repeatedNames();
    void oneFindingPerForkType();
    void findingsAreBounded();
    void countsBeyondTheLimit();
    void tableDamagedInTheMiddle();
    void noDataIsNoTrailingByte();
    void foreignFiles_data();
    void foreignFiles();

private:
    GgufModelPtr open(const GgufBuilder &builder)
    {
        const auto path = m_dir.filePath(QString::number(++m_files) + ".gguf"_L1);
        builder.writeTo(path);
        return openOrFail(path);
    }
    Error refusal(const QByteArray &bytes)
    {
        const auto path = m_dir.filePath(QString::number(++m_files) + ".gguf"_L1);
        writeFile(path, bytes);
        const auto model = openModel(path.toStdString());
        return model ? Error{"opened", {}, {}, {}} : model.error();
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

QStringList codes(const GgufModelPtr &model)
{
    QStringList list;
    for (const auto &w : model->warnings())
        list << QString::fromStdString(w.code);
    return list;
}

const Warning *find(const GgufModelPtr &model, const char *code)
{
    for (const auto &w : model->warnings()) {
        if (w.code == code)
            return &w;
    }
    return nullptr;
}

std::shared_ptr<const MetadataArray> array(const GgufModelPtr &model, const char *key)
{
    const auto *entry = model->findMetadata(key);
    const auto *value = entry ? std::get_if<std::shared_ptr<const MetadataArray>>(&entry->value)
                              : nullptr;
    return value ? *value : nullptr;
}

template <class T>
T value(const GgufModelPtr &model, const char *key)
{
    const auto *entry = model->findMetadata(key);
    const auto *found = entry ? std::get_if<T>(&entry->value) : nullptr;
    if (!found)
        QTest::qFail(key, __FILE__, __LINE__);
    return found ? *found : T{};
}

GgufBuilder written(std::uint32_t version, bool big)
{
    GgufBuilder builder;
    builder.version(version);
    if (big)
        builder.bigEndian();
    return builder.meta("general.architecture", "llama");
}

} // namespace

void TestGgufReader::everyVersionAndByteOrder_data()
{
    QTest::addColumn<std::uint32_t>("version");
    QTest::addColumn<bool>("big");
    for (std::uint32_t version = 1; version <= 3; ++version) {
        QTest::addRow("v%u little", version) << version << false;
        QTest::addRow("v%u big", version) << version << true;
    }
}

void TestGgufReader::everyVersionAndByteOrder()
{
    QFETCH(std::uint32_t, version);
    QFETCH(bool, big);
    auto builder = written(version, big);
    builder.meta("a.u8", std::uint8_t(200)).meta("a.i8", std::int8_t(-100));
    builder.meta("a.u16", std::uint16_t(60000)).meta("a.i16", std::int16_t(-30000));
    builder.meta("a.u32", std::uint32_t(4000000000)).meta("a.i32", std::int32_t(-2000000000));
    builder.meta("a.u64", std::uint64_t(1) << 63).meta("a.i64", std::numeric_limits<std::int64_t>::min());
    builder.meta("a.f32", 0.1f).meta("a.f64", 0.1).meta("a.yes", true).meta("a.text", "Größe");
    builder.metaArray("a.numbers", std::vector<std::int16_t>{-1, 2, -3});
    builder.floats("blk.0.w.weight", {3, 2}, {1, 2, 3, 4, 5, 6.5});
    const auto model = open(builder);
    QVERIFY(model);
    QCOMPARE(codes(model), QStringList());
    QCOMPARE(model->shards()[0].version, version);
    QCOMPARE(model->shards()[0].bigEndian, big);
    QCOMPARE(value<std::uint64_t>(model, "a.u8"), std::uint64_t(200));
    QCOMPARE(value<std::int64_t>(model, "a.i8"), std::int64_t(-100));
    QCOMPARE(value<std::uint64_t>(model, "a.u16"), std::uint64_t(60000));
    QCOMPARE(value<std::int64_t>(model, "a.i16"), std::int64_t(-30000));
    QCOMPARE(value<std::uint64_t>(model, "a.u32"), std::uint64_t(4000000000));
    QCOMPARE(value<std::int64_t>(model, "a.i32"), std::int64_t(-2000000000));
    QCOMPARE(value<std::uint64_t>(model, "a.u64"), std::uint64_t(1) << 63);
    QCOMPARE(value<std::int64_t>(model, "a.i64"), std::numeric_limits<std::int64_t>::min());
    QCOMPARE(value<float>(model, "a.f32"), 0.1f);
    QCOMPARE(value<double>(model, "a.f64"), 0.1);
    QCOMPARE(int(value<BoolByte>(model, "a.yes").byte), 1);
    QCOMPARE(value<std::string>(model, "a.text"), std::string("Größe"));
    const auto numbers = array(model, "a.numbers");
    QVERIFY(numbers);
    QCOMPARE(std::get<std::int64_t>(numbers->at(2)), std::int64_t(-3));
    const auto view = TensorView::ofTensor(model, TensorIndex{0});
    QVERIFY2(view.has_value(), view ? "" : view.error().message.c_str());
    QCOMPARE(view->rows(), std::uint64_t(2));
    const float last = 6.5;
    auto bytes = QByteArray(reinterpret_cast<const char *>(view->row(1).data()) + 8, 4);
    QCOMPARE(bytes, builder.number(last));
}

void TestGgufReader::longStringArrays()
{
    QFETCH(std::uint32_t, version);
    QFETCH(bool, big);
    std::vector<std::string> words;
    for (int i = 0; i < 1000; ++i)
        words.push_back(std::string(std::size_t(i) % 7, 'x') + std::to_string(i));
    const auto model = open(written(version, big).metaArray("a.words", words)
                                .meta("a.after", std::uint32_t(77)));
    QVERIFY(model);
    QCOMPARE(value<std::uint64_t>(model, "a.after"), std::uint64_t(77));
    const auto list = array(model, "a.words");
    QVERIFY(list);
    QCOMPARE(list->count(), std::uint64_t(1000));
    for (const std::size_t i : {0, 1, 63, 64, 65, 127, 128, 511, 999})
        QCOMPARE(std::get<std::string>(list->at(i)), words[i]);
    const auto part = list->slice(60, 10);
    QCOMPARE(part.size(), std::size_t(10));
    for (std::size_t i = 0; i < part.size(); ++i)
        QCOMPARE(std::get<std::string>(part[i]), words[60 + i]);
    QCOMPARE(list->slice(995, 100).size(), std::size_t(5));
    QCOMPARE(list->slice(1000, 1).size(), std::size_t(0));
    std::uint64_t seen = 0;
    list->forEachString(10, 500, [&](std::uint64_t i, std::string_view text) {
        seen += text == words[i];
        return i < 209;
    });
    QCOMPARE(seen, std::uint64_t(200));
}

void TestGgufReader::nestedArrays()
{
    std::vector<std::vector<std::int32_t>> rows;
    for (std::int32_t i = 0; i < 200; ++i)
        rows.push_back(std::vector<std::int32_t>(std::size_t(i % 5), i));
    const auto model = open(llama().metaNested("a.rows", rows).meta("a.after", std::uint32_t(77)));
    QVERIFY(model);
    QCOMPARE(value<std::uint64_t>(model, "a.after"), std::uint64_t(77));
    const auto outer = array(model, "a.rows");
    QVERIFY(outer);
    for (const std::size_t i : {0, 1, 63, 64, 130, 199}) {
        const auto inner = std::get<std::shared_ptr<const MetadataArray>>(outer->at(i));
        QCOMPARE(inner->elementType(), ValueType::I32);
        QCOMPARE(inner->count(), std::uint64_t(i % 5));
        if (inner->count())
            QCOMPARE(std::get<std::int64_t>(inner->at(inner->count() - 1)), std::int64_t(i));
    }
}

void TestGgufReader::deepArraysStopAtTheLimit()
{
    auto builder = llama();
    QByteArray deep;
    for (int i = 0; i < 100; ++i)
        deep += builder.number(std::uint32_t(9)) + builder.length(1);
    deep += builder.number(std::uint32_t(0)) + builder.length(0);
    builder.metaArrayRaw("a.deep", 9, 1, deep).meta("a.after", std::uint32_t(77));
    const auto model = open(builder);
    QVERIFY(model);
    QCOMPARE(codes(model), QStringList{u"nested-too-deep"_s});
    QCOMPARE(value<std::uint64_t>(model, "a.after"), std::uint64_t(77));
    auto level = array(model, "a.deep");
    std::uint32_t depth = 1;
    for (;; ++depth) {
        const auto element = level->at(0);
        if (const auto *text = std::get_if<std::string>(&element)) {
            QCOMPARE(*text, std::string(MetadataArray::TooDeepText));
            break;
        }
        level = std::get<std::shared_ptr<const MetadataArray>>(element);
    }
    QCOMPARE(depth, MetadataArray::MaxDepth);
}

void TestGgufReader::arraysOfEveryFixedType()
{
    auto builder = llama();
    builder.metaArray("u8", std::vector<std::uint8_t>{1, 2, 250});
    builder.metaArray("f32", std::vector<float>{0.5f, -0.25f});
    builder.metaArray("f64", std::vector<double>{0.1});
    builder.metaArray("u64", std::vector<std::uint64_t>{~0ull});
    builder.metaArrayRaw("bool", 7, 3, QByteArray("\0\1\5", 3));
    builder.metaArrayRaw("none", 8, 0, {});
    const auto model = open(builder);
    QVERIFY(model);
    QCOMPARE(std::get<std::uint64_t>(array(model, "u8")->at(2)), std::uint64_t(250));
    QCOMPARE(std::get<float>(array(model, "f32")->at(1)), -0.25f);
    QCOMPARE(std::get<double>(array(model, "f64")->at(0)), 0.1);
    QCOMPARE(std::get<std::uint64_t>(array(model, "u64")->at(0)), ~std::uint64_t(0));
    QCOMPARE(int(std::get<BoolByte>(array(model, "bool")->at(2)).byte), 5);
    QCOMPARE(array(model, "none")->elementType(), ValueType::String);
    QCOMPARE(array(model, "none")->slice(0, 10).size(), std::size_t(0));
}

void TestGgufReader::unsizedTypesTakeTheGap()
{
    auto builder = llama();
    builder.tensorRaw("new.weight", 500, {64, 4}, QByteArray(96, 'n'));
    builder.tensorRaw("packed.weight", 202, {64, 4}, QByteArray(160, 'p'));
    builder.tensorRaw("old.weight", 4, {64, 4}, QByteArray(64, 'o'));
    builder.floats("b.weight", {2}, {1, 2});
    builder.tensorRaw("last.weight", 501, {64, 4}, QByteArray(100, 'l'));
    const auto model = open(builder);
    QVERIFY(model);
    const auto &t = model->tensors();
    QCOMPARE(t[0].byteSize, std::optional<std::uint64_t>(96));
    QCOMPARE(t[1].byteSize, std::optional<std::uint64_t>(160));
    QCOMPARE(t[2].byteSize, std::optional<std::uint64_t>()); // retired: never guessed
    QCOMPARE(t[4].byteSize, std::optional<std::uint64_t>(100));
    QCOMPARE(t[0].elements, std::optional<std::uint64_t>(256));
    for (const int i : {0, 1, 2, 4})
        QVERIFY(!t[std::size_t(i)].isDecodable());
    QVERIFY(t[3].isDecodable());
    QCOMPARE(codes(model).count(u"unknown-type"_s), 2);
    QCOMPARE(codes(model).count(u"trailing-bytes"_s), 0);
}

void TestGgufReader::forkTypesAreSizedByTheTable()
{
    auto builder = llama();
    builder.tensorRaw("a.weight", 137, {256, 3}, QByteArray(76 * 3, 'a'));         // IQ2_K
    builder.tensorRaw("b.weight", 144, {512, 2}, QByteArray((2 * 136 + 4) * 2, 'b')); // IQ4_KS
    builder.tensorRaw("c.weight", 151, {100, 2}, QByteArray(108 * 2, 'c'));        // Q8_KV, last
    const auto model = open(builder);
    QVERIFY(model);
    QCOMPARE(model->tensors()[0].byteSize, std::optional<std::uint64_t>(228));
    QCOMPARE(model->tensors()[1].byteSize, std::optional<std::uint64_t>(552));
    QCOMPARE(model->tensors()[1].rowBytes, std::optional<std::uint64_t>(276));
    QCOMPARE(model->tensors()[2].byteSize, std::optional<std::uint64_t>(216));
    QCOMPARE(codes(model), (QStringList{u"fork-type"_s, u"fork-type"_s, u"fork-type"_s}));
}

void TestGgufReader::forkTypesThatContradictTheOffsets()
{
    auto builder = llama();
    builder.tensorRaw("a.weight", 137, {256, 4}, QByteArray(4 * 100, 'a')); // table: 76 a block
    builder.floats("b.weight", {2}, {1, 2});
    const auto model = open(builder);
    QVERIFY(model);
    const auto *w = find(model, "type-contradicts-offsets");
    QVERIFY(w);
    QCOMPARE(w->field, std::string("tensor[0].type"));
    QVERIFY(w->severity == Severity::Warning);
}

void TestGgufReader::q2_0OfAnotherFork()
{
    // 34 bytes a 128 where ggml's Q2_0 takes 18 a 64; the small one alone would fit both.
    auto builder = llama();
    builder.tensorRaw("small.weight", 42, {128}, QByteArray(34, 's'));
    builder.tensorRaw("big.weight", 42, {1024, 4}, QByteArray(34 * 32, 'b'));
    builder.floats("b.weight", {2}, {1, 2});
    const auto model = open(builder);
    QVERIFY(model);
    QVERIFY(find(model, "type-contradicts-offsets"));
    QVERIFY(!find(model, "tensors-overlap"));
    QCOMPARE(model->tensors()[0].byteSize, std::optional<std::uint64_t>(34));
    QCOMPARE(model->tensors()[1].byteSize, std::optional<std::uint64_t>(34 * 32));
    QVERIFY(!model->tensors()[0].isDecodable());
    QVERIFY(!model->tensors()[1].isDecodable());
    QVERIFY(model->tensors()[2].isDecodable());

    auto ordinary = llama();
    ordinary.tensorRaw("big.weight", 42, {1024, 4}, QByteArray(18 * 64, 'b'));
    ordinary.floats("b.weight", {2}, {1, 2});
    QCOMPARE(codes(open(ordinary)), QStringList());
}

void TestGgufReader::bigEndianTypesNobodyAgreesOn()
{
    auto builder = written(3, true);
    builder.tensor("a.weight", GgmlType::Q4_K, {256}).tensor("b.weight", GgmlType::IQ2_XS, {256});
    const auto model = open(builder);
    QVERIFY(model);
    QVERIFY(model->tensors()[0].isDecodable());
    QVERIFY(!model->tensors()[1].isDecodable());
    const auto *w = find(model, "big-endian-type");
    QVERIFY(w);
    QCOMPARE(w->field, std::string("tensor[1].type"));
}

void TestGgufReader::overlapsNameBoth()
{
    auto builder = llama();
    builder.tensorRaw("a.weight", 0, {16}, QByteArray(64, 'a'));
    builder.tensorRaw("b.weight", 0, {8}, QByteArray(), 32);
    builder.tensorRaw("c.weight", 0, {8}, QByteArray(32, 'c'));
    const auto model = open(builder);
    QVERIFY(model);
    const auto *w = find(model, "tensors-overlap");
    QVERIFY(w);
    QCOMPARE(w->field, std::string("tensor[1].offset"));
    QVERIFY(w->message.find("a.weight") != w->message.npos);
    QVERIFY(w->message.find("b.weight") != w->message.npos);
    QVERIFY(w->message.find("32 bytes") != w->message.npos);
    QVERIFY(!model->tensors()[0].isDecodable());
    QVERIFY(!model->tensors()[1].isDecodable());
    QVERIFY(model->tensors()[2].isDecodable());
}

void TestGgufReader::alignmentsThatCantBeUsed_data()
{
    QTest::addColumn<QByteArray>("value");
    QTest::addColumn<std::uint32_t>("type");
    QTest::addColumn<QString>("code");
    const GgufBuilder b;
    QTest::newRow("0") << b.number(std::uint32_t(0)) << 4u << "bad-alignment";
    QTest::newRow("4") << b.number(std::uint32_t(4)) << 4u << "bad-alignment";
    QTest::newRow("33") << b.number(std::uint32_t(33)) << 4u << "bad-alignment";
    QTest::newRow("text") << b.text("32") << 8u << "alignment-wrong-type";
    QTest::newRow("-32") << b.number(std::int32_t(-32)) << 5u << "alignment-wrong-type";
    QTest::newRow("2^63") << b.number(std::uint64_t(1) << 63) << 10u << "alignment-wrong-type";
}

void TestGgufReader::alignmentsThatCantBeUsed()
{
    QFETCH(QByteArray, value);
    QFETCH(std::uint32_t, type);
    QFETCH(QString, code);
    const auto model = open(llama().metaRaw("general.alignment", type, value)
                                .floats("a.weight", {2}, {1, 2}));
    QVERIFY(model);
    QVERIFY(codes(model).contains(code));
    QCOMPARE(model->tensors().size(), std::size_t(1));
    QVERIFY(!model->tensors()[0].isDecodable());
    QVERIFY(!TensorView::ofTensor(model, TensorIndex{0}));
}

void TestGgufReader::repeatedNames()
{
    auto builder = llama();
    for (const char *name : {"a", "a#2", "a", "a", "b"})
        builder.floats(name, {2}, {1, 2});
    const auto model = open(builder);
    QVERIFY(model);
    QStringList names;
    for (const auto &info : model->tensors())
        names << QString::fromStdString(info.name);
    QCOMPARE(names, (QStringList{u"a"_s, u"a#2"_s, u"a#3"_s, u"a#4"_s, u"b"_s}));
    QCOMPARE(model->findTensor("a#3")->value, 2u);
    QVERIFY(!model->findTensor("c"));
}

void TestGgufReader::oneFindingPerForkType()
{
    auto builder = llama();
    for (int i = 0; i < 50; ++i)
        builder.tensorRaw("blk." + std::to_string(i) + ".w", 139, {256}, QByteArray(144, 'x'));
    QCOMPARE(codes(open(builder)), QStringList{u"fork-type"_s});
}

void TestGgufReader::findingsAreBounded()
{
    auto builder = llama();
    for (int i = 0; i < 1500; ++i)
        builder.tensorRaw("", 0, {8}, QByteArray(32, 'x'));
    const auto model = open(builder);
    QVERIFY(model);
    QCOMPARE(codes(model).count(u"empty-tensor-name"_s), 1000);
    QCOMPARE(codes(model).count(u"more-findings"_s), 2); // names and duplicates
    QCOMPARE(model->tensors().size(), std::size_t(1500));
}

void TestGgufReader::countsBeyondTheLimit()
{
    const GgufBuilder b;
    const QByteArray zeros(40 << 20, '\0'); // enough room for 1.7 million empty tensor infos
    const auto error = refusal("GGUF" + b.number(3u) + b.length(1'500'000) + b.length(0) + zeros);
    QCOMPARE(error.code, std::string("count-too-large"));
    QCOMPARE(error.field, std::string("tensor_count"));
    const auto kv = refusal("GGUF" + b.number(3u) + b.length(0) + b.length(1'500'000) + zeros);
    QCOMPARE(kv.field, std::string("metadata_kv_count"));
    const auto v1 = refusal("GGUF" + b.number(1u) + b.number(0u) + b.number(5u));
    QCOMPARE(v1.field, std::string("metadata_kv_count"));
    QCOMPARE(v1.offset, std::optional<std::uint64_t>(12));
}

void TestGgufReader::tableDamagedInTheMiddle()
{
    // The first info is whole, what stands in the second's place is no info.
    auto builder = llama();
    builder.floats("a.weight", {2}, {1, 2}).claimTensors(2);
    auto bytes = builder.bytes();
    bytes.truncate(bytes.indexOf("a.weight") + 8 + 4 + 8 + 4 + 8);
    const auto model = [&] {
        const auto path = m_dir.filePath(u"damaged.gguf"_s);
        writeFile(path, bytes + QByteArray(4096, '\xff'));
        return openOrFail(path);
    }();
    QVERIFY(model);
    QCOMPARE(codes(model), QStringList{u"truncated-tensor-info"_s});
    QCOMPARE(model->warnings()[0].severity, Severity::Error);
    QCOMPARE(model->tensors().size(), std::size_t(1));
    QVERIFY(!model->tensors()[0].isDecodable());
}

void TestGgufReader::noDataIsNoTrailingByte()
{
    // Metadata only, padded or not: nothing to complain about.
    auto bytes = llama().bytes();
    for (const int more : {0, 1}) {
        const auto path = m_dir.filePath(u"meta%1.gguf"_s.arg(more));
        writeFile(path, bytes + QByteArray(more ? 32 - bytes.size() % 32 : 0, '\0'));
        QCOMPARE(codes(openOrFail(path)), QStringList());
    }
}

void TestGgufReader::foreignFiles_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("says");
    QTest::newRow("html") << QByteArray("\n <HTML><body>") << "HTML";
    QTest::newRow("zip") << QByteArray("PK\3\4....") << "ZIP";
    QTest::newRow("gzip") << QByteArray("\x1f\x8b\x08.....") << "gzip";
    QTest::newRow("lfs") << QByteArray("version https://git-lfs.github.com/spec/v1\n") << "Git LFS";
    QTest::newRow("backwards") << QByteArray("FUGG\0\0\0\3", 8) << "backwards";
    QTest::newRow("anything") << QByteArray("\1\2\3\4\5\6") << "\\x01\\x02\\x03\\x04";
}

void TestGgufReader::foreignFiles()
{
    QFETCH(QByteArray, bytes);
    QFETCH(QString, says);
    const auto error = refusal(bytes);
    QCOMPARE(error.code, std::string("not-gguf"));
    QVERIFY2(QString::fromStdString(error.message).contains(says), error.message.c_str());
}

QTEST_GUILESS_MAIN(TestGgufReader)
#include "tst_ggufreader.moc"
