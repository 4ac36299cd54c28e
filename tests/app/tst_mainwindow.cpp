// SPDX-License-Identifier: GPL-3.0-or-later
// The window as a person uses it: open, filter, select, read figures, cancel, a second file, a broken one.

#include "app/mainwindow.h"
#include "app/samplemodel.h"
#include "app/startpage.h"
#include "app/statusline.h"
#include "app/tensorpage.h"
#include "app/topbar.h"
#include "tests/support/ggufbuilder.h"
#include "tests/support/testdata.h"
#include "widgets/busyoverlay.h"
#include "widgets/compareheatpanel.h"
#include "widgets/comparepanel.h"
#include "widgets/elidedlabel.h"
#include "widgets/figurespanel.h"
#include "widgets/formatting.h"
#include "widgets/gotopopup.h"
#include "widgets/heatmappanel.h"
#include "widgets/histogrampanel.h"
#include "widgets/messagebar.h"
#include "widgets/metadatapanel.h"
#include "widgets/stateplaceholder.h"
#include "widgets/tensorheader.h"
#include "widgets/tensorpanel.h"
#include "widgets/tokenizerpanel.h"

#include <QAbstractItemView>
#include <QAction>
#include <QFile>
#include <QHeaderView>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QTreeView>

using namespace ql;

namespace {

constexpr int LongMs = 20000;

TensorIndex indexOf(MainWindow &window, const char *name)
{
    return window.session().document(Side::A).model->findTensor(name).value();
}

QJsonObject expectedFigures(const char *tensor)
{
    QFile file(test::dataPath(QStringLiteral("models/tiny-moe-Q4_K_M.stats.json")));
    if (!file.open(QIODevice::ReadOnly))
        return {};
    return QJsonDocument::fromJson(file.readAll()).object().value(QLatin1String(tensor)).toObject();
}

bool isClose(double a, double b) { return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b)); }

} // namespace

