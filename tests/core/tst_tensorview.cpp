// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/mappedfile.h"
#include "core/model/tensorview.h"
#include "tests/support/ggufbuilder.h"

#include <QTemporaryDir>
#include <QTest>

using namespace ql;
using namespace ql::test;
using namespace Qt::StringLiterals;

class TestTensorView : public QObject
{
    Q_OBJECT
private slots:
    void rowsAndBlocks();
    void experts();
    void expertsThatAreNot();
    void rowRanges();
    void scalarsAndEmptyTensors();
    void fourDimensions();
    void keepsTheModelAlive();
    void undecodableTensors();

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

/// Bytes that say where they are: byte i is i mod 251.
QByteArray pattern(qsizetype size)
{
    QByteArray bytes(size, '\0');
    for (qsizetype i = 0; i < size; ++i)
        bytes[i] = char(i % 251);
    return bytes;
}

bool startsAt(std::span<const std::byte> bytes, std::size_t place)
{
    return !bytes.empty() && std::to_integer<int>(bytes.front()) == int(place % 251)
        && std::to_integer<int>(bytes.back()) == int((place + bytes.size() - 1) % 251);
}

std::string codeOf(const Result<TensorView> &view) { return view ? "ok" : view.error().code; }

GgufBuilder llama()
{
    GgufBuilder builder;
    builder.meta("general.architecture", "llama");
    return builder;
}

constexpr TensorIndex First{0};

} // namespace

void TestTensorView::rowsAndBlocks()
{
    const auto model = open(llama().tensor("a", GgmlType::Q4_K, {512, 3}, pattern(144 * 2 * 3)));
    QVERIFY(model);
    const auto view = *TensorView::ofTensor(model, First);
    QCOMPARE(view.columns(), std::uint64_t(512));
    QCOMPARE(view.rows(), std::uint64_t(3));
    QCOMPARE(view.elements(), std::uint64_t(1536));
    QCOMPARE(view.rowBytes(), std::uint64_t(288));
    QCOMPARE(view.blocks(), std::uint64_t(6));
    QCOMPARE(view.slabs(), std::uint64_t(1));
    QVERIFY(startsAt(view.row(2), 576));
    QCOMPARE(view.row(2).size(), std::size_t(288));
    QVERIFY(startsAt(view.blockRange(3, 2), 432));
    QCOMPARE(view.blockRange(3, 2).size(), std::size_t(288));
    QVERIFY(!view.bigEndian());
    QCOMPARE(view.tensor(), First);
}

void TestTensorView::experts()
{
    const auto model =
        open(llama().tensor("blk.0.ffn_up_exps.weight", GgmlType::Q8_0, {64, 3, 5}, pattern(68 * 15)));
    QVERIFY(model);
    QCOMPARE(model->tensor(First).experts, std::optional<std::uint64_t>(5));
    const auto whole = *TensorView::ofTensor(model, First);
    QCOMPARE(whole.slabs(), std::uint64_t(5));
    QCOMPARE(whole.slabRows(), std::uint64_t(3));
    for (std::uint64_t e = 0; e < 5; ++e) {
        const auto expert = *TensorView::ofExpert(model, First, e);
        QCOMPARE(expert.rows(), std::uint64_t(3));
        QCOMPARE(expert.slabs(), std::uint64_t(1));
        QCOMPARE(expert.bytes().size(), std::size_t(68 * 3));
        QVERIFY(startsAt(expert.bytes(), e * 68 * 3));
    }
    QCOMPARE(codeOf(TensorView::ofExpert(model, First, 5)), std::string("no-such-expert"));
    QCOMPARE(codeOf(TensorView::ofExpert(model, First, ~0ull)), std::string("no-such-expert"));
}

