// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/app/clirunner.h"
#include "tests/support/testdata.h"

#include <QFile>
#include <QMap>
#include <QSet>

using namespace ql;
using namespace ql::test;

namespace {

QString sample() { return QStringLiteral(QL_SOURCE_DIR "/resources/sample/tiny-moe-Q4_K_M.gguf"); }
QString caseFile(const QString &name) { return dataPath(QStringLiteral("cases/") + name); }

QJsonArray manifest()
{
    QFile file(caseFile(QStringLiteral("manifest.json")));
    if (!file.open(QIODevice::ReadOnly))
        return {};
    return QJsonDocument::fromJson(file.readAll()).object()[QStringLiteral("cases")].toArray();
}

QJsonValue metadataValue(const QJsonObject &info, const QString &key)
{
    for (const auto &entry : info[QStringLiteral("metadata")].toArray()) {
        if (entry[QStringLiteral("key")] == key)
            return entry[QStringLiteral("value")];
    }
    return QJsonValue::Undefined;
}

/// What must not depend on how the tensors are spread over files.
QJsonArray tensorsWithoutPlace(const QJsonObject &info)
{
    QJsonArray list;
    for (const auto &entry : info[QStringLiteral("tensors")].toArray()) {
        QJsonObject tensor = entry.toObject();
        tensor.remove(QStringLiteral("offset"));
        tensor.remove(QStringLiteral("shard"));
        list.append(tensor);
    }
    return list;
}

/// A warning of the wanted kind about the wanted place.
bool hasWarning(const QJsonArray &warnings, const QJsonObject &wanted)
{
    for (const auto &warning : warnings) {
        const bool field = warning[QStringLiteral("field")] == wanted[QStringLiteral("field")];
        const bool offset = wanted[QStringLiteral("offset")].isNull()
            || warning[QStringLiteral("offset")] == wanted[QStringLiteral("offset")];
        if (field && offset && warning[QStringLiteral("severity")] != QStringLiteral("info"))
            return true;
    }
    return false;
}

} // namespace

class CliInfoTest : public QObject
{
    Q_OBJECT

private slots:
    void jsonHasEveryKeyOfTheContract()
    {
        const QJsonObject info = runCli("info --json %1", sample()).json();
        const auto keys = [](const QJsonValue &value) {
            const QStringList list = value.toObject().keys();
            return QSet<QString>(list.begin(), list.end());
        };
        const auto set = [](const char *words) {
            const QStringList list = QString::fromUtf8(words).split(QLatin1Char(' '));
            return QSet<QString>(list.begin(), list.end());
        };
        QCOMPARE(keys(info), set("file metadata tensors totals estimates warnings"));
        const QJsonValue file = info[QStringLiteral("file")];
        QCOMPARE(keys(file), set("path size shards"));
        QCOMPARE(keys(file[QStringLiteral("shards")][0]),
                 set("path size version endian alignment data_offset tensors"));
        QCOMPARE(keys(info[QStringLiteral("tensors")][0]),
                 set("name type type_id shape elements bytes offset shard bits_per_weight layer role experts expert"));
        QCOMPARE(keys(info[QStringLiteral("totals")]),
                 set("tensors parameters bytes bits_per_weight unsized by_type"));
        QCOMPARE(keys(info[QStringLiteral("totals")][QStringLiteral("by_type")][0]),
                 set("type tensors parameters bytes"));
    }

    void figuresOfTheSample()
    {
        const QJsonObject info = runCli("info --json %1", sample()).json();
        QCOMPARE(info[QStringLiteral("file")][QStringLiteral("path")].toString(), sample());
        QCOMPARE(info[QStringLiteral("file")][QStringLiteral("size")].toInteger(), 2702240);
        const QJsonValue exps = info[QStringLiteral("tensors")][8];
        QCOMPARE(exps[QStringLiteral("name")].toString(), QStringLiteral("blk.0.ffn_gate_exps.weight"));
        QCOMPARE(exps[QStringLiteral("shape")].toArray(), (QJsonArray{256, 256, 8}));
        QCOMPARE(exps[QStringLiteral("role")].toString(), QStringLiteral("ffn_gate_exps"));
        QCOMPARE(exps[QStringLiteral("layer")].toInt(), 0);
        QCOMPARE(exps[QStringLiteral("experts")].toInt(), 8);
        QVERIFY(exps[QStringLiteral("expert")].isNull());
        QCOMPARE(exps[QStringLiteral("bits_per_weight")].toDouble(), 4.5);
        QCOMPARE(info[QStringLiteral("totals")][QStringLiteral("parameters")].toInteger(), 4134144);
        QCOMPARE(info[QStringLiteral("warnings")].toArray(), QJsonArray());
        // 2 layers x 2 kv heads x (64 + 64) x 2 bytes
        QCOMPARE(info[QStringLiteral("estimates")][QStringLiteral("kv_bytes_per_token_f16")].toInt(), 1024);
    }

