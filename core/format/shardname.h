// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ql {

/// "DIR/NAME-00002-of-00003.gguf" taken apart.
struct ShardName {
    std::string stem;        ///< "DIR/NAME"
    std::uint32_t number = 0; ///< from 1
    std::uint32_t count = 0;

    std::string pathOf(std::uint32_t shard) const;
};

std::optional<ShardName> parseShardName(std::string_view path);

/// The paths without those that are further shards of a model already listed; the order stays.
std::vector<std::string> onePathPerModel(const std::vector<std::string> &paths);

/// The last part of a path.
std::string_view fileNameOf(std::string_view path);

} // namespace ql
