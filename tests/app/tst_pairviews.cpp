// SPDX-License-Identifier: GPL-3.0-or-later
// B beside A: blocks and values at one place, and the pairs that are remembered.

#include "app/mainwindow.h"
#include "app/tensorpage.h"
#include "tests/support/testdata.h"
#include "widgets/blockcanvas.h"
#include "widgets/blockpanel.h"
#include "widgets/metadatadiffpanel.h"
#include "widgets/valuespanel.h"
#include "widgets/valuesview.h"

#include <QAction>
#include <QClipboard>
#include <QFileDialog>
#include <QMenu>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QTabWidget>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

using namespace ql;

namespace {

constexpr int LongMs = 20000;
constexpr int BlockTab = 2;
constexpr int ValuesTab = 3;

QString modelPath(const char *name) { return test::dataPath(QStringLiteral("models/") + QLatin1String(name)); }

} // namespace

class PairViewsTest : public QObject
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
        openPair();
    }

    void cleanup() { m_window.reset(); }

    void aClickShowsBothBlocks()
    {
        select("blk.0.attn_q.weight");
        page()->tabs()->setCurrentIndex(ValuesTab);
        clickCell({3, 40});
        page()->tabs()->setCurrentIndex(BlockTab);
        BlockPanel *panel = page()->block();
        QTRY_VERIFY_WITH_TIMEOUT(panel->canvas()->block() && panel->canvasB()->isVisible(), LongMs);
        const BlockViewPtr a = panel->canvas()->block(), b = panel->canvasB()->block();
        QCOMPARE(a->typeName, std::string("Q4_K"));
        QCOMPARE(b->typeName, std::string("Q2_K"));
        QCOMPARE(a->row, 3u);
        QCOMPARE(b->row, 3u);
        // The weight is lit in both, and is the one that each file's decoder gives.
        QCOMPARE(panel->canvas()->selectedWeight(), std::optional<std::uint32_t>(40));
        QCOMPARE(panel->canvasB()->selectedWeight(), std::optional<std::uint32_t>(40));
        QCOMPARE(double(a->fields.weights[40].value), decoded(Side::A, 3, 40));
        QCOMPARE(double(b->fields.weights[40].value), decoded(Side::B, 3, 40));
    }

    void stepsInBMoveA()
    {
        select("blk.0.attn_q.weight");
        page()->tabs()->setCurrentIndex(BlockTab);
        m_window->session().selectWeight(3, 40);
        BlockPanel *panel = page()->block();
        QTRY_VERIFY_WITH_TIMEOUT(panel->canvasB()->isVisible() && panel->canvas()->block(), LongMs);
        panel->canvasB()->setFocus();
        QTest::keyClick(panel->canvasB(), Qt::Key_PageDown);
        QTRY_COMPARE_WITH_TIMEOUT(panel->canvasB()->block()->row, 4u, LongMs); // one block of 256 a row
        QTRY_COMPARE_WITH_TIMEOUT(panel->canvas()->block()->row, 4u, LongMs);
    }

    void anExpertsBlocksAreThoseOfTheExpert()
    {
        const TensorIndex tensor = *a().model->findTensor("blk.1.ffn_down_exps.weight");
        m_window->session().selectExpert(tensor, 5);
        m_window->session().selectWeight(2, 7);
        BlockPanel *panel = page()->block();
        page()->tabs()->setCurrentIndex(BlockTab);
        QTRY_VERIFY_WITH_TIMEOUT(panel->canvasB()->isVisible() && panel->canvas()->block(), LongMs);
        QTRY_COMPARE_WITH_TIMEOUT(double(panel->canvasB()->block()->fields.weights[7].value), decoded(Side::B, 2, 7), LongMs);
        QCOMPARE(double(panel->canvas()->block()->fields.weights[7].value), decoded(Side::A, 2, 7));
    }

    void closingBLeavesAAlone()
    {
        select("blk.0.attn_q.weight");
        page()->tabs()->setCurrentIndex(BlockTab);
        m_window->session().selectWeight(3, 40);
        BlockPanel *panel = page()->block();
        QTRY_VERIFY_WITH_TIMEOUT(panel->canvasB()->isVisible(), LongMs);
        m_window->findChild<QAction *>(QStringLiteral("actionCloseB"))->trigger();
        QVERIFY(!panel->canvasB()->isVisible());
        QVERIFY(panel->canvas()->isVisible());
    }

    void valuesOfAAndBAndTheirDifference()
    {
        select("blk.0.attn_q.weight");
        page()->tabs()->setCurrentIndex(ValuesTab);
        ValuesView *view = page()->values()->view();
        QTRY_VERIFY_WITH_TIMEOUT(view->cellText({3, 5}, ValuesOf::Difference), LongMs);
        const double a = decoded(Side::A, 3, 5), b = decoded(Side::B, 3, 5);
        QVERIFY(a != b);
        QCOMPARE(double(view->cellText({3, 5}, ValuesOf::A)->toFloat()), a);
        QCOMPARE(view->cellText({3, 5}, ValuesOf::Difference)->toDouble(), a - b);
        clickCell({3, 5});
        QTest::keyClick(view, Qt::Key_C, Qt::ControlModifier);
        const QStringList copied = QGuiApplication::clipboard()->text().split(QRegularExpression(QStringLiteral("[\t\n]")));
        QCOMPARE(copied.mid(0, 7), (QStringList{QStringLiteral("row"), QStringLiteral("column"), QStringLiteral("A"),
                                                QStringLiteral("B"), QStringLiteral("A-B"), QStringLiteral("3"),
                                                QStringLiteral("5")}));
        QCOMPARE(copied.value(9).toDouble(), a - b);
    }

    void anotherTensorBringsItsOwnValues()
    {
        select("blk.0.attn_q.weight");
        page()->tabs()->setCurrentIndex(ValuesTab);
        ValuesView *view = page()->values()->view();
        QTRY_VERIFY_WITH_TIMEOUT(view->cellText({1, 2}, ValuesOf::Difference), LongMs);
        select("blk.0.attn_output.weight");
        QTRY_VERIFY_WITH_TIMEOUT(view->cellText({1, 2}, ValuesOf::Difference), LongMs);
        QCOMPARE(view->cellText({1, 2}, ValuesOf::Difference)->toDouble(), decoded(Side::A, 1, 2) - decoded(Side::B, 1, 2));
    }

    void theMenuSavesAReport()
    {
        auto *action = m_window->findChild<QAction *>(QStringLiteral("actionReport"));
        QVERIFY(action->isEnabled());
        for (const char *name : {"report.html", "report.md"}) {
            action->trigger();
            auto *dialog = m_window->findChild<QFileDialog *>(QStringLiteral("reportDialog"));
            QVERIFY(dialog && dialog->selectedFiles().first().endsWith(QStringLiteral("tiny-moe-Q4_K_M-vs-tiny-moe-Q2_K.html")));
            const QString path = m_dir->filePath(QLatin1String(name));
            emit dialog->fileSelected(path);
            dialog->reject();
            QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(path), LongMs);
            QFile file(path);
            QVERIFY(file.open(QIODevice::ReadOnly));
            const QByteArray text = file.readAll();
            QVERIFY(text.contains("29 tensors compared") && text.contains("0.351"));
            QTRY_VERIFY_WITH_TIMEOUT(!m_window->findChild<QFileDialog *>(QStringLiteral("reportDialog")), LongMs);
        }
        m_window->session().close(Side::B);
        QVERIFY(!action->isEnabled());
    }

    void theMetadataPanelLeadsToWhatDiffers()
    {
        auto *button = m_window->findChild<QToolButton *>(QStringLiteral("metadataDifferences"));
        QTRY_VERIFY_WITH_TIMEOUT(!button->text().isEmpty(), LongMs);
        m_window->findChild<QTabWidget *>(QStringLiteral("leftTabs"))->setCurrentIndex(1);
        QTest::mouseClick(button, Qt::LeftButton);
        MetadataDiffPanel *panel = m_window->panels().differences;
        QVERIFY(panel->isVisible() && panel->state().isEmpty());
        const QAbstractItemModel &table = *panel->table()->model();
        QVERIFY(!table.match(table.index(0, 0), Qt::DisplayRole, QStringLiteral("general.file_type")).isEmpty());
        m_window->session().close(Side::B);
        QVERIFY(!button->isVisible());
        QCOMPARE(panel->state(), QStringLiteral("One file is open"));
    }

    void pairsAreRememberedAndOpenAgain()
    {
        QCOMPARE(m_settings->recentPairs().size(), 1);
        m_window->session().close(Side::B);
        m_window->session().close(Side::A);
        auto *menu = m_window->findChild<QMenu *>(QStringLiteral("recentPairsMenu"));
        emit menu->aboutToShow();
        QCOMPARE(menu->actions().size(), 1);
        QCOMPARE(menu->actions().first()->text(), QStringLiteral("tiny-moe-Q4_K_M.gguf  –  tiny-moe-Q2_K.gguf"));
        menu->actions().first()->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(a() && m_window->session().document(Side::B), LongMs);
        QCOMPARE(m_settings->recentPairs().size(), 1);
    }

