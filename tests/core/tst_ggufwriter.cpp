// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/ggufwriter.h"
#include "core/format/mappedfile.h"
#include "core/model/tensorview.h"
#include "core/model/valuetext.h"
#include "tests/support/ggufbuilder.h"
#include "tests/support/testdata.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>

using namespace ql;
using namespace ql::test;
using namespace Qt::StringLiterals;

class TestGgufWriter : public QObject
{
    Q_OBJECT
private slots:
    void copiesToTheSameBytes_data();
    void copiesToTheSameBytes();
    void caseFilesComeBack_data();
    void caseFilesComeBack();
    void joinsShards();
    void otherVersionsAndByteOrders_data();
    void otherVersionsAndByteOrders();
    void deepArrays();
    void alignmentRules();
    void refusals_data();
    void refusals();
    void tensorsThatGiveTheWrongSize();
    void sinkErrorsEndIt();
    void streamsLargeTensors();
    void refusesWhatHasNoData();

private:
    GgufModelPtr open(const QByteArray &bytes)
    {
        const auto path = m_dir.filePath(QString::number(++m_files) + ".gguf"_L1);
        writeFile(path, bytes);
        return openOrFail(path);
    }
    QTemporaryDir m_dir;
    int m_files = 0;
};

namespace {

struct Collected {
    QByteArray bytes;
    qsizetype largest = 0;
    GgufWriter::Sink sink()
    {
        return [this](std::span<const std::byte> piece) -> Result<void> {
            bytes.append(reinterpret_cast<const char *>(piece.data()), qsizetype(piece.size()));
            largest = std::max(largest, qsizetype(piece.size()));
            return {};
        };
    }
};

QByteArray copyOf(const GgufModelPtr &model)
{
    const auto tensors = tensorsOf(*model);
    if (!tensors)
        return QByteArray::fromStdString(tensors.error().message);
    const auto writer = GgufWriter::create(entriesOf(*model), *tensors);
    if (!writer)
        return QByteArray::fromStdString(writer.error().message);
    Collected out;
    if (const auto written = writer->write(storedData(model), out.sink()); !written)
        return QByteArray::fromStdString(written.error().message);
    if (out.bytes.size() != qsizetype(writer->fileSize()))
        return "the size announced is not the size written";
    return out.bytes;
}

/// Everything an array holds, nested ones included.
QString arrayText(const MetadataArray &array)
{
    QString text = u'<' + QString::fromUtf8(valueTypeName(array.elementType())) + u'>';
    for (const auto &value : array.slice(0, array.count())) {
        if (const auto *inner = std::get_if<std::shared_ptr<const MetadataArray>>(&value))
            text += arrayText(**inner);
        else
            text += QString::fromStdString(valuePreview(value)) + u';';
    }
    return text;
}

QStringList described(const GgufModelPtr &model)
{
    QStringList lines;
    for (const auto &e : model->metadata()) {
        if (e.rawKey.starts_with("split."))
            continue;
        const auto *array = std::get_if<std::shared_ptr<const MetadataArray>>(&e.value);
        lines << QString::fromStdString(e.key) + u' ' + QString::fromUtf8(valueTypeName(e.type))
                + u' ' + (array ? arrayText(**array) : QString::fromStdString(valuePreview(e.value)));
    }
    for (const auto &t : model->tensors()) {
        const auto file = model->shards()[t.shard].file->bytes();
        const auto data = file.subspan(*t.absoluteOffset, *t.byteSize);
        lines << QString::fromStdString(t.name + ' ' + t.typeName()) + u' '
                + QString::number(t.ne.size()) + u' ' + QString::number(t.ne[0]) + u' '
                + QString::fromLatin1(QByteArray(reinterpret_cast<const char *>(data.data()),
                                                 qsizetype(data.size())).toHex());
    }
    return lines;
}

GgufEntry text(const char *key, const char *value) { return {key, ValueType::String, std::string(value)}; }
GgufEntry number(const char *key, ValueType type, std::uint64_t v) { return {key, type, v}; }

std::string codeOf(std::vector<GgufEntry> metadata, std::vector<GgufTensor> tensors)
{
    const auto writer = GgufWriter::create(std::move(metadata), std::move(tensors));
    return writer ? "ok" : writer.error().code;
}

GgufTensor f32(const char *name, Ne ne, std::uint64_t bytes) { return {name, 0, ne, bytes}; }

} // namespace