class MainWindowTest : public QObject
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

    void emptyWindowSaysWhatToDo()
    {
        QVERIFY(m_window->panels().start->isVisible());
        QVERIFY(!m_window->panels().tensors->isVisible());
        QTest::mouseClick(find<QPushButton>("startSample"), Qt::LeftButton);
        waitForDocument();
        QVERIFY(!m_window->panels().start->isVisible());
        QVERIFY(m_window->panels().tensors->isVisible());
        QCOMPARE(m_window->panels().topBar->findChild<QLabel *>(QStringLiteral("nameA"))->text(),
                 QStringLiteral("tiny-moe-Q4_K_M.gguf"));
    }

    void statusLineSaysSizesAndResidentMemory()
    {
        openSample();
        const auto *files = find<QLabel>("statusFiles");
        const QString size = formatBytes(m_window->session().document(Side::A).summary->size);
        QTRY_VERIFY_WITH_TIMEOUT(files->text().endsWith(QStringLiteral(" resident")), LongMs);
        QVERIFY2(files->text().startsWith(size + QStringLiteral(" · ")), qPrintable(files->text()));
        m_window->session().open(Side::B, test::dataPath(QStringLiteral("models/tiny-moe-Q2_K.gguf")));
        QTRY_VERIFY_WITH_TIMEOUT(files->text().startsWith(QStringLiteral("A ") + size + QStringLiteral(", B ")), LongMs);
    }

    void aVeryLongNameDoesNotWidenTheWindow()
    {
        const QString path = m_dir->filePath(QStringLiteral("long.gguf"));
        test::GgufBuilder().tensor(std::string(2000, 'w'), GgmlType::F32, {32}).writeTo(path);
        m_window->openFile(path);
        waitForDocument();
        m_window->session().selectTensor(TensorIndex{0});
        const auto *name = find<ElidedLabel>("tensorName");
        QTRY_VERIFY_WITH_TIMEOUT(name->text().size() == 2000, LongMs);
        QVERIFY(m_window->minimumSizeHint().width() <= 1280);
        QVERIFY2(name->shownText().size() < 200 && name->shownText().contains(QChar(0x2026)),
                 qPrintable(name->shownText()));
    }

    void selectingATensorShowsItsExactFigures()
    {
        openSample();
        const auto stats = select("blk.1.ffn_down_exps.weight");
        const QJsonObject expected = expectedFigures("blk.1.ffn_down_exps.weight");
        QVERIFY(!expected.isEmpty());
        const Moments &moments = stats->figures.moments;
        QCOMPARE(double(moments.count), expected.value(QLatin1String("count")).toDouble());
        QCOMPARE(*moments.minValue(), expected.value(QLatin1String("min")).toDouble());
        QCOMPARE(*moments.maxValue(), expected.value(QLatin1String("max")).toDouble());
        QVERIFY(isClose(*moments.std(), expected.value(QLatin1String("std")).toDouble()));
        QVERIFY(isClose(*moments.kurtosis(), expected.value(QLatin1String("kurtosis")).toDouble()));
        QCOMPARE(m_window->panels().page->header()->nameText(), QStringLiteral("blk.1.ffn_down_exps.weight"));
    }

    void clickingFastNeverShowsAStaleResult()
    {
        openSample();
        TensorPage *page = m_window->panels().page;
        const auto &tensors = m_window->session().document(Side::A).model->tensors();
        bool alwaysTrue = true;
        connect(&m_window->session().analysis(), &AnalysisService::statsReady, this,
                [&](Side, const StatsKey &key, const TensorStatsPtr &stats) {
                    // What arrives is what is selected, and the page shows it under its own name.
                    alwaysTrue &= key.tensor == m_window->session().selection().tensor;
                    alwaysTrue &= page->stats() == stats;
                    alwaysTrue &= page->header()->nameText() == QString::fromStdString(tensors[key.tensor.value].name);
                    alwaysTrue &= stats->figures.moments.count == *tensors[key.tensor.value].elements;
                });
        std::uint32_t last = 0;
        for (std::uint32_t i = 0; i < 50; ++i) {
            last = i % static_cast<std::uint32_t>(tensors.size());
            m_window->session().selectTensor(TensorIndex{last});
            QCoreApplication::processEvents(QEventLoop::AllEvents, 2);
        }
        QTRY_VERIFY_WITH_TIMEOUT(page->shown().name() == QString::fromStdString(tensors[last].name), LongMs);
        QVERIFY(alwaysTrue);
    }

    void aSecondVisitComesFromTheCache()
    {
        openSample();
        const auto first = select("blk.0.attn_q.weight");
        select("blk.0.attn_k.weight");
        QCOMPARE(select("blk.0.attn_q.weight"), first);
    }

    void filteringAndClickingInTheTreeSelects()
    {
        openSample();
        TensorPanel *panel = m_window->panels().tensors;
        panel->setFilter(QStringLiteral("1.*down_exps"), true);
        QTRY_COMPARE(panel->shownTensors().size(), 1u);
        QSignalSpy ready(&m_window->session().analysis(), &AnalysisService::statsReady);
        auto *tree = panel->findChild<QAbstractItemView *>();
        clickRow(tree, QStringLiteral("ffn_down_exps"));
        QVERIFY(ready.wait(LongMs));
        QCOMPARE(m_window->session().selection().tensor, indexOf(*m_window, "blk.1.ffn_down_exps.weight"));
        QCOMPARE(m_window->panels().page->figures()->shown(QStringLiteral("count")), QStringLiteral("524,288"));
    }

    void cancellingLeavesNoHalfResult()
    {
        const QString path = m_dir->filePath(QStringLiteral("sparse.gguf"));
        // 64 MiB of holes: enough to be at work when the cancel comes.
        QVERIFY(writeSparse(path));
        open(path);
        QSignalSpy stopped(&m_window->session().analysis(), &AnalysisService::statsStopped);
        m_window->session().selectTensor(TensorIndex{0});
        m_window->findChild<QAction *>(QStringLiteral("actionCancel"))->trigger();
        QVERIFY(stopped.wait(LongMs));
        QVERIFY(!m_window->panels().page->stats());
        QVERIFY(m_window->panels().page->placeholder()->isVisible());
        QCOMPARE(m_window->panels().page->placeholder()->title(), QStringLiteral("Scan cancelled"));
        // Asked again, it goes through.
        QSignalSpy ready(&m_window->session().analysis(), &AnalysisService::statsReady);
        emit m_window->panels().page->placeholder()->actionTriggered();
        QTRY_VERIFY_WITH_TIMEOUT(!ready.isEmpty() && m_window->panels().page->stats()->sampledShare == 1.0, 3 * LongMs);
    }

    void theFirstScanSaysWhatItReads()
    {
        const QString path = m_dir->filePath(QStringLiteral("sparse.gguf"));
        QVERIFY(writeSparse(path));
        open(path);
        TensorPage *page = m_window->panels().page;
        page->await({std::shared_ptr<const TensorInfo>(m_window->session().document(Side::A).model,
                                                       &m_window->session().document(Side::A).model->tensor(TensorIndex{0})),
                     {}}); // no job answers: the state between click and result stays
        QTRY_COMPARE_WITH_TIMEOUT(page->placeholder()->title(), QStringLiteral("Reading big.weight"), LongMs);
        QVERIFY(!page->placeholder()->isError());
    }

    void aSecondFileBesideTheFirstIsCompared()
    {
        openSample();
        m_window->session().open(Side::B, test::dataPath(QStringLiteral("models/tiny-moe-Q2_K.gguf")));
        QSignalSpy finished(&m_window->session().comparison(), &ComparisonService::finished);
        QVERIFY(finished.wait(LongMs));
        QCOMPARE(find<QLabel>("nameB")->text(), QStringLiteral("tiny-moe-Q2_K.gguf"));
        select("blk.0.attn_q.weight");
        QTRY_VERIFY_WITH_TIMEOUT(
            m_window->panels().page->figures()->shown(QStringLiteral("count"), FiguresTable::B) == QStringLiteral("65,536"),
            LongMs);
        CompareHeatPanel *maps = m_window->panels().page->pairMaps();
        QTRY_VERIFY_WITH_TIMEOUT(maps->isVisible(), LongMs);
        const QString figures = find<QLabel>("tensorFigures")->text();
        QVERIFY2(figures.startsWith(QStringLiteral("relative RMSE 0.3514")), qPrintable(figures));
        m_window->session().close(Side::B);
        QVERIFY(m_window->panels().page->heatMap()->isVisible());
    }

    void backAndForwardWalkThroughSelections()
    {
        openSample();
        select("blk.0.attn_q.weight");
        select("blk.0.attn_k.weight");
        m_window->findChild<QAction *>(QStringLiteral("actionBack"))->trigger();
        QCOMPARE(m_window->session().selection().tensor, indexOf(*m_window, "blk.0.attn_q.weight"));
        m_window->findChild<QAction *>(QStringLiteral("actionForward"))->trigger();
        QCOMPARE(m_window->session().selection().tensor, indexOf(*m_window, "blk.0.attn_k.weight"));
    }

    void goToFindsTensorsAndKeys()
    {
        openSample();
        m_window->findChild<QAction *>(QStringLiteral("actionGoTo"))->trigger();
        auto *field = find<QLineEdit>("goToField");
        QTest::keyClicks(field, QStringLiteral("1 down exps"));
        QVERIFY(find<QListWidget>("goToList")->count() >= 1);
        QTest::keyClick(field, Qt::Key_Return);
        QCOMPARE(m_window->session().selection().tensor, indexOf(*m_window, "blk.1.ffn_down_exps.weight"));
    }

    void goToSaysThatNothingMatches()
    {
        openSample();
        m_window->findChild<QAction *>(QStringLiteral("actionGoTo"))->trigger();
        auto *field = find<QLineEdit>("goToField");
        auto *nothing = find<QLabel>("goToNothing");
        QVERIFY(!nothing->isVisible());
        const int height = find<GoToPopup>("goToPopup")->height();
        QTest::keyClicks(field, QStringLiteral("nosuch"));
        QVERIFY(nothing->isVisible() && !find<QListWidget>("goToList")->isVisible());
        QVERIFY2(nothing->text().contains(QStringLiteral("nosuch")), qPrintable(nothing->text()));
        QVERIFY(find<GoToPopup>("goToPopup")->height() < height / 2);
        QTest::keyClick(field, Qt::Key_Return); // goes nowhere and stays
        QVERIFY(field->isVisible());
        field->setText(QStringLiteral("attn_q"));
        QVERIFY(!nothing->isVisible() && find<QListWidget>("goToList")->isVisible());
        QCOMPARE(find<GoToPopup>("goToPopup")->height(), height);
    }

    void aBrokenFileIsSaidInTheWindowAndTheOldOneStays()
    {
        openSample();
        QSignalSpy failed(&m_window->session(), &Session::openFailed);
        m_window->openFile(test::dataPath(QStringLiteral("cases/html_instead.gguf")));
        QVERIFY(failed.wait(LongMs));
        QVERIFY(m_window->panels().message->isVisible());
        QVERIFY2(m_window->panels().message->text().contains(QStringLiteral("HTML")),
                 qPrintable(m_window->panels().message->text()));
        QVERIFY(m_window->session().document(Side::A).model->path().ends_with("tiny-moe-Q4_K_M.gguf"));
        QTest::mouseClick(find<QPushButton>("messageClose"), Qt::LeftButton);
        QVERIFY(!m_window->panels().message->isVisible());
    }

    void aSecondFileReplacesTheFirst()
    {
        openSample();
        select("blk.0.attn_q.weight");
        open(test::dataPath(QStringLiteral("models/tiny-moe-Q2_K.gguf")));
        QVERIFY(m_window->session().document(Side::A).model->path().ends_with("tiny-moe-Q2_K.gguf"));
        // The selection is carried over by name.
        QCOMPARE(m_window->session().selection().tensor, indexOf(*m_window, "blk.0.attn_q.weight"));
    }

    void aDamagedTensorsRowSaysWhatIsWrong()
    {
        open(test::dataPath(QStringLiteral("cases/type_99_unknown.gguf")));
        m_window->session().selectTensor(indexOf(*m_window, "new.weight"));
        StatePlaceholder *placeholder = m_window->panels().page->placeholder();
        QVERIFY(placeholder->isVisible());
        QVERIFY(placeholder->isError());
        QVERIFY2(placeholder->detail().contains(QStringLiteral("99")), qPrintable(placeholder->detail()));
    }

    void aFileTruncatedWhileOpenOffersToReload()
    {
        const QString copy = m_dir->filePath(QStringLiteral("copy.gguf"));
        QVERIFY(QFile::copy(test::dataPath(QStringLiteral("cases/truncate_while_open.gguf")), copy));
        QVERIFY(QFile::setPermissions(copy, QFile::ReadOwner | QFile::WriteOwner));
        open(copy);
        QVERIFY(QFile::resize(copy, QFile(copy).size() / 2));
        QSignalSpy failed(&m_window->session().analysis(), &AnalysisService::statsFailed);
        m_window->session().selectTensor(indexOf(*m_window, "blk.63.w"));
        QVERIFY(failed.wait(LongMs));
        StatePlaceholder *placeholder = m_window->panels().page->placeholder();
        QVERIFY(placeholder->isVisible());
        QSignalSpy changed(&m_window->session(), &Session::documentChanged);
        emit placeholder->actionTriggered();
        QVERIFY(changed.wait(LongMs));
        QVERIFY(!m_window->session().document(Side::A).model->warnings().empty());
    }

    void f5Reloads()
    {
        openSample();
        select("blk.0.attn_q.weight");
        const quint64 before = m_window->session().document(Side::A).generation;
        m_window->findChild<QAction *>(QStringLiteral("actionReload"))->trigger();
        waitForDocument();
        QVERIFY(m_window->session().document(Side::A).generation > before);
        QCOMPARE(m_window->session().selection().tensor, indexOf(*m_window, "blk.0.attn_q.weight"));
    }

    void closingGoesBackToTheStart()
    {
        openSample();
        m_window->findChild<QAction *>(QStringLiteral("actionClose"))->trigger();
        QVERIFY(m_window->panels().start->isVisible());
        QVERIFY(!m_window->session().document(Side::A));
    }

    void theWindowRemembers()
    {
        openSample();
        m_window->close();
        m_window.reset();
        Settings again(m_dir->filePath(QStringLiteral("settings.ini")));
        QCOMPARE(again.recentFiles().size(), 1);
        QVERIFY(!again.state(QStringLiteral("geometry")).isEmpty());
    }

    void findGoesToTheFilterOnTheLeft()
    {
        openSample();
        find<QPushButton>("openButton")->setFocus();
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_F, Qt::ControlModifier);
        QVERIFY(m_window->panels().tensors->isAncestorOf(QApplication::focusWidget()));
        QVERIFY(qobject_cast<QLineEdit *>(QApplication::focusWidget()));
        QTest::keyClicks(QApplication::focusWidget(), QStringLiteral("attn"));
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_F, Qt::ControlModifier); // and from there it stays
        QVERIFY(m_window->panels().tensors->isAncestorOf(QApplication::focusWidget()));
    }

    void theLeastSizeHasRoomForThePage()
    {
        openSample();
        m_window->session().selectTensor(indexOf(*m_window, "blk.0.attn_q.weight"));
        QTRY_VERIFY_WITH_TIMEOUT(m_window->panels().page->figures()->isVisible(), LongMs);
        m_window->resize(m_window->minimumSize());
        QTRY_COMPARE(m_window->size(), m_window->minimumSize());
        const auto onScreen = [](const QWidget *widget) { return QRect(widget->mapToGlobal(QPoint()), widget->size()); };
        const TensorPage *page = m_window->panels().page;
        QVERIFY(!onScreen(page->histogram()).intersects(onScreen(page->figures())));
        QVERIFY(onScreen(m_window.get()).contains(onScreen(page->figures())));
        QVERIFY(onScreen(m_window.get()).contains(onScreen(page->histogram())));
    }

    void everyTableRemembersItsColumns()
    {
        constexpr int Width = 173;
        const auto headers = [this] {
            const Panels &panels = m_window->panels();
            return QList<QHeaderView *>{headerOf(panels.tensors, "tensorTree"), headerOf(panels.metadata, "metadataTree"),
                                        headerOf(panels.tokenizer, "tokenTable"),
                                        headerOf(panels.page->compare(), "compareTable")};
        };
        openSample();
        for (QHeaderView *header : headers()) {
            QVERIFY(header);
            header->resizeSection(1, Width);
        }
        m_window->close();
        m_window = std::make_unique<MainWindow>(*m_settings);
        m_window->show();
        openSample();
        for (QHeaderView *header : headers())
            QCOMPARE(header->sectionSize(1), Width);
    }

