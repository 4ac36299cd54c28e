// SPDX-License-Identifier: GPL-3.0-or-later
// Where no window can be opened the program says so and ends in order.

#include "app/displayguard.h"
#include "app/guiarguments.h"
#include "app/screenshots.h"

#include <QApplication>
#include <QDir>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

using namespace ql;

namespace {

QString sample() { return QStringLiteral(QL_SOURCE_DIR "/resources/sample/tiny-moe-Q4_K_M.gguf"); }

struct Run {
    int code = -1; ///< of a crash too
    QByteArray err;
};

/// This executable, told to be a program with a window.
Run runWindow(const QStringList &arguments, const QProcessEnvironment &environment)
{
    QProcess process;
    process.setProcessEnvironment(environment);
    process.start(QCoreApplication::applicationFilePath(), QStringList(QStringLiteral("--window")) + arguments);
    const bool ended = process.waitForFinished(60000) && process.exitStatus() == QProcess::NormalExit;
    return {ended ? process.exitCode() : -1, process.readAllStandardError()};
}

QProcessEnvironment environmentOf(const QString &display, const QString &platform = {})
{
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    for (const char *variable : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"})
        environment.remove(QLatin1String(variable));
    if (!display.isEmpty())
        environment.insert(QStringLiteral("DISPLAY"), display);
    if (!platform.isEmpty())
        environment.insert(QStringLiteral("QT_QPA_PLATFORM"), platform);
    return environment;
}

} // namespace

class NoDisplayTest : public QObject
{
    Q_OBJECT

private slots:
    void withoutADisplayItSaysSo()
    {
        const Run run = runWindow({}, environmentOf({}));
        QCOMPARE(run.code, 3);
        QVERIFY2(run.err.startsWith("quantloupe: no window can be opened: there is no display"), run.err.constData());
        QVERIFY(run.err.contains("info|check|stats|diff|export|hash|convert|bench"));
        QCOMPARE(run.err.count('\n'), 2);
    }

    void aDisplayWhereNobodyAnswersIsNamed()
    {
        const Run run = runWindow({}, environmentOf(QStringLiteral(":7531")));
        QCOMPARE(run.code, 3);
        QVERIFY2(run.err.contains("nobody answers at the display ':7531'"), run.err.constData());
    }

    void anUnknownPlatformIsNamed()
    {
        const Run run = runWindow({}, environmentOf({}, QStringLiteral("nonsense")));
        QCOMPARE(run.code, 3);
        QVERIFY2(run.err.contains("\"nonsense\""), run.err.constData());
    }

    void otherPlatformsNeedNone()
    {
        QCOMPARE(runWindow({}, environmentOf({}, QStringLiteral("offscreen"))).code, 0);
        QCOMPARE(runWindow({}, environmentOf({}, QStringLiteral("minimal"))).code, 0);
    }

    void screenshotsOfAPairWithoutItsBAreRefused()
    {
        const QTemporaryDir folder;
        const Run run = runWindow({folder.path(), sample(), QStringLiteral("/nowhere/b.gguf")},
                                  environmentOf({}, QStringLiteral("offscreen")));
        QCOMPARE(run.code, 3);
        QVERIFY2(run.err.contains("'/nowhere/b.gguf' can't be opened"), run.err.constData());
        QVERIFY(QDir(folder.path()).isEmpty());
    }
};

int main(int argc, char **argv)
{
    if (argc > 1 && qstrcmp(argv[1], "--window") == 0) {
        std::optional<DisplayGuard> guard(std::in_place);
        QApplication app(argc, argv);
        guard.reset();
        GuiArguments arguments;
        arguments.files = QApplication::arguments().mid(3);
        arguments.screenshotsFolder = QApplication::arguments().value(2);
        return arguments.screenshotsFolder.isEmpty() ? 0 : renderScreenshots(app, arguments);
    }
    const QCoreApplication application(argc, argv);
    NoDisplayTest test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_nodisplay.moc"
