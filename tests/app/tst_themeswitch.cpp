// SPDX-License-Identifier: GPL-3.0-or-later
// Another theme while the window is open: nothing keeps a colour of the one before.

#include "app/mainwindow.h"
#include "app/samplemodel.h"
#include "app/tensorpage.h"
#include "tests/app/windowfixture.h"
#include "tests/support/testdata.h"
#include "widgets/theme.h"

#include <QApplication>
#include <QLabel>
#include <QStandardPaths>
#include <QTabWidget>
#include <QTest>

#include <map>

using namespace ql;

namespace {

constexpr int LongMs = 60000;

void openPair(test::WindowFixture &fixture)
{
    fixture.open(sampleModelPath());
    QSignalSpy changed(&fixture.session(), &Session::documentChanged);
    fixture.session().open(Side::B, test::dataPath(QStringLiteral("models/tiny-moe-Q2_K.gguf")));
    QVERIFY(changed.wait(LongMs));
    fixture.select("blk.0.attn_q.weight");
}

QColor colorOf(const QLabel *label) { return label->palette().color(label->foregroundRole()); }

/// What each label of a window writes with; labels of the same path in their order.
std::multimap<QString, QString> labelColors(const QWidget &window)
{
    std::multimap<QString, QString> colors;
    for (const QLabel *label : window.findChildren<QLabel *>()) {
        QString path;
        for (const QWidget *at = label; at; at = at->parentWidget())
            path.prepend(QLatin1Char('/') + (at->objectName().isEmpty() ? QString::fromLatin1(at->metaObject()->className())
                                                                        : at->objectName()));
        colors.emplace(path, colorOf(label).name());
    }
    return colors;
}

} // namespace

class ThemeSwitchTest : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { QStandardPaths::setTestModeEnabled(true); }

    void cleanup() { applyTheme(*qApp, Theme::light()); }

    void labelsTakeTheNewColours_data()
    {
        QTest::addColumn<bool>("toDark");
        QTest::newRow("to dark") << true;
        QTest::newRow("to light") << false;
    }

    void labelsTakeTheNewColours()
    {
        QFETCH(bool, toDark);
        const Theme before = toDark ? Theme::light() : Theme::darkened();
        const Theme after = toDark ? Theme::darkened() : Theme::light();
        applyTheme(*qApp, before);
        test::WindowFixture old;
        openPair(old);
        applyTheme(*qApp, after);
        QCoreApplication::processEvents();
        test::WindowFixture fresh;
        openPair(fresh);
        QCOMPARE(colorOf(old.find<QLabel>("nameA")), after.accentText);
        QCOMPARE(colorOf(old.find<QLabel>("nameB")), after.bText);
        QCOMPARE(colorOf(old.find<QLabel>("tensorDetail")), after.muted);
        for (const char *name : {"nameA", "nameB"})
            QCOMPARE(old.find<QLabel>(name)->grab().toImage(), fresh.find<QLabel>(name)->grab().toImage());
        QTRY_COMPARE_WITH_TIMEOUT(labelColors(old.window()).size(), labelColors(fresh.window()).size(), LongMs);
        const auto expected = labelColors(fresh.window());
        const auto actual = labelColors(old.window());
        for (auto a = actual.begin(), e = expected.begin(); a != actual.end(); ++a, ++e) {
            QCOMPARE(a->first, e->first);
            QVERIFY2(a->second == e->second, qPrintable(a->first + QStringLiteral(": ") + a->second
                                                        + QStringLiteral(" instead of ") + e->second));
        }
    }
};

QTEST_MAIN(ThemeSwitchTest)
#include "tst_themeswitch.moc"
