// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/picture.h"
#include "widgets/valuespanel.h"
#include "widgets/valuesview.h"

#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>

#include <cmath>
#include <limits>

using namespace ql;

namespace {

constexpr std::uint64_t Rows = 1ull << 40;
constexpr std::uint64_t Columns = 3'000'000'000;

/// What a tensor with value row·10 + column mod 10 would give for a window.
ValuesPagePtr pageOf(const ValuesWindow &window)
{
    auto page = std::make_shared<ValuesPage>();
    page->window = window;
    page->tensorRows = Rows;
    page->tensorColumns = Columns;
    page->blockSize = 32;
    for (std::uint64_t r = 0; r < window.rows; ++r)
        for (std::uint64_t c = 0; c < window.columns; ++c)
            page->values.push_back(static_cast<double>((window.firstRow + r) % 100000 * 10
                                                       + (window.firstColumn + c) % 10));
    return page;
}

/// Bell-shaped numbers of a usual size, with a NaN, an Inf and zeros: for pictures.
ValuesPagePtr prettyPage(const ValuesWindow &window)
{
    auto page = std::make_shared<ValuesPage>(*pageOf(window));
    for (std::size_t i = 0; i < page->values.size(); ++i) {
        const double x =
            std::sin(static_cast<double>(i) * 12.9898) * std::cos(static_cast<double>(i) * 78.233);
        page->values[i] = static_cast<double>(static_cast<float>(x * x * x * 0.05));
    }
    page->values[20] = std::numeric_limits<double>::quiet_NaN();
    page->values[60] = -std::numeric_limits<double>::infinity();
    page->values[61] = page->values[90] = 0;
    return page;
}

QString at(std::uint64_t row, std::uint64_t column)
{
    return QStringLiteral("%1,%2").arg(row).arg(column);
}

} // namespace

class ValuesPanelTest : public QObject
{
    Q_OBJECT

    ValuesPanel m_panel;
    bool m_answering = true;
    const QLocale m_locale;

    ValuesView *view() { return m_panel.view(); }
    QString currentPlace() { return at(view()->current()->row, view()->current()->column); }
    template <class Widget>
    Widget *child(const char *name) { return m_panel.findChild<Widget *>(QLatin1String(name)); }
    void waitForPage() { QTRY_VERIFY(view()->isCovered(view()->geometryOfTable().visible())); }
    void click(const CellPlace &place, Qt::KeyboardModifiers modifiers = {})
    {
        QTest::mouseClick(view()->viewport(), Qt::LeftButton, modifiers,
                          view()->geometryOfTable().rectOf(place).center());
    }

private slots:
    void initTestCase()
    {
        applyTheme(*qApp, Theme::light());
        m_panel.resize(900, 520);
        m_panel.show();
        QVERIFY(QTest::qWaitForWindowExposed(&m_panel));
        connect(&m_panel, &ValuesPanel::pageRequested, this, [this](const ValuesWindow &window) {
            if (m_answering)
                QTimer::singleShot(0, this, [this, window] { m_panel.setPage(pageOf(window)); });
        });
        // B's weights are a quarter smaller.
        connect(&m_panel, &ValuesPanel::pageBRequested, this, [this](const ValuesWindow &window) {
            auto page = std::make_shared<ValuesPage>(*pageOf(window));
            for (double &value : page->values)
                value -= 0.25;
            QTimer::singleShot(0, this, [this, page] { m_panel.setPageB(page); });
        });
    }

    void init()
    {
        m_answering = true;
        m_panel.setShape(Rows, Columns, QStringLiteral("blk.0.ffn_down.weight"));
        child<QComboBox>("valuesFindWhat")->setCurrentIndex(0);
    }

    void cleanup() { QLocale::setDefault(m_locale); }

    void saysWhatToDoWithoutATensor()
    {
        m_panel.setShape(0, 0);
        QVERIFY(!view()->isVisible());
        m_panel.setShape(4, 4);
        QVERIFY(view()->isVisible());
        m_panel.setError(QStringLiteral("no"));
        QVERIFY(!view()->isVisible());
    }