    void arraysShowEightElementsOrAll()
    {
        const QJsonValue few = metadataValue(runCli("info --json %1", sample()).json(),
                                             QStringLiteral("tokenizer.ggml.tokens"));
        QCOMPARE(few.toArray().size(), 8);
        const QJsonValue all = metadataValue(runCli("info --json --full %1", sample()).json(),
                                             QStringLiteral("tokenizer.ggml.tokens"));
        QCOMPARE(all.toArray().size(), 384);
        QCOMPARE(all[0].toString(), QStringLiteral("<unk>"));
    }

    void anyShardOpensTheWholeModel_data()
    {
        QTest::addColumn<QString>("shard");
        for (int i = 1; i <= 3; ++i)
            QTest::addRow("%d", i) << dataPath(QStringLiteral("models/tiny-moe-Q4_K_M-split-0000%1-of-00003.gguf").arg(i));
    }

    void anyShardOpensTheWholeModel()
    {
        QFETCH(QString, shard);
        const QJsonObject whole = runCli("info --json %1", sample()).json();
        const CliRun run = runCli("info --json %1", shard);
        QCOMPARE(run.code, 0);
        QCOMPARE(tensorsWithoutPlace(run.json()), tensorsWithoutPlace(whole));
        QVERIFY(!tensorsWithoutPlace(whole).isEmpty());
        QCOMPARE(run.json()[QStringLiteral("totals")], whole[QStringLiteral("totals")]);
        QCOMPARE(run.json()[QStringLiteral("file")][QStringLiteral("shards")].toArray().size(), 3);
        QCOMPARE(run.json()[QStringLiteral("file")][QStringLiteral("path")].toString(), shard);
    }

    void checkMeetsTheManifest_data()
    {
        QTest::addColumn<QJsonObject>("wanted");
        for (const auto &entry : manifest())
            QTest::newRow(entry[QStringLiteral("id")].toString().toUtf8()) << entry.toObject();
        QVERIFY(manifest().size() > 80);
    }

    void checkMeetsTheManifest()
    {
        QFETCH(QJsonObject, wanted);
        const QString expect = wanted[QStringLiteral("expect")].toString();
        const CliRun run = runCli("check --json %1", caseFile(wanted[QStringLiteral("file")].toString()));
        const QJsonArray warnings = run.json()[QStringLiteral("warnings")].toArray();
        if (expect == QLatin1String("open")) {
            QVERIFY2(run.code == 0, run.out.constData());
        } else if (expect == QLatin1String("warn")) {
            QCOMPARE(run.code, 1);
            QVERIFY2(hasWarning(warnings, wanted), run.out.constData());
        } else {
            QCOMPARE(run.code, 3);
            const QJsonValue error = run.json()[QStringLiteral("error")];
            QCOMPARE(error[QStringLiteral("field")], wanted[QStringLiteral("field")]);
            QCOMPARE(error[QStringLiteral("offset")], wanted[QStringLiteral("offset")]);
            QVERIFY(!error[QStringLiteral("code")].toString().isEmpty());
            QVERIFY(!error[QStringLiteral("message")].toString().isEmpty());
            QVERIFY(!run.err.isEmpty());
        }
    }

    void infoMeetsTheFactsOfTheManifest_data()
    {
        QTest::addColumn<QJsonObject>("wanted");
        for (const auto &entry : manifest()) {
            const QJsonObject facts = entry[QStringLiteral("facts")].toObject();
            if (!facts.isEmpty())
                QTest::newRow(entry[QStringLiteral("id")].toString().toUtf8()) << entry.toObject();
        }
    }

    void infoMeetsTheFactsOfTheManifest()
    {
        QFETCH(QJsonObject, wanted);
        const QJsonObject facts = wanted[QStringLiteral("facts")].toObject();
        const CliRun run = runCli("info --json %1", caseFile(wanted[QStringLiteral("file")].toString()));
        QCOMPARE(run.code, 0);
        const QJsonObject info = run.json();
        const auto check = [&](const char *fact, const QJsonValue &value) {
            if (facts.contains(QLatin1String(fact)))
                QCOMPARE(value, facts[QLatin1String(fact)]);
        };
        const QJsonValue shard = info[QStringLiteral("file")][QStringLiteral("shards")][0];
        check("n_tensors", info[QStringLiteral("tensors")].toArray().size());
        check("n_tensors_set", info[QStringLiteral("tensors")].toArray().size());
        check("n_kv", info[QStringLiteral("metadata")].toArray().size());
        check("data_start", shard[QStringLiteral("data_offset")]);
        check("endian", shard[QStringLiteral("endian")]);
        check("kv_bytes_per_token_f16", info[QStringLiteral("estimates")][QStringLiteral("kv_bytes_per_token_f16")]);
        const QJsonObject values = facts[QStringLiteral("facts_kv")].toObject();
        for (const QString &key : values.keys())
            QCOMPARE(metadataValue(info, key), values[key]);
    }

