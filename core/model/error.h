// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tl/expected.hpp>

namespace ql {

/// Why something could not be done: what, where and which. Errors are values; the library never
/// prints, throws across its border or exits.
struct Error {
    std::string code;    ///< kebab-case, stable, listed in the README
    std::string message; ///< a sentence for people, with numbers and units
    std::string field;   ///< the place as a file's reader names it: "kv[3].key", a key, "tensor[5].type", a tensor's name
    std::optional<std::uint64_t> offset; ///< absolute byte offset in its file, where there is one
};

template <class T>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> failure(std::string code, std::string message, std::string field = {},
                                     std::optional<std::uint64_t> offset = {})
{
    return tl::unexpected(Error{std::move(code), std::move(message), std::move(field), offset});
}

enum class Severity { Info, Warning, Error };

/// A finding about a file that opened all the same.
struct Warning {
    Severity severity = Severity::Warning;
    std::string code;
    std::string message;
    std::string field;
    std::optional<std::uint64_t> offset;
};

} // namespace ql
