// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/output/convert.h"

#include "core/output/atomicfile.h"
#include "core/output/storedbytes.h"
#include "core/quant/quantize.h"
#include "core/stats/metadatadiff.h"
#include "tests/support/ggufbuilder.h"
#include "tests/support/testdata.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <limits>
#include <random>

using namespace ql;
using namespace ql::test;

namespace {

using enum GgmlType;

std::vector<float> noise(std::size_t n, unsigned seed = 3)
{
    std::mt19937 random(seed);
    std::vector<float> weights(n);
    for (float &w : weights)
        w = (static_cast<float>(random() >> 8) - 8388608.0f) * 0x1p-26f;
    return weights;
}

QString caseFile(const char *name) { return dataPath(QStringLiteral("cases/") + QLatin1String(name)); }

ConvertRequest toType(GgmlType type)
{
    ConvertRequest request;
    request.type = type;
    return request;
}

GgufBuilder smallModel()
{
    return GgufBuilder()
        .alignment(64)
        .meta("general.architecture", "llama")
        .meta("general.file_type", std::uint32_t{0})
        .metaArray("tokenizer.ggml.tokens", std::vector<std::string>{"a", "\xff\xfe", ""})
        .floats("token_embd.weight", {256, 6}, noise(1536, 1))
        .floats("blk.0.attn_norm.weight", {256}, noise(256, 2))
        .floats("blk.0.attn_q.weight", {256, 4}, noise(1024, 3))
        .floats("blk.0.ffn_gate_inp.weight", {256, 4}, noise(1024, 4))
        .floats("blk.0.ffn_down_exps.weight", {512, 3, 4}, noise(6144, 5))
        .floats("blk.0.attn_q.bias", {256}, noise(256, 6));
}

std::vector<std::string> typesOf(const GgufModel &model)
{
    std::vector<std::string> types;
    for (const TensorInfo &tensor : model.tensors())
        types.push_back(tensor.typeName());
    return types;
}

QByteArray bytesOf(const GgufModelPtr &model, std::uint32_t index)
{
    const auto view = TensorView::ofTensor(model, {index});
    return view ? QByteArray(reinterpret_cast<const char *>(view->bytes().data()),
                             static_cast<qsizetype>(view->bytes().size()))
                : QByteArray();
}

/// Every tensor of the new file against its source: the same figures as were promised.
void compareWithReport(const GgufModelPtr &source, const GgufModelPtr &made, const ConvertReport &report)
{
    for (std::uint32_t i = 0; i < source->tensors().size(); ++i) {
        TensorPair pair;
        pair.a = {i};
        pair.b = *made->findTensor(source->tensor({i}).name);
        const auto comparison = comparePair(source, made, pair, {});
        QVERIFY(comparison);
        if (!report.errors[i]) {
            QVERIFY((*comparison)->identical || source->shards()[0].bigEndian);
            QCOMPARE((*comparison)->sums.sumSqError, 0.0);
            continue;
        }
        QCOMPARE((*comparison)->sums.sumSqError, report.errors[i]->sumSqError);
        QCOMPARE((*comparison)->sums.sumSqA, report.errors[i]->sumSqA);
        QCOMPARE((*comparison)->sums.maxAbsError, report.errors[i]->maxAbsError);
        QCOMPARE((*comparison)->sums.maxAt, report.errors[i]->maxAt);
    }
}

/// Cuts the input off behind the header as soon as something is written.
class CuttingSink final : public ByteSink
{
public:
    CuttingSink(int descriptor, const QString &input) : m_sink(descriptor, "out"), m_input(input) {}
    Result<void> write(std::span<const std::byte> bytes) override
    {
        if (!QFile::resize(m_input, 4096))
            return failure("usage", "can't cut");
        return m_sink.write(bytes);
    }

private:
    DescriptorSink m_sink;
    QString m_input;
};

} // namespace

class ConvertTest : public QObject
{
    Q_OBJECT

    QTemporaryDir m_dir;
    int m_files = 0;