void TestTensorView::expertsThatAreNot()
{
    const auto model = open(llama().floats("flat", {4, 2}, std::vector<float>(8))
                                .floats("deep", {2, 2, 2, 2}, std::vector<float>(16)));
    QVERIFY(model);
    QCOMPARE(codeOf(TensorView::ofExpert(model, First, 0)), std::string("no-experts"));
    QCOMPARE(codeOf(TensorView::ofExpert(model, TensorIndex{1}, 0)), std::string("no-experts"));
}

void TestTensorView::rowRanges()
{
    const auto model = open(llama().tensor("a", GgmlType::I8, {10, 4, 3}, pattern(120)));
    QVERIFY(model);
    const auto view = *TensorView::ofTensor(model, First);
    const auto part = *view.rowRange(5, 7);
    QCOMPARE(part.rows(), std::uint64_t(2));
    QCOMPARE(part.slabs(), std::uint64_t(1));
    QVERIFY(startsAt(part.bytes(), 50));
    QCOMPARE(view.rowRange(4, 12)->slabs(), std::uint64_t(2));
    QCOMPARE(view.rowRange(12, 12)->rows(), std::uint64_t(0));
    QVERIFY(startsAt(part.rowRange(1, 2)->bytes(), 60));
    QCOMPARE(codeOf(view.rowRange(5, 13)), std::string("no-such-rows"));
    QCOMPARE(codeOf(view.rowRange(7, 5)), std::string("no-such-rows"));
}

void TestTensorView::scalarsAndEmptyTensors()
{
    const auto model = open(llama().floats("scalar", {}, {42.5f})
                                .tensor("no columns", GgmlType::F32, {0, 1000})
                                .tensor("no rows", GgmlType::Q4_0, {32, 0})
                                .tensor("nothing at all", GgmlType::F32,
                                        {0, std::uint64_t(1) << 40, std::uint64_t(1) << 40}));
    QVERIFY(model);
    const auto scalar = *TensorView::ofTensor(model, First);
    QCOMPARE(scalar.elements(), std::uint64_t(1));
    QCOMPARE(scalar.rows(), std::uint64_t(1));
    for (const std::uint32_t i : {1u, 2u, 3u}) {
        const auto view = TensorView::ofTensor(model, TensorIndex{i});
        QVERIFY2(view.has_value(), view ? "" : view.error().message.c_str());
        QCOMPARE(view->elements(), std::uint64_t(0));
        QCOMPARE(view->rows(), std::uint64_t(0)); // so that a loop over rows ends
        QCOMPARE(view->bytes().size(), std::size_t(0));
    }
}

void TestTensorView::fourDimensions()
{
    const auto model = open(llama().tensor("a", GgmlType::I8, {3, 2, 4, 5}, pattern(120)));
    QVERIFY(model);
    const auto view = *TensorView::ofTensor(model, First);
    QCOMPARE(view.rows(), std::uint64_t(40));
    QCOMPARE(view.slabs(), std::uint64_t(20));
    QCOMPARE(view.slabRows(), std::uint64_t(2));
}

void TestTensorView::keepsTheModelAlive()
{
    auto model = open(llama().tensor("a", GgmlType::I8, {100}, pattern(100)));
    const std::weak_ptr<const GgufModel> watch = model;
    {
        const auto view = *TensorView::ofTensor(std::exchange(model, nullptr), First);
        QVERIFY(!watch.expired());
        QVERIFY(startsAt(view.bytes(), 0));
    }
    QVERIFY(watch.expired());
}

void TestTensorView::undecodableTensors()
{
    const auto model = open(llama().tensorRaw("a", 137, {256}, pattern(76)));
    QVERIFY(model);
    const auto view = TensorView::ofTensor(model, First);
    QCOMPARE(codeOf(view), std::string("not-decodable"));
    QCOMPARE(view.error().field, std::string("a"));
    QVERIFY(view.error().message.find("IQ2_K") != std::string::npos);
}

QTEST_GUILESS_MAIN(TestTensorView)
#include "tst_tensorview.moc"
