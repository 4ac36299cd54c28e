// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/cli.h"

#include <QCoreApplication>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QStringList>
#include <QTest>

namespace ql::test {

/// What a run of the command line left behind. A crash has code -1.
struct CliRun {
    int code = -1;
    QByteArray out;
    QByteArray err;

    QJsonObject json() const { return QJsonDocument::fromJson(out).object(); }
};

/// A command line in a process of its own: this very executable, told to be one. So exit codes,
/// signals and closed pipes are real.
inline void startCli(QProcess &process, const QStringList &arguments,
                     const QProcessEnvironment &environment = QProcessEnvironment::systemEnvironment())
{
    process.setProcessEnvironment(environment);
    process.start(QCoreApplication::applicationFilePath(), QStringList(QStringLiteral("--cli")) + arguments);
}

inline CliRun finishCli(QProcess &process)
{
    if (!process.waitForFinished(120000) || process.exitStatus() != QProcess::NormalExit)
        return {-1, process.readAllStandardOutput(), process.readAllStandardError()};
    return {process.exitCode(), process.readAllStandardOutput(), process.readAllStandardError()};
}

inline CliRun runCli(const QStringList &arguments,
                     const QProcessEnvironment &environment = QProcessEnvironment::systemEnvironment())
{
    QProcess process;
    startCli(process, arguments, environment);
    return finishCli(process);
}

/// Words separated by blanks; "%1" … are replaced by the further arguments (paths, names).
template <class... Texts>
CliRun runCli(const char *line, const Texts &...texts)
{
    QStringList words = QString::fromUtf8(line).split(QLatin1Char(' '), Qt::SkipEmptyParts);
    int place = 0;
    (words.replaceInStrings(QStringLiteral("%") + QString::number(++place), QString(texts)), ...);
    return runCli(words);
}

/// main() of a test that uses the above.
template <class Test>
int cliTestMain(int argc, char **argv)
{
    if (argc > 1 && qstrcmp(argv[1], "--cli") == 0)
        return ql::cli::runCli(argc - 1, argv + 1);
    const QCoreApplication application(argc, argv);
    Test test;
    return QTest::qExec(&test, argc, argv);
}

} // namespace ql::test

#define QL_CLI_TEST_MAIN(Test) \
    int main(int argc, char **argv) { return ql::test::cliTestMain<Test>(argc, argv); }