private:
    const Document &a() { return m_window->session().document(Side::A); }
    TensorPage *page() { return m_window->panels().page; }

    void openPair()
    {
        m_window->openPair(QStringLiteral(QL_SOURCE_DIR "/resources/sample/tiny-moe-Q4_K_M.gguf"), modelPath("tiny-moe-Q2_K.gguf"));
        QSignalSpy paired(&m_window->session().comparison(), &ComparisonService::paired);
        QVERIFY(paired.wait(LongMs));
    }

    void select(const char *name)
    {
        m_window->session().selectTensor(*a().model->findTensor(name));
        QTRY_COMPARE_WITH_TIMEOUT(page()->shown().name(), QLatin1String(name), LongMs);
    }

    void clickCell(const CellPlace &place)
    {
        ValuesView *view = page()->values()->view();
        QTest::mouseClick(view->viewport(), Qt::LeftButton, {}, view->geometryOfTable().rectOf(place).center());
    }

    /// The weight as the decoder gives it, of the tensor or expert that is looked at.
    double decoded(Side side, std::uint64_t row, std::uint64_t column)
    {
        const auto view = viewOf(m_window->session().document(side).model, *m_window->session().analysis().current(side));
        return (*readValues(*view, {row, 1, column, 1}))->values.front();
    }

    std::unique_ptr<QTemporaryDir> m_dir;
    std::unique_ptr<Settings> m_settings;
    std::unique_ptr<MainWindow> m_window;
};

QTEST_MAIN(PairViewsTest)
#include "tst_pairviews.moc"
