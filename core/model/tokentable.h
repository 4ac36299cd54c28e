// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/arraylisting.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ql {

/// An id with a meaning of its own: "bos" for tokenizer.ggml.bos_token_id.
struct SpecialToken {
    std::string name;
    std::uint64_t id = 0; ///< as stored; may lie outside the vocabulary
};

/// A tokenizer as values, without a map behind it. Immutable once shared.
struct TokenTable {
    std::string model; ///< tokenizer.ggml.model: "llama", "gpt2", …; "" if missing
    std::string pre;   ///< tokenizer.ggml.pre; "" if missing
    ArrayListingPtr tokens; ///< escaped; never null
    ArrayListingPtr merges; ///< null where the file has none
    /// By id; may be shorter or longer than the tokens, or empty: a file says what it says.
    std::vector<std::int32_t> types;
    std::vector<float> scores;
    std::vector<SpecialToken> specials;
};

using TokenTablePtr = std::shared_ptr<const TokenTable>;

/// "normal", "control" …; "" for numbers without a name. Source: llama.h, enum llama_token_type.
constexpr std::string_view tokenTypeName(std::int32_t type)
{
    constexpr std::string_view Names[] = {"undefined", "normal", "unknown", "control",
                                          "user defined", "unused", "byte"};
    return type >= 0 && type < static_cast<std::int32_t>(std::size(Names))
               ? Names[static_cast<std::size_t>(type)]
               : std::string_view();
}

} // namespace ql
