// SPDX-License-Identifier: GPL-3.0-or-later
// Taking things out of the window: Export…, Save as…, Verify…, and a candidate as B.

#include "app/exportwiring.h"
#include "core/format/shardset.h"
#include "core/output/atomicfile.h"
#include "core/output/convert.h"
#include "core/output/modelhash.h"
#include "tests/app/windowfixture.h"
#include "tests/support/ggufbuilder.h"
#include "tests/support/testdata.h"
#include "widgets/choicebox.h"
#include "widgets/exportdialog.h"
#include "widgets/messagebar.h"
#include "widgets/models/whatifmodel.h"
#include "widgets/saveasdialog.h"
#include "widgets/verifydialog.h"
#include "widgets/whatifpanel.h"

#include <QCheckBox>
#include <QDir>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QPushButton>
#include <QSpinBox>
#include <QStandardPaths>
#include <QTableView>

#include <limits>

using namespace ql;
using namespace ql::test;

namespace {

constexpr int LongMs = WindowFixture::LongMs;

QString sample() { return dataPath(QStringLiteral("models/tiny-moe-Q4_K_M-split-00001-of-00003.gguf")); }

QByteArray contents(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

} // namespace

class ExportWindowTest : public QObject
{
    Q_OBJECT

    std::unique_ptr<WindowFixture> m_fixture;
    WindowFixture &f() { return *m_fixture; }

    template <class Dialog>
    Dialog *dialog(const char *action)
    {
        f().action(action)->trigger();
        auto *result = f().window().findChild<Dialog *>();
        if (!result)
            qFatal("no dialog");
        return result;
    }

    /// What the export test reads back: the first values of a row, from the core.
    double weight(const char *name, std::uint64_t row, std::uint64_t column)
    {
        const auto view = TensorView::ofTensor(f().document().model, f().tensor(name));
        const auto page = readValues(*view, {row, 1, column, 1});
        return (*page)->value(row, column);
    }

private slots:
    void initTestCase() { QStandardPaths::setTestModeEnabled(true); }
    void init() { m_fixture = std::make_unique<WindowFixture>(); }
    void cleanup() { m_fixture.reset(); }

    void anExpertsRowsAsCsv()
    {
        f().open(sample());
        f().select("blk.1.ffn_down_exps.weight");
        auto *box = dialog<ExportDialog>("actionExport");
        box->findChild<ChoiceBox *>(QStringLiteral("exportPart"))->setCurrentIndex(1);
        box->findChild<QSpinBox *>(QStringLiteral("exportExpert"))->setValue(2);
        box->findChild<QLineEdit *>(QStringLiteral("exportRows"))->setText(QStringLiteral("3:5"));
        box->findChild<ChoiceBox *>(QStringLiteral("exportFormat"))->choose(ExportWish::Csv);
        auto *path = box->findChild<QLineEdit *>(QStringLiteral("exportPath"));
        QVERIFY2(path->text().endsWith(QStringLiteral("blk.1.ffn_down_exps.weight.csv")), qPrintable(path->text()));
        path->setText(f().path("part.csv"));
        auto *size = box->findChild<QLabel *>(QStringLiteral("exportSize"));
        QTRY_VERIFY_WITH_TIMEOUT(size->text().startsWith(QStringLiteral("about ")), LongMs);
        QSignalSpy exported(&f().session().exports(), &ExportService::exported);
        QTest::mouseClick(box->findChild<QPushButton *>(QStringLiteral("exportSave")), Qt::LeftButton);
        QVERIFY(exported.wait(LongMs));
        const QList<QByteArray> lines = contents(f().path("part.csv")).trimmed().split('\n');
        QCOMPARE(lines.size(), 2);
        const auto &info = f().document().model->tensor(f().tensor("blk.1.ffn_down_exps.weight"));
        QCOMPARE(lines[0].split(',').size(), qsizetype(info.ne[0]));
        QCOMPARE(lines[1].split(',')[7].toFloat(),
                 float(weight("blk.1.ffn_down_exps.weight", 2 * info.ne[1] + 4, 7)));
    }

    void aSelectionInValuesWithItsColumns()
    {
        f().open(sample());
        f().select("blk.0.attn_q.weight");
        const auto info = std::shared_ptr<const TensorInfo>(f().document().model, &f().document().model->tensor(f().tensor("blk.0.attn_q.weight")));
        ExportSubject subject{info, {}, ValuesWindow{10, 3, 20, 2}, true};
        ExportDialog box(subject, f().path(""));
        const ExportWish wish = box.wish();
        QCOMPARE(wish.rows->first, std::uint64_t{10});
        QCOMPARE(wish.rows->last, std::uint64_t{13});
        QCOMPARE(wish.columns->last, std::uint64_t{22});
        QVERIFY(!box.findChild<ChoiceBox *>(QStringLiteral("exportFormat"))->isItemEnabled(3));
        // Through the context menu of the Values view the same dialog opens.
        f().window().findChild<QAction *>(QStringLiteral("valuesExport"))->trigger();
        QVERIFY(f().window().findChild<ExportDialog *>());
    }

