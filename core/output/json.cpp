// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/output/json.h"

#include "core/model/utf8.h"
#include "core/output/displaytext.h"
#include "core/output/numbertext.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ql {

namespace {

constexpr char Hex[] = "0123456789abcdef";

/// A container that holds no object anywhere, or scalars alone: it prints on one line.
bool isFlat(const Json &value)
{
    return std::ranges::none_of(value, [](const Json &child) {
        return (child.is_object() && !child.empty()) || (child.is_array() && !isFlat(child));
    });
}

class Printer
{
public:
    explicit Printer(std::string &out) : m_out(out) {}

    void print(const Json &value, int depth)
    {
        if (value.is_structured())
            printContainer(value, depth, depth > 0 && isFlat(value));
        else
            printScalar(value);
    }

private:
    void printScalar(const Json &value)
    {
        if (value.is_string())
            printString(value.get_ref<const std::string &>());
        else if (value.is_number_float())
            printDouble(value.get<double>());
        else
            m_out += value.dump();
    }

    void printDouble(double value)
    {
        if (std::isfinite(value))
            appendShortest(m_out, value);
        else
            m_out += "null";
    }

    void printContainer(const Json &value, int depth, bool oneLine)
    {
        const bool object = value.is_object();
        m_out += object ? '{' : '[';
        bool first = true;
        for (auto it = value.begin(); it != value.end(); ++it) {
            if (!first)
                m_out += ',';
            separate(oneLine, first, object, depth + 1);
            first = false;
            if (object) {
                printString(it.key());
                m_out += ": ";
            }
            oneLine ? printInline(it.value()) : print(it.value(), depth + 1);
        }
        if (!first)
            separate(oneLine, true, object, depth);
        m_out += object ? '}' : ']';
    }

    void printInline(const Json &value)
    {
        if (value.is_structured())
            printContainer(value, 1, true);
        else
            printScalar(value);
    }

    /// What stands before an element or the closing bracket.
    void separate(bool oneLine, bool edge, bool object, int depth)
    {
        if (!oneLine)
            m_out.append(1, '\n').append(2 * static_cast<std::size_t>(depth), ' ');
        else if (!edge || object)
            m_out += ' ';
    }

    void printString(std::string_view text)
    {
        m_out += '"';
        for (std::size_t i = 0; i < text.size();) {
            const Utf8Char c = decodeUtf8(text.substr(i));
            if (c.length == 0)
                m_out += "\\ufffd"; // nothing of ours makes one; a JSON text must be UTF-8 all the same
            else if (isControlCharacter(c.value))
                printEscape(c.value);
            else {
                if (text[i] == '"' || text[i] == '\\')
                    m_out += '\\';
                m_out.append(text, i, c.length);
            }
            i += std::max<std::size_t>(c.length, 1);
        }
        m_out += '"';
    }

    void printEscape(char32_t c)
    {
        constexpr std::string_view Short = "\b\f\n\r\t", Letters = "bfnrt";
        const auto at = c < 0x20 ? Short.find(static_cast<char>(c)) : Short.npos;
        m_out += '\\';
        if (at != Short.npos) {
            m_out += Letters[at];
            return;
        }
        m_out += 'u';
        for (int shift = 12; shift >= 0; shift -= 4)
            m_out += Hex[(c >> shift) & 15];
    }

    std::string &m_out;
};

Json placeJson(const std::string &code, const std::string &message, const std::string &field,
               std::optional<std::uint64_t> offset)
{
    return {{"code", code},
            {"message", message},
            {"field", field.empty() ? Json() : Json(field)},
            {"offset", jsonNumber(offset)}};
}

} // namespace

Json jsonNumber(std::optional<double> value)
{
    return value && std::isfinite(*value) ? Json(*value) : Json();
}

Json jsonNumber(std::optional<std::uint64_t> value) { return value ? Json(*value) : Json(); }

std::string dumpJson(const Json &value)
{
    std::string out;
    Printer(out).print(value, 0);
    out += '\n';
    return out;
}

Json errorJson(const Error &error)
{
    return {{"error", placeJson(error.code, error.message, error.field, error.offset)}};
}

std::string_view severityName(Severity severity)
{
    constexpr std::array<std::string_view, 3> Names{"info", "warning", "error"};
    return Names[static_cast<std::size_t>(severity)];
}

Json warningJson(const Warning &warning)
{
    Json json = {{"severity", severityName(warning.severity)}};
    json.update(placeJson(warning.code, warning.message, warning.field, warning.offset));
    return json;
}

Json warningsJson(const std::vector<Warning> &warnings)
{
    Json list = Json::array();
    for (const Warning &warning : warnings)
        list.push_back(warningJson(warning));
    return list;
}

} // namespace ql
