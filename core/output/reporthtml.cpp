// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/output/reporthtml.h"

#include "core/output/humannumbers.h"
#include "core/output/reportpictures.h"
#include "core/output/reporttext.h"

#include <algorithm>

namespace ql {

namespace {

constexpr std::size_t RowsInSight = 60; ///< the rest of a long table unfolds

constexpr std::string_view Style = R"(:root{color-scheme:light dark;
--window:#f6f7f9;--panel:#fff;--line:#dfe3e8;--grid:#eceff3;--text:#1b2430;--muted:#5f6b7a;--accent:#2f6fde;--a:#2a66cf;--b:#d9742b;--bt:#a8511a;
--fixed:"JetBrains Mono",ui-monospace,"DejaVu Sans Mono",Menlo,Consolas,monospace}
@media(prefers-color-scheme:dark){:root{
--window:#15181d;--panel:#1c2027;--line:#2c323c;--grid:#272d36;--text:#e4e8ee;--muted:#98a3b2;--accent:#6ea2ff;--a:#6ea2ff;--b:#f0a060;--bt:#f0a060}}
body{margin:0;background:var(--window);color:var(--text);font:14px/1.5 Inter,system-ui,sans-serif}
main{max-width:1120px;margin:0 auto;padding:24px}
h1{font-size:20px;margin:0 0 4px;overflow-wrap:anywhere}h2{font-size:15px;margin:0 0 12px}
section{background:var(--panel);border:1px solid var(--line);border-radius:8px;padding:16px;margin-top:16px;overflow-x:auto}
.pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(480px,1fr));gap:16px}.pair section{min-width:0}
.a{color:var(--a)}.b{color:var(--bt)}.muted{color:var(--muted)}
.tiles{display:flex;flex-wrap:wrap;gap:8px 32px;margin-top:12px}.tiles b{display:block;font:600 18px var(--fixed)}.tiles span{color:var(--muted);font-size:12px}
table{border-collapse:collapse;width:100%;font-size:13px}
th{text-align:left;color:var(--muted);font-weight:500;border-bottom:1px solid var(--line);padding:4px 12px 4px 0;white-space:nowrap}
td{padding:3px 12px 3px 0;border-bottom:1px solid var(--grid);vertical-align:top;font-family:var(--fixed);font-size:12px;overflow-wrap:anywhere}
td.n,th.n{text-align:right;white-space:nowrap}td.t{white-space:nowrap}
.track{display:inline-block;width:90px;height:8px;background:var(--grid);border-radius:2px}.track i{display:block;height:8px;background:var(--b);border-radius:2px}
code,pre{font-family:var(--fixed);font-size:12px}pre{margin:0;white-space:pre-wrap;overflow-wrap:anywhere}
summary{cursor:pointer;color:var(--muted);padding:8px 0}
footer{color:var(--muted);font-size:12px;margin-top:16px}
)";

struct Cell {
    std::string html; ///< escaped
    const char *cssClass = "";
};

Cell text(std::string_view words) { return {htmlText(words), ""}; }
Cell shortText(std::string_view words) { return {htmlText(words), "t"}; }
Cell number(std::string words) { return {htmlText(words), "n"}; }
Cell number(const std::optional<double> &value, int digits = 4) { return number(value ? significant(*value, digits) : "–"); }

Cell bar(double share)
{
    return {"<span class=\"track\"><i style=\"width:" + significant(100 * std::clamp(share, 0.0, 1.0), 3) + "%\"></i></span>", "t"};
}

std::string tag(const char *element, const Cell &cell)
{
    const std::string name = element;
    const std::string cls = *cell.cssClass ? " class=\"" + std::string(cell.cssClass) + "\"" : "";
    return "<" + name + cls + ">" + cell.html + "</" + name + ">";
}

std::string tableHead(const std::vector<Cell> &columns)
{
    std::string out = "<table><thead><tr>";
    for (const Cell &column : columns)
        out += tag("th", column);
    return out + "</tr></thead><tbody>\n";
}

std::string tableRow(const std::vector<Cell> &cells)
{
    std::string out = "<tr>";
    for (const Cell &cell : cells)
        out += tag("td", cell);
    return out + "</tr>\n";
}

constexpr std::string_view TableEnd = "</tbody></table>\n";

