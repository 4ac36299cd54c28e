// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/incompleteset.h"
#include "core/format/mappedfile.h"
#include "core/format/shardname.h"
#include "core/model/modelsummary.h"
#include "tests/support/ggufbuilder.h"
#include "tests/support/testdata.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace ql;
using namespace ql::test;
using namespace Qt::StringLiterals;

class TestShardSet : public QObject
{
    Q_OBJECT
private slots:
    void init() { m_dir = std::make_unique<QTemporaryDir>(); }
    void takesNamesApart();
    void opensFromAnyShard();
    void opensThroughALink();
    void missingShardsAreNamed();
    void missingFirstShard();
    void brokenShardIsNamed();
    void namedShardBroken();
    void sharedNamesNameBothFiles();
    void wrongKeysAreNamed();
    void alignmentIsEachShardsOwn();
    void aloneWithAShardsName();
    void splitKeyWithoutAName();
    void absurdCounts();

private:
    QString path(int shard, int count) const
    {
        return m_dir->filePath(u"m-%1-of-%2.gguf"_s.arg(shard, 5, 10, '0'_L1).arg(count, 5, 10, '0'_L1));
    }
    std::unique_ptr<QTemporaryDir> m_dir;
};

namespace {

GgufBuilder shard(int number, int count, int tensors)
{
    GgufBuilder builder;
    if (number == 0)
        builder.meta("general.architecture", "llama").meta("general.name", "split one");
    builder.meta("split.no", std::uint16_t(number)).meta("split.count", std::uint16_t(count));
    builder.meta("split.tensors.count", std::int32_t(tensors));
    return builder;
}

QStringList codes(const GgufModelPtr &model)
{
    QStringList list;
    for (const auto &w : model->warnings())
        list << QString::fromStdString(w.code);
    return list;
}

QStringList fields(const GgufModelPtr &model)
{
    QStringList list;
    for (const auto &w : model->warnings())
        list << QString::fromStdString(w.field);
    return list;
}

QStringList names(const GgufModelPtr &model)
{
    QStringList list;
    for (const auto &info : model->tensors())
        list << QString::fromStdString(info.name) + u'@' + QString::number(info.shard);
    return list;
}

} // namespace

void TestShardSet::takesNamesApart()
{
    const auto name = parseShardName("/a/b-00002-of-00013.gguf");
    QVERIFY(name.has_value());
    QCOMPARE(name->stem, std::string("/a/b"));
    QCOMPARE(name->number, 2u);
    QCOMPARE(name->count, 13u);
    QCOMPARE(name->pathOf(7), std::string("/a/b-00007-of-00013.gguf"));
    for (const char *other : {"b.gguf", "b-2-of-3.gguf", "b-00000-of-00003.gguf",
                              "b-00004-of-00003.gguf", "b-00001-of-0000x.gguf",
                              "b_00001-of-00003.gguf", "-00001-of-00003.gguf", "b-00001-of-00003.bin"})
        QVERIFY2(!parseShardName(other), other);
}

void TestShardSet::opensFromAnyShard()
{
    shard(0, 3, 3).writeTo(path(1, 3));
    shard(1, 3, 3).floats("a.weight", {2}, {1, 2}).floats("b.weight", {1}, {3}).writeTo(path(2, 3));
    shard(2, 3, 3).floats("c.weight", {2}, {4, 5}).writeTo(path(3, 3));
    for (int i = 1; i <= 3; ++i) {
        const auto model = openOrFail(path(i, 3));
        QVERIFY(model);
        QCOMPARE(codes(model), QStringList());
        QCOMPARE(names(model), (QStringList{u"a.weight@1"_s, u"b.weight@1"_s, u"c.weight@2"_s}));
        QCOMPARE(model->shards().size(), std::size_t(3));
        QCOMPARE(model->path(), path(i, 3).toStdString());
        QCOMPARE(model->metadata()[0].rawKey, std::string("general.architecture"));
        QCOMPARE(model->metadata()[0].shard, 0u);
        QCOMPARE(model->metadataString("general.name").value_or(""), std::string("split one"));
        QCOMPARE(model->metadataUint("split.no").value_or(9), std::uint64_t(0)); // the first one's
        const auto summary = summarize(*model);
        std::uint64_t size = 0;
        for (int s = 1; s <= 3; ++s)
            size += std::uint64_t(QFile(path(s, 3)).size());
        QCOMPARE(summary->size, size);
        QCOMPARE(summary->totals.parameters, std::uint64_t(5));
    }
}

void TestShardSet::opensThroughALink()
{
    for (int i = 0; i < 3; ++i)
        shard(i, 3, 3).floats("t" + std::to_string(i), {32}, std::vector<float>(32, 1.0f)).writeTo(path(i + 1, 3));
    const QTemporaryDir elsewhere;
    for (const QString &name : {u"model.gguf"_s, u"m-00002-of-00003.gguf"_s}) {
        const QString link = elsewhere.filePath(name);
        QVERIFY(QFile::link(path(2, 3), link));
        const auto model = openModel(link.toStdString());
        QVERIFY(model);
        QCOMPARE((*model)->tensors().size(), 3u);
        QCOMPARE((*model)->path(), link.toStdString());
        QCOMPARE(codes(*model), QStringList());
        QVERIFY(!incompleteError(**model));
    }
}