Q_DECLARE_METATYPE(std::vector<ql::GgufEntry>)
Q_DECLARE_METATYPE(std::vector<ql::GgufTensor>)

void TestGgufWriter::copiesToTheSameBytes_data()
{
    QTest::addColumn<QString>("file");
    for (const char *file : {"ok_v3_le", "ok_all_value_types", "deq_q2k_q4k_q6k", "moe_3d_experts",
                             "empty_arrays", "vocab_50k", "tensors_6000", "utf8_multibyte"})
        QTest::newRow(file) << dataPath(u"cases/%1.gguf"_s.arg(QLatin1StringView(file)));
    QTest::newRow("sample") << QStringLiteral(QL_SOURCE_DIR "/resources/sample/tiny-moe-Q4_K_M.gguf");
}

void TestGgufWriter::copiesToTheSameBytes()
{
    QFETCH(QString, file);
    QFile original(file);
    QVERIFY(original.open(QIODevice::ReadOnly));
    const auto model = openOrFail(file);
    QVERIFY(model);
    const auto bytes = original.readAll();
    const auto copy = copyOf(model);
    QVERIFY2(copy == bytes, copy.left(200).constData());
}

void TestGgufWriter::caseFilesComeBack_data()
{
    QTest::addColumn<QString>("file");
    const QDir dir(dataPath(u"cases"_s));
    for (const auto &name : dir.entryList({u"*.gguf"_s}))
        QTest::newRow(qPrintable(name)) << dir.filePath(name);
}

/// Whatever can be written comes back as it was; whatever can't is refused, never half written.
void TestGgufWriter::caseFilesComeBack()
{
    QFETCH(QString, file);
    const auto model = openModel(file.toStdString());
    const auto tensors = model ? tensorsOf(**model) : Result<std::vector<GgufTensor>>();
    const auto writer = model && tensors ? GgufWriter::create(entriesOf(**model), *tensors)
                                         : failure("not-tried", {});
    if (!writer) {
        QVERIFY(!writer.error().code.empty());
        return;
    }
    if ((*model)->shards()[0].bigEndian) {
        QVERIFY(!writer->write(storedData(*model), Collected().sink()));
        return;
    }
    const auto copy = open(copyOf(*model));
    QVERIFY(copy);
    const auto &warnings = (*model)->warnings();
    const bool repeats = std::ranges::any_of(
        warnings, [](const Warning &w) { return w.code == "duplicate-key"; });
    QCOMPARE(copy->metadata().size(), entriesOf(**model).size());
    if (!repeats) // of two equal keys the first alone is written
        QCOMPARE(described(copy), described(*model));
}

void TestGgufWriter::joinsShards()
{
    const auto model = openOrFail(dataPath(u"cases/shards3/shards3-00002-of-00003.gguf"_s));
    QVERIFY(model);
    const auto joined = open(copyOf(model));
    QVERIFY(joined);
    QCOMPARE(joined->warnings().size(), std::size_t(0));
    QCOMPARE(joined->tensors().size(), std::size_t(3));
    QVERIFY(!joined->findMetadata("split.count"));
    QCOMPARE(described(joined), described(model));
}

void TestGgufWriter::otherVersionsAndByteOrders_data()
{
    QTest::addColumn<std::uint32_t>("version");
    QTest::addColumn<bool>("big");
    for (std::uint32_t version = 1; version <= 3; ++version) {
        QTest::addRow("v%u little", version) << version << false;
        QTest::addRow("v%u big", version) << version << true;
    }
}

