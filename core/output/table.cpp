// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/output/table.h"

#include "core/output/displaytext.h"

#include <algorithm>

namespace ql {

namespace {

using Format = std::string (*)(const TableCell &);

/// A leading apostrophe makes a spreadsheet take "=cmd()" for text. Signs count too, where the
/// cell is text: a number's own sign is left alone.
std::string defused(const TableCell &cell)
{
    constexpr std::string_view Starters = "=+-@\t\r";
    const bool starts = !cell.text.empty() && Starters.find(cell.text[0]) != Starters.npos;
    return !cell.isNumber && starts ? "'" + cell.text : cell.text;
}

std::string replaceAll(std::string text, std::string_view what, std::string_view with)
{
    for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
        text.replace(at, what.size(), with);
    return text;
}

std::string csvCell(const TableCell &cell)
{
    const std::string text = defused(cell);
    if (text.find_first_of(",\"\n\r") == std::string::npos)
        return text;
    return '"' + replaceAll(text, "\"", "\"\"") + '"';
}

std::string tsvCell(const TableCell &cell)
{
    std::string text = defused(cell);
    std::ranges::replace_if(text, [](char c) { return c == '\t' || c == '\n' || c == '\r'; }, ' ');
    return text;
}

std::string markdownCell(const TableCell &cell)
{
    std::string text = replaceAll(cell.text, "\\", "\\\\");
    text = replaceAll(std::move(text), "|", "\\|");
    text = replaceAll(std::move(text), "*", "\\*");
    text = replaceAll(std::move(text), "<", "&lt;");
    text = replaceAll(std::move(text), "`", "\\`");
    return replaceAll(std::move(text), "\n", " ");
}

void appendRow(std::string &out, const std::vector<TableCell> &row, Format format,
               std::string_view before, std::string_view between, std::string_view after)
{
    out += before;
    for (std::size_t i = 0; i < row.size(); ++i)
        out.append(i ? between : "").append(format(row[i]));
    out += after;
}

std::vector<TableCell> headerRow(const Table &table)
{
    std::vector<TableCell> row;
    for (const std::string &column : table.columns)
        row.push_back({column, false});
    return row;
}

std::string delimited(const Table &table, Format format, std::string_view between)
{
    std::string out;
    appendRow(out, headerRow(table), format, "", between, "\n");
    for (const auto &row : table.rows)
        appendRow(out, row, format, "", between, "\n");
    return out;
}

bool isNumberColumn(const Table &table, std::size_t column)
{
    return !table.rows.empty() && std::ranges::any_of(table.rows, [&](const auto &row) {
        return row[column].isNumber;
    });
}

Json cellJson(const TableCell &cell)
{
    if (!cell.isNumber)
        return cell.text;
    const Json parsed = Json::parse(cell.text, nullptr, false);
    return parsed.is_number() ? parsed : Json();
}

std::vector<std::size_t> columnWidths(const Table &table)
{
    std::vector<std::size_t> widths;
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
        std::size_t width = displayWidth(table.columns[c]);
        for (const auto &row : table.rows)
            width = std::max(width, displayWidth(row[c].text));
        widths.push_back(width);
    }
    return widths;
}

} // namespace

std::string tableToCsv(const Table &table) { return delimited(table, csvCell, ","); }
std::string tableToTsv(const Table &table) { return delimited(table, tsvCell, "\t"); }

std::string tableToMarkdown(const Table &table)
{
    std::string out;
    appendRow(out, headerRow(table), markdownCell, "| ", " | ", " |\n");
    out += '|';
    for (std::size_t c = 0; c < table.columns.size(); ++c)
        out += isNumberColumn(table, c) ? " ---: |" : " --- |";
    out += '\n';
    for (const auto &row : table.rows)
        appendRow(out, row, markdownCell, "| ", " | ", " |\n");
    return out;
}

Json tableToJson(const Table &table)
{
    Json list = Json::array();
    for (const auto &row : table.rows) {
        Json object = Json::object();
        for (std::size_t c = 0; c < table.columns.size(); ++c)
            object[table.columns[c]] = cellJson(row[c]);
        list.push_back(std::move(object));
    }
    return list;
}

std::string tableToText(const Table &table)
{
    const auto widths = columnWidths(table);
    std::string out;
    const auto append = [&](const std::vector<TableCell> &row) {
        for (std::size_t c = 0; c < row.size(); ++c) {
            const std::string padding(widths[c] - displayWidth(row[c].text), ' ');
            const bool right = isNumberColumn(table, c);
            out += (c ? "  " : "") + (right ? padding + row[c].text : row[c].text + padding);
        }
        out.erase(out.find_last_not_of(' ') + 1);
        out += '\n';
    };
    append(headerRow(table));
    std::ranges::for_each(table.rows, append);
    return out;
}

} // namespace ql
