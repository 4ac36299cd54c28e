// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/output/diffjson.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ql {

enum class ReportFormat {
    Html,    ///< one file, pictures inside it
    Markdown ///< to paste into an issue or a model card: bars drawn with letters, the worst tensors alone
};
/// By the suffix of a path: .html, .htm, .md, .markdown; nothing for another.
std::optional<ReportFormat> reportFormatOf(std::string_view path);

struct ReportRequest {
    ReportFormat format = ReportFormat::Html;
    bool tensors = true;  ///< false: the metadata alone were compared
    std::string command;  ///< what makes these figures again, as one types it in a shell
    std::string program;  ///< "Quantloupe 1.0", for the last line
};

/// `quantloupe diff A B --json …`, quoted for a shell whatever bytes the paths hold.
std::string diffCommandLine(const std::string &pathA, const std::string &pathB, const std::vector<std::string> &options);

/// Everything that a comparison found, as one document in UTF-8: what the files are, totals, by role, by
/// layer, every tensor worst first, metadata, what has no counterpart, pictures, and the command that makes
/// it again. Whatever the files hold is shown as text, never as markup. The same bytes for the same
/// figures. Reads a few metadata elements from the maps.
std::string comparisonReport(const GgufModel &a, const GgufModel &b, const ModelDiff &diff, const ReportRequest &request);

} // namespace ql
