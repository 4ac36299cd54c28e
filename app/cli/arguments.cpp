// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/arguments.h"

#include "app/cli/command.h"

#include <algorithm>
#include <charconv>

namespace ql::cli {

namespace {

constexpr OptionSpec Common[] = {
    {"--threads", "N", "how many threads to work with (default: all cores)"},
    {"--help", "", "this text", "-h"},
};

const OptionSpec *findOption(const Command &command, std::string_view word)
{
    const auto named = [&](const OptionSpec &o) { return o.name == word || o.shortName == word; };
    for (const auto table : {command.options, commonOptions()}) {
        if (const auto found = std::ranges::find_if(table, named); found != table.end())
            return &*found;
    }
    return nullptr;
}

tl::unexpected<Error> unknownOption(const Command &command, std::string_view word)
{
    std::vector<std::string_view> known;
    for (const auto table : {command.options, commonOptions()})
        std::ranges::transform(table, std::back_inserter(known), &OptionSpec::name);
    const auto near = nearest(word, known);
    std::string message = "there is no option '" + std::string(word) + "'";
    return usageError(near.empty() ? message : message + "; did you mean '" + std::string(near) + "'?");
}

/// Insertions, deletions, replacements and swaps of neighbours (optimal string alignment).
std::size_t editDistance(std::string_view a, std::string_view b)
{
    std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i) {
        for (std::size_t j = 0; j <= b.size(); ++j) {
            if (i == 0 || j == 0) {
                cost[i][j] = i + j;
                continue;
            }
            cost[i][j] = std::min({cost[i - 1][j - 1] + (a[i - 1] != b[j - 1]), cost[i - 1][j] + 1,
                                   cost[i][j - 1] + 1});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
        }
    }
    return cost[a.size()][b.size()];
}

Result<void> checkPositionals(const Command &command, const std::vector<std::string> &given)
{
    const std::string usage = std::string(command.name) + " " + std::string(command.positionals);
    if (given.size() < command.minPositionals)
        return usageError("something is missing: quantloupe " + usage);
    if (given.size() > command.maxPositionals)
        return usageError("'" + given[command.maxPositionals] + "' is one too many: quantloupe " + usage);
    return {};
}

std::string optionHead(const OptionSpec &option)
{
    std::string head = "  ";
    if (!option.shortName.empty())
        head.append(option.shortName).append(", ");
    head.append(option.name);
    if (!option.value.empty())
        head.append(" ").append(option.value);
    return head;
}

} // namespace

std::span<const OptionSpec> commonOptions() { return Common; }

std::string_view nearest(std::string_view word, std::span<const std::string_view> known)
{
    // Nobody slips by that much, and a distance costs the product of the lengths.
    constexpr std::size_t Longest = 200;
    const auto distance = [&](std::string_view k) {
        return word.size() > Longest || k.size() > Longest ? Longest : editDistance(word, k);
    };
    const auto best = std::ranges::min_element(known, {}, distance);
    const bool near = best != known.end() && distance(*best) <= std::max<std::size_t>(1, word.size() / 3);
    return near ? *best : std::string_view();
}

Result<Arguments> Arguments::parse(const Command &command, std::span<const std::string> words)
{
    Arguments arguments;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (words[i] == "--") {
            const auto rest = words.subspan(i + 1);
            arguments.m_positionals.insert(arguments.m_positionals.end(), rest.begin(), rest.end());
            break;
        }
        if (words[i].size() < 2 || words[i][0] != '-')
            arguments.m_positionals.push_back(words[i]);
        else if (auto taken = arguments.takeOption(command, words, i); !taken)
            return tl::unexpected(taken.error());
    }
    if (arguments.has("--help"))
        return arguments;
    if (auto checked = checkPositionals(command, arguments.m_positionals); !checked)
        return tl::unexpected(checked.error());
    return arguments;
}

Result<void> Arguments::takeOption(const Command &command, std::span<const std::string> words,
                                   std::size_t &i)
{
    const std::string &word = words[i];
    const auto equals = word.starts_with("--") ? word.find('=') : std::string::npos;
    const std::string head = word.substr(0, equals);
    const OptionSpec *option = findOption(command, head);
    if (!option)
        return unknownOption(command, head);
    const std::string name(option->name);
    if (has(name) && !option->repeatable && !option->value.empty())
        return usageError("'" + name + "' is given twice");
    std::vector<std::string> &values = m_options[name];
    if (option->value.empty()) {
        if (equals != std::string::npos)
            return usageError("'" + name + "' takes no value");
    } else if (equals != std::string::npos) {
        values.push_back(word.substr(equals + 1));
    } else if (i + 1 < words.size()) {
        values.push_back(words[++i]);
    } else {
        return usageError("'" + name + "' needs a value: " + std::string(option->value));
    }
    return {};
}

std::optional<std::string> Arguments::value(std::string_view option) const
{
    const auto &all = values(option);
    return all.empty() ? std::nullopt : std::optional(all.back());
}

const std::vector<std::string> &Arguments::values(std::string_view option) const
{
    static const std::vector<std::string> None;
    const auto found = m_options.find(option);
    return found != m_options.end() ? found->second : None;
}

Result<std::optional<std::uint64_t>> Arguments::number(std::string_view option, std::uint64_t least,
                                                       std::uint64_t most) const
{
    const auto text = value(option);
    if (!text)
        return std::nullopt;
    std::uint64_t parsed = 0;
    const char *end = text->data() + text->size();
    const auto [stop, problem] = std::from_chars(text->data(), end, parsed);
    if (problem != std::errc() || stop != end || parsed < least || parsed > most) {
        const bool isBounded = most != ~std::uint64_t(0);
        return usageError("'" + std::string(option) + "' takes a whole number"
                          + (isBounded ? " from " + std::to_string(least) + " to " + std::to_string(most) : "")
                          + ", not '" + *text + "'");
    }
    return parsed;
}

std::string helpText(const Command &command)
{
    std::string text = "quantloupe " + std::string(command.name) + " "
        + std::string(command.positionals) + " [options]\n\n" + std::string(command.summary) + "\n\n";
    std::size_t width = 0;
    for (const auto table : {command.options, commonOptions()}) {
        for (const OptionSpec &option : table)
            width = std::max(width, optionHead(option).size());
    }
    for (const auto table : {command.options, commonOptions()}) {
        for (const OptionSpec &option : table) {
            const std::string head = optionHead(option);
            text += head + std::string(width + 2 - head.size(), ' ') + std::string(option.help)
                + (option.repeatable ? " (repeatable)\n" : "\n");
        }
    }
    if (!command.notes.empty())
        text.append("\n").append(command.notes);
    return text;
}

} // namespace ql::cli
