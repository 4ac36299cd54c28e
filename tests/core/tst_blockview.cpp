// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/quant/blockview.h"

#include "core/quant/dequantize.h"
#include "tests/support/ggufbuilder.h"
#include "tests/support/testdata.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace ql;
using ql::test::GgufBuilder;

namespace {

GgufModelPtr sample()
{
    return test::openOrFail(test::dataPath(QStringLiteral("models/tiny-moe-Q2_K.gguf")));
}

} // namespace

class BlockViewTest : public QObject
{
    Q_OBJECT

private slots:
    void everyBlockIsTheDecoders()
    {
        const auto model = sample();
        for (std::uint32_t i = 0; i < model->tensors().size(); ++i) {
            const auto view = TensorView::ofTensor(model, TensorIndex{i}).value();
            const std::uint64_t row = view.rows() / 2;
            const auto block = readBlockView(view, row, view.columns() - 1).value();
            std::vector<float> expected(view.type().blockSize);
            dequantizer(view.type().type)(
                view.blockRange((row + 1) * view.blocksPerRow() - 1, 1).data(), expected.data(), 1);
            for (std::size_t w = 0; w < expected.size(); ++w)
                QCOMPARE(block->fields.weights[w].value, expected[w]);
            QCOMPARE(block->block, view.blocksPerRow() - 1);
            QCOMPARE(block->firstColumn + view.type().blockSize, view.columns());
        }
    }

    void theOffsetIsWhereTheBytesLieInTheFile()
    {
        const auto model = sample();
        const auto index = *model->findTensor("blk.0.ffn_down_exps.weight");
        const auto view = TensorView::ofExpert(model, index, 3).value();
        const auto block = readBlockView(view, 5, 100).value();
        QFile file(test::dataPath(QStringLiteral("models/tiny-moe-Q2_K.gguf")));
        QVERIFY(file.open(QIODevice::ReadOnly));
        file.seek(static_cast<qint64>(block->fileOffset));
        const QByteArray bytes = file.read(static_cast<qint64>(block->bytes.size()));
        QCOMPARE(bytes,
                 QByteArray(reinterpret_cast<const char *>(block->bytes.data()), bytes.size()));
        QCOMPARE(QString::fromStdString(block->tensorName),
                 QStringLiteral("blk.0.ffn_down_exps.weight"));
        QCOMPARE(block->rows, view.rows());
    }

    void bigEndianBlocksAreShownLittleEndian()
    {
        QTemporaryDir folder;
        GgufBuilder b;
        b.bigEndian();
        const QString path = folder.filePath(QStringLiteral("be.gguf"));
        GgufBuilder()
            .bigEndian()
            .tensor("q", GgmlType::Q8_0, {32},
                    b.number(std::uint16_t{0x3800}) + QByteArray(32, char(3)))
            .writeTo(path);
        const auto view = TensorView::ofTensor(test::openOrFail(path), TensorIndex{0}).value();
        const auto block = readBlockView(view, 0, 31).value();
        QVERIFY(block->bigEndian);
        QCOMPARE(block->bytes[0], std::byte{0x00});
        QCOMPARE(block->bytes[1], std::byte{0x38});
        QCOMPARE(block->fields.weights[31].value, 1.5f);
    }

    void placesOutsideAreErrors()
    {
        const auto model = sample();
        const auto view = TensorView::ofTensor(model, TensorIndex{0}).value();
        for (const auto &[row, column] :
             {std::pair{view.rows(), std::uint64_t{0}}, {std::uint64_t{0}, view.columns()}}) {
            const auto block = readBlockView(view, row, column);
            QVERIFY(!block);
            QCOMPARE(block.error().code, "out-of-range");
        }
    }
};

QTEST_APPLESS_MAIN(BlockViewTest)
#include "tst_blockview.moc"
