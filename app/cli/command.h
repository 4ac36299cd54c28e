// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/arguments.h"
#include "app/cli/console.h"
#include "core/model/error.h"

#include <span>
#include <stop_token>
#include <string_view>

namespace ql::cli {

// Exit codes; errors have theirs by exitCodeOf().
inline constexpr int Done = 0;
inline constexpr int Findings = 1; ///< differences, findings, tensors that can't be decoded
inline constexpr int WrongUse = 2;
inline constexpr int Failed = 3;
inline constexpr int Interrupted = 130;

/// What a running subcommand is given.
struct Context {
    Console &console;
    std::stop_token stop;
    unsigned threads = 0; ///< 0 = all cores
    bool json = false;    ///< --json
};

/// One subcommand: a row of the table in cli.cpp, defined in the file of its name.
struct Command {
    std::string_view name;
    std::string_view summary;     ///< one line, for the list of all
    std::string_view positionals; ///< "FILE TENSOR"
    std::size_t minPositionals = 1;
    std::size_t maxPositionals = 1;
    std::span<const OptionSpec> options;
    std::string_view notes; ///< printed under the options by --help
    /// An exit code, or the error that ended it.
    Result<int> (*run)(const Context &, const Arguments &);
};

/// The exit code an error's code stands for.
int exitCodeOf(const Error &error);

inline constexpr const char *UsageCode = "usage";
inline constexpr const char *NoSuchTensorCode = "no-such-tensor";
inline constexpr const char *NoSuchExpertCode = "no-such-expert";

inline tl::unexpected<Error> usageError(std::string message)
{
    return failure(UsageCode, std::move(message));
}

extern const Command infoCommand;
extern const Command checkCommand;
extern const Command statsCommand;
extern const Command exportCommand;
extern const Command hashCommand;
extern const Command diffCommand;
extern const Command convertCommand;
extern const Command benchCommand;

} // namespace ql::cli
