// SPDX-License-Identifier: GPL-3.0-or-later
// Real tokenizer files and the split model of the reference data.
#include "core/format/mappedfile.h"
#include "core/model/modelsummary.h"
#include "tests/support/ggufbuilder.h"
#include "tests/support/testdata.h"

#include <QDir>
#include <QTest>
#include <algorithm>

using namespace ql;
using namespace ql::test;
using namespace Qt::StringLiterals;

class TestSharedVocab : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase()
    {
        if (!hasShared())
            QSKIP("not run: the shared reference data is not beside this checkout");
    }
    void vocabularies_data();
    void vocabularies();
    void splitModelIsTheWholeOne();
};

void TestSharedVocab::vocabularies_data()
{
    QTest::addColumn<QString>("file");
    QTest::addColumn<int>("tokens");
    QTest::newRow("bert") << u"models/ggml-vocab-bert-bge.gguf"_s << 30522;
    QTest::newRow("gpt-2") << u"models/ggml-vocab-gpt-2.gguf"_s << 50257;
    QTest::newRow("llama") << u"models/ggml-vocab-llama-spm.gguf"_s << 32000;
}

void TestSharedVocab::vocabularies()
{
    QFETCH(QString, file);
    QFETCH(int, tokens);
    const auto model = openOrFail(sharedPath(file));
    QVERIFY(model);
    QCOMPARE(model->tensors().size(), std::size_t(0));
    for (const auto &warning : model->warnings())
        QVERIFY2(warning.severity == Severity::Info, warning.message.c_str());
    const auto *entry = model->findMetadata("tokenizer.ggml.tokens");
    QVERIFY(entry);
    const auto array = std::get<std::shared_ptr<const MetadataArray>>(entry->value);
    QCOMPARE(array->elementType(), ValueType::String);
    QCOMPARE(array->count(), std::uint64_t(tokens));
    std::uint64_t seen = 0;
    std::uint64_t bytes = 0;
    array->forEachString(0, array->count(), [&](std::uint64_t, std::string_view text) {
        ++seen;
        bytes += text.size();
        return true;
    });
    QCOMPARE(seen, array->count());
    QCOMPARE(bytes + 8 * seen, array->byteSize());
    QVERIFY(summarize(*model)->hasTokenizer);
    QCOMPARE(summarize(*model)->kind, std::string("vocab"));
}

void TestSharedVocab::splitModelIsTheWholeOne()
{
    const auto whole = openOrFail(sharedPath(u"models/tiny-moe-Q4_K_M.gguf"_s));
    const auto split = openOrFail(sharedPath(u"models/tiny-moe-Q4_K_M-split-00002-of-00003.gguf"_s));
    QVERIFY(whole && split);
    const auto rows = [](const GgufModelPtr &model) {
        QStringList list;
        for (const auto &t : model->tensors())
            list << QString::fromStdString(t.name + " " + t.typeName()) + u' '
                    + QString::number(t.byteSize.value_or(0)) + u' '
                    + QString::number(t.elements.value_or(0));
        list.sort();
        return list;
    };
    QCOMPARE(rows(split), rows(whole));
    QCOMPARE(summarize(*split)->totals.bytes, summarize(*whole)->totals.bytes);
    QCOMPARE(split->shards().size(), std::size_t(3));
    for (const auto &warning : split->warnings())
        QVERIFY2(warning.severity == Severity::Info, warning.message.c_str());
}

QTEST_GUILESS_MAIN(TestSharedVocab)
#include "tst_shared_vocab.moc"