    QString newPath() { return m_dir.filePath(QStringLiteral("f%1.gguf").arg(++m_files)); }
    GgufModelPtr open(const GgufBuilder &builder)
    {
        const QString path = newPath();
        builder.writeTo(path);
        return openOrFail(path);
    }
    Result<ConvertReport> write(const ConvertPlan &plan, const QString &path, std::stop_token stop = {},
                                const ProgressFn &progress = {})
    {
        auto file = AtomicFile::create(path.toStdString(), false, filesOf(*plan.model));
        if (!file)
            return tl::unexpected(file.error());
        auto report = writePlan(plan, **file, {}, stop, progress);
        if (!report)
            return report;
        if (auto done = (*file)->commit(); !done)
            return tl::unexpected(done.error());
        return report;
    }
    /// Plans and writes; null after failing the test.
    GgufModelPtr convert(const GgufModelPtr &model, const ConvertRequest &request)
    {
        const auto plan = planConversion(model, request);
        if (!plan) {
            QTest::qFail(plan.error().message.c_str(), __FILE__, __LINE__);
            return nullptr;
        }
        const QString path = newPath();
        const auto report = write(*plan, path);
        if (!report) {
            QTest::qFail(report.error().message.c_str(), __FILE__, __LINE__);
            return nullptr;
        }
        const auto made = openOrFail(path);
        if (QFile(path).size() != static_cast<qint64>(plan->file->fileSize()))
            QTest::qFail("the size is not the planned one", __FILE__, __LINE__);
        compareWithReport(model, made, *report);
        return made;
    }
    int filesInFolder() { return static_cast<int>(QDir(m_dir.path()).entryList(QDir::Files | QDir::Hidden).size()); }

private slots:
    void withoutOptionsNothingChanges()
    {
        const auto model = open(smallModel());
        const auto made = convert(model, {});
        QCOMPARE(typesOf(*made), typesOf(*model));
        for (std::uint32_t i = 0; i < 6; ++i)
            QCOMPARE(bytesOf(made, i), bytesOf(model, i));
        QVERIFY(made->warnings().empty());
        QCOMPARE(made->shards()[0].alignment, std::uint64_t{64});
        const auto diff = diffMetadata(*model, *made);
        QVERIFY(diff.onlyA.empty() && diff.onlyB.empty() && diff.changed.empty());
    }

    void typeIsForMainWeights()
    {
        const auto made = convert(open(smallModel()), toType(Q4_K));
        QCOMPARE(typesOf(*made), (std::vector<std::string>{"Q4_K", "F32", "Q4_K", "F32", "Q4_K", "F32"}));
        QCOMPARE(*made->metadataUint("general.file_type"), std::uint64_t{14});
        QCOMPARE(*made->metadataUint("general.quantization_version"), std::uint64_t{2});
        QCOMPARE(*made->metadataString("general.architecture"), std::string("llama"));
        QVERIFY(made->warnings().empty());
    }

    void everyTypeKeepsItsPromise_data()
    {
        QTest::addColumn<int>("type");
        for (const GgmlType type : quantizableTypes())
            QTest::newRow(std::string(traits(type).name).c_str()) << static_cast<int>(type);
    }
    void everyTypeKeepsItsPromise()
    {
        QFETCH(int, type);
        const auto model = open(smallModel());
        const auto plan = planConversion(model, toType(static_cast<GgmlType>(type)));
        QVERIFY(plan);
        const auto promised = measurePlan(*plan, {});
        QVERIFY(promised);
        const QString path = newPath();
        QVERIFY(write(*plan, path));
        const auto made = openOrFail(path);
        QVERIFY(made->warnings().empty());
        compareWithReport(model, made, *promised);
    }

    void theLastPatternWins()
    {
        ConvertRequest request = toType(Q4_0);
        for (const char *text : {"attn_q=q8_0", "weight$=q6_K", R"(^blk\.\d+\.attn_q\.=Q5_K)", "bias=bf16", "gate_inp=f16"})
            request.patterns.push_back(*parseTypePattern(text));
        const auto made = convert(open(smallModel()), request);
        // The norm is not quantized, pattern or not.
        QCOMPARE(typesOf(*made), (std::vector<std::string>{"Q6_K", "F32", "Q5_K", "F16", "Q6_K", "BF16"}));
        QCOMPARE(*made->metadataUint("general.file_type"), std::uint64_t{18});
    }

    void choicesOfSingleTensorsWin()
    {
        ConvertRequest request = toType(Q4_0);
        request.choices = {{{2}, Q8_0}, {{0}, F32}};
        const auto made = convert(open(smallModel()), request);
        QCOMPARE(typesOf(*made), (std::vector<std::string>{"F32", "F32", "Q8_0", "F32", "Q4_0", "F32"}));
    }

    void patternsAreChecked()
    {
        QCOMPARE(parseTypePattern("attn_q").error().code, std::string(BadPatternCode));
        QCOMPARE(parseTypePattern("attn_q=q9_9").error().code, std::string(BadPatternCode));
        QCOMPARE(parseTypePattern("attn_q=iq2_xxs").error().code, std::string(NeedsMatrixCode));
        ConvertRequest request;
        request.patterns = {{"attn_(q", Q4_K}};
        QCOMPARE(planConversion(open(smallModel()), request).error().code, std::string(BadPatternCode));
    }

