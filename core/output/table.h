// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/output/json.h"

#include <string>
#include <vector>

namespace ql {

/// One cell as text. Numbers align right on a terminal and are written as they are; text is quoted
/// where a format asks for it and defused where a spreadsheet would run it as a formula.
struct TableCell {
    std::string text;
    bool isNumber = false;

    static TableCell number(std::string text) { return {std::move(text), true}; }
};

struct Table {
    std::vector<std::string> columns;
    std::vector<std::vector<TableCell>> rows; ///< each as long as columns
};

/// RFC 4180 with LF; quotes where needed.
std::string tableToCsv(const Table &table);
/// Tabs and newlines inside cells become spaces.
std::string tableToTsv(const Table &table);
std::string tableToMarkdown(const Table &table);
/// An array of objects; cells that are numbers as numbers ("nan" and the like as null).
Json tableToJson(const Table &table);
/// For terminals: columns two spaces apart, numbers to the right.
std::string tableToText(const Table &table);

} // namespace ql
