// SPDX-License-Identifier: GPL-3.0-or-later
// The decoded weights of the case files: first values, count and digest as the manifest has them.
#include "core/format/shardset.h"
#include "core/model/tensorview.h"
#include "core/quant/dequantize.h"
#include "tests/support/testdata.h"

#include <QCryptographicHash>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>
#include <cmath>

using namespace ql;
using namespace Qt::StringLiterals;

class TestCaseValues : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase();
    void tensors_data();
    void tensors();
    void experts_data();
    void experts();
    void nonfinite_data();
    void nonfinite();

private:
    void addRows(const QString &fact) const;
    QJsonArray m_cases;
};

namespace {

GgufModelPtr openCase(const QString &file)
{
    const auto model = openModel(test::dataPath(u"cases/"_s + file).toStdString());
    return model ? *model : nullptr;
}

std::vector<float> decode(const TensorView &view)
{
    std::vector<std::byte> little(view.bytes().begin(), view.bytes().end());
    if (view.bigEndian())
        swapBlocks(view.type().type, view.bytes().data(), little.data(), view.blocks());
    std::vector<float> values(view.elements());
    dequantizer(view.type().type)(little.data(), values.data(), view.blocks());
    return values;
}

QByteArray digest(const std::vector<float> &values)
{
    const QByteArrayView raw(reinterpret_cast<const char *>(values.data()),
                             static_cast<qsizetype>(values.size() * sizeof(float)));
    return QCryptographicHash::hash(raw.toByteArray(), QCryptographicHash::Sha256).toHex();
}

void compare(const std::vector<float> &values, const QJsonObject &wanted)
{
    const auto first = wanted["first"_L1].toArray();
    QVERIFY(!first.isEmpty());
    QVERIFY(values.size() >= std::size_t(first.size()));
    for (qsizetype i = 0; i < first.size(); ++i)
        QCOMPARE(double(values[std::size_t(i)]), double(float(first[i].toDouble())));
    QCOMPARE(digest(values), wanted["sha256_f32le"_L1].toString().toLatin1());
}

} // namespace

void TestCaseValues::initTestCase()
{
    QFile file(test::dataPath(u"cases/manifest.json"_s));
    QVERIFY(file.open(QIODevice::ReadOnly));
    m_cases = QJsonDocument::fromJson(file.readAll())["cases"_L1].toArray();
    QVERIFY(m_cases.size() >= 90);
}

void TestCaseValues::addRows(const QString &fact) const
{
    QTest::addColumn<QString>("file");
    QTest::addColumn<QJsonObject>("wanted");
    for (const auto value : m_cases) {
        const auto object = value.toObject();
        for (const auto entry : object["facts"_L1].toObject()[fact].toArray()) {
            const auto wanted = entry.toObject();
            QTest::addRow("%s: %s", qPrintable(object["id"_L1].toString()),
                          qPrintable(wanted["tensor"_L1].toString()))
                << object["file"_L1].toString() << wanted;
        }
    }
}

void TestCaseValues::tensors_data() { addRows(u"values"_s); }

void TestCaseValues::tensors()
{
    QFETCH(QString, file);
    QFETCH(QJsonObject, wanted);
    const auto model = openCase(file);
    QVERIFY(model);
    const auto index = model->findTensor(wanted["tensor"_L1].toString().toStdString());
    QVERIFY(index.has_value());
    const auto view = TensorView::ofTensor(model, *index);
    QVERIFY2(view.has_value(), view ? "" : view.error().message.c_str());
    QCOMPARE(qint64(view->elements()), wanted["count"_L1].toInteger());
    compare(decode(*view), wanted);
}

void TestCaseValues::experts_data() { addRows(u"slices"_s); }

void TestCaseValues::experts()
{
    QFETCH(QString, file);
    QFETCH(QJsonObject, wanted);
    const auto model = openCase(file);
    QVERIFY(model);
    const auto index = model->findTensor(wanted["tensor"_L1].toString().toStdString());
    QVERIFY(index.has_value());
    const auto expert = std::uint64_t(wanted["expert"_L1].toInteger());
    const auto view = TensorView::ofExpert(model, *index, expert);
    QVERIFY2(view.has_value(), view ? "" : view.error().message.c_str());
    const auto shape = wanted["shape_ne"_L1].toArray();
    QCOMPARE(qint64(view->columns()), shape[0].toInteger());
    QCOMPARE(qint64(view->rows()), shape[1].toInteger());
    compare(decode(*view), wanted);
}

void TestCaseValues::nonfinite_data()
{
    QTest::addColumn<QString>("file");
    QTest::addColumn<QString>("tensor");
    QTest::addColumn<int>("count");
    for (const auto value : m_cases) {
        const auto object = value.toObject();
        const auto wanted = object["facts"_L1].toObject()["nonfinite"_L1].toObject();
        for (auto it = wanted.begin(); it != wanted.end(); ++it)
            QTest::addRow("%s", qPrintable(it.key()))
                << object["file"_L1].toString() << it.key() << it->toInt();
    }
}

void TestCaseValues::nonfinite()
{
    QFETCH(QString, file);
    QFETCH(QString, tensor);
    QFETCH(int, count);
    const auto model = openCase(file);
    QVERIFY(model);
    const auto index = model->findTensor(tensor.toStdString());
    QVERIFY(index.has_value());
    const auto view = TensorView::ofTensor(model, *index);
    QVERIFY(view.has_value());
    const auto values = decode(*view);
    QCOMPARE(std::ranges::count_if(values, [](float v) { return !std::isfinite(v); }), count);
}

QTEST_GUILESS_MAIN(TestCaseValues)
#include "tst_case_values.moc"
