// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/ggufbuilder.h"
#include "tests/support/picture.h"
#include "tests/widgets/cpuclock.h"
#include "widgets/busyoverlay.h"
#include "widgets/cellmap.h"
#include "widgets/choicebox.h"
#include "widgets/expertgrid.h"
#include "widgets/expertpanel.h"
#include "widgets/plotactions.h"
#include "widgets/stateplaceholder.h"

#include <QClipboard>
#include <QComboBox>
#include <QFile>
#include <QListWidget>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>

using namespace ql;

namespace {

struct Sample {
    GgufModelPtr model =
        test::openOrFail(QStringLiteral(QL_SOURCE_DIR "/resources/sample/tiny-moe-Q4_K_M.gguf"));
    std::vector<ExpertGroup> groups = findExpertGroups(model->tensors());

    ExpertTablePtr table(std::size_t group) const
    {
        return makeExpertTable(groups[group], [&](TensorIndex tensor) {
            ScanOptions options;
            options.perExpert = true;
            options.heatMap = false;
            return scanTensor(TensorView::ofTensor(model, tensor).value(), options).value();
        });
    }
    Selection selection(std::size_t group, std::optional<std::uint64_t> expert) const
    {
        Selection s;
        s.tensor = groups[group].experts[0].tensor;
        s.expert = expert;
        return s;
    }
};

/// 48 layers of 128 experts with a figure that varies, made up: for the large picture.
ExpertTablePtr madeUpTable(const ExpertGroup &group)
{
    auto table = std::make_shared<ExpertTable>();
    table->layer = group.layer;
    table->role = group.role;
    table->lo = -0.1;
    table->hi = 0.1;
    for (const ExpertRef &ref : group.experts) {
        ExpertSummary &e = table->experts.emplace_back();
        e.ref = ref;
        const double layer = *group.layer;
        const double wobble =
            0.5 + 0.5 * std::sin(layer * 0.4 + static_cast<double>(ref.number) * 0.7);
        const double sigma = 0.02 + 0.006 * wobble + 0.0002 * layer;
        e.moments.count = 1'000'000;
        e.moments.min = -5 * sigma;
        e.moments.max = 5 * sigma;
        e.moments.m2 = sigma * sigma * 1e6;
        for (int i = 0; i < 64; ++i) {
            const double x = (i - 31.5) / 320.0 / sigma;
            e.counts.push_back(static_cast<std::uint64_t>(80'000 * std::exp(-0.5 * x * x)));
        }
    }
    return table;
}

std::vector<ExpertGroup> madeUpGroups(std::uint32_t layers, std::uint64_t experts)
{
    std::vector<ExpertGroup> groups;
    for (std::uint32_t layer = 0; layer < layers; ++layer) {
        ExpertGroup group{layer, "ffn_up_exps", {}};
        for (std::uint64_t k = 0; k < experts; ++k)
            group.experts.push_back({k, TensorIndex{layer}, k});
        groups.push_back(group);
    }
    return groups;
}

} // namespace

class ExpertPanelTest : public QObject
{
    Q_OBJECT

    ExpertPanel m_panel;
    Sample m_sample;
    std::vector<ExpertTablePtr> m_tables;

    template <class Widget>
    Widget *child(const char *name) { return m_panel.findChild<Widget *>(QLatin1String(name)); }
    QStringList odd()
    {
        QStringList lines;
        for (int i = 0; i < child<QListWidget>("expertOdd")->count(); ++i)
            lines << child<QListWidget>("expertOdd")->item(i)->text();
        return lines;
    }
    void clickTile(int place)
    {
        const QPoint at = m_panel.grid()->tiles().rectOf(place).center();
        QTest::mouseClick(m_panel.grid()->viewport(), Qt::LeftButton, {}, at);
    }

private slots:
    void initTestCase()
    {
        applyTheme(*qApp, Theme::light());
        for (std::size_t i = 0; i < m_sample.groups.size(); ++i)
            m_tables.push_back(m_sample.table(i));
        m_panel.resize(1100, 560);
        m_panel.show();
        QVERIFY(QTest::qWaitForWindowExposed(&m_panel));
    }

    void init()
    {
        m_panel.setGroups(m_sample.groups);
        for (const ExpertTablePtr &table : m_tables)
            m_panel.setTable(table);
        m_panel.setPicture(ExpertPanel::Picture::Histograms);
        m_panel.setFigure(ExpertFigure::Rms);
        child<QComboBox>("expertOrder")->setCurrentIndex(0);
    }

    void aTensorWithoutExpertsSaysSo()
    {
        Selection plain;
        plain.tensor = m_sample.model->findTensor("blk.0.attn_q.weight").value();
        m_panel.setSelection(m_sample.selection(0, 1));
        QVERIFY(m_panel.grid()->isVisible());
        m_panel.setSelection(plain);
        auto *state = m_panel.findChild<StatePlaceholder *>();
        QVERIFY(!m_panel.grid()->isVisible() && !child<QComboBox>("expertRole")->isVisible());
        QVERIFY(state->isVisible());
        QCOMPARE(state->title(), QStringLiteral("This tensor has no experts"));
        for (const ExpertGroup &group : m_sample.groups)
            QVERIFY2(state->detail().contains(QString::fromStdString(group.role)), qPrintable(state->detail()));
        QSignalSpy chosen(&m_panel, &ExpertPanel::expertSelected);
        state->findChild<QPushButton *>(QStringLiteral("stateButton"))->click();
        QCOMPARE(chosen.count(), 1);
        QVERIFY(chosen.first().first().value<ExpertRef>() == m_sample.groups[0].experts[0]);
        m_panel.setSelection(m_sample.selection(0, 0));
        QVERIFY(m_panel.grid()->isVisible() && !state->isVisible());
    }

    /// The map is about all layers, whatever is selected.
    void theMapStaysForATensorWithoutExperts()
    {
        Selection plain;
        plain.tensor = m_sample.model->findTensor("blk.0.attn_q.weight").value();
        m_panel.setPicture(ExpertPanel::Picture::Map);
        m_panel.setSelection(plain);
        QVERIFY(m_panel.map()->isVisible());
    }

    void saysSoWhereThereAreNoExperts()
    {
        m_panel.setGroups({});
        QVERIFY(!m_panel.grid()->isVisible());
        QVERIFY(!m_panel.canShow({}));
        m_panel.setGroups(m_sample.groups);
        QVERIFY(m_panel.grid()->isVisible());
        QVERIFY(m_panel.canShow(m_sample.selection(2, {})));
        Selection norm;
        norm.tensor = TensorIndex{0};
        QVERIFY(!m_panel.canShow(norm));
    }

    void theOddOnesAreNamedAndClickable()
    {
        m_panel.setSelection(m_sample.selection(4, {})); // layer 1, up
        QCOMPARE(odd().size(), 1);
        QVERIFY2(odd()[0].startsWith(QStringLiteral("layer 1, expert 5: RMS is")),
                 qPrintable(odd()[0]));
        QSignalSpy selected(&m_panel, &ExpertPanel::expertSelected);
        auto *list = child<QListWidget>("expertOdd");
        QTest::mouseClick(list->viewport(), Qt::LeftButton, {},
                          list->visualItemRect(list->item(0)).center());
        QCOMPARE(selected.count(), 1);
        QCOMPARE(selected[0][0].value<ExpertRef>(), m_sample.groups[4].experts[5]);

        m_panel.setSelection(m_sample.selection(0, {}));
        QCOMPARE(odd(), QStringList{QStringLiteral("layer 0, expert 2: all weights are zero")});
        m_panel.setPicture(ExpertPanel::Picture::Map); // of all layers
        QCOMPARE(odd().size(), 2);
    }

    void clickingATileSelectsItsExpert()
    {
        m_panel.setSelection(m_sample.selection(1, {}));
        QSignalSpy selected(&m_panel, &ExpertPanel::expertSelected);
        clickTile(3);
        QCOMPARE(selected.count(), 1);
        QCOMPARE(selected[0][0].value<ExpertRef>(), m_sample.groups[1].experts[3]);
        QTest::keyClick(m_panel.grid(), Qt::Key_Right);
        QCOMPARE(selected[1][0].value<ExpertRef>().number, 4u);
    }

    void aSelectionFromOutsideMarksATileWithoutASignal()
    {
        QSignalSpy selected(&m_panel, &ExpertPanel::expertSelected);
        m_panel.setSelection(m_sample.selection(5, 6));
        QCOMPARE(m_panel.grid()->selected(), std::optional<std::uint64_t>(6));
        QCOMPARE(child<QComboBox>("expertRole")->currentText(), QStringLiteral("ffn_down_exps"));
        QVERIFY2(
            m_panel.readout().startsWith(QStringLiteral("layer 1 \u00b7 expert 6 \u00b7 RMS ")),
            qPrintable(m_panel.readout()));
        QCOMPARE(selected.count(), 0);
    }

    void hoverReadsOffABar()
    {
        m_panel.setSelection(m_sample.selection(1, {}));
        const QRect bars = m_panel.grid()->tiles().barsOf(0);
        const QPoint middle(bars.left() + 32 * bars.width() / 64 + 1, bars.center().y());
        QTest::mouseMove(m_panel.grid()->viewport(), middle);
        const auto &expert = m_tables[1]->experts[0];
        const QString text = m_panel.readout();
        QVERIFY2(text.startsWith(QStringLiteral("expert 0 \u00b7 ")), qPrintable(text));
        QVERIFY2(text.contains(QLocale().toString(static_cast<qulonglong>(expert.counts[32]))),
                 qPrintable(text));
    }

    void tilesAreSortedByAnyFigure()
    {
        m_panel.setSelection(m_sample.selection(4, {}));
        child<QComboBox>("expertOrder")->setCurrentIndex(1);
        QCOMPARE(m_panel.grid()->order().front(), 5u); // four times too large
        for (const ExpertFigure figure :
             {ExpertFigure::AbsMax, ExpertFigure::Kurtosis, ExpertFigure::ZeroShare}) {
            m_panel.setFigure(figure);
            const auto values = m_tables[4]->column(figure);
            const auto &order = m_panel.grid()->order();
            for (std::size_t i = 1; i < order.size(); ++i)
                QVERIFY(*values[order[i - 1]] >= *values[order[i]]);
        }
        child<QComboBox>("expertOrder")->setCurrentIndex(2);
        QCOMPARE(m_panel.grid()->order().size(), 8u);
        m_panel.setSelection(m_sample.selection(0, {}));
        m_panel.setFigure(ExpertFigure::Kurtosis); // undefined for the dead one: last
        QCOMPARE(m_panel.grid()->order().back(), 2u);
    }

    void theRoleCanBeChosen()
    {
        m_panel.setSelection(m_sample.selection(4, {}));
        QSignalSpy selected(&m_panel, &ExpertPanel::expertSelected);
        auto *role = child<QComboBox>("expertRole");
        role->setCurrentIndex(role->findText(QStringLiteral("ffn_down_exps")));
        emit role->activated(role->currentIndex());
        QCOMPARE(selected.count(), 1);
        QCOMPARE(selected[0][0].value<ExpertRef>().tensor,
                 m_sample.groups[5].experts[0].tensor); // same layer
    }

    void theMapFillsInAndItsCellsSelect()
    {
        m_panel.setGroups(m_sample.groups);
        m_panel.setPicture(ExpertPanel::Picture::Map);
        m_panel.setSelection(m_sample.selection(1, {}));
        QVERIFY(std::isnan(m_panel.map()->data().value(1, 5)));
        m_panel.setTable(m_tables[4]);
        QVERIFY(std::isnan(m_panel.map()->data().value(0, 5)));
        QCOMPARE(m_panel.map()->data().value(1, 5),
                 *m_tables[4]->experts[5].figure(ExpertFigure::Rms));
        QVERIFY(m_panel.map()->data().marked[8 + 5]);
        QSignalSpy selected(&m_panel, &ExpertPanel::expertSelected);
        const QPointF cell = m_panel.map()->geometryOfCells().rectOf({1, 5}).center();
        QTest::mouseMove(m_panel.map(), cell.toPoint());
        QVERIFY(m_panel.readout().startsWith(QStringLiteral("layer 1 \u00b7 expert 5 \u00b7 RMS")));
        QTest::mouseClick(m_panel.map(), Qt::LeftButton, {}, cell.toPoint());
        QCOMPARE(selected.count(), 1);
        QCOMPARE(selected[0][0].value<ExpertRef>(), m_sample.groups[4].experts[5]);
        // A cell without figures yet selects nothing.
        QTest::mouseClick(m_panel.map(), Qt::LeftButton, {},
                          m_panel.map()->geometryOfCells().rectOf({0, 0}).center().toPoint());
        QCOMPARE(selected.count(), 1);
        QVERIFY(m_panel.csv().startsWith(QStringLiteral("layer,0,1,2,3,4,5,6,7\n0,,,,,,,,\n1,")));
    }

    void scansAndMatricesAreAskedFor()
    {
        QSignalSpy scans(&m_panel, &ExpertPanel::modelScanRequested);
        QSignalSpy cancels(&m_panel, &ExpertPanel::scanCancelled);
        QSignalSpy matrices(&m_panel, &ExpertPanel::matrixRequested);
        auto *button = child<QPushButton>("expertScan");
        m_panel.setPicture(ExpertPanel::Picture::Map);
        QTest::mouseClick(button, Qt::LeftButton);
        QCOMPARE(scans.count(), 1);
        m_panel.setScanProgress(0.4);
        QTest::mouseClick(button, Qt::LeftButton);
        QCOMPARE(cancels.count(), 1);
        m_panel.setScanProgress(std::nullopt);
        m_panel.setSelection(m_sample.selection(1, {}));
        m_panel.setPicture(ExpertPanel::Picture::Cosines);
        QTest::mouseClick(button, Qt::LeftButton);
        QCOMPARE(matrices.count(), 1);
        QCOMPARE(matrices[0][0].value<ExpertGroup>(), m_sample.groups[1]);
        QCOMPARE(scans.count(), 1);
    }

    void theMatrixNamesNearDuplicates()
    {
        m_panel.setSelection(m_sample.selection(4, {}));
        m_panel.setPicture(ExpertPanel::Picture::Cosines);
        auto matrix = std::make_shared<CosineMatrix>(
            *cosineMatrix(m_sample.model, m_sample.groups[4]).value());
        m_panel.setMatrix(matrix);
        const QStringList known = odd(); // what its figures say stays said
        QVERIFY(std::ranges::none_of(known, [](const QString &line) { return line.startsWith(QStringLiteral("experts ")); }));
        auto copied = std::make_shared<CosineMatrix>(*matrix);
        copied->cosines[1 * 8 + 6] = copied->cosines[6 * 8 + 1] = 0.9995;
        m_panel.setMatrix(copied);
        QCOMPARE(odd().size(), known.size() + 1);
        QVERIFY(odd()[0].startsWith(QStringLiteral("experts 1 and 6")));
        QTest::mouseMove(m_panel.matrix(),
                         m_panel.matrix()->geometryOfCells().rectOf({1, 6}).center().toPoint());
        QVERIFY(m_panel.readout().contains(QStringLiteral("0.9995")));
        test::savePictures(m_panel, QStringLiteral("experts-cosines"));
        m_panel.setSelection(m_sample.selection(1, {})); // another group: the matrix is not its own
        QCOMPARE(m_panel.matrix()->data().rows, 0);
    }

    void twoExpertsAreAskedForBesideEachOther()
    {
        m_panel.setSelection(m_sample.selection(4, 5));
        QSignalSpy beside(&m_panel, &ExpertPanel::besideRequested);
        QSignalSpy selected(&m_panel, &ExpertPanel::expertSelected);
        const auto asked = [&](int i) { return beside[i][0].value<std::optional<ExpertRef>>(); };
        const QPoint tile = m_panel.grid()->tiles().rectOf(3).center();
        QTest::mouseClick(m_panel.grid()->viewport(), Qt::LeftButton, Qt::ControlModifier, tile);
        QCOMPARE(beside.count(), 1);
        QCOMPARE(selected.count(), 0);
        QVERIFY(asked(0) == m_sample.groups[4].experts[3]);
        // By keyboard: a choice that names what stands beside, and ends it.
        auto *choice = child<QComboBox>("expertBeside");
        QCOMPARE(choice->currentText(), QStringLiteral("none"));
        QCOMPARE(choice->count(), 1 + 8);
        choice->setFocus();
        QTest::keyClick(choice, Qt::Key_Down);
        QVERIFY(asked(1) == m_sample.groups[4].experts[0]);
        m_panel.setHeld(m_sample.selection(4, 3));
        QCOMPARE(choice->currentText(), QStringLiteral("expert 3"));
        QCOMPARE(m_panel.grid()->held(), std::optional<std::uint64_t>(3));
        QTest::keyClick(choice, Qt::Key_Home);
        QVERIFY(!asked(2));
        m_panel.setHeld(m_sample.selection(1, 3)); // of another layer
        QCOMPARE(choice->currentText(), QStringLiteral("another tensor"));
        QCOMPARE(m_panel.grid()->held(), std::optional<std::uint64_t>());
        m_panel.setHeld({});
        test::savePictures(m_panel, QStringLiteral("experts-held"));
    }

    void aCellOfTheMatrixShowsItsTwoExperts()
    {
        m_panel.setSelection(m_sample.selection(4, {}));
        m_panel.setPicture(ExpertPanel::Picture::Cosines);
        m_panel.setMatrix(cosineMatrix(m_sample.model, m_sample.groups[4]).value());
        QSignalSpy beside(&m_panel, &ExpertPanel::besideRequested);
        QSignalSpy selected(&m_panel, &ExpertPanel::expertSelected);
        const auto click = [&](MapCell cell) {
            QTest::mouseClick(m_panel.matrix(), Qt::LeftButton, {},
                              m_panel.matrix()->geometryOfCells().rectOf(cell).center().toPoint());
        };
        click({1, 6});
        QCOMPARE(selected[0][0].value<ExpertRef>(), m_sample.groups[4].experts[1]);
        QVERIFY(beside[0][0].value<std::optional<ExpertRef>>() == m_sample.groups[4].experts[6]);
        click({2, 2}); // an expert and itself: nothing to compare
        QVERIFY(!beside[1][0].value<std::optional<ExpertRef>>());
        m_panel.setSelection(m_sample.selection(4, 1));
        m_panel.setHeld(m_sample.selection(4, 6));
        QCOMPARE(m_panel.matrix()->selected(), std::optional(MapCell{1, 6}));
        m_panel.setHeld({});
    }

    void anExpertSelectedAloneHasTheOthersScanned()
    {
        m_panel.setGroups(m_sample.groups);
        QSignalSpy asked(&m_panel, &ExpertPanel::tableRequested);
        QSignalSpy cancelled(&m_panel, &ExpertPanel::tableCancelled);
        m_panel.setSelection(m_sample.selection(4, {})); // the whole tensor: its own scan will tell
        QCOMPARE(asked.count(), 0);
        m_panel.setSelection(m_sample.selection(4, 5));
        QCOMPARE(asked.count(), 1);
        QCOMPARE(asked[0][0].value<ExpertGroup>(), m_sample.groups[4]);
        QVERIFY(m_panel.gridOverlay()->isBusy());
        m_panel.setSelection(m_sample.selection(4, 6)); // on its way already
        QCOMPARE(asked.count(), 1);
        m_panel.setTableEnded({});
        QVERIFY(!m_panel.gridOverlay()->isBusy());
        QVERIFY(m_panel.grid()->emptyText().contains(QStringLiteral("cancelled")));
        m_panel.setSelection(m_sample.selection(4, 5)); // tried again
        QCOMPARE(asked.count(), 2);
        m_panel.setSelection(m_sample.selection(1, 5)); // another layer
        QCOMPARE(cancelled.count(), 1);
        QCOMPARE(asked.count(), 3);
        m_panel.setTable(m_tables[1]);
        QVERIFY(!m_panel.gridOverlay()->isBusy());
        QCOMPARE(m_panel.grid()->order().size(), 8u);
    }

    void aMatrixThatCantBeHasAReason()
    {
        m_panel.setSelection(m_sample.selection(4, {}));
        m_panel.setPicture(ExpertPanel::Picture::Cosines);
        QTest::mouseClick(child<QPushButton>("expertScan"), Qt::LeftButton);
        QVERIFY(m_panel.matrixOverlay()->isBusy());
        m_panel.setMatrixEnded(QStringLiteral("too many"));
        QVERIFY(!m_panel.matrixOverlay()->isBusy());
        QCOMPARE(m_panel.matrix()->data().emptyText, QStringLiteral("too many"));
        // An answer that comes after another group was chosen is not that group's.
        QTest::mouseClick(child<QPushButton>("expertScan"), Qt::LeftButton);
        QSignalSpy cancelled(&m_panel, &ExpertPanel::matrixCancelled);
        m_panel.setSelection(m_sample.selection(1, {}));
        QCOMPARE(cancelled.count(), 1);
        m_panel.setMatrix(cosineMatrix(m_sample.model, m_sample.groups[4]).value());
        QCOMPARE(m_panel.matrix()->data().rows, 0);
    }

    void theMeanScaleIsGreyedWithAReason()
    {
        auto *figure = child<ChoiceBox>("expertFigure");
        const int scale = figure->findData(static_cast<int>(ExpertFigure::MeanScale));
        QVERIFY(figure->isItemEnabled(scale)); // Q4_K and Q6_K keep scales
        m_panel.setFigure(ExpertFigure::MeanScale);
        auto plain = m_sample.groups;
        for (ExpertGroup &group : plain) {
            group.typeId = static_cast<std::uint32_t>(GgmlType::F16);
            group.storesScale = false;
        }
        m_panel.setGroups(plain);
        QVERIFY(!figure->isItemEnabled(scale));
        QCOMPARE(figure->itemData(scale, Qt::ToolTipRole).toString(), QStringLiteral("F16 stores no scale"));
        QCOMPARE(m_panel.figure(), ExpertFigure::Rms);
    }

    void everyPictureCanBeTakenAwayWithItsNumbers()
    {
        QTemporaryDir folder;
        m_panel.setSelection(m_sample.selection(4, 5));
        m_panel.setMatrix(cosineMatrix(m_sample.model, m_sample.groups[4]).value());
        for (const auto picture :
             {ExpertPanel::Picture::Histograms, ExpertPanel::Picture::Map, ExpertPanel::Picture::Cosines}) {
            m_panel.setPicture(picture);
            const QString name = folder.filePath(QString::number(static_cast<int>(picture)));
            QCOMPARE(m_panel.plotActions()->writePicture(name + QStringLiteral(".png")), QString());
            QCOMPARE(m_panel.plotActions()->writePicture(name + QStringLiteral(".svg")), QString());
            QCOMPARE(m_panel.plotActions()->writeCsv(name + QStringLiteral(".csv")), QString());
            QVERIFY(!QImage(name + QStringLiteral(".png")).isNull());
            QFile csv(name + QStringLiteral(".csv"));
            QVERIFY(csv.open(QIODevice::ReadOnly));
            QCOMPARE(QString::fromUtf8(csv.readAll()), m_panel.csv());
        }
        QVERIFY(m_panel.csv().startsWith(QStringLiteral("expert,0,1,2")));
        m_panel.setPicture(ExpertPanel::Picture::Histograms);
        QVERIFY(m_panel.csv().startsWith(QStringLiteral("lo,hi,0,1,2,3,4,5,6,7\n")));
        QCOMPARE(m_panel.csv().count(QLatin1Char('\n')), 1 + 64 + 2);
        QVERIFY(m_panel.figuresCsv().startsWith(QStringLiteral("expert,count,rms")));
        m_panel.grid()->setFocus();
        QTest::keySequence(m_panel.grid(), QKeySequence::Copy);
        QVERIFY(QGuiApplication::clipboard()->text().startsWith(QStringLiteral("lo\thi\t0\t1\t2")));
        QCOMPARE(m_panel.figuresCsv().count(QLatin1Char('\n')), 1 + 8);
    }

    void routerNormsStandBesideTheirExperts()
    {
        ExpertTable withNorms = *m_tables[4];
        for (ExpertSummary &expert : withNorms.experts)
            expert.routerNorm = 0.5 + static_cast<double>(expert.ref.number);
        withNorms.experts[5].routerNorm = 6.25;
        m_panel.setTable(std::make_shared<ExpertTable>(withNorms));
        m_panel.setSelection(m_sample.selection(4, 5));
        QVERIFY2(m_panel.readout().endsWith(QStringLiteral("router row norm 6.250")),
                 qPrintable(m_panel.readout()));
        QVERIFY(m_panel.figuresCsv().contains(QStringLiteral(",6.25,")));
        // On the map: a second one in step, with an axis and colours of its own.
        m_panel.setPicture(ExpertPanel::Picture::Map);
        QVERIFY(m_panel.routerMap()->isVisible());
        QCOMPARE(m_panel.routerMap()->data().value(1, 5), 6.25);
        QCOMPARE(m_panel.routerMap()->selected(), m_panel.map()->selected());
        QCOMPARE(m_panel.map()->selected(), std::optional(MapCell{1, 5}));
        m_panel.setFigure(ExpertFigure::RouterNorm);
        QVERIFY(!m_panel.routerMap()->isVisible());
        QCOMPARE(m_panel.map()->data().value(1, 5), 6.25);
    }

    void otherThreeDimensionalTensorsAreShownToo()
    {
        ExpertTable own = *m_tables[0];
        own.layer.reset();
        own.role = "conv";
        for (ExpertSummary &expert : own.experts)
            expert.ref.tensor = TensorIndex{777};
        Selection selection;
        selection.tensor = TensorIndex{777};
        m_panel.setSelection(selection);
        m_panel.setTable(std::make_shared<ExpertTable>(own));
        QVERIFY(m_panel.canShow(selection));
        QCOMPARE(child<QComboBox>("expertRole")->currentText(), QStringLiteral("conv"));
    }

    // 48 layers of 128 experts: a frame of the grid takes a small part of 16 ms (measured at -Og).
    void largeModelsStaySmooth()
    {
        const auto groups = madeUpGroups(48, 128);
        m_panel.setGroups(groups);
        m_panel.setPicture(ExpertPanel::Picture::Map);
        double longest = 0;
        for (const ExpertGroup &group : groups) {
            const auto table = madeUpTable(group);
            const test::CpuClock arrival;
            m_panel.setTable(table);
            m_panel.map()->repaint();
            longest = std::max(longest, arrival.elapsed());
        }
        qInfo("at most %.2f ms for a table that arrives", longest);
        m_panel.setPicture(ExpertPanel::Picture::Histograms);
        m_panel.setSelection({TensorIndex{7}, {}, {}, {}});
        const test::CpuClock clock;
        int frames = 0;
        for (int y = 0; y <= m_panel.grid()->verticalScrollBar()->maximum(); y += 40, ++frames) {
            m_panel.grid()->verticalScrollBar()->setValue(y);
            m_panel.grid()->viewport()->repaint();
        }
        QVERIFY(frames > 20);
        qInfo("%.2f ms a frame", clock.elapsed() / frames);
        QVERIFY(clock.elapsed() / frames < 100);
        QVERIFY(longest < 100);
        test::savePictures(m_panel, QStringLiteral("experts-128"));
        m_panel.setPicture(ExpertPanel::Picture::Map);
        QCOMPARE(m_panel.map()->data().rows, 48);
        QCOMPARE(m_panel.map()->data().columns, 128);
        test::savePictures(m_panel, QStringLiteral("experts-map-128"));
    }

    void pictures()
    {
        m_panel.setSelection(m_sample.selection(4, 5));
        test::savePictures(m_panel, QStringLiteral("experts"));
        m_panel.setPicture(ExpertPanel::Picture::Map);
        test::savePictures(m_panel, QStringLiteral("experts-map"));
    }
};

QTEST_MAIN(ExpertPanelTest)
#include "tst_expertpanel.moc"
