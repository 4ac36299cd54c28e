// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/output/reportdata.h"

#include <string>
#include <vector>

namespace ql {

// Pictures of a report as SVG elements to stand inside an HTML page, drawn from its figures alone. Their
// colours follow the page's style sheet through classes (pictureStyle()). "" where there is nothing to show.

/// A bar a group, its name left and its figure right of it.
std::string barsSvg(const std::vector<ReportGroup> &groups, const std::string &label);
/// A column a layer.
std::string columnsSvg(const std::vector<ReportGroup> &layers, const std::string &label);
/// Each tensor a point: bits per weight of B against the relative error; hovering names it.
std::string scatterSvg(const std::vector<ReportRow> &rows, const std::string &label);
/// Layers by roles, coloured by the relative error.
std::string gridSvg(const ReportData &data, const std::string &label);

/// Rules for the classes that the pictures use, on top of the page's colour variables.
std::string pictureStyle();

/// The colour of an error between none (0) and the largest (1): "#1f0c48".
std::string errorColor(double share);

} // namespace ql
