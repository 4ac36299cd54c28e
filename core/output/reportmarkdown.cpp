// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/output/humannumbers.h"
#include "core/output/reporthtml.h"
#include "core/output/reporttext.h"

#include <algorithm>

namespace ql {

namespace {

constexpr int BarWidth = 20;
constexpr std::size_t MostMetadataRows = 60;

using Row = std::vector<std::string>; ///< cells, escaped

/// Columns whose name begins with '>' align right.
std::string table(const Row &columns, const std::vector<Row> &rows)
{
    if (rows.empty())
        return {};
    std::string head = "|", line = "|", body;
    for (const std::string &column : columns) {
        const bool isRight = column.starts_with(">");
        head += " " + column.substr(isRight ? 1 : 0) + " |";
        line += isRight ? " ---: |" : " --- |";
    }
    for (const Row &row : rows) {
        body += "|";
        for (const std::string &cell : row)
            body += " " + cell + " |";
        body += "\n";
    }
    return head + "\n" + line + "\n" + body;
}

std::string section(const std::string &title, const std::string &content, const std::string &note = {})
{
    if (content.empty())
        return {};
    return "\n### " + title + "\n\n" + (note.empty() ? "" : note + "\n\n") + content;
}

std::string numberText(const std::optional<double> &value, int digits = 4) { return value ? significant(*value, digits) : "–"; }

std::string filesTable(const ReportData &data)
{
    std::vector<Row> rows;
    constexpr const char *Letters[] = {"**A**", "**B**"};
    for (std::size_t i = 0; i < data.files.size(); ++i) {
        const ReportFile &file = data.files[i];
        rows.push_back({Letters[i], markdownText(file.name), byteText(file.size), grouped(file.tensors),
                        grouped(file.parameters), numberText(file.bitsPerWeight), file.types});
    }
    return table({"", "file", ">size", ">tensors", ">parameters", ">bits per weight", "types"}, rows);
}

std::string totalsTable(const ReportGroup &total)
{
    return table({">relative RMSE", ">SQNR", ">cosine", ">bits per weight", ">bytes of the tensors compared"},
                 {{numberText(total.error()), numberText(total.sums.sqnrDb()) + " dB", numberText(total.sums.cosine(), 6),
                   numberText(total.bitsA(), 3) + " → " + numberText(total.bitsB(), 3),
                   byteText(total.bytesA) + " → " + byteText(total.bytesB)}});
}

/// Bars out of letters: a picture that survives being pasted.
std::string groupTable(const std::string &name, const std::vector<ReportGroup> &groups)
{
    double most = 0;
    for (const ReportGroup &group : groups)
        most = std::max(most, group.error().value_or(0));
    std::vector<Row> rows;
    for (const ReportGroup &group : groups) {
        const std::string bar = most > 0 ? textBar(group.error().value_or(0) / most, BarWidth) : "";
        rows.push_back({markdownText(group.name), group.identical == group.pairs ? "identical" : bar, numberText(group.error()),
                        numberText(group.sums.sqnrDb()), numberText(group.bitsA(), 3) + " → " + numberText(group.bitsB(), 3)});
    }
    return table({name, "", ">relative RMSE", ">SQNR dB", ">bits per weight"}, rows);
}

Row tensorRow(const ReportRow &row, double most)
{
    const std::string types = row.typeA == row.typeB ? row.typeA : row.typeA + " → " + row.typeB;
    if (!row.problem.empty())
        return {markdownText(row.name), types, markdownText(row.problem), "–", "–", "–", "–"};
    const ErrorSums &sums = row.figures.sums;
    const auto max = sums.compared() ? std::optional(sums.maxAbsError) : std::nullopt;
    const std::string bar = most > 0 ? textBar(row.figures.error().value_or(0) / most, BarWidth / 2) : "";
    return {markdownText(row.name), types, row.identical ? "identical" : bar, numberText(row.figures.error()),
            numberText(sums.sqnrDb()), numberText(sums.cosine(), 6), numberText(row.identical ? std::nullopt : max)};
}

std::string tensorTable(const ReportData &data)
{
    const double most = data.rows.empty() ? 0 : data.rows.front().figures.error().value_or(0);
    std::vector<Row> rows;
    for (std::size_t i = 0; i < std::min(data.rows.size(), MostMarkdownRows); ++i)
        rows.push_back(tensorRow(data.rows[i], most));
    std::string out = table({"tensor", "types", "", ">relative RMSE", ">SQNR dB", ">cosine", ">max \\|error\\|"}, rows);
    if (data.rows.size() > MostMarkdownRows)
        out += "\n" + grouped(data.rows.size() - MostMarkdownRows) + " more that differ less are left out.\n";
    return out;
}

std::string expertTable(const ReportData &data)
{
    std::vector<Row> rows;
    for (const ReportExpert &expert : data.experts)
        rows.push_back({markdownText(expert.tensor), std::to_string(expert.expert), numberText(expert.sums.relativeRmse()),
                        numberText(expert.sums.sqnrDb()), numberText(expert.sums.cosine(), 6)});
    return table({"tensor", ">expert", ">relative RMSE", ">SQNR dB", ">cosine"}, rows);
}

std::string metadataTable(const ReportData &data)
{
    std::vector<Row> rows;
    for (std::size_t i = 0; i < std::min(data.metadata.size(), MostMetadataRows); ++i) {
        const ReportMetadata &entry = data.metadata[i];
        const std::string place = entry.firstDifference ? " from " + std::to_string(*entry.firstDifference) : "";
        rows.push_back({markdownText(entry.key) + place, entry.a.empty() ? "–" : markdownText(entry.a),
                        entry.b.empty() ? "–" : markdownText(entry.b)});
    }
    std::string out = table({"key", "A", "B"}, rows);
    if (data.metadata.size() > rows.size())
        out += "\n" + grouped(data.metadata.size() - rows.size()) + " more keys are left out.\n";
    return out.empty() ? "No key differs.\n" : out;
}

std::string unpairedTable(const ReportData &data)
{
    constexpr std::size_t Most = 100;
    constexpr const char *Places[] = {"only in A", "only in B"};
    std::vector<Row> rows;
    for (std::size_t side = 0; side < data.unpaired.size(); ++side)
        for (const ReportUnpaired &one : data.unpaired[side])
            rows.push_back({markdownText(one.name), Places[side], markdownText(one.what), one.hint.empty() ? "" : markdownText(one.hint)});
    for (const auto &[name, shapeA, shapeB] : data.mismatched)
        rows.push_back({markdownText(name), "other shape", markdownText(shapeA + " / " + shapeB), ""});
    const std::size_t all = rows.size();
    rows.resize(std::min(all, Most));
    return table({"tensor", "", "type and shape", ""}, rows)
        + (all > Most ? "\n" + grouped(all - Most) + " more are left out.\n" : "");
}

/// A fence longer than any run of backticks inside.
std::string codeBlock(const std::string &text)
{
    std::size_t longest = 2, run = 0;
    for (const char c : text) {
        run = c == '`' ? run + 1 : 0;
        longest = std::max(longest, run);
    }
    const std::string fence(longest + 1, '`');
    return fence + "sh\n" + text + "\n" + fence + "\n";
}

} // namespace

std::string reportMarkdown(const ReportData &data, const ReportRequest &request)
{
    std::string out = "## " + markdownText(data.files[0].name) + " and " + markdownText(data.files[1].name) + "\n\n";
    if (request.tensors)
        out += verdictText(data) + "\n" + countsText(data) + ".\n\n" + totalsTable(data.total) + "\n";
    out += filesTable(data);
    if (request.tensors) {
        out += section("Error by role", groupTable("role", data.roles));
        out += section("Error by layer", groupTable("layer", data.layers));
        out += section("Tensors, worst first", tensorTable(data));
        out += section("The worst experts", expertTable(data));
        out += section("Without a counterpart", unpairedTable(data));
    }
    out += section("Metadata", metadataTable(data));
    out += section("The same figures again", codeBlock(request.command));
    return out + "\nMade by " + request.program + ". A is the reference; errors are a − b, taken in double.\n";
}

} // namespace ql
