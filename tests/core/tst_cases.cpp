// SPDX-License-Identifier: GPL-3.0-or-later
// Every case of tests/data/cases/manifest.json that is about opening: what must open, what must
// open with a warning that names the place, what must be refused and how.
#include "core/format/mappedfile.h"
#include "core/format/shardset.h"
#include "core/model/modelsummary.h"
#include "core/model/tensorname.h"
#include "tests/support/testdata.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

using namespace ql;
using namespace Qt::StringLiterals;

class TestCases : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase();
    void opens_data() { rows(); }
    void opens();
    void facts_data() { rows(); }
    void facts();

private:
    void rows() const;
    QJsonObject theCase() const;
    static Result<GgufModelPtr> open(const QJsonObject &theCase);

    QMap<QString, QJsonObject> m_cases;
};

namespace {

std::string utf8(const QJsonValue &value) { return value.toString().toStdString(); }

QByteArray listed(const std::vector<Warning> &warnings)
{
    QByteArray text;
    for (const auto &w : warnings)
        text += "\n  " + QByteArray::fromStdString(w.code) + " field '"
            + QByteArray::fromStdString(w.field) + "' offset "
            + (w.offset ? QByteArray::number(qulonglong(*w.offset)) : QByteArray("none")) + ": "
            + QByteArray::fromStdString(w.message);
    return text;
}

bool isAboveInfo(const Warning &warning) { return warning.severity != Severity::Info; }

bool names(const std::string &field, const std::optional<std::uint64_t> &offset,
           const QJsonObject &expected)
{
    if (field != utf8(expected["field"_L1]))
        return false;
    const auto wanted = expected["offset"_L1];
    return wanted.isNull() || (offset && *offset == std::uint64_t(wanted.toInteger()));
}

QString expectation(const GgufModelPtr &model, const QJsonObject &facts, const QString &fact)
{
    // Each fact as text, so that a mismatch shows both sides.
    if (fact == "n_tensors"_L1 || fact == "n_tensors_set"_L1)
        return QString::number(model->tensors().size());
    if (fact == "n_kv"_L1)
        return QString::number(model->metadata().size());
    if (fact == "data_start"_L1)
        return QString::number(model->shards()[0].dataOffset);
    if (fact == "endian"_L1)
        return model->shards()[0].bigEndian ? u"big"_s : u"little"_s;
    if (fact == "kv_bytes_per_token_f16"_L1)
        return QString::number(summarize(*model)->kvBytesPerTokenF16.value_or(0));
    Q_UNUSED(facts)
    return {};
}

QString textOf(const QJsonValue &value)
{
    return value.isString() ? value.toString() : QString::number(value.toInteger());
}

void checkValues(const GgufModelPtr &model, const QJsonObject &wanted)
{
    for (auto it = wanted.begin(); it != wanted.end(); ++it) {
        const auto key = it.key().toStdString();
        if (it->isString())
            QCOMPARE(model->metadataString(key).value_or("(absent)"), utf8(*it));
        else
            QCOMPARE(model->metadataUint(key).value_or(~0ull), std::uint64_t(it->toInteger()));
    }
}

QStringList badTensors(const GgufModelPtr &model)
{
    QStringList bad;
    for (const auto &info : model->tensors()) {
        if (!info.isDecodable())
            bad << QString::fromStdString(info.name);
    }
    return bad;
}

} // namespace

void TestCases::initTestCase()
{
    QFile file(test::dataPath(u"cases/manifest.json"_s));
    QVERIFY(file.open(QIODevice::ReadOnly));
    const auto document = QJsonDocument::fromJson(file.readAll());
    for (const auto value : document["cases"_L1].toArray()) {
        const auto object = value.toObject();
        m_cases.insert(object["id"_L1].toString(), object);
    }
    QVERIFY(m_cases.size() >= 90);
}

void TestCases::rows() const
{
    QTest::addColumn<QString>("id");
    for (const auto &id : m_cases.keys())
        QTest::newRow(qPrintable(id)) << id;
}

QJsonObject TestCases::theCase() const
{
    QFETCH(QString, id);
    return m_cases[id];
}

Result<GgufModelPtr> TestCases::open(const QJsonObject &theCase)
{
    return openModel(test::dataPath(u"cases/"_s + theCase["file"_L1].toString()).toStdString());
}

void TestCases::opens()
{
    const auto expected = theCase();
    const auto expect = expected["expect"_L1].toString();
    const auto model = open(expected);
    if (expect == "refuse"_L1) {
        QVERIFY2(!model, "opened");
        const auto &error = model.error();
        const auto said = QByteArray::fromStdString(error.code + " '" + error.field + "' "
            + (error.offset ? std::to_string(*error.offset) : "none") + ": " + error.message);
        QVERIFY2(names(error.field, error.offset, expected), said.constData());
        QVERIFY2(!error.code.empty() && error.message.size() > 10, said.constData());
        return;
    }
    QVERIFY2(model.has_value(), model ? "" : model.error().message.c_str());
    const auto &warnings = (*model)->warnings();
    const bool loud = std::ranges::any_of(warnings, isAboveInfo);
    if (expect == "open"_L1)
        QVERIFY2(!loud, listed(warnings).constData());
    else
        QVERIFY2(std::ranges::any_of(warnings,
                                     [&](const Warning &w) {
                                         return isAboveInfo(w) && names(w.field, w.offset, expected);
                                     }),
                 listed(warnings).constData());
}

void TestCases::facts()
{
    const auto expected = theCase();
    const auto facts = expected["facts"_L1].toObject();
    if (facts.isEmpty() || expected["expect"_L1].toString() == "refuse"_L1)
        return;
    const auto model = open(expected);
    QVERIFY(model.has_value());
    for (const auto &fact : {u"n_tensors"_s, u"n_tensors_set"_s, u"n_kv"_s, u"data_start"_s,
                             u"endian"_s, u"kv_bytes_per_token_f16"_s}) {
        if (facts.contains(fact))
            QCOMPARE(expectation(*model, facts, fact), textOf(facts[fact]));
    }
    checkValues(*model, facts["facts_kv"_L1].toObject());
    if (facts.contains("bad_tensors"_L1)) {
        QStringList bad;
        for (const auto name : facts["bad_tensors"_L1].toArray())
            bad << name.toString();
        QCOMPARE(badTensors(*model), bad);
    }
}

QTEST_GUILESS_MAIN(TestCases)
#include "tst_cases.moc"
