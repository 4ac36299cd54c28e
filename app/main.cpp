// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/cli.h"
#include "app/displayguard.h"
#include "app/guiarguments.h"
#include "app/mainwindow.h"
#include "app/screenshots.h"
#include "app/thememanager.h"
#include "core/parallel/keepmemory.h"

#include <QApplication>
#include <QIcon>
#include <QStandardPaths>

#include <cstdio>
#include <optional>

namespace {

constexpr int UsageError = 2;

QString resultStorePath()
{
    return QStandardPaths::writableLocation(QStandardPaths::CacheLocation) + QStringLiteral("/results.sqlite");
}

int showWindow(QApplication &app, const ql::GuiArguments &arguments)
{
    ql::Settings settings;
    ql::ThemeManager themes(app);
    themes.apply(settings.theme());
    ql::MainWindow window(settings, std::make_shared<ql::ResultStore>(resultStorePath()));
    QObject::connect(&window, &ql::MainWindow::themeChoiceChanged, &window,
                     [&themes](ql::ThemeChoice choice) { themes.apply(choice); });
    window.show();
    if (arguments.sample)
        window.openSample();
    else if (arguments.files.size() == 2)
        window.openPair(arguments.files.at(0), arguments.files.at(1));
    else if (arguments.files.size() == 1)
        window.openFile(arguments.files.first());
    return QApplication::exec();
}

int runGui(int argc, char **argv)
{
    std::optional<ql::DisplayGuard> guard(std::in_place);
    QApplication app(argc, argv);
    guard.reset();
    QApplication::setApplicationName(QStringLiteral("quantloupe"));
    QApplication::setApplicationVersion(QStringLiteral(QL_VERSION));
    QApplication::setDesktopFileName(QStringLiteral("io.github.quantloupe.Quantloupe"));
    const auto arguments = ql::parseGuiArguments(QApplication::arguments().mid(1));
    if (!arguments) {
        std::fprintf(stderr, "quantloupe: %s\n", arguments.error().message.c_str());
        return UsageError;
    }
    if (!arguments->screenshotsFolder.isEmpty())
        return ql::renderScreenshots(app, *arguments);
    return showWindow(app, *arguments);
}

/// Subcommands, --help and --version need no window and no display.
bool isForCommandLine(int argc, char **argv)
{
    return ql::cli::isForCli(argc, argv);
}

/// --screenshots renders into pictures: it needs no display either.
void preferOffscreenForScreenshots(int argc, char **argv)
{
    for (int i = 1; i < argc; ++i)
        if (qstrcmp(argv[i], "--screenshots") == 0 && !qEnvironmentVariableIsSet("QT_QPA_PLATFORM"))
            qputenv("QT_QPA_PLATFORM", "offscreen");
}

} // namespace

int main(int argc, char **argv)
{
    ql::keepFreedMemory();
    if (isForCommandLine(argc, argv))
        return ql::cli::runCli(argc, argv);
    preferOffscreenForScreenshots(argc, argv);
    return runGui(argc, argv);
}
