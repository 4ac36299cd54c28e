// SPDX-License-Identifier: GPL-3.0-or-later
// Experts in the window: two beside each other, from an expert down to a byte and back, and a model with
// very many of them.

#include "app/mainwindow.h"
#include "app/samplemodel.h"
#include "app/tensorpage.h"
#include "core/quant/dequantize.h"
#include "tests/support/ggufbuilder.h"
#include "tests/support/testdata.h"
#include "widgets/besidebar.h"
#include "widgets/blockcanvas.h"
#include "widgets/blockpanel.h"
#include "widgets/busyoverlay.h"
#include "widgets/cellmap.h"
#include "widgets/compareheatmap.h"
#include "widgets/compareheatpanel.h"
#include "widgets/expertgrid.h"
#include "widgets/expertpanel.h"
#include "widgets/figurespanel.h"
#include "widgets/heatmappanel.h"
#include "widgets/heatmapview.h"
#include "widgets/histogrampanel.h"
#include "widgets/plot/histogramplot.h"
#include "widgets/tensorheader.h"
#include "widgets/valuespanel.h"
#include "widgets/valuesview.h"

#include <QAction>
#include <QListWidget>
#include <QPushButton>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>

using namespace ql;

namespace {

constexpr int LongMs = 60000;

std::vector<float> weightsOf(const TensorView &view)
{
    std::vector<float> weights(view.elements());
    referenceDequantizer(view.type().type)(view.bytes().data(), weights.data(), view.blocks());
    return weights;
}

struct PlainComparison {
    double relativeRmse = 0;
    double cosine = 0;
};

/// The definition, without any of the product's sums.
PlainComparison compareWeights(const std::vector<float> &a, const std::vector<float> &b)
{
    double aa = 0, bb = 0, ab = 0, ee = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double x = a[i];
        const double y = b[i];
        aa += x * x;
        bb += y * y;
        ab += x * y;
        ee += (x - y) * (x - y);
    }
    return {std::sqrt(ee / aa), ab / std::sqrt(aa * bb)};
}

bool isClose(double a, double b) { return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b)); }

/// 48 layers of 128 experts, 8 rows of 256 each, with scales that differ from expert to expert; expert 7 of
/// layer 20 is all zero.
QByteArray manyExperts(std::uint32_t layers, std::uint64_t experts)
{
    constexpr std::size_t Blocks = 8 * 256 / 32;
    test::GgufBuilder builder;
    builder.meta("general.architecture", "qwen3moe").meta("qwen3moe.expert_count", std::uint32_t(experts));
    for (std::uint32_t layer = 0; layer < layers; ++layer) {
        QByteArray data;
        for (std::uint64_t k = 0; k < experts; ++k)
            for (std::size_t block = 0; block < Blocks; ++block) {
                const bool isDead = layer == 20 && k == 7;
                const auto scale = std::uint16_t(isDead ? 0 : 0x1c00 + 8 * k + layer); // about 0.004
                data.append(char(scale & 255)).append(char(scale >> 8));
                for (std::uint32_t i = 0; i < 32; ++i)
                    data.append(char(std::uint8_t((i * 37 + block * 11 + k * 5 + layer) % 251)));
            }
        builder.tensor("blk." + std::to_string(layer) + ".ffn_up_exps.weight", GgmlType::Q8_0, {256, 8, experts}, data);
    }
    return builder.bytes();
}

} // namespace

