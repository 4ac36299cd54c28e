// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/stats/cosinematrix.h"
#include "core/stats/expertstats.h"
#include "widgets/cellmap.h"

#include <QString>

#include <span>

namespace ql {

/// A figure of one role over layers and experts, odd ones marked; cells without a figure are NaN.
CellMapData expertMapCells(std::span<const ExpertGroup> groups, std::span<const ExpertTablePtr> tables,
                           const std::string &role, ExpertFigure figure);
/// True where some cell has a figure.
bool hasValues(const CellMapData &cells);
/// The row of a layer, or -1.
int rowOf(const CellMapData &cells, std::optional<std::uint32_t> layer);

/// Cosines on −1 … 1, near duplicates marked; null: no cells, and a text that says how to get them.
CellMapData cosineCells(const CosineMatrixPtr &matrix);

/// "layer 3", "no layer"
QString layerText(const std::optional<std::uint32_t> &layer);
/// "layer 1 · expert 5 · RMS 0.08 · 31 spreads off · router row norm 6.25"
QString expertText(const ExpertTable &table, const ExpertSummary &expert, ExpertFigure figure);
/// UTF-8 as Qt has it.
QString toText(std::string_view utf8);

} // namespace ql