    void metadataChanges()
    {
        const auto model = open(smallModel());
        ConvertRequest request;
        for (const char *text : {"general.name=Ünsinn: a=b", "x.y:f32=0.1", "general.file_type=7", "flag:bool=true",
                                 "odd:key:string=v", R"(bytes=\xff\\)"})
            request.changes.push_back(*parseMetadataSet(*model, text));
        request.changes.push_back(*parseMetadataUnset(*model, "tokenizer.ggml.tokens"));
        const auto made = convert(model, request);
        QCOMPARE(*made->metadataString("general.name"), std::string("Ünsinn: a=b"));
        QCOMPARE(std::get<float>(made->findMetadata("x.y")->value), 0.1f);
        QCOMPARE(*made->metadataUint("general.file_type"), std::uint64_t{7});
        QCOMPARE(std::get<BoolByte>(made->findMetadata("flag")->value).byte, std::uint8_t{1});
        QCOMPARE(*made->metadataString("odd:key"), std::string("v"));
        QCOMPARE(*made->metadataString("bytes"), std::string("\xff\\"));
        QVERIFY(!made->findMetadata("tokenizer.ggml.tokens"));
    }

    void badMetadataChangesAreRefused()
    {
        const auto model = open(smallModel());
        for (const char *text : {"nothing", "=x", "general.file_type=-1", "general.file_type=x", "n:u8=256",
                                 "n:f32=1,5", "n:bool=maybe", "odd:key=v", "tokenizer.ggml.tokens=x"})
            QCOMPARE(parseMetadataSet(*model, text).error().code, std::string(BadValueCode));
        QCOMPARE(parseMetadataUnset(*model, "no.such").error().code, std::string(NoSuchKeyCode));
        ConvertRequest request;
        request.changes = {*parseMetadataSet(*model, "general.alignment=24")};
        QCOMPARE(planConversion(model, request).error().field, std::string("general.alignment"));
    }

    void alignmentMayChange()
    {
        const auto model = open(smallModel());
        ConvertRequest request = toType(Q6_K);
        request.changes = {*parseMetadataSet(*model, "general.alignment=4096")};
        const auto made = convert(model, request);
        QCOMPARE(made->shards()[0].alignment, std::uint64_t{4096});
        QCOMPARE(*made->tensor({3}).absoluteOffset % 4096, std::uint64_t{0});
        QVERIFY(made->warnings().empty());
    }

    void shardsAreJoined()
    {
        const auto model = openOrFail(caseFile("shards3/shards3-00002-of-00003.gguf"));
        QCOMPARE(model->shards().size(), std::size_t{3});
        const auto made = convert(model, {});
        QCOMPARE(made->shards().size(), std::size_t{1});
        QCOMPARE(made->tensors().size(), model->tensors().size());
        for (const MetadataEntry &entry : made->metadata())
            QVERIFY(!entry.rawKey.starts_with("split."));
        QVERIFY(made->warnings().empty());
    }

    void oldVersionsAndTheOtherByteOrderBecomeNew_data()
    {
        QTest::addColumn<QString>("file");
        for (const char *name : {"version_1.gguf", "version_2.gguf", "big_endian_f32.gguf", "ok_all_value_types.gguf",
                                 "empty_arrays.gguf", "vocab_50k.gguf", "bool_2.gguf", "align_24_valid.gguf",
                                 "offset_unaligned.gguf", "gap_between_tensors.gguf", "name_63_bytes.gguf"})
            QTest::newRow(name) << caseFile(name);
    }
    void oldVersionsAndTheOtherByteOrderBecomeNew()
    {
        QFETCH(QString, file);
        const auto model = openOrFail(file);
        const auto plan = planConversion(model, {});
        if (!plan) { // data that isn't there can't be copied
            QVERIFY(!model->warnings().empty());
            QCOMPARE(plan.error().code, std::string("no-bytes"));
            return;
        }
        const QString path = newPath();
        QVERIFY(write(*plan, path));
        const auto made = openOrFail(path);
        QCOMPARE(made->shards()[0].version, 3u);
        QVERIFY(!made->shards()[0].bigEndian);
        const auto diff = diffMetadata(*model, *made);
        QVERIFY(diff.onlyB.empty() && diff.changed.empty());
        for (std::uint32_t i = 0; i < model->tensors().size(); ++i) {
            TensorPair pair;
            pair.a = pair.b = {i};
            const auto comparison = comparePair(model, made, pair, {});
            QVERIFY(comparison);
            QVERIFY((*comparison)->identical || (*comparison)->sums.sumSqError == 0);
        }
    }

