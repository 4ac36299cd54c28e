// SPDX-License-Identifier: GPL-3.0-or-later
// The What-if view as a person uses it: measure, read, choose, a budget, arguments, cancel.

#include "app/mainwindow.h"
#include "core/output/atomicfile.h"
#include "core/output/convert.h"
#include "tests/support/ggufbuilder.h"
#include "tests/support/testdata.h"
#include "widgets/models/whatifmodel.h"
#include "widgets/whatifpanel.h"

#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QSignalSpy>
#include <QSlider>
#include <QStandardPaths>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>

using namespace ql;

namespace {
constexpr int LongMs = 60000;
} // namespace

class WhatIfWindowTest : public QObject
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

    void withoutAFileTheMenuIsGrey() { QVERIFY(!action("actionWhatIf")->isEnabled()); }

    void theTableFillsInWithMeasuredErrors()
    {
        open(f16Model());
        measureAll();
        const WhatIfModel &model = panel()->model();
        QVERIFY(model.rowCount() > 10);
        QCOMPARE(int(model.table().measuredCount()), model.rowCount());
        // The same numbers as the core gives, in the cells a person reads.
        const auto tensor = document().model->findTensor("blk.0.attn_q.weight");
        const auto place = model.table().placeOf(*tensor);
        QVERIFY(place);
        const WhatIfValue &value = model.table().row(*place)->values[4];
        QCOMPARE(value.type, GgmlType::Q4_K);
        const auto fresh = measureTypes(document().model, *tensor, std::vector{GgmlType::Q4_K});
        QVERIFY(fresh);
        const QModelIndex cell = model.index(int(*place), WhatIfModel::columnOf(3, WhatIfModel::RelativeRmse));
        QCOMPARE(cell.data(SortRole).toDouble(), *fresh->front().errors.relativeRmse());
        QVERIFY(cell.data().toString().startsWith(QStringLiteral("0.0")));
        QCOMPARE(model.headerData(cell.column(), Qt::Horizontal, PlainRole).toString(), QStringLiteral("Q4_K_relative_rmse"));
        QVERIFY(find<QLabel>("whatIfTotalTensors")->text().startsWith(QStringLiteral("0 of ")));
    }

    void aClickChoosesAndTheTotalsFollow()
    {
        open(f16Model());
        measureAll();
        const QString before = find<QLabel>("whatIfTotalSize")->text();
        clickCell(0, WhatIfModel::columnOf(0, WhatIfModel::Size));
        QTRY_VERIFY(find<QLabel>("whatIfTotalSize")->text() != before);
        QVERIFY(find<QLabel>("whatIfTotalTensors")->text().startsWith(QStringLiteral("1 of ")));
        QCOMPARE(panel()->choices().size(), std::size_t{1});
        QCOMPARE(panel()->choices().front().type, GgmlType::Q8_0);
        // The present type's cell takes it back.
        clickCell(0, WhatIfModel::PresentColumn);
        QTRY_COMPARE(find<QLabel>("whatIfTotalSize")->text(), before);
    }

    void aTypeForAllRowsOfAFilterAndTheArguments()
    {
        open(f16Model());
        measureAll();
        find<QLineEdit>("whatIfFilterEdit")->setText(QStringLiteral("ffn_down_exps"));
        auto *table = find<QTableView>("whatIfTable");
        const int shown = table->model()->rowCount();
        QVERIFY(shown > 0 && shown < panel()->model().rowCount());
        find<QPushButton>("whatIfChoose")->click();
        auto *menu = m_window->findChild<QMenu *>(QStringLiteral("whatIfChooseMenu"));
        QVERIFY(menu);
        for (QAction *entry : menu->actions())
            if (entry->text() == QStringLiteral("Q6_K"))
                entry->trigger();
        menu->close();
        QCOMPARE(int(panel()->choices().size()), shown);
        find<QPushButton>("whatIfCopyArguments")->click();
        const QString copied = QGuiApplication::clipboard()->text();
        QVERIFY2(copied.contains(QStringLiteral("--tensor-type '^blk\\.(0|1")), qPrintable(copied));
        QVERIFY2(copied.contains(QStringLiteral("\\.ffn_down_exps\\.weight$=q6_k'")), qPrintable(copied));
        QVERIFY2(copied.contains(QStringLiteral("=f16'")), qPrintable(copied));
    }

    void aBudgetIsKept()
    {
        open(f16Model());
        measureAll();
        auto *slider = find<QSlider>("whatIfSlider");
        QVERIFY(slider->isEnabled());
        slider->setValue(300);
        const WhatIfTable &table = panel()->model().table();
        const auto small = double(table.smallestFile()), large = double(table.largestFile());
        const auto budget = small + (large - small) * 0.3;
        QVERIFY(double(table.totals().bytesThen) <= budget);
        QVERIFY(double(table.totals().bytesThen) > small);
        QVERIFY(table.totals().changed > 0);
        // A typed size that nothing fits says so and changes nothing.
        const auto before = table.totals().bytesThen;
        auto *edit = find<QLineEdit>("whatIfBudget");
        edit->setFocus();
        edit->selectAll();
        QTest::keyClicks(edit, QStringLiteral("1 kB"));
        QTest::keyClick(edit, Qt::Key_Return);
        QVERIFY(find<QLabel>("whatIfBudgetNote")->text().startsWith(QStringLiteral("even the smallest types need")));
        QCOMPARE(table.totals().bytesThen, before);
    }

    void cancellingKeepsWhatCame()
    {
        open(bigModel());
        action("actionWhatIf")->trigger();
        QSignalSpy stopped(&m_window->session().whatIf(), &WhatIfService::stopped);
        QSignalSpy rows(&m_window->session().whatIf(), &WhatIfService::rowMeasured);
        find<QPushButton>("whatIfMeasure")->click();
        QVERIFY(panel()->isBusy());
        QVERIFY(rows.wait(LongMs));
        QTest::mouseClick(find<QPushButton>("whatIfCancel"), Qt::LeftButton);
        QVERIFY(!stopped.isEmpty() || stopped.wait(LongMs));
        QVERIFY(!panel()->isBusy());
        QVERIFY(panel()->model().table().measuredCount() >= 1);
        QVERIFY(int(panel()->model().table().measuredCount()) < panel()->model().rowCount());
        QVERIFY(find<QLabel>("whatIfProgress")->text().startsWith(QStringLiteral("Cancelled: ")));
    }

    void aTensorWithNaNSaysSoInItsRow()
    {
        std::vector<float> weights(512, 0.5f);
        weights[77] = std::numeric_limits<float>::quiet_NaN();
        const QString path = m_dir->filePath(QStringLiteral("nan.gguf"));
        test::GgufBuilder().floats("blk.0.ffn_up.weight", {256, 2}, weights).writeTo(path);
        open(path);
        measureAll();
        const WhatIfModel &model = panel()->model();
        const QString note = model.index(0, model.noteColumn()).data().toString();
        QVERIFY2(note.contains(QStringLiteral("a NaN at element 77")), qPrintable(note));
        QVERIFY(panel()->choices().empty());
    }