/// A table whose first rows are in sight; the others unfold.
std::string table(const std::vector<Cell> &columns, const std::vector<std::vector<Cell>> &rows)
{
    if (rows.empty())
        return {};
    std::string out = tableHead(columns);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (i == RowsInSight)
            out.append(TableEnd).append("<details><summary>").append(grouped(rows.size() - i)).append(" more</summary>\n").append(tableHead(columns));
        out += tableRow(rows[i]);
    }
    return out.append(TableEnd).append(rows.size() > RowsInSight ? "</details>\n" : "");
}

std::string section(const std::string &title, const std::string &content, const std::string &note = {})
{
    if (content.empty())
        return {};
    const std::string muted = note.empty() ? "" : " <span class=\"muted\">" + htmlText(note) + "</span>";
    return "<section><h2>" + htmlText(title) + muted + "</h2>\n" + content + "</section>\n";
}

std::string tile(const std::string &figure, const std::string &name)
{
    return "<div><b>" + htmlText(figure) + "</b><span>" + htmlText(name) + "</span></div>\n";
}

std::string tiles(const ReportData &data)
{
    const ReportGroup &total = data.total;
    return "<div class=\"tiles\">\n" + tile(significant(total.error()), "relative RMSE")
        + tile(significant(total.sums.sqnrDb()) + " dB", "SQNR") + tile(significant(total.sums.cosine(), 6), "cosine")
        + tile(significant(total.bitsA(), 3) + " → " + significant(total.bitsB(), 3), "bits per weight, A → B")
        + tile(byteText(total.bytesA) + " → " + byteText(total.bytesB), "bytes of the tensors compared") + "</div>\n";
}

std::string filesTable(const ReportData &data)
{
    const auto row = [&](const char *name, const auto &value) {
        return std::vector<Cell>{{name, "t"}, text(value(data.files[0])), text(value(data.files[1]))};
    };
    return table({text(""), {"A, the reference", "a"}, {"B", "b"}},
                 {row("path", [](const ReportFile &f) { return f.path; }),
                  row("name", [](const ReportFile &f) { return f.title.empty() ? "–" : f.title; }),
                  row("architecture", [](const ReportFile &f) { return f.architecture.empty() ? "–" : f.architecture; }),
                  row("size", [](const ReportFile &f) { return byteText(f.size) + " (" + grouped(f.size) + " bytes)"; }),
                  row("tensors", [](const ReportFile &f) { return grouped(f.tensors); }),
                  row("parameters", [](const ReportFile &f) { return grouped(f.parameters); }),
                  row("bits per weight", [](const ReportFile &f) { return significant(f.bitsPerWeight); }),
                  row("types", [](const ReportFile &f) { return f.types; })});
}

std::vector<Cell> groupCells(const ReportGroup &group, double most)
{
    const double error = group.error().value_or(0);
    return {text(group.name), number(grouped(group.pairs)), number(grouped(group.identical)), number(group.bitsA(), 3), number(group.bitsB(), 3),
            bar(most > 0 ? error / most : 0), number(group.error()), number(group.sums.sqnrDb()), number(group.sums.cosine(), 6)};
}

std::string groupTable(const char *name, const std::vector<ReportGroup> &groups)
{
    double most = 0;
    for (const ReportGroup &group : groups)
        most = std::max(most, group.error().value_or(0));
    std::vector<std::vector<Cell>> rows;
    for (const ReportGroup &group : groups)
        rows.push_back(groupCells(group, most));
    return table({text(name), {"tensors", "n"}, {"identical", "n"}, {"bpw A", "n"}, {"bpw B", "n"}, text(""),
                  {"relative RMSE", "n"}, {"SQNR dB", "n"}, {"cosine", "n"}}, rows);
}

std::vector<Cell> tensorCells(const ReportRow &row, double most)
{
    const std::string types = row.typeA == row.typeB ? row.typeA : row.typeA + " / " + row.typeB;
    std::vector<Cell> cells{text(row.name), shortText(types), shortText(row.shape)};
    if (!row.problem.empty()) {
        cells.push_back(text(row.problem));
        return cells;
    }
    const ErrorSums &sums = row.figures.sums;
    const double error = row.figures.error().value_or(0);
    const auto max = sums.compared() ? std::optional(sums.maxAbsError) : std::nullopt;
    cells.push_back(row.identical ? shortText("identical") : bar(most > 0 ? error / most : 0));
    for (const auto &value : {row.figures.error(), sums.rmse(), max})
        cells.push_back(number(row.identical ? std::nullopt : value));
    cells.push_back(number(sums.sqnrDb()));
    cells.push_back(number(sums.cosine(), 6));
    cells.push_back(number(sums.nonfinite ? grouped(sums.nonfinite) : ""));
    return cells;
}

