// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/command.h"

#include <span>
#include <string_view>

namespace ql::cli {

/// All subcommands, in the order `--help` lists them.
std::span<const Command *const> commands();

/// "info", "stats" …
bool isSubcommand(std::string_view word);

/// True if these arguments are for runCli() and not for the window: a subcommand, --help or --version
/// first, or a first argument that is neither a file that is there nor an option of the window
/// (runCli() then says so, with a hint).
bool isForCli(int argc, const char *const *argv);

/// Runs a command line to its end and returns the exit code of cli.md. No QApplication, no display;
/// writes to descriptors 1 and 2. Ctrl-C, SIGTERM and SIGHUP stop it cleanly.
int runCli(int argc, const char *const *argv);

} // namespace ql::cli
