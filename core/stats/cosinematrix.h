// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/stats/expertgroups.h"

#include "core/parallel/progress.h"

#include <memory>
#include <stop_token>
#include <vector>

namespace ql {

/// How alike the experts of a group are: the cosine between each two of them as vectors of all
/// their weights. Symmetric, row-major; NaN where one of the two is all zero.
struct CosineMatrix {
    static constexpr std::size_t MaxExperts = 1024;

    std::vector<std::uint64_t> numbers; ///< of the experts, in the order of rows and columns
    std::vector<double> cosines;

    std::size_t size() const { return numbers.size(); }
    double at(std::size_t i, std::size_t j) const { return cosines[i * size() + j]; }
};
using CosineMatrixPtr = std::shared_ptr<const CosineMatrix>;

/// Tile by tile: a tile of every expert at a time, so that each weight is decoded once. The same
/// bits for any number of threads. Weights that are not finite count as zero. Progress is in
/// weights. Errors: "too-many-experts", "shape-mismatch" where experts differ in shape, those of
/// TensorView, "stopped", "file-changed".
Result<CosineMatrixPtr> cosineMatrix(const GgufModelPtr &model, const ExpertGroup &group,
                                     std::stop_token stop = {}, const ProgressFn &progress = {},
                                     unsigned threads = 0);

struct NearDuplicate {
    std::size_t first = 0; ///< rows of the matrix, first < second
    std::size_t second = 0;
    double cosine = 0;
};

/// Experts of independent training have cosines near 0; these were copied, or nearly so.
inline constexpr double NearDuplicateCosine = 0.99;
std::vector<NearDuplicate> findNearDuplicates(const CosineMatrix &matrix,
                                              double threshold = NearDuplicateCosine);

/// Numbers of the experts as first line and column, RFC 4180, without locale.
std::string cosineMatrixCsv(const CosineMatrix &matrix);

} // namespace ql
