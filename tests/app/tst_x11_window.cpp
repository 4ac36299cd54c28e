// SPDX-License-Identifier: GPL-3.0-or-later
// The window on a real X server: it maps, takes clicks and keys, and paints.

#include "app/mainwindow.h"
#include "app/samplemodel.h"
#include "app/startpage.h"
#include "app/tensorpage.h"
#include "app/thememanager.h"
#include "widgets/tensorheader.h"

#include <QApplication>
#include <QPushButton>
#include <QScreen>
#include <QSet>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

using namespace ql;

namespace {

constexpr int LongMs = 20000;

/// How many different colours a picture has, up to a few hundred: an empty window has a handful.
int colourCount(const QImage &image)
{
    QSet<QRgb> colours;
    for (int y = 0; y < image.height(); y += 3)
        for (int x = 0; x < image.width(); x += 3)
            colours.insert(image.pixel(x, y));
    return static_cast<int>(colours.size());
}

} // namespace

class X11WindowTest : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        QCOMPARE(QGuiApplication::platformName(), QStringLiteral("xcb"));
        QStandardPaths::setTestModeEnabled(true);
    }

    void clickingThroughTheSamplePaintsItsPictures()
    {
        QTemporaryDir folder;
        Settings settings(folder.filePath(QStringLiteral("settings.ini")));
        ThemeManager(*qApp).apply(ThemeChoice::Light);
        MainWindow window(settings);
        window.resize(1440, 900);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));

        QSignalSpy opened(&window.session(), &Session::documentChanged);
        QTest::mouseClick(window.findChild<QPushButton *>(QStringLiteral("startSample")), Qt::LeftButton);
        QVERIFY(opened.wait(LongMs));

        QSignalSpy ready(&window.session().analysis(), &AnalysisService::statsReady);
        window.session().selectTensor(*window.session().document(Side::A).model->findTensor("blk.0.ffn_up_exps.weight"));
        QVERIFY(ready.wait(LongMs));
        QCOMPARE(window.panels().page->header()->nameText(), QStringLiteral("blk.0.ffn_up_exps.weight"));
        QTest::qWait(200); // the X server paints when it gets to it
        const QImage screen = QGuiApplication::primaryScreen()->grabWindow(window.winId()).toImage();
        QVERIFY2(colourCount(screen) > 100, qPrintable(QString::number(colourCount(screen))));
    }
};

QTEST_MAIN(X11WindowTest)
#include "tst_x11_window.moc"