    void bigEndianArraysAndTensorsAreTurnedRound()
    {
        const auto build = [](bool big) {
            GgufBuilder builder;
            if (big)
                builder.bigEndian();
            return builder.metaArray("numbers", std::vector<std::uint16_t>{1, 2, 65535})
                .metaArray("texts", std::vector<std::string>{"x", "yz"})
                .metaNested("nested", {{1, -2}, {}, {3}})
                .meta("f", 1.5)
                .floats("w.weight", {256, 2}, noise(512));
        };
        const auto little = open(build(false));
        const auto made = convert(open(build(true)), {});
        QVERIFY(diffMetadata(*little, *made).changed.empty());
        QCOMPARE(bytesOf(made, 0), bytesOf(little, 0));
        const auto quantized = convert(open(build(true)), toType(Q4_K));
        QCOMPARE(bytesOf(quantized, 0), bytesOf(convert(little, toType(Q4_K)), 0));
    }

    void threadsChangeNoByte()
    {
        const auto model = open(GgufBuilder().floats("w.weight", {512, 6000}, noise(512 * 6000)));
        const auto plan = planConversion(model, toType(Q5_K));
        QByteArray files[2];
        for (const unsigned threads : {1u, 4u}) {
            const QString path = newPath();
            auto file = AtomicFile::create(path.toStdString(), false, {});
            QVERIFY(writePlan(*plan, **file, {threads, false}));
            QVERIFY((*file)->commit());
            QFile written(path);
            QVERIFY(written.open(QIODevice::ReadOnly));
            files[threads / 4] = written.readAll();
        }
        QVERIFY(files[0] == files[1]);
    }

    void cancelLeavesNothing()
    {
        const auto model = open(GgufBuilder().floats("w.weight", {512, 9000}, noise(512 * 9000)));
        const auto plan = planConversion(model, toType(Q4_K));
        const int before = filesInFolder();
        std::stop_source stop;
        const auto report = write(*plan, newPath(), stop.get_token(), [&](const Progress &) { stop.request_stop(); });
        QVERIFY(!report);
        QCOMPARE(report.error().code, std::string(StoppedCode));
        QCOMPARE(filesInFolder(), before);
    }

    void inputsCutWhileCopiedAreSaidToHaveChanged()
    {
        const auto model = open(GgufBuilder().meta("general.architecture", "llama").floats("a.weight", {256, 512}, noise(131072)));
        const QString input = QString::fromStdString(model->path());
        QFile out(newPath());
        QVERIFY(out.open(QIODevice::WriteOnly));
        CuttingSink sink(out.handle(), input);
        const auto written = writePlan(planConversion(model, {}).value(), sink, {});
        QVERIFY(!written);
        QCOMPARE(written.error().code, "file-changed");
        const auto again = writeStored(*model, {0}, sink);
        QVERIFY(!again);
        QCOMPARE(again.error().code, "file-changed");
    }

    // The manifest's cases with an action of requantizing.

    void nanSourcesAreRefused()
    {
        const auto model = openOrFail(caseFile("requant_nan_source.gguf"));
        // Of one row: --type leaves it alone and yet won't write it, a pattern encodes it.
        std::vector<ConvertRequest> requests{toType(Q4_K)};
        for (const char *text : {"ffn_up=q4_K", ".*=q8_0", "ffn_up=iq4_nl", "ffn_up=bf16"})
            requests.push_back(ConvertRequest{{}, {*parseTypePattern(text)}, {}, {}});
        for (const ConvertRequest &request : requests) {
            const auto plan = planConversion(model, request);
            QVERIFY(plan);
            const int before = filesInFolder();
            for (const auto &report : {measurePlan(*plan, {}), write(*plan, newPath())}) {
                QVERIFY(!report);
                QCOMPARE(report.error().code, std::string(NotFiniteCode));
                QCOMPARE(report.error().field, std::string("blk.0.ffn_up.weight"));
                QVERIFY(report.error().message.find("element 77") != std::string::npos);
            }
            QCOMPARE(filesInFolder(), before);
        }
    }