    void asksForWhatIsSeenAndShowsIt()
    {
        QSignalSpy requested(&m_panel, &ValuesPanel::pageRequested);
        QVERIFY(!view()->cellText({0, 3}));
        waitForPage();
        QCOMPARE(requested.count(), 1);
        const auto window = requested[0][0].value<ValuesWindow>();
        QVERIFY(isInside(view()->geometryOfTable().visible(), window));
        QVERIFY(window.rows * window.columns < 2000);
        QCOMPARE(view()->cellText({2, 3}), std::optional(QStringLiteral("23")));
    }

    void scrollingFastAsksOnce()
    {
        waitForPage();
        QSignalSpy requested(&m_panel, &ValuesPanel::pageRequested);
        for (int i = 0; i < 50; ++i)
            view()->verticalScrollBar()->setValue(view()->verticalScrollBar()->value() + 1'000'000);
        QCOMPARE(requested.count(), 0);
        waitForPage();
        QCOMPARE(requested.count(), 1);
    }

    void theScrollBarReachesTheLastRow()
    {
        view()->verticalScrollBar()->setValue(view()->verticalScrollBar()->maximum());
        view()->horizontalScrollBar()->setValue(view()->horizontalScrollBar()->maximum());
        const ValuesWindow seen = view()->geometryOfTable().visible();
        QCOMPARE(seen.firstRow + seen.rows, Rows);
        QCOMPARE(seen.firstColumn + seen.columns, Columns);
        waitForPage();
        QVERIFY(view()->cellText({Rows - 1, Columns - 1}));
    }

