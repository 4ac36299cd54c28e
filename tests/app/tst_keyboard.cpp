// SPDX-License-Identifier: GPL-3.0-or-later
// The window without a mouse: Tab leads through every control and out of each of them again.

#include "app/mainwindow.h"
#include "app/samplemodel.h"
#include "tests/app/windowfixture.h"
#include "tests/support/testdata.h"
#include "widgets/saveasdialog.h"

#include <QAbstractItemView>
#include <QApplication>
#include <QStandardPaths>
#include <QTableView>
#include <QTest>

using namespace ql;

class KeyboardTest : public QObject
{
    Q_OBJECT

    static void checkTables(const QWidget &window)
    {
        const auto views = window.findChildren<QAbstractItemView *>();
        QVERIFY(!views.isEmpty());
        for (const QAbstractItemView *view : views)
            QVERIFY2(!view->tabKeyNavigation(), qPrintable(view->objectName()));
    }

private slots:
    void initTestCase() { QStandardPaths::setTestModeEnabled(true); }

    void noTableKeepsTheTabKey()
    {
        test::WindowFixture fixture;
        fixture.open(sampleModelPath());
        checkTables(fixture.window());
        const SaveAsDialog dialog(fixture.document().summary, 0, QStringLiteral("out.gguf"));
        checkTables(dialog);
    }

    void tabLeavesTheFigures()
    {
        test::WindowFixture fixture;
        fixture.open(sampleModelPath());
        fixture.select("blk.0.attn_q.weight");
        QVERIFY(QTest::qWaitForWindowActive(&fixture.window()));
        auto *figures = fixture.find<QTableView>("figuresView");
        QTRY_VERIFY(figures->isVisible());
        figures->setFocus(Qt::TabFocusReason);
        QTRY_VERIFY(figures->hasFocus());
        QTest::keyClick(figures, Qt::Key_Tab);
        QVERIFY(!figures->hasFocus());
        QVERIFY(QApplication::focusWidget());
    }
};

QTEST_MAIN(KeyboardTest)
#include "tst_keyboard.moc"