void TestGgufWriter::otherVersionsAndByteOrders()
{
    QFETCH(std::uint32_t, version);
    QFETCH(bool, big);
    GgufBuilder builder;
    builder.version(version);
    if (big)
        builder.bigEndian();
    builder.meta("general.architecture", "llama").meta("u64", ~std::uint64_t(0));
    builder.meta("i16", std::int16_t(-3)).meta("f32", 0.1f).meta("f64", 0.1).meta("yes", true);
    builder.metaArray("words", {"a", "", "ccc"}).metaNested("rows", {{1, -2}, {}, {3}});
    builder.metaArray("many", std::vector<std::int16_t>(200000, -7)).metaArrayRaw("none", 8, 0, {});
    const auto model = open(builder.bytes());
    QVERIFY(model);
    const auto copy = open(copyOf(model));
    QVERIFY(copy);
    QCOMPARE(copy->shards()[0].version, 3u);
    QVERIFY(!copy->shards()[0].bigEndian);
    QCOMPARE(described(copy), described(model));
}

void TestGgufWriter::deepArrays()
{
    for (const bool big : {false, true}) {
        GgufBuilder builder;
        if (big)
            builder.bigEndian();
        builder.meta("general.architecture", "llama");
        QByteArray deep;
        for (int i = 0; i < 20000; ++i)
            deep += builder.number(std::uint32_t(9)) + builder.length(1);
        deep += builder.number(std::uint32_t(4)) + builder.length(2) + builder.number(5u)
            + builder.number(6u);
        builder.metaArrayRaw("deep", 9, 1, deep).meta("after", 77u);
        const auto model = open(builder.bytes());
        QVERIFY(model);
        const auto copy = open(copyOf(model));
        QVERIFY(copy);
        QCOMPARE(copy->metadataUint("after").value_or(0), std::uint64_t(77));
        const auto array = std::get<std::shared_ptr<const MetadataArray>>(
            copy->findMetadata("deep")->value);
        QCOMPARE(array->byteSize(), std::uint64_t(deep.size()));
        GgufBuilder last;
        QVERIFY(copyOf(copy).contains(last.number(5u) + last.number(6u)));
    }
}

void TestGgufWriter::alignmentRules()
{
    const auto wide = GgufWriter::create({number("general.alignment", ValueType::U32, 256)},
                                         {f32("a", {3}, 12), f32("b", {3}, 12)});
    QVERIFY(wide.has_value());
    QCOMPARE(wide->dataOffset() % 256, std::uint64_t(0));
    QCOMPARE(wide->tensorOffset(1), std::uint64_t(256));
    QCOMPARE(wide->fileSize(), wide->dataOffset() + 512);
    for (const std::uint64_t bad : {0u, 4u, 24u, 33u, 1u << 21, 1u << 31})
        QCOMPARE(codeOf({number("general.alignment", ValueType::U32, bad)}, {}),
                 std::string("bad-alignment"));
    QCOMPARE(codeOf({number("general.alignment", ValueType::U64, 32)}, {}),
             std::string("bad-alignment"));
}

void TestGgufWriter::refusals_data()
{
    QTest::addColumn<std::vector<GgufEntry>>("metadata");
    QTest::addColumn<std::vector<GgufTensor>>("tensors");
    QTest::addColumn<QString>("code");
    using Entries = std::vector<GgufEntry>;
    using Tensors = std::vector<GgufTensor>;
    const auto entry = [](const char *what, const Entries &entries, const char *code) {
        QTest::newRow(what) << entries << Tensors() << QString::fromLatin1(code);
    };
    const auto tensor = [](const char *what, const Tensors &tensors, const char *code) {
        QTest::newRow(what) << Entries() << tensors << QString::fromLatin1(code);
    };
    entry("key twice", {text("a", "x"), text("a", "y")}, "duplicate-key");
    entry("empty key", {text("", "x")}, "bad-key");
    entry("u8 of 256", {number("a", ValueType::U8, 256)}, "bad-value");
    entry("i8 of 128", {number("a", ValueType::I8, 128)}, "bad-value");
    entry("u32 of -1", {{"a", ValueType::U32, std::int64_t(-1)}}, "bad-value");
    entry("text as number", {{"a", ValueType::U32, std::string("1")}}, "bad-value");
    entry("float as double", {{"a", ValueType::F64, 1.0f}}, "bad-value");
    entry("no array", {{"a", ValueType::Array, std::shared_ptr<const MetadataArray>()}}, "bad-value");
    entry("value type 13", {number("a", static_cast<ValueType>(13), 1)}, "bad-value");
    entry("all well", {number("a", ValueType::I8, 127), {"b", ValueType::I8, std::int64_t(-128)}}, "ok");
    tensor("name twice", {f32("a", {2}, 8), f32("a", {2}, 8)}, "duplicate-tensor-name");
    tensor("empty name", {f32("", {2}, 8)}, "bad-tensor-name");
    tensor("long name", {f32(std::string(65, 'n').c_str(), {2}, 8)}, "bad-tensor-name");
    tensor("wrong size", {f32("a", {2}, 9)}, "wrong-size");
    tensor("five dimensions", {f32("a", {1, 1, 1, 1, 2}, 8)}, "bad-shape");
    tensor("overflow", {f32("a", {1ull << 40, 1ull << 40}, 0)}, "bad-shape");
    tensor("bytes overflow", {f32("a", {1ull << 62}, 0)}, "bad-shape");
    tensor("partial block", {{"a", 2, {16, 2}, 18}}, "row-not-block-multiple");
    tensor("unknown type", {{"a", 500, {16, 2}, 18}}, "ok");
    tensor("row headers", {{"a", 144, {512, 2}, 552}}, "ok");
    tensor("too much in all", {{"a", 500, {1}, ~0ull - 100}, {"b", 500, {1}, 200}}, "bad-shape");
    tensor("scalar", {f32("a", {}, 4)}, "ok");
    tensor("empty", {f32("a", {0, 5}, 0)}, "ok");
}