void TestShardSet::missingShardsAreNamed()
{
    shard(0, 30, 1).writeTo(path(1, 30));
    shard(29, 30, 1).floats("c.weight", {2}, {4, 5}).writeTo(path(30, 30));
    const auto model = openOrFail(path(30, 30));
    QVERIFY(model);
    QCOMPARE(names(model), QStringList{u"c.weight@1"_s});
    QVERIFY(fields(model).contains(u"m-00002-of-00030.gguf"_s));
    QVERIFY(fields(model).contains(u"m-00021-of-00030.gguf"_s));
    QCOMPARE(codes(model).count(u"shard-missing"_s), 21); // twenty by name, the other eight together
}

void TestShardSet::missingFirstShard()
{
    shard(1, 2, 1).floats("a.weight", {2}, {1, 2}).writeTo(path(2, 2));
    const auto model = openOrFail(path(2, 2));
    QVERIFY(model);
    QCOMPARE(codes(model), QStringList{u"shard-missing"_s}); // no word about the architecture
    QCOMPARE(fields(model), QStringList{u"m-00001-of-00002.gguf"_s});
}

void TestShardSet::brokenShardIsNamed()
{
    shard(0, 2, 1).floats("a.weight", {2}, {1, 2}).writeTo(path(1, 2));
    writeFile(path(2, 2), "GGUF\3");
    const auto model = openOrFail(path(1, 2));
    QVERIFY(model);
    QVERIFY(codes(model).contains(u"shard-unreadable"_s));
    QVERIFY(fields(model).contains(u"m-00002-of-00002.gguf"_s));
    QCOMPARE(names(model), QStringList{u"a.weight@0"_s});
}

void TestShardSet::namedShardBroken()
{
    shard(0, 2, 1).floats("a.weight", {2}, {1, 2}).writeTo(path(1, 2));
    writeFile(path(2, 2), "GGUF\3");
    const auto model = openOrFail(path(2, 2)); // what is there is shown
    QVERIFY(model);
    QVERIFY(codes(model).contains(u"shard-unreadable"_s));
    writeFile(path(1, 2), "GGUF\3");
    const auto nothing = openModel(path(2, 2).toStdString());
    QVERIFY(!nothing);
    QCOMPARE(nothing.error().code, std::string("truncated-header"));
}

void TestShardSet::sharedNamesNameBothFiles()
{
    shard(0, 2, 3).floats("a.weight", {1}, {1}).floats("a.weight", {1}, {2}).writeTo(path(1, 2));
    shard(1, 2, 3).floats("a.weight", {1}, {3}).writeTo(path(2, 2));
    const auto model = openOrFail(path(1, 2));
    QVERIFY(model);
    QCOMPARE(names(model), (QStringList{u"a.weight@0"_s, u"a.weight#2@0"_s, u"a.weight#3@1"_s}));
    QCOMPARE(codes(model), (QStringList{u"duplicate-tensor-name"_s, u"duplicate-tensor-name"_s}));
    const auto &message = model->warnings()[1].message;
    QVERIFY(message.find("m-00001-of-00002.gguf") != message.npos);
    QVERIFY(message.find("m-00002-of-00002.gguf") != message.npos);
}

void TestShardSet::wrongKeysAreNamed()
{
    shard(0, 3, 7).floats("a.weight", {1}, {1}).writeTo(path(1, 2));
    shard(0, 2, 7).floats("b.weight", {1}, {1}).writeTo(path(2, 2));
    const auto model = openOrFail(path(1, 2));
    QVERIFY(model);
    auto found = codes(model);
    found.sort();
    QCOMPARE(found, (QStringList{u"split-count-wrong"_s, u"split-number-wrong"_s,
                                 u"split-tensors-wrong"_s}));
}

void TestShardSet::alignmentIsEachShardsOwn()
{
    shard(0, 2, 2).floats("a.weight", {1}, {1}).writeTo(path(1, 2));
    GgufBuilder second;
    second.alignment(128).meta("split.no", std::uint16_t(1)).meta("split.count", std::uint16_t(2));
    second.floats("b.weight", {1}, {1}).writeTo(path(2, 2));
    const auto model = openOrFail(path(1, 2));
    QVERIFY(model);
    QCOMPARE(codes(model), QStringList());
    QCOMPARE(model->shards()[0].alignment, std::uint64_t(32));
    QCOMPARE(model->shards()[1].alignment, std::uint64_t(128));
    QCOMPARE(model->shards()[1].dataOffset % 128, std::uint64_t(0));
}

void TestShardSet::aloneWithAShardsName()
{
    GgufBuilder().meta("general.architecture", "llama").writeTo(path(1, 2));
    const auto model = openOrFail(path(1, 2));
    QVERIFY(model);
    QCOMPARE(codes(model), QStringList());
}

void TestShardSet::splitKeyWithoutAName()
{
    const auto name = m_dir->filePath(u"renamed.gguf"_s);
    shard(0, 2, 1).floats("a.weight", {1}, {1}).writeTo(name);
    QCOMPARE(codes(openOrFail(name)), QStringList{u"split-name"_s});
}

void TestShardSet::absurdCounts()
{
    shard(0, 65535, 1).floats("a.weight", {1}, {1}).writeTo(path(1, 99999));
    const auto model = openOrFail(path(1, 99999));
    QVERIFY(model);
    QVERIFY(model->warnings().size() < 30);
}

QTEST_GUILESS_MAIN(TestShardSet)
#include "tst_shardset.moc"
