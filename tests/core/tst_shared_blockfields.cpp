// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/quant/blockfields.h"

#include "core/model/tensorview.h"
#include "core/quant/dequantize.h"
#include "tests/support/ggufbuilder.h"
#include "tests/support/testdata.h"

#include <QTest>

#include <bit>
#include <cmath>
#include <cstring>
#include <set>

using namespace ql;

namespace {

bool isSame(float a, float b)
{
    if (std::isnan(a) || std::isnan(b))
        return std::isnan(a) && std::isnan(b);
    return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
}

float floatAt(std::span<const std::byte> bytes, std::uint64_t i)
{
    float value = 0;
    std::memcpy(&value, bytes.data() + 4 * i, 4);
    return value;
}

} // namespace

/// Every block of the reference file, re-computed from its fields.
class SharedBlockFieldsTest : public QObject
{
    Q_OBJECT

private slots:
    void weightsAreTheReferencesBitForBit()
    {
        if (!test::hasShared())
            QSKIP("not run: no reference data beside the checkout");
        const auto model = test::openOrFail(test::sharedPath(QStringLiteral("golden/golden.gguf")));
        std::set<GgmlType> seen;
        for (std::uint32_t i = 0; i < model->tensors().size(); ++i) {
            const TensorInfo &info = model->tensors()[i];
            const auto expected = model->findTensor(info.name + ".f32");
            if (!expected)
                continue;
            compare(TensorView::ofTensor(model, TensorIndex{i}).value(),
                    TensorView::ofTensor(model, *expected).value());
            seen.insert(info.type->type);
        }
        // Plain types wider than a float have no reference of their own there.
        QVERIFY2(seen.size() >= 29, qPrintable(QString::number(seen.size())));
    }

private:
    static void compare(const TensorView &view, const TensorView &expected)
    {
        const std::uint64_t blockSize = view.type().blockSize;
        for (std::uint64_t b = 0; b < view.blocks(); ++b) {
            const BlockFields fields = readBlockFields(view.type().type, view.blockRange(b, 1));
            QCOMPARE(fields.weights.size(), blockSize);
            for (std::uint64_t w = 0; w < blockSize; ++w)
                QVERIFY2(
                    isSame(fields.weights[w].value, floatAt(expected.bytes(), b * blockSize + w)),
                    qPrintable(
                        QStringLiteral("%1 block %2 weight %3")
                            .arg(QString::fromStdString(view.model().tensor(view.tensor()).name))
                            .arg(b)
                            .arg(w)));
        }
    }
};

QTEST_APPLESS_MAIN(SharedBlockFieldsTest)
#include "tst_shared_blockfields.moc"
