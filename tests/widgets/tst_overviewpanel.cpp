// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/widgets/literals.h"

#include "core/format/shardset.h"
#include "tests/support/summarybuilder.h"
#include "tests/support/testdata.h"
#include "tests/widgets/cpuclock.h"
#include "tests/widgets/picture.h"
#include "widgets/models/itemroles.h"
#include "widgets/models/tableactions.h"
#include "widgets/models/totalsmodel.h"
#include "widgets/models/warningsmodel.h"
#include "widgets/overviewbar.h"
#include "widgets/overviewgrid.h"
#include "widgets/overviewpanel.h"
#include "widgets/stateplaceholder.h"

#include <QAbstractItemModelTester>
#include <QLabel>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>
#include <QToolButton>

using namespace ql;
using namespace ql::test;

namespace {

ModelSummaryPtr fileSummary(const char *path)
{
    const auto model = openModel(dataPath(path).toStdString());
    return model ? summarize(**model) : nullptr;
}

struct Shown {
    OverviewPanel panel;
    QSignalSpy activated{&panel, &OverviewPanel::tensorActivated};

    explicit Shown(ModelSummaryPtr model)
    {
        panel.resize(1040, 780);
        panel.setModel(std::move(model));
        panel.show();
        (void)QTest::qWaitForWindowExposed(&panel);
    }

    template <class T>
    T *part(const char *name)
    {
        return panel.findChild<T *>(name);
    }
    QString text(const char *name) { return part<QLabel>(name)->text(); }
    OverviewGrid *grid() { return part<OverviewGrid>("overviewGrid"); }

    QPoint centerOf(LayerGridSpot spot)
    {
        return grid()->geometryOfCells().cellRect(spot).center();
    }
    std::uint32_t lastTensor() { return activated.last().at(0).value<TensorIndex>().value; }
};

} // namespace

