// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/format/ggufwriter.h"
#include "core/model/ggufmodel.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ql {

inline constexpr const char *BadValueCode = "bad-value";
inline constexpr const char *NoSuchKeyCode = "no-such-key";

/// One change to a model's metadata: a new value, or the key's end.
struct MetadataEdit {
    std::string rawKey;
    std::optional<GgufEntry> value; ///< nothing: the key goes
    bool typeAssumed = false;       ///< a new key without a type: a string
};

/// "KEY=VALUE" or "KEY:type=VALUE" with u8 … f64, bool or string. Without a type the key keeps the
/// one it has; a new key is a string. What stands behind a key's last colon must be a type, unless there
/// is a key of the whole name. Keys and strings may spell bytes as the tables show them.
Result<MetadataEdit> parseMetadataSet(const GgufModel &model, std::string_view text);
/// The key must be there.
Result<MetadataEdit> parseMetadataUnset(const GgufModel &model, std::string_view key);

/// The metadata of a file made from the model: each key once, the first of several; without
/// `split.*`; with the changes made in order. New keys come last.
std::vector<GgufEntry> editedMetadata(const GgufModel &model, const std::vector<MetadataEdit> &changes);

/// Replaces the value of a key, or adds it at the end.
void setMetadata(std::vector<GgufEntry> &metadata, GgufEntry entry);

} // namespace ql
