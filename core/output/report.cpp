// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/output/report.h"

#include "core/model/asciicase.h"
#include "core/output/humannumbers.h"
#include "core/output/reportdata.h"
#include "core/output/reporthtml.h"
#include "core/output/reporttext.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ql {

namespace {

constexpr std::pair<std::string_view, ReportFormat> Suffixes[] = {
    {".html", ReportFormat::Html}, {".htm", ReportFormat::Html}, {".md", ReportFormat::Markdown}, {".markdown", ReportFormat::Markdown}};

/// How the bytes compare, as the start of a sentence.
std::string sizeVerdict(const ReportGroup &total)
{
    const double a = static_cast<double>(total.bytesA), b = static_cast<double>(total.bytesB);
    if (total.bytesA == total.bytesB || a <= 0)
        return "The tensors of both files take the same " + byteText(total.bytesA);
    return "The tensors of B take " + byteText(total.bytesB) + ", " + percentText(std::abs(b / a - 1))
        + (b < a ? " less than A's " : " more than A's ") + byteText(total.bytesA);
}

} // namespace

std::optional<ReportFormat> reportFormatOf(std::string_view path)
{
    const std::string name = lowered(path);
    for (const auto &[suffix, format] : Suffixes)
        if (name.ends_with(suffix))
            return format;
    return std::nullopt;
}

std::string diffCommandLine(const std::string &pathA, const std::string &pathB, const std::vector<std::string> &options)
{
    std::string line = "quantloupe diff";
    // A path that starts with a dash is a file all the same.
    const auto word = [](const std::string &path) { return shellWord(path.starts_with("-") ? "./" + path : path); };
    line += " " + word(pathA) + " " + word(pathB);
    for (const std::string &option : options)
        line += " " + shellWord(option);
    return line + " --json";
}

std::string verdictText(const ReportData &data)
{
    if (data.total.pairs == 0)
        return "No tensors could be compared.";
    if (data.total.identical == data.total.pairs)
        return "All tensors that both files have are identical, byte for byte.";
    return sizeVerdict(data.total) + ", at a relative RMSE of " + significant(data.total.error()) + " (SQNR "
        + significant(data.total.sums.sqnrDb()) + " dB, cosine " + significant(data.total.sums.cosine(), 6)
        + ") over the tensors that differ.";
}

std::string countsText(const ReportData &data)
{
    std::string text = grouped(data.total.pairs) + (data.total.pairs == 1 ? " tensor" : " tensors") + " compared";
    const auto add = [&](std::uint64_t n, const char *what) {
        if (n > 0)
            text += ", " + grouped(n) + " " + what;
    };
    add(data.total.identical, "identical");
    add(data.failed, "that can't be decoded");
    add(data.unpaired[0].size(), "only in A");
    add(data.unpaired[1].size(), "only in B");
    add(data.mismatched.size(), "of another shape");
    return text;
}

std::string comparisonReport(const GgufModel &a, const GgufModel &b, const ModelDiff &diff, const ReportRequest &request)
{
    const ReportData data = reportData(a, b, diff);
    return request.format == ReportFormat::Html ? reportHtml(data, request) : reportMarkdown(data, request);
}

} // namespace ql
