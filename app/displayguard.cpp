// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/displayguard.h"

#include "app/cli/cli.h"

#include <QStringList>

#include <cstdio>
#include <unistd.h>

namespace ql {

namespace {

QtMessageHandler g_previous = nullptr;
QStringList g_held; ///< what Qt had to say while the guard lived

bool isSet(const char *variable) { return !qEnvironmentVariableIsEmpty(variable); }

QString reason()
{
    const QStringList unknown = g_held.filter(QStringLiteral("Could not find the Qt platform plugin"));
    if (!unknown.isEmpty())
        return unknown.first();
    if (isSet("DISPLAY"))
        return QStringLiteral("nobody answers at the display '%1'").arg(qEnvironmentVariable("DISPLAY"));
    if (isSet("WAYLAND_DISPLAY"))
        return QStringLiteral("nobody answers at the display '%1'").arg(qEnvironmentVariable("WAYLAND_DISPLAY"));
    return QStringLiteral("there is no display (DISPLAY and WAYLAND_DISPLAY are not set)");
}

QString withoutDisplay()
{
    QStringList names;
    for (const cli::Command *command : cli::commands())
        names << QString::fromUtf8(command->name.data(), static_cast<qsizetype>(command->name.size()));
    return QStringLiteral("These need none: quantloupe %1 FILE, quantloupe --screenshots DIR FILE")
        .arg(names.join(QLatin1Char('|')));
}

/// Qt gives up a platform with a fatal message and then aborts.
void hold(QtMsgType type, const QMessageLogContext &, const QString &message)
{
    if (type != QtFatalMsg) {
        g_held << message;
        return;
    }
    std::fprintf(stderr, "quantloupe: no window can be opened: %s\n%s\n", qPrintable(reason()),
                 qPrintable(withoutDisplay()));
    ::_exit(DisplayGuard::ExitCode);
}

} // namespace

DisplayGuard::DisplayGuard() { g_previous = qInstallMessageHandler(hold); }

DisplayGuard::~DisplayGuard()
{
    qInstallMessageHandler(g_previous);
    for (const QString &message : std::as_const(g_held))
        std::fprintf(stderr, "%s\n", qPrintable(message));
    g_held.clear();
}

} // namespace ql
