// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/cli.h"

#include "app/cli/interrupt.h"
#include "core/model/tensorname.h"
#include "core/output/convert.h"
#include "core/output/hashmanifest.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <utility>

#include <fcntl.h>

namespace ql::cli {

namespace {

constexpr const Command *Commands[] = {&infoCommand,   &checkCommand, &statsCommand,   &diffCommand,
                                       &exportCommand, &hashCommand,  &convertCommand, &benchCommand};

/// Codes that do not mean "a file can't be opened, read or written".
constexpr std::pair<std::string_view, int> ExitCodes[] = {
    {StoppedCode, Interrupted},       {PipeClosedCode, Done},
    {UsageCode, WrongUse},            {NoSuchTensorCode, WrongUse},
    {NoSuchExpertCode, WrongUse},     {OutputExistsCode, WrongUse},
    {OutputIsInputCode, WrongUse},    {ManifestNoMatchCode, WrongUse},
    {"no-experts", WrongUse},         {BadPatternCode, WrongUse},
    {NeedsMatrixCode, WrongUse},      {BadValueCode, WrongUse},
    {NoSuchKeyCode, WrongUse},
};

/// What Qt's own options begin with; they go to the window with the rest of its arguments.
constexpr std::string_view WindowOptions[] = {"--screenshots", "--sample", "-platform", "--platform", "-style",
                                              "--style", "-qwindow", "-display", "-geometry"};

constexpr std::string_view Head = R"(Quantloupe: see inside GGUF language-model files

  quantloupe [A [B]]                   open a window, on one file or comparing two
  quantloupe --screenshots DIR A [B]   render the window's views to PNG files and exit
  quantloupe SUBCOMMAND …              work without a window or display

)";

constexpr std::string_view Tail = R"(
quantloupe SUBCOMMAND --help tells more. --version prints the version.
FILE may be any shard of a split model: the whole set opens.

exit codes: 0 done, 1 differences or findings, 2 wrong use, 3 a file can't be read, written or
decoded, 130 stopped by Ctrl-C
)";

std::string overallHelp()
{
    std::string text(Head);
    for (const Command *command : Commands) {
        std::string name(command->name);
        name.resize(std::max<std::size_t>(name.size(), 10), ' ');
        text.append("  ").append(name).append(command->summary).append("\n");
    }
    return text.append(Tail);
}

const Command *findCommand(std::string_view name)
{
    const auto found = std::ranges::find(Commands, name, &Command::name);
    return found != std::end(Commands) ? *found : nullptr;
}

/// What could not be printed is said, unless something else went wrong before.
int finish(Console &console, int code)
{
    const auto problem = console.outputProblem();
    if (!problem)
        return code;
    const int problemCode = exitCodeOf(*problem);
    if (code != Failed && problemCode != Done)
        console.message("quantloupe: " + problem->message);
    return problemCode;
}

int reportError(Console &console, std::string_view command, const Error &error, bool json)
{
    const int code = exitCodeOf(error);
    if (code == Done)
        return code;
    const std::string place = "quantloupe" + (command.empty() ? "" : " " + std::string(command));
    console.message(place + ": " + error.message);
    if (code == WrongUse && error.code == UsageCode)
        console.message("Try '" + place + " --help'.");
    if (code == Failed && json)
        console.printJson(errorJson(error));
    return code;
}

bool isThere(std::string_view path)
{
    std::error_code problem;
    return std::filesystem::status(path, problem).type() != std::filesystem::file_type::not_found;
}

/// A word that does not look like a file's name may be a subcommand's.
bool looksLikeAPath(std::string_view word) { return word.find_first_of("./") != std::string_view::npos; }

int missingFile(Console &console, std::string_view path)
{
    const std::string name = escapeBytes(path);
    return reportError(console, {}, {"file-not-found", "there is no file '" + name + "'", name, {}}, false);
}

/// Where standard input, output or error are closed, the next file opened would take their place, and what is
/// meant for them would go into it. Reading and writing these fails as before.
void fillDescriptors()
{
    for (const int descriptor : {0, 1, 2}) {
        if (::fcntl(descriptor, F_GETFD) < 0 && errno == EBADF)
            (void)!::open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY);
    }
}

int unknownWord(Console &console, std::string_view word)
{
    if (!word.starts_with("-") && looksLikeAPath(word))
        return missingFile(console, word);
    std::vector<std::string_view> names;
    for (const Command *command : Commands)
        names.push_back(command->name);
    const auto near = nearest(word, names);
    std::string message = "there is no file and no subcommand '" + std::string(word) + "'";
    if (word.starts_with("-"))
        message = "there is no option '" + std::string(word) + "'";
    else if (!near.empty())
        message += "; did you mean '" + std::string(near) + "'?";
    return reportError(console, {}, usageError(message).value(), false);
}

Result<int> runCommand(const Command &command, std::span<const std::string> words, Console &console,
                       const Interrupt &interrupt)
{
    const auto arguments = Arguments::parse(command, words);
    if (!arguments)
        return tl::unexpected(arguments.error());
    if (arguments->has("--help")) {
        console.print(helpText(command));
        return Done;
    }
    const auto threads = arguments->number("--threads", 1, 4096);
    if (!threads)
        return tl::unexpected(threads.error());
    const Context context{console, interrupt.token(), static_cast<unsigned>(threads->value_or(0)),
                          arguments->has("--json")};
    return command.run(context, *arguments);
}

int runNamed(const Command &command, std::span<const std::string> words, Console &console)
{
    const Interrupt interrupt;
    const auto result = runCommand(command, words, console, interrupt);
    console.clearProgress();
    if (result)
        return finish(console, *result);
    if (result.error().code == StoppedCode) {
        console.message("quantloupe " + std::string(command.name) + ": stopped");
        return interrupt.exitCode() ? interrupt.exitCode() : Interrupted;
    }
    const bool json = std::ranges::find(words, "--json") != words.end();
    return finish(console, reportError(console, command.name, result.error(), json));
}

} // namespace

int exitCodeOf(const Error &error)
{
    const auto row = std::ranges::find(ExitCodes, error.code, &std::pair<std::string_view, int>::first);
    return row != std::end(ExitCodes) ? row->second : Failed;
}

std::span<const Command *const> commands() { return Commands; }

bool isSubcommand(std::string_view word) { return findCommand(word) != nullptr; }

bool isForCli(int argc, const char *const *argv)
{
    if (argc < 2)
        return false;
    const std::string_view word = argv[1];
    if (isSubcommand(word))
        return true;
    if (word.starts_with("-"))
        return std::ranges::none_of(WindowOptions, [&](auto option) { return word.starts_with(option); });
    // "inof model.gguf", or a file that isn't there: a window would have nothing to show.
    return !word.empty() && !isThere(word);
}

int runCli(int argc, const char *const *argv)
{
    fillDescriptors();
    std::signal(SIGPIPE, SIG_IGN);
    const std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
    Console console;
    if (words.empty() || words[0] == "--help" || words[0] == "-h") {
        console.print(overallHelp());
        return finish(console, Done);
    }
    if (words[0] == "--version") {
        console.print("quantloupe " QL_VERSION "\n");
        return finish(console, Done);
    }
    if (const Command *command = findCommand(words[0]))
        return runNamed(*command, std::span(words).subspan(1), console);
    return unknownWord(console, words[0]);
}

} // namespace ql::cli
