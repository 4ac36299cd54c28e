// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/error.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ql {

/// Keys keep the order they are written in: the one cli.md documents.
using Json = nlohmann::ordered_json;

/// A number, or null where there is none or it is not finite.
Json jsonNumber(std::optional<double> value);
Json jsonNumber(std::optional<std::uint64_t> value);

/// The text of a value with a final newline: doubles in shortest round-trip form, non-finite ones null;
/// containers without objects inside take one line; characters that would move a terminal's cursor
/// are \u escapes. No locale.
std::string dumpJson(const Json &value);

/// `{ "code", "message", "field", "offset" }` of a refusal, under "error".
Json errorJson(const Error &error);
Json warningJson(const Warning &warning);
Json warningsJson(const std::vector<Warning> &warnings);
std::string_view severityName(Severity severity);

} // namespace ql
