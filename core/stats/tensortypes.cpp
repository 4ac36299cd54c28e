// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/whatif.h"

#include <algorithm>
#include <cctype>
#include <map>

namespace ql {

namespace {

constexpr std::string_view LayerPrefix = "blk.";

std::string escapeRegex(std::string_view text)
{
    std::string escaped;
    for (const char c : text) {
        if (std::string_view(R"(\^$.|?*+()[]{})").find(c) != std::string_view::npos)
            escaped += '\\';
        escaped += c;
    }
    return escaped;
}

std::string lowerCase(std::string_view text)
{
    std::string lower(text);
    std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return lower;
}

/// Tensors that one pattern can name: what stands behind "blk.N", or the whole name, and the type.
struct Family {
    std::string rest;
    bool layered = false;
    GgmlType type{};
    auto operator<=>(const Family &) const = default;
};

Family familyOf(const TensorInfo &tensor, GgmlType type)
{
    if (!tensor.layer)
        return {tensor.rawName, false, type};
    const std::string prefix = std::string(LayerPrefix) + std::to_string(*tensor.layer);
    if (!tensor.rawName.starts_with(prefix))
        return {tensor.rawName, false, type};
    return {tensor.rawName.substr(prefix.size()), true, type};
}

std::string layersText(const std::vector<std::uint32_t> &layers)
{
    std::string text;
    for (const std::uint32_t layer : layers)
        text += (text.empty() ? "" : "|") + std::to_string(layer);
    return layers.size() == 1 ? text : "(" + text + ")";
}

std::string patternOf(const Family &family, const std::vector<std::uint32_t> &layers)
{
    std::string pattern = "^";
    if (family.layered)
        pattern += escapeRegex(LayerPrefix) + layersText(layers);
    return pattern + escapeRegex(family.rest) + "$=" + lowerCase(traits(family.type).name);
}

} // namespace

std::vector<std::string> tensorTypeArguments(std::span<const TensorInfo> tensors,
                                             std::span<const TensorTypeChoice> choices)
{
    std::map<Family, std::vector<std::uint32_t>> families;
    std::vector<Family> order; // by first appearance: the file's order
    for (const TensorTypeChoice &choice : choices) {
        const TensorInfo &tensor = tensors[choice.tensor.value];
        const Family family = familyOf(tensor, choice.type);
        const auto [entry, isNew] = families.try_emplace(family);
        if (isNew)
            order.push_back(family);
        if (family.layered)
            entry->second.push_back(*tensor.layer);
    }
    std::vector<std::string> arguments;
    for (const Family &family : order) {
        arguments.push_back("--tensor-type");
        arguments.push_back(patternOf(family, families[family]));
    }
    return arguments;
}

std::string tensorTypeCommandLine(std::span<const TensorInfo> tensors, std::span<const TensorTypeChoice> choices)
{
    std::string line;
    for (const std::string &argument : tensorTypeArguments(tensors, choices)) {
        line += line.empty() ? "" : " ";
        if (argument.starts_with("--")) {
            line += argument;
            continue;
        }
        line += '\'';
        for (const char c : argument)
            line += c == '\'' ? std::string("'\\''") : std::string(1, c);
        line += '\'';
    }
    return line;
}

} // namespace ql
