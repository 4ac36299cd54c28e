// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/shardname.h"

#include <algorithm>
#include <cstdio>
#include <set>

namespace ql {

namespace {

constexpr std::size_t Digits = 5;

std::optional<std::uint32_t> fiveDigits(std::string_view text)
{
    std::uint32_t value = 0;
    for (const char c : text) {
        if (c < '0' || c > '9')
            return std::nullopt;
        value = value * 10 + static_cast<std::uint32_t>(c - '0');
    }
    return value;
}

} // namespace

std::string ShardName::pathOf(std::uint32_t shard) const
{
    char tail[48];
    std::snprintf(tail, sizeof tail, "-%05u-of-%05u.gguf", shard, count);
    return stem + tail;
}

std::optional<ShardName> parseShardName(std::string_view path)
{
    constexpr std::string_view Of = "-of-";
    constexpr std::string_view Suffix = ".gguf";
    constexpr std::size_t Tail = 1 + Digits + Of.size() + Digits + Suffix.size();
    if (path.size() <= Tail || !path.ends_with(Suffix))
        return std::nullopt;
    const auto tail = path.substr(path.size() - Tail);
    const auto number = fiveDigits(tail.substr(1, Digits));
    const auto count = fiveDigits(tail.substr(1 + Digits + Of.size(), Digits));
    if (tail[0] != '-' || tail.substr(1 + Digits, Of.size()) != Of || !number || !count
        || *number == 0 || *number > *count)
        return std::nullopt;
    return ShardName{std::string(path.substr(0, path.size() - Tail)), *number, *count};
}

std::vector<std::string> onePathPerModel(const std::vector<std::string> &paths)
{
    std::vector<std::string> models;
    std::set<std::string> seen;
    for (const std::string &path : paths) {
        const auto shard = parseShardName(path);
        if (seen.insert(shard ? shard->pathOf(1) : path).second)
            models.push_back(path);
    }
    return models;
}

std::string_view fileNameOf(std::string_view path)
{
    const auto slash = path.rfind('/');
    return slash == path.npos ? path : path.substr(slash + 1);
}

} // namespace ql
