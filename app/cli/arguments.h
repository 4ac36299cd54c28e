// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/error.h"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ql::cli {

struct Command;

struct OptionSpec {
    std::string_view name;           ///< "--tensor"
    std::string_view value;          ///< "NAME|GLOB"; empty for a flag
    std::string_view help;
    std::string_view shortName = {}; ///< "-o"
    bool repeatable = false;
};

/// A command line taken apart by an option table.
class Arguments
{
public:
    /// Accepts `--name value`, `--name=value`, `-o value` and `--` before positionals that start with
    /// a dash; a lone `-` is a positional. Errors (code "usage") name the word and the nearest option.
    static Result<Arguments> parse(const Command &command, std::span<const std::string> words);

    bool has(std::string_view option) const { return m_options.contains(option); }
    /// The last value given.
    std::optional<std::string> value(std::string_view option) const;
    const std::vector<std::string> &values(std::string_view option) const;
    /// A whole number in [least, most]; an error where the option says something else.
    Result<std::optional<std::uint64_t>> number(std::string_view option, std::uint64_t least,
                                                std::uint64_t most) const;
    const std::vector<std::string> &positionals() const { return m_positionals; }
    const std::string &positional(std::size_t i) const { return m_positionals[i]; }

private:
    Result<void> takeOption(const Command &command, std::span<const std::string> words, std::size_t &i);

    std::map<std::string, std::vector<std::string>, std::less<>> m_options;
    std::vector<std::string> m_positionals;
};

/// Options every subcommand has.
std::span<const OptionSpec> commonOptions();

/// The word of `known` with the fewest edits to `word`, if it is near enough to be a slip; else "".
std::string_view nearest(std::string_view word, std::span<const std::string_view> known);

/// The text of `quantloupe COMMAND --help`.
std::string helpText(const Command &command);

} // namespace ql::cli