std::string tensorTable(const ReportData &data)
{
    double most = 0;
    for (const ReportRow &row : data.rows)
        most = std::max(most, row.figures.error().value_or(0));
    std::vector<std::vector<Cell>> rows;
    for (const ReportRow &row : data.rows)
        rows.push_back(tensorCells(row, most));
    return table({text("tensor"), text("types"), text("shape"), text(""), {"relative RMSE", "n"}, {"RMSE", "n"},
                  {"max |error|", "n"}, {"SQNR dB", "n"}, {"cosine", "n"}, {"non-finite", "n"}}, rows);
}

std::string expertTable(const ReportData &data)
{
    std::vector<std::vector<Cell>> rows;
    for (const ReportExpert &expert : data.experts)
        rows.push_back({text(expert.tensor), number(std::to_string(expert.expert)), number(expert.sums.relativeRmse()),
                        number(expert.sums.sqnrDb()), number(expert.sums.cosine(), 6)});
    return table({text("tensor"), {"expert", "n"}, {"relative RMSE", "n"}, {"SQNR dB", "n"}, {"cosine", "n"}}, rows);
}

std::string metadataTable(const ReportData &data)
{
    std::vector<std::vector<Cell>> rows;
    for (const ReportMetadata &entry : data.metadata) {
        Cell key = text(entry.key);
        if (entry.firstDifference)
            key.html += " <span class=\"muted\">from [" + std::to_string(*entry.firstDifference) + "]</span>";
        rows.push_back({std::move(key), entry.a.empty() ? Cell{"–"} : text(entry.a), entry.b.empty() ? Cell{"–"} : text(entry.b)});
    }
    return table({text("key"), {"A", "a"}, {"B", "b"}}, rows);
}

std::string unpairedTable(const ReportData &data)
{
    std::vector<std::vector<Cell>> rows;
    constexpr const char *Places[] = {"only in A", "only in B"};
    for (std::size_t side = 0; side < data.unpaired.size(); ++side)
        for (const ReportUnpaired &one : data.unpaired[side])
            rows.push_back({text(one.name), shortText(Places[side]), text(one.what), text(one.hint)});
    for (const auto &[name, shapeA, shapeB] : data.mismatched)
        rows.push_back({text(name), shortText("other shape"), text(shapeA + " / " + shapeB), text("")});
    return table({text("tensor"), text(""), text("type and shape"), text("")}, rows);
}

std::string tensorSections(const ReportData &data)
{
    return "<div class=\"pair\">" + section("Error by role", barsSvg(data.roles, "Relative RMSE by role"))
        + section("Error by layer", columnsSvg(data.layers, "Relative RMSE by layer"))
        + section("Bits paid, error had", scatterSvg(data.rows, "Bits per weight of B against relative RMSE, a point a tensor"),
                  "a point a tensor, its size by the weights")
        + "</div>\n" + section("Layer × role", gridSvg(data, "Relative RMSE by layer and role"))
        + section("Tensors", tensorTable(data), "worst first") + section("Experts", expertTable(data), "the worst ones")
        + section("By role", groupTable("role", data.roles)) + section("By layer", groupTable("layer", data.layers));
}

} // namespace

std::string reportHtml(const ReportData &data, const ReportRequest &request)
{
    const std::string title = data.files[0].name + " and " + data.files[1].name;
    std::string out = "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/>"
        "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"/>\n<title>" + htmlText(title)
        + " – what differs</title>\n<style>\n" + std::string(Style) + pictureStyle() + "</style></head><body><main>\n";
    out += "<h1><span class=\"a\">" + htmlText(data.files[0].name) + "</span> <span class=\"muted\">and</span> <span class=\"b\">"
        + htmlText(data.files[1].name) + "</span></h1>\n";
    if (request.tensors)
        out += "<p>" + htmlText(verdictText(data)) + "</p>\n<p class=\"muted\">" + htmlText(countsText(data)) + "</p>\n" + tiles(data);
    out += section("Files", filesTable(data));
    if (request.tensors)
        out += tensorSections(data) + section("Without a counterpart", unpairedTable(data));
    const std::string metadata = metadataTable(data);
    out += section("Metadata", metadata.empty() ? "<p>No key differs.</p>\n" : metadata);
    out += section("The same figures again", "<pre>" + htmlText(request.command) + "</pre>\n");
    return out + "<footer>Made by " + htmlText(request.program) + ". A is the reference; errors are a − b, taken in double.</footer>\n"
        "</main></body></html>\n";
}

} // namespace ql