private:
    /// Of the table or tree of that name.
    static QHeaderView *headerOf(QWidget *panel, const char *name)
    {
        if (auto *table = panel->findChild<QTableView *>(QLatin1String(name)))
            return table->horizontalHeader();
        auto *tree = panel->findChild<QTreeView *>(QLatin1String(name));
        return tree ? tree->header() : nullptr;
    }

    template <class T>
    T *find(const char *name)
    {
        return m_window->findChild<T *>(QLatin1String(name));
    }

    static void clickRow(QAbstractItemView *view, const QString &name)
    {
        const QModelIndexList found = view->model()->match(view->model()->index(0, 0), Qt::DisplayRole, name, 1,
                                                           Qt::MatchExactly | Qt::MatchRecursive);
        QVERIFY(!found.isEmpty());
        view->scrollTo(found.first());
        QTest::mouseClick(view->viewport(), Qt::LeftButton, {}, view->visualRect(found.first()).center());
    }

    static bool writeSparse(const QString &path)
    {
        constexpr quint64 Rows = 8192;
        constexpr quint64 Columns = 4096;
        const QByteArray header = test::GgufBuilder()
                                      .meta("general.architecture", "llama")
                                      .tensorRaw("big.weight", 1, {Columns, Rows}, {}, 0)
                                      .bytes();
        QFile file(path);
        return file.open(QIODevice::WriteOnly) && file.write(header) == header.size()
               && file.resize(header.size() + qint64(2 * Rows * Columns));
    }

    void waitForDocument()
    {
        QSignalSpy changed(&m_window->session(), &Session::documentChanged);
        QVERIFY(changed.wait(LongMs));
    }

    void open(const QString &path)
    {
        m_window->openFile(path);
        waitForDocument();
    }

    void openSample() { open(sampleModelPath()); }

    TensorStatsPtr select(const char *name)
    {
        QSignalSpy ready(&m_window->session().analysis(), &AnalysisService::statsReady);
        m_window->session().selectTensor(indexOf(*m_window, name));
        if (!ready.wait(LongMs))
            return nullptr;
        return m_window->panels().page->stats();
    }

    std::unique_ptr<QTemporaryDir> m_dir;
    std::unique_ptr<Settings> m_settings;
    std::unique_ptr<MainWindow> m_window;
};

QTEST_MAIN(MainWindowTest)
#include "tst_mainwindow.moc"