void TestGgufWriter::refusals()
{
    QFETCH(std::vector<GgufEntry>, metadata);
    QFETCH(std::vector<GgufTensor>, tensors);
    QFETCH(QString, code);
    QCOMPARE(codeOf(metadata, tensors), code.toStdString());
}

void TestGgufWriter::tensorsThatGiveTheWrongSize()
{
    const auto writer = GgufWriter::create({}, {f32("a", {4}, 16)});
    QVERIFY(writer.has_value());
    for (const std::size_t size : {0, 15, 17, 1000000}) {
        Collected out;
        const std::vector<std::byte> bytes(size);
        const auto written = writer->write(
            [&](std::size_t, const GgufWriter::Sink &sink) { return sink(bytes); }, out.sink());
        QVERIFY(!written);
        QCOMPARE(written.error().code, std::string("wrong-size"));
        QVERIFY(out.bytes.size() <= qsizetype(writer->fileSize()));
    }
}

void TestGgufWriter::sinkErrorsEndIt()
{
    const auto model = openOrFail(dataPath(u"cases/tensors_6000.gguf"_s));
    QVERIFY(model);
    const auto writer = GgufWriter::create(entriesOf(*model), *tensorsOf(*model));
    QVERIFY(writer.has_value());
    int calls = 0;
    const auto written = writer->write(storedData(model), [&](auto) -> Result<void> {
        return ++calls < 2 ? Result<void>() : failure("disk-full", "no space left");
    });
    QVERIFY(!written);
    QCOMPARE(written.error().code, std::string("disk-full"));
    QCOMPARE(calls, 2);
}

void TestGgufWriter::streamsLargeTensors()
{
    const auto model = open(GgufBuilder().tensor("a", GgmlType::F32, {5u << 20}).bytes());
    QVERIFY(model);
    Collected out;
    const auto writer = GgufWriter::create(entriesOf(*model), *tensorsOf(*model));
    QVERIFY(writer.has_value());
    QVERIFY(writer->write(storedData(model), out.sink()).has_value());
    QCOMPARE(out.bytes.size(), qsizetype(writer->fileSize()));
    QVERIFY(out.largest <= 4 << 20); // in pieces, never a tensor at once
}

void TestGgufWriter::refusesWhatHasNoData()
{
    for (const auto &file : {u"download_cut_mid_data"_s, u"data_past_eof"_s, u"types_removed"_s,
                             u"elements_wrap_to_0"_s, u"align_0"_s}) {
        const auto model = openOrFail(dataPath(u"cases/%1.gguf"_s.arg(file)));
        QVERIFY(model);
        QVERIFY2(!tensorsOf(*model), qPrintable(file));
    }
}

QTEST_GUILESS_MAIN(TestGgufWriter)
#include "tst_ggufwriter.moc"