    void noFactsForAModelThatIsNotCausal()
    {
        const QJsonObject info = runCli("info --json %1", caseFile(QStringLiteral("bert_no_kv_cache.gguf"))).json();
        QVERIFY(info[QStringLiteral("estimates")][QStringLiteral("kv_bytes_per_token_f16")].isNull());
    }

    void retiredAndUnknownTypesAreNamed()
    {
        const auto types = [](const char *file) {
            QStringList list;
            const QJsonObject info = runCli("info --json %1", caseFile(QString::fromUtf8(file))).json();
            for (const auto &tensor : info[QStringLiteral("tensors")].toArray())
                list << tensor[QStringLiteral("type")].toString();
            return list;
        };
        QVERIFY(types("types_removed.gguf").contains(QStringLiteral("Q4_2 (retired)")));
        QVERIFY(types("type_99_unknown.gguf").contains(QStringLiteral("unknown(99)")));
    }

    void duplicateNamesAreToldApart()
    {
        QStringList names;
        const QJsonObject info = runCli("info --json %1", caseFile(QStringLiteral("dup_tensor_name.gguf"))).json();
        for (const auto &tensor : info[QStringLiteral("tensors")].toArray())
            names << tensor[QStringLiteral("name")].toString();
        QVERIFY(names.contains(QStringLiteral("token_embd.weight")));
        QVERIFY(names.contains(QStringLiteral("token_embd.weight#2")));
    }

    void nothingForATerminalToActOn()
    {
        for (const char *line : {"info %1", "check %1", "info --json %1", "stats %1"}) {
            const CliRun run = runCli(line, caseFile(QStringLiteral("control_chars.gguf")));
            const QByteArray all = run.out + run.err;
            QVERIFY(all.size() > 20);
            QVERIFY(!all.contains('\x1b'));
            QVERIFY(!all.contains("\xe2\x80\xae"));
        }
    }

    void deepCheckCountsNonFiniteWeights()
    {
        const CliRun run = runCli("check --deep --json %1", caseFile(QStringLiteral("nan_scale_in_expert.gguf")));
        QCOMPARE(run.code, 1);
        QMap<QString, QString> found;
        for (const auto &warning : run.json()[QStringLiteral("warnings")].toArray())
            found[warning[QStringLiteral("code")].toString()] = warning[QStringLiteral("message")].toString();
        // One block with a NaN scale, one with an infinite one (times zero: NaN again).
        QVERIFY(found[QStringLiteral("nan-weights")].contains(QStringLiteral(" 33 NaN weights, the first at row 5, column 0")));
        QVERIFY(found[QStringLiteral("inf-weights")].contains(QStringLiteral(" 31 infinite weights, the first at row 6, column 0")));
        QCOMPARE(runCli("check %1", caseFile(QStringLiteral("nan_scale_in_expert.gguf"))).code, 0);
    }

    void deepCheckNotesTheDeadExpertAndExitsWith0()
    {
        // Layer 0's expert 2 is all zeros: 256 rows of 256 weights, a block each.
        const CliRun run = runCli("check --deep --json %1", sample());
        QCOMPARE(run.code, 0);
        int rows = 0;
        for (const auto &warning : run.json()[QStringLiteral("warnings")].toArray()) {
            QCOMPARE(warning[QStringLiteral("severity")].toString(), QStringLiteral("info"));
            const QString message = warning[QStringLiteral("message")].toString();
            if (warning[QStringLiteral("code")] == QStringLiteral("zero-rows")
                && warning[QStringLiteral("field")] == QStringLiteral("blk.0.ffn_up_exps.weight")) {
                QVERIFY2(message.contains(QStringLiteral(" 256 all-zero rows of 2048, the first is row 512")),
                         qPrintable(message));
                ++rows;
            }
        }
        QCOMPARE(rows, 1);
    }
};

QL_CLI_TEST_MAIN(CliInfoTest)
#include "tst_cli_info.moc"
