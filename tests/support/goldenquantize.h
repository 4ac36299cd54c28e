// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/ggmltype.h"

#include <QString>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace ql::test {

/// What became of the tensor `input` of a golden file in one type, beside what the reference made of it.
struct GoldenQuantized {
    GgmlType type{};
    bool mustMatch = false;         ///< the bytes are given
    std::size_t differingBytes = 0;
    std::vector<double> ours;       ///< RMSE of each row
    std::vector<double> reference;

    /// Ours over the reference's in the worst row; 1 where both are 0.
    double worstRatio() const;
    std::size_t worstRow() const;
    /// Over all rows, each weighed alike: the geometric mean of the ratios of rows with errors.
    double meanRatio() const;
    /// "Q4_K: 0 bytes differ, worst row 3: 0.0123 to 0.0125, ratio 0.98, mean ratio 0.95"
    std::string summary() const;
};

/// One entry for each type that can be encoded, most bits first; empty where the file can't be opened.
std::vector<GoldenQuantized> quantizeGolden(const QString &path);

/// sqrt(sum (a-b)^2 / sum a^2)
double relativeRmse(std::span<const float> a, std::span<const float> b);

} // namespace ql::test
