// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ql {

/// What a tensor's name says about it.
struct TensorName {
    std::optional<std::uint32_t> layer;  ///< N of "blk.N."
    std::string role;                    ///< without "blk.N.", an expert's number and a final ".weight"
    std::optional<std::uint32_t> expert; ///< K of the old "blk.N.ffn_gate.K.weight" (role: ffn_gate_exps)
    bool isMergedExperts = false;        ///< the name has _exps: ne[2] counts experts
};

TensorName parseTensorName(std::string_view name);

/// "blk.9" before "blk.10": digits compare as numbers, the rest byte by byte.
/// Negative, zero or positive as strcmp.
int compareNatural(std::string_view a, std::string_view b);

/// Bytes as people may see them: valid UTF-8 stays, bytes that aren't become \xNN, control and
/// bidirectional-override characters become \xNN / \u{NNNN}, a real backslash is doubled.
std::string escapeBytes(std::string_view bytes);
/// escapeBytes, but keeps newlines and tabs: for templates and other long texts.
std::string escapeText(std::string_view bytes);
/// A metadata string as a JSON value: only what isn't UTF-8 is escaped (and a real backslash doubled);
/// control characters stay, JSON has its own spelling for them.
std::string escapeForJson(std::string_view bytes);
/// Valid UTF-8 in which escapeBytes would escape a character (a backslash aside).
bool hidesCharacters(std::string_view text);
/// The inverse of all three, for names given on the command line.
std::string unescapeBytes(std::string_view text);

} // namespace ql
