// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/output/report.h"
#include "core/output/reportdata.h"

namespace ql {

/// One self-contained page: nothing is loaded, nothing runs; light and dark as the reader's system.
std::string reportHtml(const ReportData &data, const ReportRequest &request);

/// To paste where Markdown is read; at most MostMarkdownRows tensors.
inline constexpr std::size_t MostMarkdownRows = 30;
std::string reportMarkdown(const ReportData &data, const ReportRequest &request);

/// "B takes 39 % fewer bytes than A, at a relative RMSE of 0.2137 (SQNR 13.4 dB, cosine 0.977)."
std::string verdictText(const ReportData &data);
/// "12 tensors compared, 3 identical, 1 that can't be decoded"
std::string countsText(const ReportData &data);

} // namespace ql