    void wrongRowsCantBeExported()
    {
        f().open(sample());
        f().select("blk.0.attn_q.weight");
        auto *box = dialog<ExportDialog>("actionExport");
        box->findChild<QLineEdit *>(QStringLiteral("exportRows"))->setText(QStringLiteral("5:999999"));
        QVERIFY(!box->findChild<QPushButton *>(QStringLiteral("exportSave"))->isEnabled());
        QVERIFY(box->findChild<QLabel *>(QStringLiteral("exportSize"))->text().startsWith(QStringLiteral("Rows are from:to")));
    }

    void anInputIsNeverWrittenOver()
    {
        const QString in = f().path("in.gguf");
        GgufBuilder().floats("blk.0.ffn_up.weight", {256, 2}, std::vector<float>(512, 1.0f)).writeTo(in);
        const QByteArray before = contents(in);
        f().open(in);
        QSignalSpy failed(&f().session().exports(), &ExportService::failed);
        f().session().exports().exportTensor(f().document(), {0}, {}, in);
        QVERIFY(failed.wait(LongMs));
        QCOMPARE(failed[0][1].value<Error>().code, std::string("output-is-input"));
        QSignalSpy refused(&f().session().conversions(), &ConvertService::failed);
        f().session().conversions().convert(f().document(), {}, in);
        QVERIFY(refused.wait(LongMs));
        QCOMPARE(refused[0][1].value<Error>().code, std::string("output-is-input"));
        QCOMPARE(contents(in), before);
    }

    void aCancelledExportLeavesNothing()
    {
        const QString big = f().path("big.gguf");
        GgufBuilder builder;
        builder.tensorRaw("w", 0, {1u << 14, 1u << 14}, QByteArray(32, '\0'));
        test::writeFile(big, builder.bytes());
        QFile file(big);
        QVERIFY(file.resize((qint64(1) << 30) + file.size() - 32));
        f().open(big);
        QSignalSpy stopped(&f().session().exports(), &ExportService::stopped);
        const JobId id = f().session().exports().exportTensor(f().document(), {0}, {}, f().path("out.csv"));
        QTest::qWait(100);
        f().session().jobs().cancel(id);
        QVERIFY(stopped.wait(LongMs));
        QVERIFY(!QFile::exists(f().path("out.csv")));
    }

    void saveAsWritesWhatThePreviewSaid()
    {
        f().open(sample());
        auto *box = dialog<SaveAsDialog>("actionSaveAs");
        auto *types = box->findChild<ChoiceBox *>(QStringLiteral("saveAsTypes"));
        QVERIFY(!types->isItemEnabled(1)); // nothing chosen in What if
        types->choose(static_cast<int>(GgmlType::Q8_0));
        box->addEdit(QStringLiteral("general.name"), QStringLiteral("string"), QStringLiteral("another name"), false);
        box->findChild<QLineEdit *>(QStringLiteral("saveAsPath"))->setText(f().path("new.gguf"));
        auto *save = box->findChild<QPushButton *>(QStringLiteral("saveAsSave"));
        QTRY_VERIFY_WITH_TIMEOUT(save->isEnabled(), LongMs);
        QSignalSpy converted(&f().session().conversions(), &ConvertService::converted);
        QTest::mouseClick(save, Qt::LeftButton);
        QVERIFY(converted.wait(LongMs));
        const auto outcome = converted[0][0].value<ConvertOutcome>();
        QCOMPARE(qint64(outcome.bytes), QFile(f().path("new.gguf")).size());
        QVERIFY(outcome.encoded > 0 && outcome.relativeRmse && *outcome.relativeRmse < 0.01);
        const auto written = openOrFail(f().path("new.gguf"));
        QCOMPARE(written->shards().size(), std::size_t{1});
        QCOMPARE(*written->metadataString("general.name"), std::string("another name"));
        QCOMPARE(written->tensor(*written->findTensor("blk.0.attn_q.weight")).typeName(), std::string("Q8_0"));
        // And what then: compare with it.
        auto *then = f().window().findChild<QPushButton *>(QStringLiteral("savedCompare"));
        QVERIFY(then);
        QSignalSpy changed(&f().session(), &Session::documentChanged);
        then->click();
        QVERIFY(changed.wait(LongMs));
        QCOMPARE(f().document(Side::B).model->path(), f().path("new.gguf").toStdString());
    }

