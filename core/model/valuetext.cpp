// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/valuetext.h"

#include "core/model/tensorname.h"

#include <charconv>
#include <cmath>
#include <string_view>

namespace ql {

namespace {

constexpr std::string_view Ellipsis = "…";
constexpr std::uint64_t PreviewElements = 24; ///< more than fit the line
constexpr int PreviewDepth = 4;

template <class T>
std::string shortest(T value)
{
    if constexpr (std::is_floating_point_v<T>) {
        if (std::isnan(value))
            return "nan";
        if (std::isinf(value))
            return value < 0 ? "-inf" : "inf";
    }
    char text[64];
    return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

std::string boolText(BoolByte value)
{
    if (value.byte > 1)
        return std::to_string(value.byte);
    return value.byte ? "true" : "false";
}

std::string preview(const MetadataValue &value, std::size_t maxBytes, int depth);

std::string arrayPreview(const MetadataArray &array, std::size_t maxBytes, int depth)
{
    if (depth >= PreviewDepth)
        return "[…]";
    std::string text = "[";
    std::uint64_t shown = 0;
    for (const auto &element : array.slice(0, PreviewElements)) {
        if (text.size() >= maxBytes)
            break;
        text += (shown++ ? ", " : "") + preview(element, maxBytes - text.size(), depth + 1);
    }
    if (shown < array.count())
        text += shown ? ", …" : "…";
    return text + "]";
}

std::string preview(const MetadataValue &value, std::size_t maxBytes, int depth)
{
    if (const auto *array = std::get_if<std::shared_ptr<const MetadataArray>>(&value))
        return arrayPreview(**array, maxBytes, depth);
    if (const auto *text = std::get_if<std::string>(&value)) {
        // Cutting the raw bytes first keeps a megabyte of template from being escaped for one line.
        const bool cut = text->size() > maxBytes;
        auto shown = escapeBytes(std::string_view(*text).substr(0, cut ? maxBytes + 8 : text->size()));
        shown = elided(std::move(shown), maxBytes);
        return depth == 0 ? shown : "\"" + shown + "\"";
    }
    return scalarText(value);
}

} // namespace

std::string scalarText(const MetadataValue &value)
{
    struct Visitor {
        std::string operator()(std::uint64_t v) const { return shortest(v); }
        std::string operator()(std::int64_t v) const { return shortest(v); }
        std::string operator()(float v) const { return shortest(v); }
        std::string operator()(double v) const { return shortest(v); }
        std::string operator()(BoolByte v) const { return boolText(v); }
        std::string operator()(const std::string &) const { return {}; }
        std::string operator()(const std::shared_ptr<const MetadataArray> &) const { return {}; }
    };
    return std::visit(Visitor(), value);
}

std::string elided(std::string text, std::size_t maxBytes)
{
    if (text.size() <= maxBytes)
        return text;
    std::size_t end = maxBytes;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80)
        --end;
    text.resize(end);
    return text += Ellipsis;
}

std::string valuePreview(const MetadataValue &value, std::size_t maxBytes)
{
    return preview(value, maxBytes, 0);
}

} // namespace ql