private:
    const Document &document() { return m_window->session().document(Side::A); }
    WhatIfPanel *panel() { return m_window->panels().whatIf; }
    QAction *action(const char *name) { return m_window->findChild<QAction *>(QLatin1String(name)); }

    template <class T>
    T *find(const char *name)
    {
        auto *result = m_window->findChild<T *>(QLatin1String(name));
        if (!result)
            qFatal("no widget %s", name);
        return result;
    }

    void open(const QString &path)
    {
        QSignalSpy changed(&m_window->session(), &Session::documentChanged);
        m_window->openFile(path);
        QVERIFY(changed.wait(LongMs));
    }

    void measureAll()
    {
        action("actionWhatIf")->trigger();
        QVERIFY(panel()->isVisible());
        QSignalSpy finished(&m_window->session().whatIf(), &WhatIfService::finished);
        QTest::mouseClick(find<QPushButton>("whatIfMeasure"), Qt::LeftButton);
        QVERIFY(finished.wait(LongMs));
    }

    void clickCell(int row, int column)
    {
        auto *table = find<QTableView>("whatIfTable");
        const QModelIndex cell = table->model()->index(row, column);
        table->scrollTo(cell);
        QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, table->visualRect(cell).center());
    }

    /// Two small layers and what is around them, as F16.
    QString f16Model()
    {
        auto noise = [seed = 1u](std::size_t n) mutable {
            std::vector<float> weights(n);
            for (float &w : weights)
                w = static_cast<float>(int((seed = seed * 1664525u + 1013904223u) >> 8) - (1 << 23)) * 0x1p-26f;
            return weights;
        };
        test::GgufBuilder builder;
        builder.meta("general.architecture", "llama").floats("token_embd.weight", {256, 64}, noise(256 * 64));
        for (const std::string layer : {"blk.0.", "blk.1."}) {
            builder.floats(layer + "attn_norm.weight", {256}, std::vector<float>(256, 1.0f));
            for (const char *role : {"attn_q", "attn_k", "attn_v", "attn_output"})
                builder.floats(layer + role + ".weight", {256, 64}, noise(256 * 64));
            for (const char *role : {"ffn_up_exps", "ffn_down_exps"})
                builder.floats(layer + role + ".weight", {256, 16, 4}, noise(256 * 64));
        }
        builder.writeTo(m_dir->filePath(QStringLiteral("f32.gguf")));
        ConvertRequest request;
        request.type = GgmlType::F16;
        const QString path = m_dir->filePath(QStringLiteral("small-F16.gguf"));
        const auto plan = planConversion(test::openOrFail(m_dir->filePath(QStringLiteral("f32.gguf"))), request);
        auto file = AtomicFile::create(path.toStdString(), false, {});
        if (!plan || !file || !writePlan(*plan, **file, {}) || !(*file)->commit())
            QTest::qFail("the F16 model can't be written", __FILE__, __LINE__);
        return path;
    }

    /// Enough tensors to be at work when the cancel comes.
    QString bigModel()
    {
        const QString path = m_dir->filePath(QStringLiteral("big.gguf"));
        std::vector<float> weights(std::size_t{1} << 19);
        for (std::size_t i = 0; i < weights.size(); ++i)
            weights[i] = float(int((i * 2654435761u) >> 8 & 0xffff) - 32768) * 0x1p-16f;
        test::GgufBuilder builder;
        for (int i = 0; i < 24; ++i)
            builder.floats("blk." + std::to_string(i) + ".ffn_up.weight", {1024, weights.size() / 1024}, weights);
        builder.writeTo(path);
        return path;
    }

    std::unique_ptr<QTemporaryDir> m_dir;
    std::unique_ptr<Settings> m_settings;
    std::unique_ptr<MainWindow> m_window;
};

QTEST_MAIN(WhatIfWindowTest)
#include "tst_whatif_window.moc"