class OverviewPanelTest : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates)); }

    void factsOfARealFile()
    {
        const auto model = fileSummary("models/tiny-moe-Q2_K.gguf");
        QVERIFY(model);
        Shown shown(model);
        QCOMPARE(shown.text("overviewName"), QString::fromStdString(model->name));
        QCOMPARE(shown.text("fact_fileType"), "Q2_K");
        QCOMPARE(shown.text("fact_tensors"), QString::number(model->tensors.size()));
        QCOMPARE(shown.text("fact_version"), "3");
        QCOMPARE(shown.text("fact_byteOrder"), "little-endian");
        QCOMPARE(shown.text("fact_alignment"), "32 B");
        QCOMPARE(shown.text("fact_bitsPerWeight"),
                 QString::number(*model->totals.bitsPerWeight, 'f', 2));
        QVERIFY(shown.text("fact_kvBytes").endsWith("B"));
        QCOMPARE(shown.text("overviewKind"),
                 QString::fromStdString(model->architecture + " · " + model->kind));
        QVERIFY(!shown.part<QWidget>("overviewBanner")->isVisible());
    }

    void tableByTypeAddsUp()
    {
        const auto model = fileSummary("models/tiny-moe-Q2_K.gguf");
        Shown shown(model);
        const auto *table = shown.part<QTableView>("bytesByType");
        QCOMPARE(table->model()->rowCount(), int(model->totals.byType.size()));
        quint64 bytes = 0;
        for (int row = 0; row < table->model()->rowCount(); ++row)
            bytes += table->model()->index(row, TotalsModel::BytesColumn).data(PlainRole).toULongLong();
        QCOMPARE(bytes, quint64(model->totals.bytes));
        QCOMPARE(table->model()->index(0, 0).data(TypeIdRole).toUInt(),
                 model->totals.byType.front().typeId);
        QVERIFY(rowsAsCsv(*table).startsWith("type,tensors,weights,bytes,share\r\n"));
    }

    void modelsKeepTheRules()
    {
        TotalsModel totals("role", "role");
        QAbstractItemModelTester first(&totals, QAbstractItemModelTester::FailureReportingMode::QtTest);
        totals.setTotals(totalsByRole(*moeSummary(4, 8), 3));
        QCOMPARE(totals.rowCount(), 4);
        QCOMPARE(totals.totals().back().label, "10 others");
        WarningsModel warnings;
        QAbstractItemModelTester second(&warnings, QAbstractItemModelTester::FailureReportingMode::QtTest);
        warnings.setModel(SummaryBuilder().warning(Severity::Info, "a").warning(Severity::Error, "b").build());
        QCOMPARE(warnings.index(0, WarningsModel::MessageColumn).data().toString(), "b");
    }

    void pointingReadsAndClickingGoes()
    {
        Shown shown(moeSummary(48, 128));
        const LayerGridSpot spot{3, 17}; // attn_v of layer 17
        QTest::mouseMove(shown.grid(), shown.centerOf(spot));
        QCOMPARE(shown.text("gridReadout"), "blk.17.attn_v.weight · Q5_K · [2048, 512] · 704 KiB");
        QTest::mouseClick(shown.grid(), Qt::LeftButton, {}, shown.centerOf(spot));
        QCOMPARE(shown.lastTensor(), 1U + 17 * 10 + 3);
    }

    void tensorsOutsideLayersAreThereToo()
    {
        Shown shown(moeSummary(48, 128));
        const int row = shown.grid()->geometryOfCells().layerRows();
        QTest::mouseClick(shown.grid(), Qt::LeftButton, {}, shown.centerOf({row, 0}));
        QCOMPARE(shown.lastTensor(), 0U);
    }

    void keysMoveAndEnterGoes()
    {
        Shown shown(moeSummary(4, 8));
        shown.grid()->setFocus();
        QTest::keyClick(shown.grid(), Qt::Key_Right);
        QTest::keyClick(shown.grid(), Qt::Key_Right);
        QTest::keyClick(shown.grid(), Qt::Key_Down);
        QTest::keyClick(shown.grid(), Qt::Key_Return);
        QCOMPARE(shown.lastTensor(), 1U + 10 + 1); // attn_q of layer 1
    }

    void bannerListsFindingsAndGoesToTheirTensor()
    {
        Shown shown(SummaryBuilder()
                        .tensor("a.weight", GgmlType::F32, {4})
                        .tensor("b.weight", GgmlType::F32, {4})
                        .tensor("c.weight", GgmlType::F32, {4})
                        .warning(Severity::Warning, "odd padding")
                        .warning(Severity::Error, "data past the end", "b.weight", 4112)
                        .warning(Severity::Warning, "strange type", "tensor[2].type", 77)
                        .build());
        QCOMPARE(shown.text("bannerSummary"), "1 error · 2 warnings");
        auto *list = shown.part<QTableView>("bannerList");
        QVERIFY(list->isVisible()); // an error is not hidden
        QCOMPARE(list->model()->index(0, WarningsModel::OffsetColumn).data().toString(), "4,112");
        const auto click = [&](int row) {
            QTest::mouseClick(list->viewport(), Qt::LeftButton, {},
                              list->visualRect(list->model()->index(row, 1)).center());
        };
        click(1);
        QCOMPARE(shown.activated.size(), 0);
        click(0);
        QCOMPARE(shown.lastTensor(), 1U);
        click(2);
        QCOMPARE(shown.lastTensor(), 2U);
        QTest::mouseClick(shown.part<QToolButton>("bannerToggle"), Qt::LeftButton);
        QVERIFY(!list->isVisible());
    }

    void vocabOnlyFile()
    {
        const auto model = fileSummary("models/ggml-vocab-bert-bge.gguf");
        QVERIFY(model);
        Shown shown(model);
        QCOMPARE(shown.text("fact_tensors"), "0");
        QCOMPARE(shown.text("fact_bitsPerWeight"), "–");
        QVERIFY(!shown.grid()->isVisible());
        QVERIFY(shown.part<QWidget>("overviewNoTensors")->isVisible());
        shown.panel.setModel(nullptr);
        QCOMPARE(shown.part<StatePlaceholder>("overviewState")->title(), "No model open");
    }

    void sixThousandTensorsWithOddNames()
    {
        const auto model = fileSummary("cases/tensors_6000.gguf");
        QVERIFY(model);
        CpuClock clock;
        Shown shown(model);
        shown.grid()->repaint();
        qInfo("shown in %.1f ms", clock.elapsed());
        QVERIFY(shown.grid()->height() < 2000);
        QVERIFY(shown.part<QTableView>("bytesByRole")->model()->rowCount() <= 11);
    }

    void rolesAreCappedAndTheRestIsOthers()
    {
        SummaryBuilder builder;
        for (int role = 0; role < 30; ++role) {
            for (int layer = 0; layer < (role < 25 ? 4 : 2); ++layer)
                builder.tensor("blk." + std::to_string(layer) + ".r" + std::to_string(role) + ".weight",
                               GgmlType::F32, {4});
        }
        const LayerGridData data = LayerGridData::of(*builder.build());
        QCOMPARE(data.roles.size(), LayerGridData::MostRoles + 1);
        QCOMPARE(data.roles.back(), std::string());
        QCOMPARE(data.cell(LayerGridData::MostRoles, 0).count, 10U);
        QCOMPARE(data.cell(LayerGridData::MostRoles, 3).count, 5U);
    }

    void aHundredLayersFit()
    {
        const LayerGridData data = LayerGridData::of(*moeSummary(100, 8));
        const LayerGridGeometry geometry(data, 120, 560);
        QCOMPARE(geometry.cellWidth(), 4.4);
        QVERIFY(geometry.size().width() <= 560);
        for (int column : {0, 57, 99})
            QCOMPARE(geometry.spotAt(geometry.cellRect({5, column}).center()),
                     std::optional(LayerGridSpot{5, column}));
        QVERIFY(!geometry.spotAt({10, 10}));
    }

    void barPiecesAreInProportion()
    {
        ShareBar bar;
        bar.resize(200, 20);
        bar.setTotals({{"Q4_K", 12U, 1, 1, 300, true}, {"F32", 0U, 1, 1, 100, true}});
        QCOMPARE(bar.pieces().at(0).width(), 150.0);
        QCOMPARE(bar.pieces().at(1).left(), 150.0);
        bar.setTotals({{"F32", 0U, 1, 0, 0, true}});
        QCOMPARE(bar.pieces().at(0).width(), 0.0);
    }

    void pictures()
    {
        Shown moe(moeSummary(48, 128));
        savePictures(moe.panel, "overview-moe");
        Shown real(fileSummary("models/tiny-moe-Q2_K.gguf"));
        savePictures(real.panel, "overview-tiny");
        Shown broken(SummaryBuilder()
                         .tensor("a.weight", GgmlType::F32, {4})
                         .unknownTensor("blk.0.b.weight", 99, {4})
                         .warning(Severity::Warning, "odd padding of 7 bytes before the tensor data")
                         .warning(Severity::Error, "tensor 'b' needs 64 MiB at offset 812 MiB, the file ends at 840 MiB", "blk.0.b.weight", 4112)
                         .warning(Severity::Info, "general.type is missing")
                         .build());
        savePictures(broken.panel, "overview-broken");
        Shown vocab(fileSummary("models/ggml-vocab-bert-bge.gguf"));
        savePictures(vocab.panel, "overview-vocab");
        Shown many(fileSummary("cases/tensors_6000.gguf"));
        savePictures(many.panel, "overview-6000");
    }
};

QTEST_MAIN(OverviewPanelTest)
#include "tst_overviewpanel.moc"
