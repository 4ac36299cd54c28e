// SPDX-License-Identifier: GPL-3.0-or-later
// The ways a file gets into the window that need no dialog: dropped files, the recent list.

#include "app/mainwindow.h"
#include "app/samplemodel.h"
#include "app/startpage.h"
#include "tests/support/testdata.h"

#include <QApplication>
#include <QDropEvent>
#include <QMenu>
#include <QMessageBox>
#include <QMimeData>
#include <QPushButton>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

using namespace ql;

namespace {

constexpr int LongMs = 20000;

QString model(const char *name) { return test::dataPath(QStringLiteral("models/") + QLatin1String(name)); }

QString nameOf(const Document &document)
{
    return document ? QFileInfo(QString::fromStdString(document.model->path())).fileName() : QString();
}

} // namespace

class OpeningTest : public QObject
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

    void oneDroppedFileIsOpened()
    {
        QVERIFY(drop({sampleModelPath()}));
        QTRY_COMPARE_WITH_TIMEOUT(nameOf(a()), QStringLiteral("tiny-moe-Q4_K_M.gguf"), LongMs);
        QVERIFY(!b());
    }

    void twoDroppedFilesAreCompared()
    {
        QVERIFY(drop({sampleModelPath(), model("tiny-moe-Q2_K.gguf")}));
        QTRY_COMPARE_WITH_TIMEOUT(nameOf(b()), QStringLiteral("tiny-moe-Q2_K.gguf"), LongMs);
        QTRY_COMPARE_WITH_TIMEOUT(nameOf(a()), QStringLiteral("tiny-moe-Q4_K_M.gguf"), LongMs);
    }

    void theShardsOfOneModelAreOneModel()
    {
        QVERIFY(drop({model("tiny-moe-Q4_K_M-split-00002-of-00003.gguf"),
                      model("tiny-moe-Q4_K_M-split-00001-of-00003.gguf"),
                      model("tiny-moe-Q4_K_M-split-00003-of-00003.gguf")}));
        QTRY_VERIFY_WITH_TIMEOUT(a(), LongMs);
        QTest::qWait(200);
        QVERIFY(!b());
        QCOMPARE(a().model->tensors().size(), std::size_t{29});
    }

    void aSecondDropAsksAndStandsBesideIt()
    {
        drop({sampleModelPath()});
        QTRY_VERIFY_WITH_TIMEOUT(a(), LongMs);
        drop({model("tiny-moe-Q2_K.gguf")});
        clickInQuestion(QStringLiteral("Beside it"));
        QTRY_COMPARE_WITH_TIMEOUT(nameOf(b()), QStringLiteral("tiny-moe-Q2_K.gguf"), LongMs);
        QCOMPARE(nameOf(a()), QStringLiteral("tiny-moe-Q4_K_M.gguf"));
    }

    void aSecondDropCanReplaceTheFirst()
    {
        drop({sampleModelPath()});
        QTRY_VERIFY_WITH_TIMEOUT(a(), LongMs);
        drop({model("tiny-moe-Q2_K.gguf")});
        clickInQuestion(QStringLiteral("Replace"));
        QTRY_COMPARE_WITH_TIMEOUT(nameOf(a()), QStringLiteral("tiny-moe-Q2_K.gguf"), LongMs);
        QVERIFY(!b());
    }

    void textIsNotAccepted()
    {
        QMimeData data;
        data.setText(QStringLiteral("not a file"));
        QDragEnterEvent enter(QPoint(100, 100), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        enter.ignore();
        QApplication::sendEvent(m_window.get(), &enter);
        QVERIFY(!enter.isAccepted());
    }

    void openedFilesAreInTheRecentList()
    {
        drop({sampleModelPath()});
        QTRY_VERIFY_WITH_TIMEOUT(a(), LongMs);
        m_window->session().close(Side::A);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->panels().start->isVisible(), LongMs);
        auto *recent = m_window->panels().start->findChild<QPushButton *>(QStringLiteral("recentFile"));
        QVERIFY(recent);
        QCOMPARE(recent->text(), QStringLiteral("tiny-moe-Q4_K_M.gguf"));
        QTest::mouseClick(recent, Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(a(), LongMs);
        auto *menu = m_window->findChild<QMenu *>(QStringLiteral("recentMenu"));
        QVERIFY(menu);
        emit menu->aboutToShow();
        QVERIFY(!menu->actions().isEmpty());
        QVERIFY(menu->actions().first()->text().contains(QStringLiteral("tiny-moe-Q4_K_M.gguf")));
    }

private:
    const Document &a() { return m_window->session().document(Side::A); }
    const Document &b() { return m_window->session().document(Side::B); }

    bool drop(const QStringList &paths)
    {
        QMimeData data;
        QList<QUrl> urls;
        for (const QString &path : paths)
            urls << QUrl::fromLocalFile(path);
        data.setUrls(urls);
        QDragEnterEvent enter(QPoint(100, 100), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(m_window.get(), &enter);
        QDropEvent event(QPointF(100, 100), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(m_window.get(), &event);
        return enter.isAccepted() && event.isAccepted();
    }

    void clickInQuestion(const QString &text)
    {
        QMessageBox *question = nullptr;
        QTRY_VERIFY_WITH_TIMEOUT((question = m_window->findChild<QMessageBox *>(QStringLiteral("dropQuestion"))), LongMs);
        for (QAbstractButton *button : question->buttons())
            if (button->text() == text)
                return QTest::mouseClick(button, Qt::LeftButton);
        QFAIL("the question has no such button");
    }

    std::unique_ptr<QTemporaryDir> m_dir;
    std::unique_ptr<Settings> m_settings;
    std::unique_ptr<MainWindow> m_window;
};

QTEST_MAIN(OpeningTest)
#include "tst_opening.moc"
