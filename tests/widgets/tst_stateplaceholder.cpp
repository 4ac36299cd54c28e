// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/stateplaceholder.h"

#include <QLabel>
#include <QSignalSpy>
#include <QStackedWidget>
#include <QTest>
#include <QVBoxLayout>

using namespace ql;

namespace {

const QString Why = QStringLiteral("An explanation of what is missing here, of more words than fit one line of a "
                                   "narrow panel, and what to do about it.");

/// A box as a panel has it: one page hidden, in layouts within each other.
struct Box {
    QWidget window;
    QStackedWidget *stack;
    StatePlaceholder *placeholder;

    explicit Box(bool showsPlaceholder)
    {
        auto *outer = new QVBoxLayout(&window);
        stack = new QStackedWidget(&window);
        outer->addWidget(stack);
        placeholder = new StatePlaceholder(stack);
        stack->addWidget(placeholder);
        stack->addWidget(new QLabel(QStringLiteral("a picture"), stack));
        stack->setCurrentIndex(showsPlaceholder ? 0 : 1);
        placeholder->showEmpty(QStringLiteral("Nothing here"), Why, QStringLiteral("Open…"));
    }
};

} // namespace

class TestStatePlaceholder : public QObject
{
    Q_OBJECT

private slots:
    void makesNoLayoutAskForHeights()
    {
        Box box(false);
        QVERIFY(!box.stack->hasHeightForWidth());
        QVERIFY(!box.window.layout()->hasHeightForWidth());
        QCOMPARE(box.placeholder->heightForWidth(100), -1);
    }

    void allItsTextIsSeen()
    {
        Box box(true);
        box.window.resize(320, 220);
        box.window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&box.window));
        const auto *detail = box.placeholder->findChild<QLabel *>(QStringLiteral("stateDetail"));
        QVERIFY(detail->height() >= detail->heightForWidth(detail->width()));
        QVERIFY(box.placeholder->rect().contains(detail->geometry()));
    }

    void leavesRoomForSomeLines()
    {
        Box box(true);
        const auto *detail = box.placeholder->findChild<QLabel *>(QStringLiteral("stateDetail"));
        QVERIFY(box.placeholder->minimumSizeHint().height() >= 4 * detail->fontMetrics().lineSpacing());
    }

    void buttonAsksForTheAction()
    {
        Box box(true);
        QSignalSpy asked(box.placeholder, &StatePlaceholder::actionTriggered);
        box.window.show();
        QTest::mouseClick(box.placeholder->findChild<QWidget *>(QStringLiteral("stateButton")), Qt::LeftButton);
        QCOMPARE(asked.count(), 1);
    }
};

QTEST_MAIN(TestStatePlaceholder)
#include "tst_stateplaceholder.moc"