    void overflowingScalesAreRefused()
    {
        const auto model = openOrFail(caseFile("q8_scale_overflow.gguf"));
        const auto passedOver = planConversion(model, toType(Q8_0));
        QVERIFY(passedOver && passedOver->notes.size() == 1);
        QVERIFY(passedOver->notes[0].find("'w.weight': it has one row") != std::string::npos);
        const auto plan = planConversion(model, ConvertRequest{{}, {*parseTypePattern("w=q8_0")}, {}, {}});
        QVERIFY(plan);
        for (const auto &report : {measurePlan(*plan, {}), write(*plan, newPath())}) {
            QVERIFY(!report);
            QCOMPARE(report.error().code, std::string(ScaleOverflowCode));
            QCOMPARE(report.error().field, std::string("w.weight"));
        }
    }

    void rowsOf288FallBackByName()
    {
        const auto model = openOrFail(caseFile("quant_cols_288.gguf"));
        const auto plan = planConversion(model, toType(Q4_K));
        QVERIFY(plan);
        std::string notes;
        for (const std::string &note : plan->notes)
            notes += note + "\n";
        QVERIFY(notes.find("ffn_down") != std::string::npos);
        QVERIFY(notes.find("rows of 288 don't fit Q4_K (blocks of 256): IQ4_NL instead") != std::string::npos);
        const auto made = convert(model, toType(Q4_K));
        for (const TensorInfo &tensor : made->tensors())
            QCOMPARE(tensor.typeName(), std::string(tensor.ne[0] == 256 ? "Q4_K" : tensor.ne.size() == 1 ? "F32" : "IQ4_NL"));
        QVERIFY(made->warnings().empty());
    }

    void quantizedSourcesAreSaid()
    {
        const auto model = openOrFail(caseFile("requant_from_quant.gguf"));
        const auto plan = planConversion(model, toType(Q8_0));
        QVERIFY(plan);
        QVERIFY(plan->notes.front().find("quantized already") != std::string::npos);
        const auto eight = convert(model, toType(Q8_0));
        QCOMPARE(*eight->metadataUint("general.file_type"), std::uint64_t{7});
        // Q4_0 -> F32 -> Q4_0 keeps the values.
        const auto plain = convert(model, toType(F32));
        const auto back = convert(plain, toType(Q4_0));
        QCOMPARE(*back->metadataUint("general.file_type"), std::uint64_t{2});
        TensorPair pair;
        const auto comparison = comparePair(model, back, pair, {});
        QVERIFY(comparison);
        QVERIFY((*comparison)->identical || (*comparison)->sums.sumSqError == 0);
    }

    void typesThatNeedAMatrixAreRefused()
    {
        const auto model = openOrFail(caseFile("quant_needs_imatrix.gguf"));
        const auto plan = planConversion(model, toType(IQ2_XXS));
        QVERIFY(!plan);
        QCOMPARE(plan.error().code, std::string(NeedsMatrixCode));
        QVERIFY(plan.error().message.find("importance matrix") != std::string::npos);
    }

    void whatCantBeCopiedIsRefusedByName()
    {
        for (const auto &[file, code] : {std::pair{"dup_tensor_name.gguf", "duplicate-tensor-name"},
                                         std::pair{"type_99_unknown.gguf", "no-bytes"},
                                         std::pair{"download_cut_mid_data.gguf", "no-bytes"}}) {
            const auto plan = planConversion(openOrFail(caseFile(file)), {});
            QVERIFY2(!plan, file);
            QCOMPARE(plan.error().code, std::string(code));
            QVERIFY(!plan.error().field.empty());
        }
    }

    /// Every file of the cases that opens either converts or says why not; what is written opens.
    void allCases()
    {
        int made = 0;
        for (const QString &name : QDir(dataPath(QStringLiteral("cases"))).entryList({QStringLiteral("*.gguf")})) {
            const auto model = openModel((dataPath(QStringLiteral("cases/")) + name).toStdString());
            if (!model)
                continue;
            for (const ConvertRequest &request : {ConvertRequest(), toType(Q8_0)}) {
                const auto plan = planConversion(*model, request);
                if (!plan) {
                    QVERIFY2(!plan.error().message.empty(), qPrintable(name));
                    continue;
                }
                const QString path = newPath();
                const auto report = write(*plan, path);
                if (!report)
                    continue;
                const auto written = openModel(path.toStdString());
                QVERIFY2(written.has_value(), qPrintable(name));
                QCOMPARE((*written)->tensors().size(), (*model)->tensors().size());
                ++made;
            }
        }
        QVERIFY2(made > 60, qPrintable(QString::number(made)));
    }
};

QTEST_APPLESS_MAIN(ConvertTest)
#include "tst_convert.moc"