    void saveAsRefusesNaNWithTensorAndElement()
    {
        std::vector<float> weights(512, 0.5f);
        weights[77] = std::numeric_limits<float>::quiet_NaN();
        GgufBuilder().floats("blk.0.ffn_up.weight", {256, 2}, weights).writeTo(f().path("nan.gguf"));
        f().open(f().path("nan.gguf"));
        ConvertOrder order;
        order.type = GgmlType::Q4_K;
        QSignalSpy failed(&f().session().conversions(), &ConvertService::failed);
        f().session().conversions().convert(f().document(), order, f().path("out.gguf"));
        QVERIFY(failed.wait(LongMs));
        const QString shown = f().window().panels().message->text();
        QVERIFY2(shown.contains(QStringLiteral("blk.0.ffn_up.weight")) && shown.contains(QStringLiteral("element 77")), qPrintable(shown));
        QVERIFY(!QFile::exists(f().path("out.gguf")));
        QCOMPARE(QDir(f().path("")).entryList({QStringLiteral("*out*")}, QDir::Files | QDir::Hidden), QStringList());
    }

    void aWrongMetadataChangeIsSaidInTheDialog()
    {
        f().open(sample());
        auto *box = dialog<SaveAsDialog>("actionSaveAs");
        box->addEdit(QStringLiteral("some.number"), QStringLiteral("u8"), QStringLiteral("300"), false);
        auto *size = box->findChild<QLabel *>(QStringLiteral("saveAsSize"));
        QTRY_VERIFY_WITH_TIMEOUT(size->text().contains(QStringLiteral("300")), LongMs);
        QVERIFY(!box->findChild<QPushButton *>(QStringLiteral("saveAsSave"))->isEnabled());
    }

    void verifyPutsMismatchesIntoTheFindings()
    {
        const QString in = f().path("in.gguf");
        std::vector<float> weights(512, 0.5f);
        weights[77] = std::numeric_limits<float>::quiet_NaN();
        GgufBuilder().meta("general.architecture", "llama").floats("blk.0.ffn_up.weight", {256, 2}, weights)
            .floats("blk.1.ffn_up.weight", {256, 2}, std::vector<float>(512, 1.0f)).writeTo(in);
        f().open(in);
        const auto hashes = hashModel(*f().document().model, {{HashAlgorithm::Xxh64}, true, true, {}});
        QVERIFY(hashes);
        const std::string good = hashLine(HashAlgorithm::Xxh64, hashes->tensors[0][0], "in.gguf:blk.0.ffn_up.weight");
        const std::string bad = hashLine(HashAlgorithm::Xxh64, "0123456789abcdef", "in.gguf:blk.1.ffn_up.weight");
        test::writeFile(f().path("in.xxh"), QByteArray::fromStdString(good + bad));
        auto *box = dialog<VerifyDialog>("actionVerify");
        box->findChild<QLineEdit *>(QStringLiteral("verifyManifest"))->setText(f().path("in.xxh"));
        QVERIFY(box->findChild<QCheckBox *>(QStringLiteral("verifyDeep"))->isChecked());
        QSignalSpy verified(&f().session().verification(), &VerifyService::verified);
        QTest::mouseClick(box->findChild<QPushButton *>(QStringLiteral("verifyStart")), Qt::LeftButton);
        QVERIFY(verified.wait(LongMs));
        const QString shown = f().window().panels().message->text();
        QVERIFY2(shown.contains(QStringLiteral("1 of 2 digests match")), qPrintable(shown));
        auto *list = f().find<QTableView>("bannerList");
        QStringList messages;
        for (int i = 0; i < list->model()->rowCount(); ++i)
            messages += list->model()->index(i, 1).data().toString();
        const QString all = messages.join(QLatin1Char('\n'));
        QVERIFY2(all.contains(QStringLiteral("0123456789abcdef")), qPrintable(all));
        QVERIFY2(all.contains(QStringLiteral("NaN")), qPrintable(all));
        QVERIFY(list->isVisible());
    }

    void aCandidateOpensAsB()
    {
        f().open(sample());
        QSignalSpy changed(&f().session(), &Session::documentChanged);
        QSignalSpy ready(&f().session().comparison(), &ComparisonService::pairReady);
        const TensorIndex tensor = f().tensor("blk.0.attn_q.weight");
        emit f().window().panels().whatIf->candidateRequested(tensor, GgmlType::Q2_K);
        QVERIFY(changed.wait(LongMs));
        QCOMPARE(f().document(Side::B).model->tensor(tensor).typeName(), std::string("Q2_K"));
        QVERIFY(f().find<QLabel>("nameB")->text().endsWith(QStringLiteral("blk.0.attn_q.weight as Q2_K")));
        QVERIFY(!ready.isEmpty() || ready.wait(LongMs));
        const auto promised = measureTypes(f().document().model, tensor, std::vector{GgmlType::Q2_K});
        QCOMPARE(ready[0][1].value<ComparisonPtr>()->sums.relativeRmse(), promised->front().errors.relativeRmse());
        // A reload opens the file anew; the candidate of the old one goes.
        f().session().reload();
        QVERIFY(!f().document(Side::B));
    }
};

QTEST_MAIN(ExportWindowTest)
#include "tst_export_window.moc"