class ExpertsTest : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { QStandardPaths::setTestModeEnabled(true); }

    void init()
    {
        m_dir = std::make_unique<QTemporaryDir>();
        m_settings = std::make_unique<Settings>(m_dir->filePath(QStringLiteral("settings.ini")));
        m_window = std::make_unique<MainWindow>(*m_settings);
        m_window->resize(1440, 900);
        m_window->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
    }

    void cleanup() { m_window.reset(); }

    void twoExpertsBesideEachOther()
    {
        openSample();
        selectExpert("blk.1.ffn_up_exps.weight", 5);
        showTab("Experts");
        QTRY_COMPARE_WITH_TIMEOUT(experts()->grid()->order().size(), 8u, LongMs);
        const QPoint tile = experts()->grid()->tiles().rectOf(3).center();
        QTest::mouseClick(experts()->grid()->viewport(), Qt::LeftButton, Qt::ControlModifier, tile);
        QTRY_VERIFY_WITH_TIMEOUT(page()->pairMaps()->isVisible() && m_comparison, LongMs);

        const auto model = m_window->session().document(Side::A).model;
        const PlainComparison expected = compareWeights(expertWeights("blk.1.ffn_up_exps.weight", 5),
                                                        expertWeights("blk.1.ffn_up_exps.weight", 3));
        const ErrorSums sums = m_comparison->sums; // the next one takes its place
        QVERIFY(isClose(*sums.relativeRmse(), expected.relativeRmse));
        QVERIFY(isClose(*sums.cosine(), expected.cosine));
        // Said in words, under the name of what stands beside.
        const QString note = page()->besideBar()->note();
        QVERIFY(page()->besideBar()->isVisible());
        QCOMPARE(page()->besideBar()->name(), QStringLiteral("blk.1.ffn_up_exps.weight, expert 3"));
        QVERIFY2(note.contains(QStringLiteral("relative RMSE ")) && note.contains(QStringLiteral("cosine ")), qPrintable(note));
        // Histograms over each other, figures side by side, heat maps in step.
        QTRY_VERIFY_WITH_TIMEOUT(!page()->histogram()->plot()->binsB().counts.empty(), LongMs); // B's own scan
        QCOMPARE(page()->figures()->shown(QStringLiteral("count"), FiguresTable::B), QStringLiteral("65,536"));
        QVERIFY(page()->figures()->shown(QStringLiteral("rms"), FiguresTable::A)
                != page()->figures()->shown(QStringLiteral("rms"), FiguresTable::B));
        HeatMapView *viewA = page()->pairMaps()->mapA()->view();
        viewA->setViewport({10, 40, 64, 128});
        QCOMPARE(page()->pairMaps()->mapB()->view()->viewport(), viewA->viewport());

        // Another expert is compared with the same one.
        QSignalSpy ready(&m_window->session().beside(), &BesideService::ready);
        QTest::mouseClick(experts()->grid()->viewport(), Qt::LeftButton, {}, experts()->grid()->tiles().rectOf(1).center());
        QVERIFY(ready.wait(LongMs));
        QTRY_VERIFY_WITH_TIMEOUT(page()->pairMaps()->isVisible(), LongMs);
        QCOMPARE(m_comparison->sums.sumSqB, sums.sumSqB);

        // And back.
        QTest::mouseClick(find<QPushButton>("besideClose"), Qt::LeftButton);
        QVERIFY(!page()->besideBar()->isVisible());
        QVERIFY(page()->heatMap()->isVisible());
        QVERIFY(!m_window->session().held());
        QCOMPARE(page()->figures()->shown(QStringLiteral("count"), FiguresTable::B), QString());
    }

    void aCellOfTheCosineMatrixShowsItsTwoExperts()
    {
        openSample();
        selectExpert("blk.1.ffn_up_exps.weight", 0);
        showTab("Experts");
        experts()->setPicture(ExpertPanel::Picture::Cosines);
        QTest::mouseClick(find<QPushButton>("expertScan"), Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(experts()->matrix()->data().rows, 8, LongMs);
        const double cosine = experts()->matrix()->data().value(2, 6);
        QTest::mouseClick(experts()->matrix(), Qt::LeftButton, {},
                          experts()->matrix()->geometryOfCells().rectOf({2, 6}).center().toPoint());
        QTRY_VERIFY_WITH_TIMEOUT(page()->pairMaps()->isVisible() && m_comparison, LongMs);
        QCOMPARE(m_window->session().selection().expert, std::optional<std::uint64_t>(2));
        QCOMPARE(m_window->session().held()->expert, std::optional<std::uint64_t>(6));
        QVERIFY(std::abs(*m_comparison->sums.cosine() - cosine) < 1e-9);
    }

    void anyTwoTensorsOfOneFileAndShape()
    {
        openSample();
        select("blk.0.attn_q.weight");
        trigger("actionHold");
        QVERIFY(page()->besideBar()->note().startsWith(QStringLiteral("Select another")));
        QVERIFY(page()->heatMap()->isVisible());
        select("blk.1.attn_q.weight");
        QTRY_VERIFY_WITH_TIMEOUT(page()->pairMaps()->isVisible(), LongMs);
        select("blk.0.attn_k.weight"); // narrower
        QVERIFY(page()->besideBar()->note().contains(QStringLiteral("another shape")));
        QVERIFY(!page()->pairMaps()->isVisible());
        trigger("actionLetGo");
        QVERIFY(!page()->besideBar()->isVisible());
        // Another file lets go.
        trigger("actionHold");
        QVERIFY(m_window->session().held());
        openSample();
        QVERIFY(!m_window->session().held());
        QVERIFY(!page()->besideBar()->isVisible());
    }

    void fromAnExpertToItsBytesAndBack()
    {
        openSample();
        select("blk.0.attn_q.weight");
        selectExpert("blk.1.ffn_down_exps.weight", 3);
        // A click into the heat map selects the block everywhere.
        HeatMapView *view = page()->heatMap()->view();
        const QPointF at = view->geometryNow().toPixel(20.5, 200.5);
        QTest::mouseClick(view, Qt::LeftButton, {}, at.toPoint());
        const Selection clicked = m_window->session().selection();
        QVERIFY(clicked.row && clicked.column);
        QCOMPARE(clicked.expert, std::optional<std::uint64_t>(3));
        showTab("Block");
        BlockCanvas *canvas = page()->block()->canvas();
        QTRY_VERIFY_WITH_TIMEOUT(canvas->block() && canvas->block()->row == *clicked.row, LongMs);
        // Its bytes are the file's, in the expert's slab.
        const TensorView expert = expertView("blk.1.ffn_down_exps.weight", 3);
        const std::uint64_t perBlock = expert.type().blockSize;
        const auto bytes = expert.blockRange(*clicked.row * expert.blocksPerRow() + *clicked.column / perBlock, 1);
        QVERIFY(std::ranges::equal(canvas->block()->bytes, bytes));

        // A cell of Values: row and cell, the heat map's mark and the block move together.
        showTab("Values");
        ValuesView *values = page()->values()->view();
        QCOMPARE(values->current(), std::optional(CellPlace{*clicked.row, *clicked.column}));
        const CellPlace cell{*clicked.row + 1, *clicked.column + 2};
        QTest::mouseClick(values->viewport(), Qt::LeftButton, {}, values->geometryOfTable().rectOf(cell).center());
        QCOMPARE(m_window->session().selection().row, std::optional(cell.row));
        QCOMPARE(m_window->session().selection().column, std::optional(cell.column));
        QCOMPARE(view->selectedWeight(), std::optional(WeightPlace{cell.row, cell.column}));
        QTRY_VERIFY_WITH_TIMEOUT(values->cellText(cell).has_value(), LongMs);
        showTab("Block");
        QTRY_VERIFY_WITH_TIMEOUT(canvas->block()->row == cell.row, LongMs);
        const auto lit = canvas->selectedWeight();
        QCOMPARE(lit, std::optional(static_cast<std::uint32_t>(cell.column % perBlock)));
        const float value = canvas->block()->fields.weights[*lit].value;
        QCOMPARE(value, expertWeights("blk.1.ffn_down_exps.weight", 3)[cell.row * expert.columns() + cell.column]);
        // A weight of the block goes the other way.
        QTest::keyClick(canvas, Qt::Key_Right);
        QCOMPARE(values->current(), std::optional(CellPlace{cell.row, cell.column + 1}));

        // Back to where one was, and forward to the very weight.
        QTest::keyClick(m_window.get(), Qt::Key_Left, Qt::AltModifier);
        QTRY_COMPARE_WITH_TIMEOUT(page()->shown().name(), QStringLiteral("blk.0.attn_q.weight"), LongMs);
        QVERIFY(!canvas->block());
        QVERIFY(!view->selectedWeight());
        QTest::keyClick(m_window.get(), Qt::Key_Right, Qt::AltModifier);
        QTRY_COMPARE_WITH_TIMEOUT(page()->shown().name(), QStringLiteral("blk.1.ffn_down_exps.weight, expert 3"), LongMs);
        QTRY_VERIFY_WITH_TIMEOUT(canvas->block() && canvas->block()->row == cell.row, LongMs);
        QCOMPARE(values->current(), std::optional(CellPlace{cell.row, cell.column + 1}));
        QCOMPARE(view->selectedWeight(), std::optional(WeightPlace{cell.row, cell.column + 1}));
    }

    void theMeanScaleAndTheRouterComeWithTheTable()
    {
        openSample();
        select("blk.1.ffn_up_exps.weight");
        showTab("Experts");
        experts()->setFigure(ExpertFigure::MeanScale);
        QTRY_COMPARE_WITH_TIMEOUT(experts()->grid()->order().size(), 8u, LongMs);
        QCOMPARE(experts()->figure(), ExpertFigure::MeanScale);
        // The mean of |d|, the first half of each Q4_K block of 144 bytes.
        const TensorView expert = expertView("blk.1.ffn_up_exps.weight", 6);
        double sum = 0;
        for (std::uint64_t i = 0; i < expert.blocks(); ++i) {
            float d = 0;
            referenceDequantizer(GgmlType::F16)(expert.blockRange(i, 1).data(), &d, 1);
            sum += std::abs(double(d));
        }
        const QStringList line = experts()->figuresCsv().split(QLatin1Char('\n'))[7].split(QLatin1Char(','));
        const QStringList header = experts()->figuresCsv().section(QLatin1Char('\n'), 0, 0).split(QLatin1Char(','));
        QVERIFY(isClose(line[header.indexOf(QStringLiteral("mean_scale"))].toDouble(), sum / double(expert.blocks())));
        // And the norm of the router's row 6.
        const auto router = weightsOf(TensorView::ofTensor(model(), indexOf("blk.1.ffn_gate_inp.weight")).value());
        const std::size_t columns = router.size() / 8;
        double squares = 0;
        for (std::size_t i = 0; i < columns; ++i)
            squares += double(router[6 * columns + i]) * double(router[6 * columns + i]);
        QVERIFY(isClose(line[header.indexOf(QStringLiteral("router_norm"))].toDouble(), std::sqrt(squares)));
    }

    void oldFilesWithATensorAnExpertAreShownAlike()
    {
        open(test::dataPath(QStringLiteral("cases/moe_old_2d_experts.gguf")));
        const ExpertGroup group = m_window->session().experts().groups().front();
        QVERIFY(group.experts.size() > 1);
        showTab("Experts");
        QSignalSpy ready(&m_window->session().analysis(), &AnalysisService::statsReady);
        m_window->session().selectTensor(group.experts[0].tensor);
        QVERIFY(ready.wait(LongMs));
        QTRY_COMPARE_WITH_TIMEOUT(experts()->grid()->order().size(), group.experts.size(), LongMs);
        QCOMPARE(experts()->grid()->selected(), std::optional<std::uint64_t>(0));
        // A click goes to the tensor of that expert, Ctrl and a click compares with it.
        QTest::mouseClick(experts()->grid()->viewport(), Qt::LeftButton, {}, experts()->grid()->tiles().rectOf(1).center());
        QCOMPARE(m_window->session().selection().tensor, std::optional(group.experts[1].tensor));
        QTest::mouseClick(experts()->grid()->viewport(), Qt::LeftButton, Qt::ControlModifier,
                          experts()->grid()->tiles().rectOf(0).center());
        QTRY_VERIFY_WITH_TIMEOUT(page()->pairMaps()->isVisible(), LongMs);
    }

    void expertsWithNanAreNamed()
    {
        open(test::dataPath(QStringLiteral("cases/nan_scale_in_expert.gguf")));
        showTab("Experts");
        select("blk.0.ffn_down_exps.weight");
        auto *odd = find<QListWidget>("expertOdd");
        QTRY_VERIFY_WITH_TIMEOUT(odd->count() >= 2, LongMs);
        QCOMPARE(odd->item(0)->text(), QStringLiteral("layer 0, expert 2: 32 NaN, 0 Inf"));
        QCOMPARE(odd->item(1)->text(), QStringLiteral("layer 0, expert 3: 1 NaN, 31 Inf")); // Inf times 0 is NaN
        QTest::mouseClick(odd->viewport(), Qt::LeftButton, {}, odd->visualItemRect(odd->item(1)).center());
        QCOMPARE(m_window->session().selection().expert, std::optional<std::uint64_t>(3));
    }

    void anyTensorOfThreeDimensionsIsCut()
    {
        std::vector<float> values;
        for (int i = 0; i < 4 * 2 * 5; ++i)
            values.push_back(float(i % 7) - 3);
        const QString path = m_dir->filePath(QStringLiteral("conv.gguf"));
        test::writeFile(path, test::GgufBuilder().meta("general.architecture", "x").floats("conv.weight", {4, 2, 5}, values).bytes());
        open(path);
        showTab("Experts");
        select("conv.weight");
        QTRY_COMPARE_WITH_TIMEOUT(experts()->grid()->order().size(), 5u, LongMs);
    }

    void routersAndSharedExpertsAreNamed()
    {
        openSample();
        select("blk.0.ffn_gate_inp.weight");
        QVERIFY(page()->header()->detailText().startsWith(QStringLiteral("router")));
        select("blk.0.ffn_up_shexp.weight");
        QVERIFY(page()->header()->detailText().startsWith(QStringLiteral("shared expert")));
    }

    // 48 layers of 128 experts: the map fills in while the scan runs.
    void aLargeMapFillsInAsResultsCome()
    {
        const QString path = m_dir->filePath(QStringLiteral("many.gguf"));
        test::writeFile(path, manyExperts(48, 128));
        open(path);
        select("blk.0.ffn_up_exps.weight");
        showTab("Experts");
        experts()->setPicture(ExpertPanel::Picture::Map);
        std::vector<int> known;
        connect(&m_window->session().experts(), &ExpertService::tableReady, this, [&] {
            const auto &values = experts()->map()->data().values;
            known.push_back(static_cast<int>(std::ranges::count_if(values, [](double v) { return !std::isnan(v); })));
        });
        QElapsedTimer clock;
        clock.start();
        QTest::mouseClick(find<QPushButton>("expertScan"), Qt::LeftButton);
        const auto isFull = [&] { return !known.empty() && known.back() == 48 * 128; };
        QTRY_VERIFY_WITH_TIMEOUT(isFull(), LongMs);
        qInfo("48 x 128 experts in %lld ms, %zu steps", clock.elapsed(), known.size());
        QVERIFY(known.size() >= 40);
        QVERIFY(known.front() <= 2 * 128);
        QVERIFY(std::ranges::is_sorted(known));
        QVERIFY(std::ranges::any_of(known, [](int n) { return n > 8 * 128 && n < 40 * 128; }));
        QCOMPARE(experts()->map()->data().rows, 48);
        QCOMPARE(experts()->map()->data().columns, 128);
        QVERIFY(experts()->map()->data().marked[20 * 128 + 7]); // the dead one
        QVERIFY(std::isfinite(experts()->map()->data().value(47, 127)));
        QCOMPARE(experts()->map()->data().value(20, 7), 0.0);
    }

private:
    template <class T>
    T *find(const char *name)
    {
        return m_window->findChild<T *>(QLatin1String(name));
    }

    TensorPage *page() { return m_window->panels().page; }
    ExpertPanel *experts() { return page()->experts(); }
    GgufModelPtr model() { return m_window->session().document(Side::A).model; }
    TensorIndex indexOf(const char *name) { return model()->findTensor(name).value(); }
    TensorView expertView(const char *name, std::uint64_t expert)
    {
        return TensorView::ofExpert(model(), indexOf(name), expert).value();
    }
    std::vector<float> expertWeights(const char *name, std::uint64_t expert) { return weightsOf(expertView(name, expert)); }
    void trigger(const char *action) { find<QAction>(action)->trigger(); }

    void showTab(const char *name)
    {
        QTabWidget *tabs = page()->tabs();
        for (int i = 0; i < tabs->count(); ++i)
            if (tabs->tabText(i) == QLatin1String(name))
                return tabs->setCurrentIndex(i);
        QFAIL("no such tab");
    }

    void open(const QString &path)
    {
        QSignalSpy changed(&m_window->session(), &Session::documentChanged);
        m_window->openFile(path);
        QVERIFY(changed.wait(LongMs));
        connect(&m_window->session().beside(), &BesideService::ready, this,
                [this](const BesidePtr &beside) { m_comparison = beside->comparison; });
    }

    void openSample() { open(sampleModelPath()); }

    void select(const char *name)
    {
        QSignalSpy ready(&m_window->session().analysis(), &AnalysisService::statsReady);
        m_window->session().selectTensor(indexOf(name));
        QVERIFY(ready.wait(LongMs));
    }

    void selectExpert(const char *name, std::uint64_t expert)
    {
        QSignalSpy ready(&m_window->session().analysis(), &AnalysisService::statsReady);
        m_window->session().selectExpert(indexOf(name), expert);
        QVERIFY(ready.wait(LongMs));
    }

    std::unique_ptr<QTemporaryDir> m_dir;
    std::unique_ptr<Settings> m_settings;
    std::unique_ptr<MainWindow> m_window;
    ComparisonPtr m_comparison;
};

QTEST_MAIN(ExpertsTest)
#include "tst_experts.moc"