    void theWheelMovesByRowsHoweverManyThereAre()
    {
        m_panel.setSelection({TensorIndex{0}, {}, Rows / 2, 0});
        const std::uint64_t before = view()->geometryOfTable().top;
        QWheelEvent event(QPointF(200, 200), view()->viewport()->mapToGlobal(QPointF(200, 200)), {},
                          {0, -120}, {}, {}, Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(view()->viewport(), &event);
        QCOMPARE(view()->geometryOfTable().top, before + 3);
    }

    void clickSelectsAndShiftExtends()
    {
        waitForPage();
        QSignalSpy selected(&m_panel, &ValuesPanel::cellSelected);
        click({2, 1});
        QCOMPARE(selected.count(), 1);
        QCOMPARE(at(selected[0][0].toULongLong(), selected[0][1].toULongLong()), at(2, 1));
        click({5, 3}, Qt::ShiftModifier);
        QCOMPARE(view()->selection(), (ValuesWindow{2, 4, 1, 3}));
        QVERIFY(m_panel.note().startsWith(QStringLiteral("row 5, column 3 \u00b7 53")));
    }

    void besideAnotherTensorItShowsAllThreeNumbers()
    {
        m_panel.setComparing(true);
        QTRY_VERIFY(view()->cellText({2, 3}, ValuesOf::Difference));
        QCOMPARE(view()->cellText({2, 3}, ValuesOf::A), std::optional(QStringLiteral("23")));
        QCOMPARE(view()->cellText({2, 3}, ValuesOf::B), std::optional(QStringLiteral("22.75")));
        QCOMPARE(view()->cellText({2, 3}, ValuesOf::Difference), std::optional(QStringLiteral("0.25")));
        click({2, 3});
        QVERIFY2(m_panel.note().startsWith(QStringLiteral("row 2, column 3 \u00b7 A 23 \u00b7 B 22.75 \u00b7 A \u2212 B 0.25")),
                 qPrintable(m_panel.note()));
        click({3, 3}, Qt::ShiftModifier);
        QTest::keyClick(view(), Qt::Key_C, Qt::ControlModifier);
        QCOMPARE(QGuiApplication::clipboard()->text(),
                 QStringLiteral("row\tcolumn\tA\tB\tA-B\n2\t3\t23\t22.75\t0.25\n3\t3\t33\t32.75\t0.25\n"));
    }

    void theSwitchShowsOneOfThem()
    {
        m_panel.setComparing(true);
        auto *shown = child<QComboBox>("valuesShown");
        QVERIFY(shown->isVisible());
        const int tall = view()->geometryOfTable().cell.height();
        QSignalSpy requested(&m_panel, &ValuesPanel::pageRequested);
        shown->setCurrentIndex(shown->findText(QStringLiteral("B")));
        QVERIFY(view()->geometryOfTable().cell.height() < tall / 2);
        waitForPage();
        QCOMPARE(requested.count(), 0); // B alone is read
        QCOMPARE(view()->cellText({2, 3}), std::optional(QStringLiteral("22.75")));
        shown->setCurrentIndex(shown->findText(QStringLiteral("A \u2212 B")));
        waitForPage();
        click({4, 2});
        QTest::keyClick(view(), Qt::Key_C, Qt::ControlModifier);
        QCOMPARE(QGuiApplication::clipboard()->text(), QStringLiteral("0.25"));
        m_panel.setComparing(false);
        QVERIFY(!shown->isVisible());
        waitForPage();
        QCOMPARE(view()->cellText({4, 2}), std::optional(QStringLiteral("42")));
        QVERIFY(!view()->cellText({4, 2}, ValuesOf::B));
        shown->setCurrentIndex(0);
    }

    void draggingSelectsARectangle()
    {
        waitForPage();
        const auto &g = view()->geometryOfTable();
        QTest::mousePress(view()->viewport(), Qt::LeftButton, {}, g.rectOf({4, 3}).center());
        QTest::mouseMove(view()->viewport(), g.rectOf({1, 2}).center());
        QMouseEvent move(QEvent::MouseMove, g.rectOf({1, 1}).center(),
                         view()->viewport()->mapToGlobal(g.rectOf({1, 1}).center()), Qt::NoButton,
                         Qt::LeftButton, {});
        QCoreApplication::sendEvent(view()->viewport(), &move);
        QTest::mouseRelease(view()->viewport(), Qt::LeftButton, {}, g.rectOf({1, 1}).center());
        QCOMPARE(view()->selection(), (ValuesWindow{1, 4, 1, 3}));
    }

    void keysMoveAnywhere()
    {
        click({2, 1});
        QTest::keyClick(view(), Qt::Key_Right);
        QTest::keyClick(view(), Qt::Key_Down);
        QCOMPARE(currentPlace(), at(3, 2));
        QTest::keyClick(view(), Qt::Key_End, Qt::ControlModifier);
        QCOMPARE(currentPlace(), at(Rows - 1, Columns - 1));
        QVERIFY(view()->geometryOfTable().cellAt(
            view()->geometryOfTable().rectOf(*view()->current()).center()));
        QTest::keyClick(view(), Qt::Key_Down);
        QCOMPARE(currentPlace(), at(Rows - 1, Columns - 1));
        QTest::keyClick(view(), Qt::Key_Home);
        QCOMPARE(currentPlace(), at(Rows - 1, 0));
        QTest::keyClick(view(), Qt::Key_Home, Qt::ControlModifier);
        QCOMPARE(currentPlace(), at(0, 0));
        QTest::keyClick(view(), Qt::Key_PageDown);
        QCOMPARE(view()->current()->row, view()->geometryOfTable().wholeRows());
        QTest::keyClick(view(), Qt::Key_Down, Qt::ShiftModifier);
        QCOMPARE(view()->selection().rows, 2u);
    }

    void copyGivesExactTabSeparatedText()
    {
        waitForPage();
        click({2, 1});
        click({3, 3}, Qt::ShiftModifier);
        QTest::keyClick(view(), Qt::Key_C, Qt::ControlModifier);
        QCOMPARE(QGuiApplication::clipboard()->text(), QStringLiteral("21\t22\t23\n31\t32\t33\n"));
        QCOMPARE(m_panel.note(), QStringLiteral("Copied 6 weights"));
    }

    void copyAsksForWhatIsNotThere()
    {
        waitForPage();
        click({0, 0});
        view()->selectCell({5000, 9}, true);
        QTest::keyClick(view(), Qt::Key_C, Qt::ControlModifier);
        QTRY_COMPARE(m_panel.note(), QStringLiteral("Copied 50,010 weights"));
        const QStringList lines = QGuiApplication::clipboard()->text().split(QLatin1Char('\n'));
        QCOMPARE(lines.size(), 5002);
        QCOMPARE(
            lines[4999],
            QStringLiteral("49990\t49991\t49992\t49993\t49994\t49995\t49996\t49997\t49998\t49999"));
    }

    void copyHasALimit()
    {
        QGuiApplication::clipboard()->setText(QStringLiteral("untouched"));
        click({0, 0});
        view()->selectCell({2'000'000, 1}, true);
        QTest::keyClick(view(), Qt::Key_C, Qt::ControlModifier);
        QCOMPARE(QGuiApplication::clipboard()->text(), QStringLiteral("untouched"));
        QVERIFY(m_panel.note().contains(QStringLiteral("too many")));
        QTest::keyClick(view(), Qt::Key_End, Qt::ControlModifier | Qt::ShiftModifier);
        QTest::keyClick(view(), Qt::Key_C, Qt::ControlModifier); // rows × columns beyond 64 bits
        QVERIFY(m_panel.note().contains(QStringLiteral("too many")));
    }

    void numbersFollowTheLocale()
    {
        QLocale::setDefault(QLocale(QLocale::German, QLocale::Germany));
        m_panel.setComparing(true);
        waitForPage();
        click({2, 3});
        QTRY_VERIFY2(m_panel.note().contains(QStringLiteral("B 22,75")), qPrintable(m_panel.note()));
        QVERIFY2(m_panel.note().contains(QStringLiteral("A \u2212 B 0,25")), qPrintable(m_panel.note()));
        FoundValue found;
        found.row = 2;
        found.column = 3;
        found.value = 0.125;
        m_panel.setFound(found);
        QVERIFY2(m_panel.note().contains(QStringLiteral("0,125")), qPrintable(m_panel.note()));
        child<QComboBox>("valuesFindWhat")->setCurrentText(QStringLiteral("w above"));
        QSignalSpy requested(&m_panel, &ValuesPanel::findRequested);
        for (const char *bound : {"0,125", "0.125"}) { // as it is shown, and as it is copied
            child<QLineEdit>("valuesBound")->setText(QLatin1String(bound));
            child<QPushButton>("valuesFind")->click();
            QCOMPARE(requested.count(), 1);
            QCOMPARE(requested.takeFirst().at(0).value<FindQuery>().bound, 0.125);
            m_panel.setFindEnded();
        }
    }

    void jumpGoesToARowAndColumn()
    {
        QSignalSpy selected(&m_panel, &ValuesPanel::cellSelected);
        child<QLineEdit>("valuesJump")->setText(QStringLiteral("1,234,567,890; 2,999"));
        QTest::keyClick(child<QLineEdit>("valuesJump"), Qt::Key_Return);
        QCOMPARE(currentPlace(), at(1'234'567'890, 2999));
        QCOMPARE(selected.count(), 1);
        waitForPage();
        QVERIFY(view()->cellText({1'234'567'890, 2999}));
        child<QLineEdit>("valuesJump")->setText(QStringLiteral("5, 3000000000"));
        QTest::keyClick(child<QLineEdit>("valuesJump"), Qt::Key_Return);
        QCOMPARE(currentPlace(), at(1'234'567'890, 2999));
        QVERIFY(m_panel.note().contains(QStringLiteral("3,000,000,000")));
        QCOMPARE(selected.count(), 1);
    }

    void aSelectionFromOutsideGivesNoSignal()
    {
        QSignalSpy selected(&m_panel, &ValuesPanel::cellSelected);
        m_panel.setSelection({TensorIndex{0}, {}, 77777, 123456});
        QCOMPARE(currentPlace(), at(77777, 123456));
        QCOMPARE(selected.count(), 0);
        waitForPage();
        m_panel.setSelection({TensorIndex{0}, {}, Rows, 0}); // not in this tensor: ignored
        QCOMPARE(currentPlace(), at(77777, 123456));
    }

    void findAsksAndShowsWhatWasFound()
    {
        QSignalSpy asked(&m_panel, &ValuesPanel::findRequested);
        QSignalSpy selected(&m_panel, &ValuesPanel::cellSelected);
        click({4, 1});
        QTest::mouseClick(child<QPushButton>("valuesFind"), Qt::LeftButton);
        QCOMPARE(asked.count(), 1);
        QVERIFY(asked[0][0].value<FindQuery>().what == FindQuery::What::NaN);
        QCOMPARE(asked[0][1].value<std::optional<ValuePosition>>()->row, 4u);
        m_panel.setFindProgress(1, 4);
        QCOMPARE(m_panel.note(), QStringLiteral("Searching\u2026 25.0 %"));
        m_panel.setFound(FoundValue{123, 45, std::numeric_limits<double>::quiet_NaN(), true});
        QCOMPARE(currentPlace(), at(123, 45));
        QCOMPARE(selected.count(), 2);
        QVERIFY(m_panel.note().contains(QStringLiteral("searched on from the start")));
        QTest::mouseClick(child<QPushButton>("valuesFind"), Qt::LeftButton);
        m_panel.setFound(std::nullopt);
        QVERIFY(m_panel.note().startsWith(QStringLiteral("None here")));
        QCOMPARE(currentPlace(), at(123, 45));
    }

    void boundsAreAskedFor()
    {
        QSignalSpy asked(&m_panel, &ValuesPanel::findRequested);
        auto *what = child<QComboBox>("valuesFindWhat");
        auto *bound = child<QLineEdit>("valuesBound");
        QVERIFY(!bound->isVisible());
        what->setCurrentIndex(what->findData(static_cast<int>(FindQuery::What::MagnitudeAbove)));
        QVERIFY(bound->isVisible());
        bound->clear();
        QTest::mouseClick(child<QPushButton>("valuesFind"), Qt::LeftButton);
        QCOMPARE(asked.count(), 0);
        QTest::keyClicks(bound, QStringLiteral("1e-3"));
        QTest::keyClick(bound, Qt::Key_Return);
        QCOMPARE(asked.count(), 1);
        QCOMPARE(asked[0][0].value<FindQuery>(),
                 (FindQuery{FindQuery::What::MagnitudeAbove, 1e-3}));
        QSignalSpy cancelled(&m_panel, &ValuesPanel::findCancelled);
        QTest::mouseClick(child<QPushButton>("valuesFind"), Qt::LeftButton);
        QCOMPARE(cancelled.count(), 1);
        m_panel.setFindEnded();
    }

    void pagesOfAnotherShapeAreIgnored()
    {
        m_answering = false;
        auto page = std::make_shared<ValuesPage>(*pageOf({0, 40, 0, 20}));
        page->tensorRows = 40;
        m_panel.setPage(page);
        QVERIFY(!view()->cellText({0, 0}));
    }

    void colorsFollowValues()
    {
        waitForPage();
        click({4, 4});
        const QPoint cell = view()->geometryOfTable().rectOf({1, 1}).topLeft() + QPoint(3, 3);
        const QColor plain = view()->viewport()->grab().toImage().pixelColor(cell);
        child<QCheckBox>("valuesColored")->setChecked(true);
        m_panel.setColorRange(11.0); // the cell's own value: the end of the scale
        const QColor colored = view()->viewport()->grab().toImage().pixelColor(cell);
        QVERIFY(plain != colored);
        QCOMPARE(colored, QColor(Theme::light().colorAt(ColorMap::Signed, 1.0)));
        child<QCheckBox>("valuesColored")->setChecked(false);
    }

    void pictures()
    {
        waitForPage();
        m_answering = false;
        m_panel.setShape(Rows, Columns, QStringLiteral("blk.0.ffn_down.weight"));
        m_panel.setPage(prettyPage({0, 60, 0, 40}));
        click({3, 1});
        click({6, 2}, Qt::ShiftModifier);
        test::savePictures(m_panel, QStringLiteral("values"));
        child<QCheckBox>("valuesColored")->setChecked(true);
        m_panel.setSelection({TensorIndex{0}, {}, 9, 4});
        test::savePictures(m_panel, QStringLiteral("values-colored"));
        child<QCheckBox>("valuesColored")->setChecked(false);
        m_panel.setShape(Rows, Columns, QStringLiteral("blk.0.ffn_down.weight"));
        test::savePictures(m_panel, QStringLiteral("values-waiting"));
    }
};

QTEST_MAIN(ValuesPanelTest)
#include "tst_valuespanel.moc"
